/* The agreement with the hosts that may take over from this one (daemon/leader): they must know of a record before it
 * is sent. */
#ifndef DAEMON_STORE_AGREEMENT_H
#define DAEMON_STORE_AGREEMENT_H

#include "daemon/findings/finding.h"

/* A transition of a finding, and the record of it. */
struct agreed_step {
	char finding[FINDING_ID_SIZE];
	str state;  /* finding_to_json; empty: the finding has ended */
	str record; /* record_encode; empty: nothing is reported */
};

struct made_item;

#define AGREED_STEPS_MAX 100
#define AGREED_BYTES_MAX ((size_t)512 << 10) /* the most bytes of states and records; a single step may have more */

/* Every function is called on the writer's thread. */
struct writer_agreement {
	/* Whether this host may send now. The answer may change at any moment. */
	bool (*may_report)(void *ctx);
	/* Publish @n steps, at most AGREED_STEPS_MAX, whose records are about to be sent: another host then knows that
	 * they may not have been sent. Repeating it is harmless. Fails: EAGAIN (this host does not send any more); what
	 * etcd.h says. */
	int (*agree)(void *ctx, const struct agreed_step *steps, size_t n, struct err *err);
	/* As agree, for records that were sent before; called by a host that may not send yet. A call without steps
	 * says that all records are published. */
	int (*publish)(void *ctx, const struct agreed_step *steps, size_t n, struct err *err);
	/* Note that all records which were agreed on are sent. */
	int (*finish_batch)(void *ctx, struct err *err);
	/* Publish a change of what users made (made.h), of at most MADE_VALUE_MAX bytes, or several changes that do
	 * not exclude each other, in one transaction. Repeating it is harmless. Fails as agree. */
	int (*agree_made)(void *ctx, const struct made_item *changes, size_t n, struct err *err);
	/* As agree_made, called by a host that may not send yet, for at most AGREED_STEPS_MAX changes. A call
	 * without changes says that all changes are published. */
	int (*publish_made)(void *ctx, const struct made_item *changes, size_t n, struct err *err);
	void *ctx;
};

#endif
