/* Parts of commands that have files of their own: documents of the control API for people, and inspection rules. */
#ifndef DAEMON_CONTROL_CONTROL_INTERNAL_H
#define DAEMON_CONTROL_CONTROL_INTERNAL_H

#include "base/buf.h"
#include "daemon/control/output.h"
#include "value/doc.h"

/* ---- describe.c: one finding, as kubectl describe shows an object ---- */

/* Describe @x, a finding of the control API with its last record (docs/api.md). @now: Unix time. Unprintable
 * characters are escaped. */
void describe_finding(val x, int64_t now, struct buf *out);

/* ---- findings_text.c ---- */

struct findings_table {
	bool hosts;    /* each says which host reported it */
	bool clusters; /* each row names its cluster, even if there is only one */
	bool wide, no_headers;
	bool groups;  /* the rows are items of a FindingGroupList: causes */
	bool watched; /* each says what became of it */
	/* TABLE_COLUMNS_MAX widths of what was printed before, so that columns stay; NULL: nothing was */
	size_t *widths;
};

struct findings_row {
	val x;
	const char *event; /* with watched: "open", "begin", "change" or "end" */
};

/* Append @items, findings of the control API or groups of them, as a table. Fails: ENOMEM. */
CHECKED int print_findings(const struct findings_table *how, val items, struct buf *out, struct err *err);
CHECKED int print_findings_rows(const struct findings_table *how, const struct findings_row *rows, size_t n,
				struct buf *out, struct err *err);

/* ---- drift_watch.c ---- */

struct drift_watch {
	const char *socket;
	str path; /* the path of the request, with its filters */
	enum control_form form;
	struct findings_table table;
};

/* Print @list, the answer to the path, and then each second what has begun, changed or ended since, until a signal
 * ends it. While no driftd answers it waits. Fails: EIO, nobody reads the output; the errors with which driftd
 * refuses; ENOMEM. */
CHECKED int drift_watch(const struct drift_watch *w, struct doc *list, struct err *err);

/* ---- explain_text.c: why driftd says of an object what it says ---- */

/* Append @x, an item of an ObjectList (docs/api.md); unprintable characters are escaped. */
void explain_object(val x, struct buf *out);
/* Append @x, an Explanation, below it. Fails: ENOMEM. */
CHECKED int explain_reference(val x, struct buf *out, struct err *err);

/* ---- reference_text.c: references that are published elsewhere ---- */

struct references_table {
	bool wide, no_headers;
};

/* Append @items, of a ReferenceList (docs/api.md), as a table. @now: Unix time. Fails: ENOMEM. */
CHECKED int references_table(const struct references_table *how, val items, int64_t now, struct buf *out,
			     struct err *err);
/* Append everything of @x, a Reference; unprintable characters are escaped. Fails: ENOMEM. */
CHECKED int reference_describe(val x, struct buf *out, struct err *err);
/* Append a line with the standing of @x, and one for each of its problems. */
void reference_outcome(val x, struct buf *out);

/* ---- rule_import.c ---- */

/* Read the rules in the YAML or JSON file @path ("-": standard input), which has one rule or a list. *ret always has
 * a list. Fails: the codes of open(2) and read(2); EINVAL with the mistake and its place. */
CHECKED int rule_import_read(const char *path, struct doc **ret, struct err *err);

/* Send each of @rules by @send, in order, and stop at the first that fails; err then names that rule. *n: how many
 * were sent. */
CHECKED int rule_import_each(val rules, int (*send)(void *ctx, str json, struct err *err), void *ctx, size_t *n,
			     struct err *err);

/* ---- rule_request.c: bodies of requests, made of options.   spec/inspection-rules.md, section 13 ---- */

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

/* Add the field of the option @name: "actions" and "conditions" are JSON, "priority" is an integer, "sensitive" has
 * no value, others are texts. @value is ignored when fields are removed. Fails: EINVAL. */
CHECKED int rule_request_add(struct rule_request *r, const char *name, const char *value, struct err *err);
/* The whole body, which lives as long as the request. Fails: E2BIG, ENOMEM. */
CHECKED int rule_request_end(struct rule_request *r, str *ret, struct err *err);

#endif
