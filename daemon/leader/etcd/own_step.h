/* What this host put into etcd last, kept in its state folder: after a restart it knows by that whether it led last,
 * and whether etcd was put back since. A file that is older than the truth, or gone, says less and nothing wrong. */
#ifndef DAEMON_LEADER_ETCD_OWN_STEP_H
#define DAEMON_LEADER_ETCD_OWN_STEP_H

#include "daemon/findings/record.h"

struct own_step {
	/* the claim of this host's leadership; "": the host led in none that is not over */
	char claim[RECORD_ID_SIZE];
	int64_t step; /* etcd's revision of it */
};

/* Open the file @path, which is made when there is none, and read it. -1: it cannot be opened, and the other functions
 * do nothing. *ret is empty where nothing can be read. */
int own_step_open(const char *path, struct own_step *ret);
/* The disk is not waited for: after a loss of power what is read may be older. */
void own_step_write(int fd, const struct own_step *s);
/* Another host led since. */
void own_step_forget(int fd);

#endif
