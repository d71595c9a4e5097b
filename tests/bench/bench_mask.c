/* bench_mask: what judging costs: names of keys, texts that hold nothing and texts made to cost much, and a large
 * object masked on both sides as for the diff of a record. */
#include "mask/mask.h"
#include "mask/shapes.h"

#include "base/assert.h"
#include "base/buf.h"

#include <stdio.h>
#include <time.h>

#define TEXT_BYTES (1u << 20)
#define KEYS 20000

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void bench_names(void)
{
	static const char *const keys[] = { "replicas",    "containerPort",          "terminationGracePeriodSeconds",
					    "DB_PASSWORD", "app.kubernetes.io/name", "image" };
	unsigned hidden = 0;
	double from = now_ms();

	for (unsigned i = 0; i < 1000000; i++)
		hidden += mask_name(NULL, str_from(keys[i % ARRAY_LEN(keys)])) != NAME_PLAIN;
	printf("name of a key: %.0f ns (%u hide)\n", now_ms() - from, hidden);
}

static void bench_text(const char *what, const char *part)
{
	char *text = malloc(TEXT_BYTES);
	size_t n = strlen(part);
	enum mask_shape shape;
	double from;

	ASSERT(text);
	for (size_t i = 0; i < TEXT_BYTES; i++)
		text[i] = part[i % n];
	from = now_ms();
	shape = mask_shape(NULL, (str){ text, TEXT_BYTES });
	printf("1 MiB of %s: %.1f ms (%s)\n", what, now_ms() - from, shape == SHAPE_PLAIN ? "shown" : "hidden");
	free(text);
}

static void bench_object(void)
{
	static char names[KEYS][16];
	struct member *members = calloc(KEYS, sizeof(*members));
	struct arena a;
	val object, e, m;
	double from;

	arena_init(&a, 0, 0);
	ASSERT(members);
	for (size_t i = 0; i < KEYS; i++) {
		(void)snprintf(names[i], sizeof(names[i]), "key-%zu-x", i);
		members[i] = (struct member){ key_make(NULL, &a, str_from(names[i])), val_string(STR("some value")) };
	}
	object = val_map(&a, members, KEYS);
	from = now_ms();
	if (!mask_sides(NULL, object, object, false, &a, &e, &m))
		abort();
	printf("both sides of a map of %d keys: %.1f ms\n", KEYS, now_ms() - from);
	arena_done(&a);
	free(members);
}

int main(void)
{
	bench_names();
	bench_text("prose", "Lorem ipsum dolor sit amet, ");
	bench_text("settings", "listen_address: 127.0.0.1\n");
	bench_text("assignments", "ab=c,");
	bench_text("secrets' names without values", "token:\n");
	bench_text("beginnings of tokens", "eyJ ghp_ xoxb- -----BEGIN ");
	bench_object();
	return 0;
}
