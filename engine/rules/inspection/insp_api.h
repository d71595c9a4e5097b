/* The REST resource /v1/inspection_rules, without a server: what a request does to the stored rules, and the answer.
 * spec/inspection-rules.md, section 13 */
#ifndef RULES_INSPECTION_API_H
#define RULES_INSPECTION_API_H

#include "rules/inspection/insp_builtin.h"

#define INSP_RULES_PATH "/v1/inspection_rules"
#define INSP_USER_RULES_MAX 10000

struct insp_stored {
	const struct insp_rule *rule;
	str created_at, updated_at; /* RFC 3339, UTC; updated_at {NULL, 0}: not changed yet */
};

/* User rules, and how they are changed. */
struct insp_store {
	/* The rule at @i, from 0, in order of creation; NULL: there are no more. Valid until the store changes. */
	const struct insp_stored *(*at)(void *ctx, size_t i);
	/* Add a rule, or put it in the place of the one with the same uuid (without case), durably. Takes @rule, also
	 * when it fails; copies the times. */
	int (*put)(void *ctx, struct insp_rule *rule, str created_at, str updated_at, struct err *err);
	int (*remove)(void *ctx, const struct insp_rule *rule, struct err *err);
	int (*clear)(void *ctx, struct err *err);
	void *ctx;
};

struct insp_api {
	const struct insp_store *store;
	const struct insp_builtins *builtins;
	str builtins_at; /* when they were read: their created_at */
	str now;
	str new_uuid; /* for a rule that is created without one: random, and not in use */
	const struct limits *limits;
};

struct insp_request {
	str method;
	str path;  /* without the query, escaped as it was sent */
	str query; /* behind the "?"; empty: none */
	str body;
};

struct insp_answer {
	int status;
	val body;          /* VAL_ABSENT: none */
	str location;      /* of a rule that was created, else empty */
	const char *allow; /* with 405: the methods that there are; else NULL */
};

/* Answer @q; what the answer holds lives in @a or in the store. Fails, and nothing has changed: ENOMEM, and what the
 * store fails with. */
CHECKED int insp_api_answer(const struct insp_api *api, const struct insp_request *q, struct arena *a,
			    struct insp_answer *ret, struct err *err);

#endif
