/* A thousand event rules over an object of about 5 KB with five changes: reviews per second on one core, beside listing
 * the same changes without rules, and how often memory was asked for. */
#include "compare/changes.h"
#include "rules/event_review.h"
#include "value/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SECONDS_EACH 1.0
#define RULES 1000

static const struct limits limits = LIMITS_DEFAULT;
static unsigned long allocations;

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);

void *__wrap_malloc(size_t n)
{
	allocations++;
	return __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
	allocations++;
	return __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
	allocations++;
	return __real_realloc(p, n);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static struct doc *object(int replicas, const char *image, int changed)
{
	CLEANUP(buf_done) struct buf b = BUF_INIT(1u << 20);
	struct json_options o = { .limits = &limits };
	struct doc *d = NULL;
	struct err err;

	buf_printf(&b,
		   "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"web\","
		   "\"namespace\":\"shop\",\"labels\":{\"app\":\"web\"}},\"spec\":{\"replicas\":%d,\"paused\":%s,"
		   "\"template\":{\"spec\":{\"containers\":[{\"name\":\"web\",\"image\":\"%s\",\"env\":[",
		   replicas, changed ? "true" : "false", image);
	for (int i = 0; i < 60; i++)
		buf_printf(&b, "%s{\"name\":\"VARIABLE_%d\",\"value\":\"a value of some length, number %d of them\"}",
			   i ? "," : "", i, i == 30 ? changed : i);
	buf_printf(&b, "]}]}},\"minReadySeconds\":%d}}", changed);
	if (b.error || json_decode(buf_str(&b), &o, &d, &err) < 0)
		return NULL;
	printf("an object of %zu bytes\n", b.n);
	return d;
}

/* Five of a thousand are for what changes, if @matching; the others for places beside it. */
static struct event_set *rules(bool matching)
{
	CLEANUP(buf_done) struct buf b = BUF_INIT(1u << 20);
	struct problems problems = { 0 };
	struct event_set *set = NULL;
	struct err err;

	buf_add_cstr(&b, "rules:\n");
	for (int i = 0; i < RULES - 5; i++)
		buf_printf(&b, "  - {type: warn, path: spec.template.spec.containers.*.field%d, kinds: Deployment}\n",
			   i);
	for (int i = 0; i < 5; i++)
		buf_printf(&b, "  - {type: error, path: %s%s}\n", matching ? "" : "status.",
			   ((const char *const[]){ "spec.replicas", "spec.paused", "spec.minReadySeconds",
						   "spec.template.spec.containers.@.image",
						   "spec.template.spec.containers.*.env.*.value" })[i]);
	if (event_set_parse(buf_str(&b), "bench", &limits, &set, &problems, &err) < 0)
		fprintf(stderr, "%s\n", err.msg);
	problems_done(&problems);
	return set;
}

struct run {
	val expected, actual;
	const struct event_review *review; /* NULL: the changes are only listed */
	struct arena *arena;
};

static size_t once(struct run *r)
{
	struct verdict v = { .state = VERDICT_DRIFTED, .expected = r->expected, .actual = r->actual };
	const struct event_subject subject = { .object = r->actual, .severity = SEVERITY_NOTICE };
	uint64_t steps = limits.evaluation_steps;
	struct err err;
	int status;

	v.arena = *r->arena;
	if (r->review)
		status = event_review_apply(r->review, &subject, &v, NULL, &steps, &err);
	else
		status = changes_find(v.expected, v.actual, (val){ 0 }, NULL, &v.arena, &v.changes, &err);
	*r->arena = v.arena;
	arena_reset(r->arena);
	return status < 0 ? 0 : v.changes.total;
}

static double measure(const char *what, struct run *r)
{
	double start, taken;
	unsigned long count = 0, before;
	size_t changes = once(r);

	before = allocations;
	start = now();
	do {
		for (int i = 0; i < 100; i++)
			changes = once(r);
		count += 100;
		taken = now() - start;
	} while (taken < SECONDS_EACH);
	printf("%-34s %9.0f objects/s, %zu changes, %.2f allocations each\n", what, (double)count / taken, changes,
	       (double)(allocations - before) / (double)count);
	return taken / (double)count;
}

int main(void)
{
	struct doc *before = object(2, "registry.example.com/web:1", 0),
		   *after = object(5, "registry.example.com/web:2", 7);
	struct event_set *sets[] = { rules(false), rules(true) };
	const char *const names[] = { "1,000 rules, none matches", "1,000 rules, five match" };
	struct arena arena = ARENA_INIT(0);
	struct run r;
	double bare;
	struct err err;

	if (!before || !after || !sets[0] || !sets[1])
		return 1;
	r = (struct run){ before->root, after->root, NULL, &arena };
	bare = measure("the changes listed", &r);
	for (size_t i = 0; i < 2; i++) {
		struct event_review *review;
		double t;

		if (event_review_new((const struct event_set *const *)&sets[i], 1, &review, &err) < 0)
			return 1;
		r.review = review;
		t = measure(names[i], &r);
		printf("    %.2f times as long as listing alone; %.0f million rules/s\n", t / bare, RULES / t / 1e6);
		event_review_free(review);
		event_set_free(sets[i]);
	}
	arena_done(&arena);
	doc_unref(before);
	doc_unref(after);
	return 0;
}
