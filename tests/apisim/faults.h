/* Rules that make requests fail, in the order they were given. */
#ifndef APISIM_FAULTS_H
#define APISIM_FAULTS_H

#include "body.h"

#include "base/defs.h"
#include "base/vec.h"

#include <jansson.h>

struct request;
struct sim;
struct refusal;

/* What becomes of a request. ORDER rows[] */
enum fault_kind {
	FAULT_STATUS,  /* answer with a Status */
	FAULT_ANSWER,  /* answer with the text given */
	FAULT_STALL,   /* wait, then answer */
	FAULT_DROP,    /* close the connection without an answer */
	FAULT_FUTURE,  /* "Too large resource version" */
	FAULT_SHAPE,   /* the answer goes out slowly, or not to its end */
	FAULT_REPEAT,  /* a list: the first page again, with the same continue token */
	FAULT_ENDLESS, /* a list: pages of invented objects, each with another continue token */
	FAULT_ITEM,    /* a list: the text given instead of one object */
	FAULT_PLAIN,   /* a watch: as if sendInitialEvents were not known */
	FAULT_NO_MARK, /* a watch: initial events without the bookmark at their end */
	/* Those of a group in the documents of discovery, not of a request. */
	FAULT_STALE, /* its versions are marked stale */
	FAULT_HIDE,  /* it is left out */
	FAULT_KINDS
};

struct fault {
	enum fault_kind kind;
	char *path;        /* prefix of the path; NULL: any */
	char *verb;        /* NULL: any */
	char *resource;    /* "pods", "deployments.apps"; NULL: any */
	int64_t after;     /* requests that pass before */
	int64_t count;     /* requests left; below 0: for ever */
	uint64_t until_ms; /* 0: no time limit */
	int status;
	unsigned retry_after;
	char *reason, *message; /* NULL: what the status implies */
	uint64_t stall_ms;
	char *text;              /* body of FAULT_ANSWER, object of FAULT_ITEM */
	char *type, *location;   /* headers of FAULT_ANSWER; NULL: text/plain, none */
	size_t at;               /* FAULT_ITEM: which one of the page, from 0 */
	struct body_shape shape; /* FAULT_SHAPE */
	char *group, *version;   /* of FAULT_STALE and FAULT_HIDE; NULL: any */
	bool empty;              /* FAULT_STALE: without the resources */
};

struct faults {
	VEC(struct fault) rules;
};

void faults_done(struct faults *f);
/* The next fault for @req, counted down; NULL when there is none. Valid until the next call. */
const struct fault *faults_take(struct faults *f, const struct request *req);
/* The next fault of @kind for a group of discovery, counted down; NULL when there is none. @version NULL: the group as
 * a whole. Valid until the next call. */
const struct fault *faults_take_group(struct faults *f, enum fault_kind kind, const char *group, const char *version);
/* True when a standing rule (count below 0) with status 403 covers it: what an access review answers. */
bool faults_forbid(const struct faults *f, const char *verb, const char *resource);
/* What POST /_apisim/fault does. */
CHECKED int faults_command(struct sim *sim, json_t *command, struct refusal *refusal);

#endif
