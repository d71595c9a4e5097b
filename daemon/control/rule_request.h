/* Bodies of requests about inspection rules, made of the options of a command.   spec/inspection-rules.md, section 13
 */
#ifndef DAEMON_CONTROL_RULE_REQUEST_H
#define DAEMON_CONTROL_RULE_REQUEST_H

#include "base/buf.h"

/* What the options are for. */
enum rule_request_kind {
	RULE_CREATE, /* a rule */
	RULE_SET,    /* a JSON patch that replaces fields, */
	RULE_UNSET,  /* or takes them away */
};

struct rule_request {
	enum rule_request_kind kind;
	struct buf body; /* without its end */
	size_t fields;
};

void rule_request_init(struct rule_request *r, enum rule_request_kind kind);
void rule_request_done(struct rule_request *r);

/* The field that the option @name is for: "actions" and "conditions" are JSON, "priority" is an integer, "sensitive"
 * has no value, others are texts. @value counts for nothing when fields are taken away. Fails: EINVAL. */
CHECKED int rule_request_add(struct rule_request *r, const char *name, const char *value, struct err *err);
/* The whole body; it lives as long as the request. Fails: E2BIG, ENOMEM. */
CHECKED int rule_request_end(struct rule_request *r, str *ret, struct err *err);

#endif
