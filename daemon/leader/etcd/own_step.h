/* What this host put into etcd last, kept in its state folder: after a restart it knows by that whether it led last,
 * and whether etcd was put back since. A file that is older than the truth, or gone, says less and nothing wrong. */
#ifndef DAEMON_LEADER_ETCD_OWN_STEP_H
#define DAEMON_LEADER_ETCD_OWN_STEP_H

#include "daemon/findings/record.h"

struct own_step {
	/* the claim by which this host led last; "": another host has led since, or this host never led */
	char claim[RECORD_ID_SIZE];
	int64_t step; /* etcd's revision of what this host put there last */
};

/* Open the file @path, which is made when there is none, and read it. -1: it cannot be opened, and the other functions
 * do nothing. *ret is empty where nothing can be read. */
int own_step_open(const char *path, struct own_step *ret);
/* Write the file, without waiting for the disk: after a loss of power what is read may be older. */
void own_step_write(int fd, const struct own_step *s);
/* Forget the claim, because another host has led since. */
void own_step_forget(int fd);

#endif
