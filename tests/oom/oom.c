/* The allocator that fails, and the loop around an entry. */
#include "oom.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define ALLOCATIONS_MAX 200000 /* a case that needs more is too large to be tested so */

void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_reallocarray(void *p, size_t count, size_t size);
void *__real_malloc(size_t n);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t n);
void *__real_reallocarray(void *p, size_t count, size_t size);

/* The sanitizers' own; with OOM_TRACE in the environment it shows which allocation fails. */
void __sanitizer_print_stack_trace(void) __attribute__((weak));

static bool armed;
static bool for_ever;  /* every one from the nth on fails, not only that */
static size_t nth;     /* which one fails, from 1 */
static size_t counted; /* since oom_arm */
static size_t failed;

void oom_arm(void)
{
	counted = failed = 0;
	armed = true;
}

void oom_disarm(void)
{
	armed = false;
}

static bool fails(void)
{
	if (!armed)
		return false;
	counted++;
	if (for_ever ? counted < nth : counted != nth)
		return false;
	failed++;
	if (__sanitizer_print_stack_trace && getenv("OOM_TRACE"))
		__sanitizer_print_stack_trace();
	errno = ENOMEM;
	return true;
}

void *__wrap_malloc(size_t n)
{
	return fails() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *p, size_t n)
{
	return fails() ? NULL : __real_realloc(p, n);
}

void *__wrap_reallocarray(void *p, size_t count, size_t size)
{
	return fails() ? NULL : __real_reallocarray(p, count, size);
}

/* One run with the nth allocation failing. Returns 1 when the case is through, 0 to go on, -1 for a mistake. */
static int run_once(const struct oom_case *c)
{
	struct err err = { 0 };
	int r = c->run(&err);

	oom_disarm();
	if (r == OOM_WRONG) {
		fprintf(stderr, "%s: allocation %zu failing%s: outputs are wrong\n", c->name, nth,
			for_ever ? " for ever" : "");
		return -1;
	}
	if (failed == 0 && r == 0)
		return 1;
	if (r == 0 && c->absorbs)
		return 0;
	if (failed == 0 || r != -ENOMEM || err.code != ENOMEM || !err.msg[0]) {
		fprintf(stderr, "%s: allocation %zu failing%s: returned %d, err %d '%s'\n", c->name, nth,
			for_ever ? " for ever" : "", r, err.code, err.msg);
		return -1;
	}
	return 0;
}

static bool run_case(const struct oom_case *c)
{
	for (int mode = 0; mode < 2; mode++) {
		int r = 0;

		for_ever = mode;
		for (nth = 1; r == 0 && nth <= ALLOCATIONS_MAX; nth++)
			r = run_once(c);
		if (r <= 0) {
			if (r == 0)
				fprintf(stderr, "%s: more than %d allocations\n", c->name, ALLOCATIONS_MAX);
			return false;
		}
	}
	fprintf(stderr, "%s: %zu allocations failed in turn, once and for ever\n", c->name, nth - 2);
	return true;
}

int oom_main(int argc, char **argv, const struct oom_case *cases, size_t n)
{
	bool ok = true, found = false;

	for (size_t i = 0; i < n; i++) {
		if (argc > 1 && strcmp(argv[1], cases[i].name) != 0)
			continue;
		found = true;
		ok &= run_case(&cases[i]);
	}
	if (!found)
		fprintf(stderr, "no such case\n");
	return ok && found ? 0 : 1;
}
