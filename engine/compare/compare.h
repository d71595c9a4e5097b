/* Judging objects against a reference: the pure function at the heart of driftd.
 *
 * The daemon calls it for each change, `driftd compare` for each file; both get the same verdict for the same object.
 * No I/O, no clock beyond env, no globals; one arena per verdict. Several threads may judge with one matcher at once,
 * each with its own key table. Behaviour: spec/compare.md, "Correlation" and "Comparing one object". */
#ifndef COMPARE_COMPARE_H
#define COMPARE_COMPARE_H

#include "compare/changes.h"
#include "compare/matcher.h"
#include "compare/read_set.h"

/* ---- verdicts ---- */

/* ORDER verdict_state */
enum verdict_state {
	VERDICT_COMPLIANT,
	VERDICT_DRIFTED,
	VERDICT_UNMATCHED, /* no template is for this object */
	VERDICT_EXCLUDED,  /* every candidate said doNotMatch, or a configuration so: neither matched nor unmatched */
	VERDICT_ERROR,     /* the object could not be judged; the template is matched all the same */
};

/* An object that a template asked for. The verdict may change when it does. */
struct verdict_lookup {
	str api_version, kind, namespace, name; /* as requested; empty or "*": any */
};

struct override;

/* What became of a candidate, for who asks why (compare_env.explain). */
enum trial_outcome { TRIAL_MATCHED, TRIAL_EXCLUDED, TRIAL_FAILED };

struct verdict_trial {
	const struct ref_template *template;
	enum trial_outcome outcome;
	str why; /* TRIAL_EXCLUDED: what its doNotMatch says, as far as that may be shown */
	bool differs;
	size_t score; /* how much: the least is the best, the first of equal ones */
};

struct verdict {
	struct arena arena;   /* owns everything below; released by verdict_done */
	struct doc *rendered; /* keeps expected alive */
	enum verdict_state state;
	const struct ref_template *template; /* NULL when unmatched or excluded */
	val expected; /* the rendered reference, and the object, as they were compared (fields omitted, merged); */
	val actual;   /* VAL_ABSENT unless compliant or drifted */
	struct changes changes;
	const struct event_outcome *outcome; /* of compare_env.review (rules/event_review.h); NULL: there was none */
	/* No value of it may be shown: a Secret, or a template that looked one up or read too much that is hidden. */
	bool sensitive;
	const struct mask_fields *mask; /* of the environment, or in the arena: with what the template read */
	str error;                      /* VERDICT_ERROR: the message; quotes nothing that may not be shown */
	str error_detail; /* the complete message, which may quote the object or what was rendered: never for the
			     daemon's records */
	const struct verdict_lookup *lookups;
	size_t n_lookups;
	const struct override *const *overrides; /* those that were applied to the template of the verdict */
	size_t n_overrides;
	const struct verdict_trial *trials; /* in the order of the reference; only where they are asked for */
	size_t n_trials;
	const struct read_part
		*read_set; /* one for each candidate, where they are asked for; NULL: all of the object */
	size_t n_read_parts;
	uint64_t steps;      /* of limits.evaluation_steps: what it took */
	bool override_fault; /* VERDICT_ERROR: an override itself is wrong, whatever the object */
};

struct go_zones;

struct compare_env {
	const struct limits *limits;
	struct key_table *keys; /* of this thread; may be NULL */
	/* The snapshot, for lookupCR and lookupCRs: as in struct tmpl_env. NULL: nothing is found. */
	int (*lookup)(void *ctx, const struct tmpl_lookup *request, const val **ret, size_t *n, struct err *err);
	int64_t (*now)(void *ctx, int32_t *nanoseconds); /* of templates, as in struct tmpl_env */
	void *ctx;
	const struct go_zones *zones;      /* for templates; NULL: no zones but UTC */
	const struct overrides *overrides; /* overrides.h; NULL: none */
	val correlated; /* what templates are looked for instead of the object: it before it was edited. VAL_ABSENT:
			   nothing was */
	const struct strmap *manual; /* identity_text → struct ref_template, before any other correlation; NULL: none */
	const struct mask_fields *mask; /* what may not be shown besides the usual, or may; lives as long as the
					   verdict. NULL: the usual, and trace gets everything */
	/* Hold a difference against rules, and list its changes: instead of changes_find, as event_review_apply, the
	 * last word on verdict.actual and state. NULL: there are no rules. */
	int (*review)(void *ctx, struct verdict *v, const struct mask_fields *mask, uint64_t *steps, struct err *err);
	/* metadata.managedFields of the object, for manifests (manifest/manifest_compare.h); NULL: unknown. */
	val (*managers)(void *ctx);
	val schema;          /* of a custom resource: what its lists go by (topo_root); VAL_ABSENT: unknown */
	bool managed_fields; /* compare metadata.managedFields too, where they are not omitted */
	void (*trace)(void *ctx, const char *text); /* each step as a line of text; NULL: none */
	bool explain;                               /* keep what became of each candidate, with its score */
	bool read_set;                              /* keep what the verdict saw of the object */
};

/* Judge @object. A verdict is a result also when the object or its template is at fault (VERDICT_ERROR); a failure
 * (-ENOMEM) is about the machine. The verdict shares values with @object, which must live as long; release it with
 * verdict_done. */
CHECKED int compare_object(const struct matcher *m, val object, const struct compare_env *env, struct verdict *ret,
			   struct err *err);
void verdict_done(struct verdict *v);

/* @v becomes an error: the ceilings of one evaluation are reached, in memory (its arena is full) or in steps. They are
 * facts about the object, as its other limits are. Fails: ENOMEM. */
CHECKED int verdict_too_large(struct verdict *v, const struct limits *limits, struct err *err);

const char *verdict_state_name(enum verdict_state s); /* "compliant", … */

/* The unified diff of a drifted verdict, reference on the left, as YAML with what may not be shown masked; header lines
 * are "--- reference", "+++ cluster" unless @from and @to name them. Masking it draws on what is left of the steps of
 * the verdict. Fails: ENOMEM; E2BIG: no steps are left, or the text is too long. */
CHECKED int verdict_diff(const struct verdict *v, const char *from, const char *to, const struct limits *limits,
			 struct buf *out, struct err *err);

#endif
