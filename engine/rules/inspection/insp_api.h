/* The REST resource /v1/inspection_rules, without a server: applies a request to the stored rules, and makes the
 * answer. See spec/inspection-rules.md, section 13. */
#ifndef RULES_INSPECTION_API_H
#define RULES_INSPECTION_API_H

#include "rules/inspection/insp_builtin.h"

#define INSP_RULES_PATH "/v1/inspection_rules"
#define INSP_USER_RULES_MAX 10000

struct insp_stored {
	const struct insp_rule *rule;
	str created_at, updated_at; /* RFC 3339, UTC; updated_at is {NULL, 0} until the rule is changed */
};

/* Stores the user rules. */
struct insp_store {
	/* The rule number @i, from 0, in order of creation; NULL: there are no more. Valid until the store changes. */
	const struct insp_stored *(*at)(void *ctx, size_t i);
	/* Add a rule durably, or replace the one with the same uuid (ignoring case). Takes @rule, even on failure;
	 * copies the times. */
	int (*put)(void *ctx, struct insp_rule *rule, str created_at, str updated_at, struct err *err);
	int (*remove)(void *ctx, const struct insp_rule *rule, struct err *err);
	int (*clear)(void *ctx, struct err *err);
	void *ctx;
};

struct insp_api {
	const struct insp_store *store;
	const struct insp_builtins *builtins;
	str builtins_at; /* the created_at of the built-in rules: when they were read */
	str now;
	str new_uuid; /* a random uuid that is not in use, for a rule that is created without one */
	const struct limits *limits;
};

struct insp_request {
	str method;
	str path;  /* without the query, escaped as it was sent */
	str query; /* the part after the "?"; empty: none */
	str body;
};

struct insp_answer {
	int status;
	val body;          /* VAL_ABSENT: the answer has no body */
	str location;      /* the location of a rule that was created; else empty */
	const char *allow; /* with status 405: the allowed methods; else NULL */
};

/* Answer @q; the contents of the answer live in @a or in the store. Fails, and nothing has changed: ENOMEM, and what
 * the store fails with. */
CHECKED int insp_api_answer(const struct insp_api *api, const struct insp_request *q, struct arena *a,
			    struct insp_answer *ret, struct err *err);

#endif
