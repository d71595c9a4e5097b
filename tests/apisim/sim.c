/* Life and death of the simulator. */
#include "sim.h"

#include "generate.h"
#include "http.h"
#include "watch.h"
#include "write.h"

#include <errno.h>
#include <sys/random.h>
#include <time.h>

uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

void now_rfc3339(char out[32])
{
	time_t now = time(NULL);
	struct tm tm;

	gmtime_r(&now, &tm);
	(void)strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

uint64_t random_u64(void)
{
	uint64_t r = 0;

	if (getrandom(&r, sizeof(r), 0) != (ssize_t)sizeof(r))
		r = now_ms() * 0x9E3779B97F4A7C15u;
	return r;
}

/* The namespaces that every cluster has. */
static int first_objects(struct sim *sim)
{
	static const char *const names[] = { "default", "kube-node-lease", "kube-public", "kube-system" };
	struct write w = { .sim = sim, .version = "v1" };
	struct refusal refusal;

	w.res = resource_find(&sim->resources, "", "v1", "namespaces");
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		json_auto_t *obj = json_pack("{s:{s:s}}", "metadata", "name", names[i]);

		if (!obj || write_create(&w, obj, NULL, &refusal) < 0)
			return -ENOMEM;
	}
	return 0;
}

int sim_init(struct sim *sim)
{
	sim->rv = sim->opt.after_version;
	if (resources_init(&sim->resources, sim->opt.watch_cache) < 0)
		return -ENOMEM;
	return first_objects(sim);
}

/* Stalled requests go on at once: a suspended connection cannot be closed. */
static void release_stalled(struct sim *sim, uint64_t now)
{
	for (size_t i = 0; i < sim->stalled.n;) {
		struct request *req = sim->stalled.p[i];

		if (now < req->stall_until_ms) {
			i++;
			continue;
		}
		sim->stalled.p[i] = sim->stalled.p[--sim->stalled.n];
		MHD_resume_connection(req->conn);
	}
}

void sim_done(struct sim *sim)
{
	generators_done(sim);
	faults_done(&sim->faults);
	stats_done(&sim->stats);
	resources_done(&sim->resources);
	vec_done(&sim->watches);
	vec_done(&sim->stalled);
}

int sim_reset(struct sim *sim)
{
	watches_end(sim);
	release_stalled(sim, UINT64_MAX);
	generators_done(sim);
	faults_done(&sim->faults);
	stats_done(&sim->stats);
	for (size_t i = 0; i < sim->resources.rows.n; i++)
		sim->resources.rows.p[i]->gone = true;
	resources_done(&sim->resources);
	sim->continue_epoch++;
	sim->expire_over_http = false;
	/* Versions never go back: a client of before the reset finds its version too old. */
	sim->rv++;
	if (resources_init(&sim->resources, sim->opt.watch_cache) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < sim->resources.rows.n; i++)
		sim->resources.rows.p[i]->table.window_rv = sim->rv;
	return first_objects(sim);
}

void sim_tick(struct sim *sim)
{
	uint64_t now = now_ms();

	generators_tick(sim, now);
	watches_tick(sim, now);
	release_stalled(sim, sim->stopping ? UINT64_MAX : now);
}
