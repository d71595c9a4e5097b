/* Judging objects against a reference: the pure function at the heart of driftd.
 *
 * The daemon calls it for each change, `driftd compare` for each file; both get the same verdict for the same object.
 * No I/O, no clock beyond env, no globals; one arena per verdict. Several threads may judge with one matcher at once,
 * each with its own key table. Behaviour: spec/compare.md, "Correlation" and "Comparing one object". */
#ifndef COMPARE_COMPARE_H
#define COMPARE_COMPARE_H

#include "compare/changes.h"
#include "reference/ref.h"

/* ---- correlation ---- */

/* The index of a reference's templates by the fields that they fix. Immutable. */
struct matcher;

/* @ref is referenced by the matcher. Fails: ENOMEM. */
CHECKED int matcher_new(struct reference *ref, struct matcher **ret, struct err *err);
void matcher_free(struct matcher *m);
DEFINE_CLEANUP(struct matcher *, matcher_free)

/* The identity of a live object; the strings point into it. */
struct ref_identity object_identity(val object);

/* The candidates for an object, in the order of the reference; 0 when none matches. Valid as long as the matcher. */
size_t matcher_candidates(const struct matcher *m, val object, const struct ref_template *const **ret);

struct reference *matcher_reference(const struct matcher *m);

/* Call @found for each set of templates that fix the same fields to the same values, so that an object may be for any
 * of them. */
void matcher_collisions(const struct matcher *m,
			void (*found)(void *ctx, unsigned fields, const struct ref_template *const *templates,
				      size_t n),
			void *ctx);

/* ---- verdicts ---- */

enum verdict_state {
	VERDICT_COMPLIANT,
	VERDICT_DRIFTED,
	VERDICT_UNMATCHED, /* no template is for this object */
	VERDICT_EXCLUDED,  /* every candidate said doNotMatch: neither matched nor unmatched */
	VERDICT_ERROR,     /* the object could not be judged; the template is matched all the same */
};

/* An object that a template asked for. The verdict may change when it does. */
struct verdict_lookup {
	str api_version, kind, namespace, name; /* as requested; empty or "*": any */
};

struct override;

struct verdict {
	struct arena arena;   /* owns everything below; released by verdict_done */
	struct doc *rendered; /* keeps expected alive */
	enum verdict_state state;
	const struct ref_template *template; /* NULL when unmatched or excluded */
	val expected; /* the rendered reference, and the object, as they were compared (fields omitted, merged); */
	val actual;   /* VAL_ABSENT unless compliant or drifted */
	struct changes changes;
	bool sensitive;   /* a Secret, or a template that looked a Secret up: no value of it may be shown */
	str error;        /* VERDICT_ERROR: the message; holds no data of a sensitive object */
	str error_detail; /* the complete message, which may quote the object or what was rendered: never for the
			     daemon's records */
	const struct verdict_lookup *lookups;
	size_t n_lookups;
	const struct override *const *overrides; /* those that were applied to the template of the verdict */
	size_t n_overrides;
	bool override_fault; /* VERDICT_ERROR: an override itself is wrong, whatever the object */
};

struct compare_env {
	const struct limits *limits;
	struct key_table *keys; /* of this thread; may be NULL */
	/* The snapshot, for lookupCR and lookupCRs: as in struct tmpl_env. NULL: nothing is found. */
	int (*lookup)(void *ctx, const struct tmpl_lookup *request, const val **ret, size_t *n, struct err *err);
	void *ctx;
	const struct overrides *overrides; /* overrides.h; NULL: none */
	const struct strmap *manual; /* identity_text → struct ref_template, before any other correlation; NULL: none */
	bool managed_fields;         /* compare metadata.managedFields too, where they are not omitted */
	void (*trace)(void *ctx, const char *text); /* each step as a line of text; NULL: none */
};

/* Judge @object. A verdict is a result also when the object or its template is at fault (VERDICT_ERROR); a failure
 * (-ENOMEM) is about the machine. The verdict shares values with @object, which must live as long; release it with
 * verdict_done. */
CHECKED int compare_object(const struct matcher *m, val object, const struct compare_env *env, struct verdict *ret,
			   struct err *err);
void verdict_done(struct verdict *v);

const char *verdict_state_name(enum verdict_state s); /* "compliant", … */

/* The unified diff of a drifted verdict, reference on the left, as YAML with Secrets masked; header lines are
 * "--- reference", "+++ cluster" unless @from and @to name them. */
CHECKED int verdict_diff(const struct verdict *v, const char *from, const char *to, const struct limits *limits,
			 struct buf *out, struct err *err);

/* ---- component groups ---- */

enum component_problem {
	COMPONENT_SATISFIED,
	COMPONENT_MISSING,      /* templates that must be matched are not: "Missing CRs" */
	COMPONENT_ONE_REQUIRED, /* "One of the following is required" */
	COMPONENT_TOO_MANY,     /* "Should only match one but matched" */
	COMPONENT_FORBIDDEN,    /* "These should not have been matched" */
};

struct component_verdict {
	const struct ref_part *part;
	const struct ref_component *component;
	enum component_problem problem;
	const struct ref_template **templates; /* those the problem is about */
	size_t n_templates;
	size_t n_missing; /* how many CRs count as missing */
};

const char *component_problem_text(enum component_problem p); /* "" when satisfied */

/* Judge one component given which templates are matched (@matched[template->index]). The result's list lives in @a.
 * Fails: ENOMEM. */
CHECKED int component_judge(const struct ref_part *part, const struct ref_component *c, const bool *matched,
			    struct arena *a, struct component_verdict *ret, struct err *err);

/* ---- templates that are present by reference only ---- */

/* Call @found for each template whose identity an owner reference of @object names, or that is a ServiceAccount named
 * as a subject of the RoleBinding or ClusterRoleBinding @object. */
void matcher_references(const struct matcher *m, val object, void (*found)(void *ctx, const struct ref_template *t),
			void *ctx);
/* The two kinds apart. */
void matcher_owner_references(const struct matcher *m, val object,
			      void (*found)(void *ctx, const struct ref_template *t), void *ctx);
void matcher_subjects(const struct matcher *m, val object, void (*found)(void *ctx, const struct ref_template *t),
		      void *ctx);

#endif
