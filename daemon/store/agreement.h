/* Who else must know of a record before it is told: the hosts that may tell in this one's place (daemon/leader). */
#ifndef DAEMON_STORE_AGREEMENT_H
#define DAEMON_STORE_AGREEMENT_H

#include "daemon/findings/finding.h"

/* What becomes of a finding, and the record that says so. */
struct agreed_step {
	char finding[FINDING_ID_SIZE];
	str state;  /* finding_to_json; empty: it is over */
	str record; /* record_encode; empty: nothing is said of it */
};

#define AGREED_STEPS_MAX 100
#define AGREED_BYTES_MAX ((size_t)512 << 10) /* of states and records; one step may have more */

/* All is called on the writer's thread. */
struct writer_agreement {
	/* Whether this host tells now. It may not a moment later. */
	bool (*may_tell)(void *ctx);
	/* What is about to be told, at most AGREED_STEPS_MAX: it is known from now on, and that it may not be told yet.
	 * Repeating it is harmless. Fails: EAGAIN (this host does not tell any more); what etcd.h says. */
	int (*agree)(void *ctx, const struct agreed_step *steps, size_t n, struct err *err);
	/* The same of what was told before, by a host that may not tell yet; without steps: that was all. */
	int (*publish)(void *ctx, const struct agreed_step *steps, size_t n, struct err *err);
	/* All that was agreed on is told. */
	int (*settle)(void *ctx, struct err *err);
	void *ctx;
};

#endif
