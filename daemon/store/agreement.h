/* The agreement with the hosts that may take over from this one (daemon/leader): they must know of a record before it
 * is sent. */
#ifndef DAEMON_STORE_AGREEMENT_H
#define DAEMON_STORE_AGREEMENT_H

#include "daemon/findings/finding.h"

/* What becomes of a finding, and the record that says so. */
struct agreed_step {
	char finding[FINDING_ID_SIZE];
	str state;  /* finding_to_json; empty: it is over */
	str record; /* record_encode; empty: nothing is said of it */
};

struct made_item;

#define AGREED_STEPS_MAX 100
#define AGREED_BYTES_MAX ((size_t)512 << 10) /* of states and records; one step may have more */

/* All is called on the writer's thread. */
struct writer_agreement {
	/* Whether this host is the one that sends now. It may not be a moment later. */
	bool (*may_report)(void *ctx);
	/* Publish @n steps, at most AGREED_STEPS_MAX, whose records are about to be sent: another host then knows that
	 * they may not have been sent. Repeating it is harmless. Fails: EAGAIN (this host does not send any more); what
	 * etcd.h says. */
	int (*agree)(void *ctx, const struct agreed_step *steps, size_t n, struct err *err);
	/* As agree, for records that were sent before, by a host that may not send yet. Without steps: all of them were
	 * published. */
	int (*publish)(void *ctx, const struct agreed_step *steps, size_t n, struct err *err);
	/* All records that were agreed on are sent. */
	int (*finish_batch)(void *ctx, struct err *err);
	/* Put a change of what users made (made.h), of at most MADE_VALUE_MAX bytes, or several that exclude each other
	 * in nothing, in one transaction. Repeating it is harmless. Fails as agree. */
	int (*agree_made)(void *ctx, const struct made_item *changes, size_t n, struct err *err);
	/* As agree_made, by a host that may not send yet, of at most AGREED_STEPS_MAX changes. Without changes: all of
	 * them were published. */
	int (*publish_made)(void *ctx, const struct made_item *changes, size_t n, struct err *err);
	void *ctx;
};

#endif
