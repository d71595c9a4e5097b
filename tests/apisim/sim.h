/* The simulator as a whole: its options, its state and who owns what. One thread runs everything: the loop in main.c
 * polls libmicrohttpd, and between two turns the timers in sim_tick() run. So nothing here is locked. */
#ifndef APISIM_SIM_H
#define APISIM_SIM_H

#include "faults.h"
#include "resources.h"
#include "stats.h"

#include "base/vec.h"

#include <jansson.h>

struct MHD_Daemon;
struct request;
struct watch;

struct options {
	uint16_t port; /* 0: chosen by the kernel */
	const char *bind;
	const char *tls_dir; /* NULL: plain HTTP */
	const char *token;   /* NULL: everybody may come in */
	bool require_client_cert;
	const char *kubeconfig_out;
	uint64_t bookmark_ms;
	size_t watch_cache;       /* events kept for each resource */
	size_t gzip_min;          /* bytes; smaller bodies are never compressed */
	uint64_t after_version;   /* versions go on above it, and what is older is expired; 0: from the start */
	uint64_t initializing_ms; /* custom resources are refused for that long after the start */
	bool watch_list;
	bool aggregated_discovery;
	bool verbose;
};

struct sim {
	struct options opt;
	uint64_t started_ms;
	uint64_t rv; /* the last resourceVersion given out, for all resources */
	struct resource_set resources;
	struct faults faults;
	struct stats stats;
	VEC(struct watch *) watches;
	VEC(struct request *) stalled;
	VEC(struct generator *) generators;
	struct MHD_Daemon *http;
	uint64_t invented;       /* objects of endless lists */
	uint64_t continue_epoch; /* continue tokens of another epoch are expired */
	bool expire_over_http;   /* a watch that is too old gets HTTP 410 instead of an ERROR event */
	bool stopping;
};

int sim_init(struct sim *sim); /* the built-in resources and namespaces; -ENOMEM */
void sim_done(struct sim *sim);
int sim_reset(struct sim *sim); /* everything but the options as at the start; open watches end */
void sim_tick(struct sim *sim); /* timers: watches, stalled requests, generators */

uint64_t now_ms(void);          /* monotonic */
void now_rfc3339(char out[32]); /* UTC, to the second */
uint64_t random_u64(void);

#endif
