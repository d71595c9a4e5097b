/* Judging the objects of "driftd compare", on any number of threads: the result is the same for each. */
#ifndef DAEMON_COMPARE_RUN_H
#define DAEMON_COMPARE_RUN_H

#include "compare/compare.h"
#include "compare/overrides.h"
#include "daemon/compare/accepted.h"
#include "daemon/compare/input.h"
#include "daemon/compare/inspection.h"
#include "daemon/compare/rules.h"

#define COMPARE_THREADS_MAX 64

struct compare_index;
struct compare_worker;

/* How an object names a template that need not be among the objects. */
enum { COMPARE_BY_OWNER = 1, COMPARE_BY_SUBJECT = 2 };

/* What became of one object. */
struct compare_result {
	enum verdict_state state;
	const struct ref_template *template;
	bool drifted;
	char *diff;  /* output; NULL: none */
	char *error; /* VERDICT_ERROR */
	bool fatal;  /* the error is about the run, not about the object */
	bool waits;  /* the error is that it looks up what is not known: neither is whether a template is for it */
	const struct override **overrides;
	size_t n_overrides;
	char *patch; /* from reference to object, where one was asked for */
	const char *patch_type;
	struct string_list trace;
	struct compare_events events;
	struct compare_acceptances accepted;
	char *warning;
	/* for each template that the object names: COMPARE_BY_OWNER, COMPARE_BY_SUBJECT; NULL: there is none */
	uint8_t *referenced;
};

void compare_result_done(struct compare_result *r);

struct compare_run {
	const struct matcher *matcher;
	const struct compare_input *input;
	const struct limits *limits;
	const struct overrides *overrides;
	const struct strmap *manual;
	const struct event_review *review;       /* NULL: no rules */
	const struct compare_accepted *accepted; /* NULL: nothing is */
	struct compare_inspection *inspection;   /* NULL: nothing is inspected. With it there is one thread only */
	bool managed_fields;
	const struct mask_fields *mask; /* NULL: texts are those of the original */
	bool verbose;
	bool progress; /* on standard error */
	const struct string_list *generate_for;
	const char *external;           /* command for differences; NULL: none */
	struct compare_index *index;    /* NULL: nothing looks objects up */
	uint8_t *referenced;            /* what all objects together name, in the form of compare_result */
	struct compare_result *results; /* one for each object */
	size_t n_results, results_max;
	_Atomic size_t next, done;
	_Atomic bool stop;
};

/* Fill in run->results. Fails: ENOMEM, EAGAIN (no thread). */
CHECKED int compare_run_all(struct compare_run *run, unsigned threads, struct err *err);
void compare_run_done(struct compare_run *run);

/* What the clock says that nobody sets. */
uint64_t compare_now_ms(void);

/* How many threads there are where @asked are asked for. */
static inline unsigned compare_run_threads(unsigned asked)
{
	return asked < 1 ? 1 : asked > COMPARE_THREADS_MAX ? COMPARE_THREADS_MAX : asked;
}

/* Whether a verdict may depend on other objects, which have to be read before. */
bool compare_run_looks_up(const struct compare_run *run);
/* Whether one depends on what definitions of custom resources say, which have to be known before: only rules ask what
 * lists go by. */
bool compare_run_reads_schemas(const struct compare_run *run);
/* Make room for @n results at once, where about so many are to come. Fails: ENOMEM. */
CHECKED int compare_run_expect(struct compare_run *run, size_t n, struct err *err);
/* Take the result of the next object. Fails: ENOMEM, and @result stays the caller's. */
CHECKED int compare_run_take(struct compare_run *run, struct compare_result *result, struct err *err);

/* The templates that may be for an object of @id. *manual: room for one. */
size_t compare_run_candidates(const struct compare_run *run, const struct identity *id,
			      const struct ref_template **manual, const struct ref_template *const **ret);

/* What one thread judges with; @keys of its own. NULL without memory. */
struct compare_worker *compare_worker_new(struct compare_run *run, struct key_table *keys);
void compare_worker_free(struct compare_worker *w);
/* Judge @object into *ret, which is empty, and for the caller to release in any case. Fails: ENOMEM. */
CHECKED int compare_worker_judge(struct compare_worker *w, val object, struct compare_result *ret, struct err *err);

/* The output of the command for one object: both texts are written to files called @name. 0 or 1 as diff returns them.
 * Fails: EIO with what went wrong, ENOMEM. */
CHECKED int compare_external(const char *command, const char *name, str merged, str live, struct buf *out,
			     struct err *err);

#endif
