/* The REST resource of inspection rules: what a request is answered, and what it changes. Knows neither HTTP nor the
 * database.
 *
 *   inspection_plan --> a change is noted, and what it will be answered --> kept by the caller --> inspection_carry_out
 *
 * Between the two nothing else may be planned: the next plan is made over what this one leaves. */
#ifndef DAEMON_INSPECTION_REST_H
#define DAEMON_INSPECTION_REST_H

#include "daemon/inspection/rules.h"

#define INSPECTION_BODY_MAX ((size_t)1 << 20) /* bytes of a request's body */

/* The data from which requests are answered. */
struct inspection_rest {
	struct inspection_rules *rules;
	const struct limits *limits;
	str built_in_at; /* when the built-in rules were read: RFC 3339 */
};

enum inspection_change {
	INSPECTION_NOTHING,
	INSPECTION_CREATED,
	INSPECTION_CHANGED,
	INSPECTION_DELETED,
	INSPECTION_CLEARED, /* all rules of users are deleted */
};

struct inspection_plan {
	enum inspection_change change;
	str uuid;               /* the rule that changes; unset when all are deleted */
	struct insp_rule *rule; /* the created or changed rule, with the three that follow: */
	struct buf json;        /* the rule with hidden parts, for inspection_restore */
	str created_at, updated_at;
	/* The answer; that to a change is given once the change is stored. */
	unsigned status;
	struct buf body; /* JSON; empty: none */
	str location;
	const char *allow; /* the allowed methods, with 405; otherwise NULL */

	struct arena texts;
};

/* Plan the answer to @q. Fails: ENOMEM. Release *ret with inspection_plan_done after a success. */
CHECKED int inspection_plan(const struct inspection_rest *rest, const struct insp_request *q,
			    struct inspection_plan *ret, struct err *err);
/* Carry out a plan that is stored. Fails: ENOMEM, and then nothing has changed. */
CHECKED int inspection_carry_out(const struct inspection_rest *rest, struct inspection_plan *p, struct err *err);
/* Answer with @status and @why instead, because the plan is not stored, or not even made. */
void inspection_refuse(struct inspection_plan *p, unsigned status, const char *why);
void inspection_plan_done(struct inspection_plan *p);
/* Append {"error": "text"}. */
void inspection_error(const char *why, struct buf *out);

/* Add a rule that was stored, behind those that exist. Fails: EBADMSG (it is no rule), ENOMEM. */
CHECKED int inspection_restore(const struct inspection_rest *rest, str uuid, str json, str created_at, str updated_at,
			       struct err *err);

/* ---- the list, which may be long ---- */

struct inspection_list;

/* Whether @q asks for the list. */
bool inspection_asks_for_list(const struct insp_request *q);
/* Begin to answer @q. *ret NULL: it is refused, with the answer *refusal. *rest must live as long as the list; the
 * rules may change meanwhile. Fails: ENOMEM. */
CHECKED int inspection_list_new(const struct inspection_rest *rest, const struct insp_request *q,
				struct inspection_list **ret, struct inspection_plan *refusal, struct err *err);
/* Append the next part, some tens of KB or one rule. 1: there is more; 0: that was all. Fails: ENOMEM. */
CHECKED int inspection_list_next(struct inspection_list *l, struct buf *out, struct err *err);
void inspection_list_free(struct inspection_list *l);
DEFINE_CLEANUP(struct inspection_list *, inspection_list_free)

#endif
