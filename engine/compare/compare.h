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
	/* every candidate called doNotMatch, or the configuration excludes the object: neither matched nor unmatched */
	VERDICT_EXCLUDED,
	VERDICT_ERROR, /* the object could not be judged; the template still counts as matched */
};

/* An object that a template looked up. The verdict may change when the object does. */
struct verdict_lookup {
	str api_version, kind, namespace, name; /* what the template asked for; empty or "*": any */
};

struct override;

/* The outcome of trying a candidate, which explains the verdict (compare_env.explain). */
enum trial_outcome { TRIAL_MATCHED, TRIAL_EXCLUDED, TRIAL_FAILED };

struct verdict_trial {
	const struct ref_template *template;
	enum trial_outcome outcome;
	str why; /* TRIAL_EXCLUDED: the text of doNotMatch, as far as it may be shown */
	bool differs;
	size_t score; /* how much the sides differ: the least score wins, the first of equal ones */
};

struct verdict {
	struct arena arena;   /* owns everything below; released by verdict_done */
	struct doc *rendered; /* keeps expected alive */
	enum verdict_state state;
	const struct ref_template *template; /* NULL when unmatched or excluded */
	val expected; /* the rendered reference, and the object, as they were compared (fields omitted, merged); */
	val actual;   /* VAL_ABSENT unless compliant or drifted */
	struct changes changes;
	/* set by compare_env.review (rules/event_review.h); NULL: there was none */
	const struct event_outcome *outcome;
	/* No value of the object may be shown: it is a Secret, or the template looked one up or read too many hidden
	 * values. */
	bool sensitive;
	/* the mask of the environment or, if it includes what the template read, one in the arena */
	const struct mask_fields *mask;
	str error; /* VERDICT_ERROR: the message, without anything that may not be shown */
	/* the complete message, which may quote the object or what was rendered; never for the daemon's records */
	str error_detail;
	const struct verdict_lookup *lookups;
	size_t n_lookups;
	const struct override *const *overrides; /* the overrides that were applied to the template of the verdict */
	size_t n_overrides;
	const struct verdict_trial *trials; /* the trials in the order of the reference; only if asked for */
	size_t n_trials;
	const struct read_part *read_set; /* one for each candidate, if asked for; NULL: all of the object */
	size_t n_read_parts;
	uint64_t steps;      /* how many of limits.evaluation_steps were used */
	bool override_fault; /* VERDICT_ERROR: an override itself is wrong, whatever the object */
};

struct go_zones;

struct compare_env {
	const struct limits *limits;
	struct key_table *keys; /* the key table of this thread; may be NULL */
	/* Looks objects up in the snapshot, for lookupCR and lookupCRs, as in struct tmpl_env. NULL: nothing is
	 * found. */
	int (*lookup)(void *ctx, const struct tmpl_lookup *request, const val **ret, size_t *n, struct err *err);
	int64_t (*now)(void *ctx, int32_t *nanoseconds); /* the time for templates, as in struct tmpl_env */
	void *ctx;
	const struct go_zones *zones;      /* the time zones for templates; NULL: only UTC */
	const struct overrides *overrides; /* overrides.h; NULL: none */
	/* the object before it was edited, by which templates are found; VAL_ABSENT: by the object itself */
	val correlated;
	/* identity_text → struct ref_template, preferred to any other correlation; NULL: none */
	const struct strmap *manual;
	/* what may not be shown besides the usual, or may be shown; lives as long as the verdict. NULL: the usual,
	 * and trace is given all values */
	const struct mask_fields *mask;
	/* Applies rules to a difference, and lists its changes instead of changes_find, as event_review_apply does.
	 * It may change verdict.actual and state. NULL: there are no rules. */
	int (*review)(void *ctx, struct verdict *v, const struct mask_fields *mask, uint64_t *steps, struct err *err);
	/* metadata.managedFields of the object, for manifests (manifest/manifest_compare.h); NULL: unknown. */
	val (*managers)(void *ctx);
	/* the schema of a custom resource, for the keys of its lists (topo_root); VAL_ABSENT: unknown */
	val schema;
	bool managed_fields;                        /* compare metadata.managedFields too, where they are not omitted */
	void (*trace)(void *ctx, const char *text); /* called with each step as a line of text; NULL: no trace */
	bool explain;                               /* keep the outcome for each candidate, with its score */
	bool read_set;                              /* keep what the verdict has read of the object */
};

/* Judge @object. If the object or its template is at fault, the result is still a verdict (VERDICT_ERROR); a failure
 * (-ENOMEM) concerns the machine. The verdict shares values with @object, which must live as long; release it with
 * verdict_done. */
CHECKED int compare_object(const struct matcher *m, val object, const struct compare_env *env, struct verdict *ret,
			   struct err *err);
void verdict_done(struct verdict *v);

/* Turn @v into an error because a limit of one evaluation is reached, in memory (its arena is full) or in steps.
 * Such an error is a fact about the object, like its other limits. Fails: ENOMEM. */
CHECKED int verdict_too_large(struct verdict *v, const struct limits *limits, struct err *err);

const char *verdict_state_name(enum verdict_state s); /* The name of a state, such as "compliant". */

/* Append the unified diff of a drifted verdict as YAML, with the reference on the left, and with masks in the place
 * of what may not be shown. Its header lines are "--- reference", "+++ cluster" unless @from and @to name them.
 * Masking uses what is left of the verdict's steps. Fails: ENOMEM; E2BIG: no steps are left, or the text is too
 * long. */
CHECKED int verdict_diff(const struct verdict *v, const char *from, const char *to, const struct limits *limits,
			 struct buf *out, struct err *err);

#endif
