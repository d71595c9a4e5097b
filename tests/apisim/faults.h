/* Rules that make requests fail, in the order they were given. */
#ifndef APISIM_FAULTS_H
#define APISIM_FAULTS_H

#include "base/defs.h"
#include "base/vec.h"

#include <jansson.h>

struct request;
struct sim;
struct refusal;

enum fault_kind {
	FAULT_STATUS, /* answer with a Status */
	FAULT_STALL,  /* wait, then answer */
	FAULT_DROP,   /* close the connection without an answer */
	FAULT_FUTURE, /* "Too large resource version" */
};

struct fault {
	enum fault_kind kind;
	char *path;     /* prefix of the path; NULL: any */
	char *verb;     /* NULL: any */
	char *resource; /* "pods", "deployments.apps"; NULL: any */
	int64_t count;  /* requests left; below 0: for ever */
	int status;
	unsigned retry_after;
	char *reason, *message; /* NULL: what the status implies */
	uint64_t stall_ms;
};

struct faults {
	VEC(struct fault) rules;
};

void faults_done(struct faults *f);
/* The next fault for @req, counted down; NULL when there is none. Valid until the next call. */
const struct fault *faults_take(struct faults *f, const struct request *req);
/* True when a standing rule (count below 0) with status 403 covers it: what an access review answers. */
bool faults_forbid(const struct faults *f, const char *verb, const char *resource);
/* What POST /_apisim/fault does. */
CHECKED int faults_command(struct sim *sim, json_t *command, struct refusal *refusal);

#endif
