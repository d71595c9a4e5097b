/* What another configuration would say: tests/data/watch/triples/rehearsal.txt. A cluster of rehearsal/now.yaml is
 * watched, what the input tells happens, and then the configuration that the program names is rehearsed: "strict",
 * "rules>now" where another one is in force before, "strict 3" of the first of three processes, "strict unlisted" when
 * no list is complete. */
#include "daemon/watch/rehearsal.h"

#include "base/assert.h"
#include "base/hash.h"
#include "base/number.h"
#include "daemon/findings/clock.h"
#include "daemon/watch/accepted_apply.h"
#include "daemon/watch/source/kube_source.h"
#include "support/capture.h"
#include "support/triples.h"
#include "support/watched.h"

#define DATA TEST_DATA "/watch/"
#define PATIENCE_NS UINT64_C(600000000000)
#define NOW_USEC (1000000 * INT64_C(1800000000))
#define SHOWN_MAX 8

struct story {
	struct watched watched;
	struct rehearsal_options options;
	str meanwhile; /* what happens to an object once the rehearsal has begun */
	bool closed;   /* nobody waits for it */
	struct buf *out;
	size_t n_done;
};

static void print_counts(const struct rehearsal_result *r, struct buf *out)
{
	buf_printf(out, "%zu begin, %zu change, %zu end%s\n", r->n[TRANSITION_BEGIN], r->n[TRANSITION_CHANGE],
		   r->n[TRANSITION_END], r->complete ? "" : ", perhaps more");
}

static int by_text(const void *a, const void *b)
{
	const struct rehearsed *x = a, *y = b;

	return str_cmp(x->message, y->message);
}

/* In no order of their own; a storm is only counted. */
static void on_done(void *ctx, const struct rehearsal_result *r)
{
	struct rehearsed sorted[REHEARSED_MAX];
	struct story *s = ctx;
	size_t n = r->first.n;

	s->n_done++;
	print_counts(r, s->out);
	ASSERT(n <= REHEARSED_MAX);
	for (size_t i = 0; i < n; i++)
		sorted[i] = r->first.p[i];
	qsort(sorted, n, sizeof(*sorted), by_text);
	if (n > SHOWN_MAX)
		buf_printf(s->out, "%zu of them\n", n);
	for (size_t i = 0; n <= SHOWN_MAX && i < n; i++)
		buf_printf(s->out, "%s%.*s\n", *sorted[i].id ? "" : "new: ", STR_ARG(sorted[i].message));
	for (size_t i = 0; i < r->unknown.n; i++)
		buf_printf(s->out, "unknown: %.*s\n", STR_ARG(r->unknown.p[i]));
}

/* ---- what the input tells ---- */

static void set_absent(str kind)
{
	CLEANUP(freep) char *name = str_dup(kind);

	ASSERT(name && fake_watch(name));
	fake_state(fake_watch(name), KC_ABSENT);
}

static bool take_word(str *line, const char *word)
{
	if (!str_has_prefix(*line, str_from(word)))
		return false;
	*line = str_sub(*line, strlen(word), line->n);
	return true;
}

static void happens(struct story *s, str line)
{
	int64_t n;

	if (take_word(&line, "absent "))
		set_absent(line);
	else if (take_word(&line, "widgets ") && int64_parse(line, &n))
		watched_add_widgets(&s->watched, (size_t)n);
	else if (take_word(&line, "no patience"))
		s->options.patience_ns = 0;
	else if (take_word(&line, "closed"))
		s->closed = true;
	else if (take_word(&line, "meanwhile "))
		s->meanwhile = line;
	else
		watched_event(&s->watched, KC_LISTED, line.p);
}

static void happen_all(struct story *s, str input, struct arena *a)
{
	str line;

	while (str_next_part(&input, '\n', &line)) {
		line = arena_str(a, line);
		ASSERT(line.p);
		if (line.n)
			happens(s, line);
	}
}

/* ---- the rehearsal ---- */

static void rehearse(struct story *s, struct rehearsal **ret)
{
	struct err err;

	s->options.loop = fake_loop();
	s->options.clusters = &s->watched.cluster;
	s->options.n_clusters = 1;
	s->options.findings = s->watched.findings;
	s->options.acceptances = s->watched.acceptances;
	s->options.keys = s->watched.keys;
	s->options.limits = &s->watched.limits;
	s->options.done = on_done;
	s->options.ctx = s;
	watched_must(rehearsal_new(&s->options, ret, &err), &err);
}

static struct cfg *load(struct watched *w, const char *file)
{
	struct problems problems = { 0 };
	struct cfg *cfg = NULL;
	struct err err;

	watched_must(cfg_load(&file, 1, &w->limits, w->keys, &cfg, &problems, &err), &err);
	return cfg;
}

/* As if it were the source of the configuration's server. */
static void set_place(const struct watched *w)
{
	const struct cfg_cluster *config = &w->cfg->clusters[0];

	fake_client->source.hash = kube_source_hash(config, cfg_cluster_hash(w->cfg, config, hash_seed()));
	ASSERT(fake_client->source.hash);
}

/* What the program names; the file is in @a. */
static const char *begin(struct story *s, str program, struct arena *a)
{
	struct cluster_context more = { 0 };
	str next = { 0 }, now = STR("now"), file, running;
	int64_t n;

	(void)str_next_part(&program, ' ', &next);
	if (str_find_byte(next, '>') >= 0)
		(void)str_next_part(&next, '>', &now);
	running = arena_printf(a, DATA "rehearsal/%.*s.yaml", STR_ARG(now));
	file = arena_printf(a, DATA "rehearsal/%.*s.yaml", STR_ARG(next));
	ASSERT(running.p && file.p);
	if (int64_parse(program, &n))
		more.shard.total = (uint32_t)n;
	s->options.shard = more.shard;
	clock_set(NOW_USEC, 1);
	watched_start_with(&s->watched, running.p, &more);
	set_place(&s->watched);
	accepted_apply(s->watched.acceptances, s->watched.findings, &s->watched.cluster, 1);
	if (!str_eq(program, STR("unlisted")))
		watched_settle(&s->watched);
	return file.p;
}

static int run_rehearsal(const struct triple *t, struct arena *a, struct buf *out)
{
	struct story s = { .options.patience_ns = PATIENCE_NS, .out = out };
	struct rehearsal *r = NULL;
	struct capture capture;
	const char *file;

	if (!capture_begin(&capture))
		return -ENOMEM;
	file = begin(&s, t->program, a);
	happen_all(&s, t->input, a);
	watched_work(&s.watched);
	s.options.next = load(&s.watched, file);
	rehearse(&s, &r);
	if (s.meanwhile.n) {
		watched_event(&s.watched, KC_MODIFIED, s.meanwhile.p);
		watched_work(&s.watched);
	}
	if (s.closed)
		rehearsal_close(r);
	fake_run();
	if (s.n_done != !s.closed)
		buf_printf(out, "done %zu times\n", s.n_done);
	cfg_unref(s.options.next);
	watched_stop(&s.watched);
	capture_end(&capture);
	return 0;
}

static const struct triple_file files[] = {
	{ "rehearsal", run_rehearsal },
};

int main(void)
{
	return triples_main(DATA "triples", files, ARRAY_LEN(files));
}
