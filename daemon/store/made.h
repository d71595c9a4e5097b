/* What users make at run time, acceptances and inspection rules, as hosts that may take over from each other share it:
 * each change is in etcd before it is in the database, and before it is in force.
 *
 *   order --> agreed on with the other hosts --> committed --> done
 *     |  \ etcd does not answer, so nobody knows whether it was carried out: it waits, and is tried again, until
 *     |     '--> done, with an error: another host leads, or etcd was read anew
 *     '--> done, with an error: this host does not lead, and nothing was sent
 */
#ifndef DAEMON_STORE_MADE_H
#define DAEMON_STORE_MADE_H

#include "daemon/store/database/database.h"
#include "daemon/store/writer.h"

#define MADE_VALUE_MAX ((size_t)1 << 20) /* less than etcd accepts in one request */

enum made_kind { MADE_ACCEPTANCE, MADE_RULE };

/* An acceptance or a rule as other hosts know it, or a change of one. */
struct made_item {
	enum made_kind kind;
	str id;          /* {NULL, 0}: the change concerns all acceptances, or all rules */
	str value;       /* acceptance_to_json or made_rule_write; {NULL, 0}: the acceptance or rule is removed */
	int64_t created; /* for the order of items that were read from etcd */
};

/* A change that waits for the writer's thread. Its texts belong to the caller until @done is called. */
struct made_order {
	struct writer_task task; /* the first member, so that a pointer to it is one to the order */
	STAILQ_ENTRY(made_order) next;
	struct writer *writer;
	enum made_kind kind;
	str id;                     /* {NULL, 0}: all acceptances, or all rules */
	str json;                   /* {NULL, 0}: the acceptance or rule is removed */
	str created_at, updated_at; /* the times of a rule, as in kept_rule */
	bool tried;                 /* other hosts may know of the change */
	/* Called on the writer's thread, unless the thread ends before. Fails: EAGAIN (this host may not change it
	 * now), EFBIG (etcd takes no request so large), ECANCELED (it is unknown whether other hosts know the
	 * change), ENOSPC, EIO, ENOMEM. */
	void (*done)(struct made_order *o, int r, const struct err *err);
};
void writer_keep(struct writer *w, struct made_order *o);

/* The value of a rule for other hosts: "CREATED UPDATED", where - stands for a rule that was not changed, and the rule
 * in the next line. */
void made_rule_write(const struct kept_rule *rule, struct buf *out);
/* Read the rule that @i says; *ret borrows its texts. False: @i says no rule. */
bool made_rule_read(const struct made_item *i, struct kept_rule *ret);
/* The acceptance that @i says, in *doc, which is the caller's. Fails: EBADMSG (it says none, or one of another id),
 * ENOMEM. */
struct acceptance;
CHECKED int made_acceptance_read(const struct made_item *i, struct doc **doc, struct acceptance *ret, struct err *err);

/* Replace everything that the database has by @items, as part of a transaction; items that cannot be read are left
 * out. Fails: ENOSPC, EIO, ENOMEM. */
CHECKED int made_replace(struct database *d, const struct made_item *items, size_t n, struct err *err);

#endif
