/* bench_hostile: what one tenant can make the loop do. Each attack is an object, or many, handed to a cluster as the
 * client would and judged in slices of 5 ms as the daemon does; the figures are the processor time of all of it and of
 * the longest turn. No turn may take 50 ms: the program says so at the end of the line.
 *
 * One thread; records go to /dev/null, at once. */
#include "support/watched.h"

#include <time.h>
#include <unistd.h>

#define SLICE_NS (5 * UINT64_C(1000000))
#define TURN_MAX_S 0.050

static double cpu_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

struct turns {
	double total, longest;
	size_t n;
};

static void add_turn(struct turns *t, double took)
{
	t->total += took;
	t->longest = took > t->longest ? took : t->longest;
	t->n++;
}

static void work(struct watched *w, struct turns *t)
{
	bool more = true;

	while (more) {
		double from = cpu_s();

		more = cluster_work(w->cluster, uv_hrtime() + SLICE_NS);
		add_turn(t, cpu_s() - from);
	}
}

static void event(struct watched *w, enum kc_event e, const struct buf *json, struct turns *t)
{
	struct json_options o = { .limits = &w->limits, .keys = w->keys };
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	CLEANUP(freep) char *kind = NULL;
	struct err err;
	double from;

	watched_must(buf_error((struct buf *)json, "object", &err), &err);
	watched_must(json_decode(buf_str(json), &o, &doc, &err), &err);
	kind = str_dup(val_str(VAL_GET(doc->root, "kind")));
	from = cpu_s();
	fake_event(fake_watch(kind), e, doc);
	add_turn(t, cpu_s() - from);
}

static void head(struct buf *out, const char *api_version, const char *kind, size_t number)
{
	buf_printf(
		out,
		"{\"apiVersion\":\"%s\",\"kind\":\"%s\",\"metadata\":{\"name\":\"x-%zu\",\"namespace\":\"n\",\"uid\":"
		"\"%zu\"},",
		api_version, kind, number, number);
}

/* ---- the attacks ---- */

/* A rule at .data.* that every key fails. */
static void keys(struct watched *w, size_t n, struct turns *t)
{
	CLEANUP(buf_done) struct buf b = BUF_INIT(64u << 20);

	head(&b, "v1", "ConfigMap", 0);
	buf_add_cstr(&b, "\"data\":{");
	for (size_t i = 0; i < n; i++)
		buf_printf(&b, "%s\"k%zu\":\"v\"", i ? "," : "", i);
	buf_add_cstr(&b, "}}");
	event(w, KC_ADDED, &b, t);
	work(w, t);
	event(w, KC_MODIFIED, &b, t); /* everything is open now */
	work(w, t);
}

static void nest(struct buf *out, size_t depth, size_t n, char value)
{
	for (size_t i = 0; i < depth; i++)
		buf_add_cstr(out, "{\"d\":");
	buf_add_byte(out, '{');
	for (size_t i = 0; i < n; i++)
		buf_printf(out, "%s\"k%zu\":\"%c\"", i ? "," : "", i, value);
	for (size_t i = 0; i <= depth; i++)
		buf_add_byte(out, '}');
}

/* @n changes far down. */
static void deep(struct watched *w, const char *kind, size_t n, struct turns *t)
{
	CLEANUP(buf_done) struct buf b = BUF_INIT(64u << 20);

	head(&b, "e.x/v1", kind, 0);
	buf_add_cstr(&b, "\"spec\":{\"want\":");
	nest(&b, 900, n, 'a');
	buf_add_cstr(&b, ",\"have\":");
	nest(&b, 900, n, 'b');
	buf_add_cstr(&b, "}}");
	event(w, KC_ADDED, &b, t);
	work(w, t);
}

static void depth(struct watched *w, size_t n, struct turns *t)
{
	deep(w, "Deep", n, t);
}

/* The same for eight references. */
static void many(struct watched *w, size_t n, struct turns *t)
{
	deep(w, "Many", n, t);
}

/* @n bytes of texts of which it shows late that they are no secrets. */
static void add_doubtful(struct buf *out, size_t n)
{
	buf_add_cstr(out, "\"spec\":{\"n\":0,\"texts\":[\"");
	for (size_t i = 0; i < n; i += 26)
		buf_add_cstr(out, i % 26000 ? "eyJ ghp_ xoxb- -----BEGIN " : "\",\"");
	buf_add_cstr(out, "\"],\"zpassword\":\"the last one is hidden\"}}");
}

static void doubtful(struct watched *w, const char *kind, size_t n, struct turns *t)
{
	CLEANUP(buf_done) struct buf b = BUF_INIT(64u << 20);

	head(&b, "e.x/v1", kind, 0);
	add_doubtful(&b, n);
	event(w, KC_ADDED, &b, t);
	work(w, t);
	event(w, KC_MODIFIED, &b, t);
	work(w, t);
}

static void mask(struct watched *w, size_t n, struct turns *t)
{
	doubtful(w, "Masked", n, t);
}

/* The template reads all of it. */
static void read_all(struct watched *w, size_t n, struct turns *t)
{
	doubtful(w, "Read", n, t);
}

/* Eight rules fail at the root. */
static void whole(struct watched *w, size_t n, struct turns *t)
{
	doubtful(w, "Whole", n, t);
}

/* A rule fails at ten thousand keys below one of @n bytes. */
static void below(struct watched *w, size_t n, struct turns *t)
{
	CLEANUP(buf_done) struct buf b = BUF_INIT(64u << 20);

	head(&b, "e.x/v1", "Below", 0);
	buf_add_cstr(&b, "\"spec\":{\"");
	for (size_t i = 0; i < n; i += 26)
		buf_add_cstr(&b, "eyJ ghp_ xoxb- -----BEGIN ");
	buf_add_cstr(&b, "\":{");
	for (size_t i = 0; i < 10000; i++)
		buf_printf(&b, "%s\"k%zu\":\"v\"", i ? "," : "", i);
	buf_add_cstr(&b, "}}}");
	event(w, KC_ADDED, &b, t);
	work(w, t);
}

/* Four templates are for a text of @n bytes that fits none. */
static void text(struct watched *w, size_t n, struct turns *t)
{
	CLEANUP(buf_done) struct buf b = BUF_INIT(64u << 20);
	uint32_t x = 1;

	head(&b, "e.x/v1", "Text", 0);
	buf_add_cstr(&b, "\"text\":\"");
	for (size_t i = 0; i < n; i++) {
		x = x * 1103515245 + 12345;
		buf_add_byte(&b, "0123456789abcdef"[x >> 28]);
	}
	buf_add_cstr(&b, "\"}");
	event(w, KC_ADDED, &b, t);
	work(w, t);
}

static void spec(struct watched *w, const char *kind, size_t i, enum kc_event e, struct turns *t)
{
	CLEANUP(buf_done) struct buf b = BUF_INIT(4096);

	head(&b, "e.x/v1", kind, i);
	buf_add_cstr(&b, "\"spec\":{\"of\":0}}");
	event(w, e, &b, t);
}

/* @n objects look one other up each; all of these change. */
static void lookups(struct watched *w, size_t n, struct turns *t)
{
	for (size_t i = 0; i < n; i++)
		spec(w, "Asks", i, KC_ADDED, t);
	work(w, t);
	for (size_t i = 0; i < n; i++)
		spec(w, "Answer", i, KC_ADDED, t);
	work(w, t);
}

/* @n objects that drift go with their kind. */
static void vanish(struct watched *w, size_t n, struct turns *t)
{
	double from;

	for (size_t i = 0; i < n; i++)
		spec(w, "Asks", i, KC_ADDED, t);
	work(w, t);
	from = cpu_s();
	fake_state(fake_watch("Asks"), KC_ABSENT);
	add_turn(t, cpu_s() - from);
	work(w, t);
}

static const struct attack {
	const char *name, *what;
	void (*run)(struct watched *w, size_t n, struct turns *t);
	size_t n;
} attacks[] = {
	{ "keys", "keys that fail a rule at .data.*", keys, 20000 },
	{ "keys", "keys that fail a rule at .data.*", keys, 100000 },
	{ "depth", "changes at depth 900", depth, 4000 },
	{ "depth", "changes at depth 900", depth, 10000 },
	{ "many", "changes at depth 900, for eight references", many, 10000 },
	{ "mask", "bytes of texts that look like secrets", mask, 300000 },
	{ "mask", "bytes of texts that look like secrets", mask, 1500000 },
	{ "read", "bytes of such texts, which a template reads", read_all, 300000 },
	{ "read", "bytes of such texts, which a template reads", read_all, 1500000 },
	{ "whole", "bytes of such texts, and rules for all", whole, 1500000 },
	{ "below", "bytes of a key, and rules below it", below, 20000 },
	{ "below", "bytes of a key, and rules below it", below, 500000 },
	{ "text", "bytes of text that four templates may be for", text, 1000000 },
	{ "lookups", "objects that look up as many others", lookups, 4000 },
	{ "lookups", "objects that look up as many others", lookups, 16000 },
	{ "vanish", "objects of a kind that goes", vanish, 100000 },
};

static bool run(const struct attack *a, FILE *report)
{
	struct turns t = { 0 };
	struct watched w;
	bool ok;

	watched_start(&w, TEST_DATA "/watch/hostile.yaml");
	watched_settle(&w);
	a->run(&w, a->n, &t);
	ok = t.longest < TURN_MAX_S;
	fprintf(report,
		"%-8s %7zu %-46s %9.1f ms in %6zu turns, the longest %9.1f ms%s; %zu drifts, %zu failures, %zu "
		"errors\n",
		a->name, a->n, a->what, t.total * 1e3, t.n, t.longest * 1e3, ok ? "" : " TOO LONG",
		watched_count(&w, FINDING_DRIFT), watched_count(&w, FINDING_VALIDATION),
		watched_count(&w, FINDING_ERROR));
	fflush(report);
	watched_stop(&w);
	return ok;
}

int main(int argc, char **argv)
{
	FILE *report = fdopen(dup(STDOUT_FILENO), "w");
	bool ok = true;

	if (argc > 2 || !report || !freopen("/dev/null", "w", stdout)) { /* records go there */
		fprintf(stderr, "usage: bench_hostile [ATTACK]\n");
		return 2;
	}
	for (size_t i = 0; i < ARRAY_LEN(attacks); i++) {
		if (argc < 2 || strcmp(argv[1], attacks[i].name) == 0)
			ok &= run(&attacks[i], report);
	}
	return fclose(report) == 0 && ok ? 0 : 1;
}
