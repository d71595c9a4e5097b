/* Documents about a cluster of which a story is told (support/story.h): tests/data/api/watched.txt. The program is the
 * name of a configuration of tests/data/watch/told, and what is asked for:
 *
 *   status [with NAME…]               there are a leader, alerts, sources, a shard, mistakes, failures
 *   objects KIND NAME [NAMESPACE [CLUSTER]]
 *   words OF [BEGINNING] [objects] [FILTER=VALUE…]
 *   unknown FILTER=VALUE…             what a filter names that nobody knows
 *   explain API_VERSION KIND NAME [NAMESPACE]
 *   GET PATH [untrusted]              the answer to a request, behind its status if that is not 200 */
#include "daemon/api/api_internal.h"

#include "daemon/alertmanager/alertmanager_status.h"
#include "daemon/api/api.h"
#include "support/source_states.h"
#include "support/story.h"

static const struct leader_status leader = { .state = ELECTION_LEADS, .reports = true, .name = "a", .holder = "b" };

static const struct alertmanager_status alerts[] = {
	{ .url = STR("http://a"), .state = "idle", .up = true, .alerts = 3, .last_success_usec = STORY_BEGINS_USEC },
	{ .url = STR("http://b"), .state = "waiting", .undelivered = 2, .why = "it is away" },
};

static void fill_writer(struct writer_status *w)
{
	*w = (struct writer_status){ .waiting = 1, .deferred = 2 };
	(void)!err_set(&w->agreement_error, EIO, "no agreement");
	(void)!err_set(&w->steps[STEP_COMMIT].error, EIO, "no commit");
	(void)!err_set(&w->steps[STEP_SEND].error, EIO, "no output");
	w->steps[STEP_SEND].failures = 4;
	w->steps[STEP_SEND].progress_ns = w->steps[STEP_SEND].since_ns = 1;
}

/* What else the status tells of: the words of @with. */
static void add_more(struct metrics_view *view, struct writer_status *writer, struct source_state *sources, str with)
{
	str word;

	while (str_next_part(&with, ' ', &word)) {
		if (str_eq(word, STR("leader"))) {
			view->leader = &leader;
			view->leader_phase = "loads";
		} else if (str_eq(word, STR("alerts"))) {
			view->alerts = alerts;
			view->n_alerts = ARRAY_LEN(alerts);
		} else if (str_eq(word, STR("sources"))) {
			view->sources = sources;
			view->n_sources = views_called(STR("absent current"), sources);
		} else if (str_eq(word, STR("shard"))) {
			view->shard = (struct shard){ 1, 3 };
		} else if (str_eq(word, STR("mistakes"))) {
			view->configuration.mistakes = "a: wrong\nb: wrong";
		} else if (str_eq(word, STR("failures"))) {
			fill_writer(writer);
		} else if (str_eq(word, STR("nobody"))) {
			view->n_clusters = 0;
		}
	}
}

/* The filter, and in @ret what is no filter, of the words of @line. */
static size_t take_words(str line, struct arena *a, struct finding_filter *f, str *ret, size_t max)
{
	size_t n = 0;
	struct err err;
	str word;

	*f = (struct finding_filter){ 0 };
	while (str_next_part(&line, ' ', &word)) {
		ptrdiff_t at = str_find_byte(word, '=');

		if (at < 0) {
			ASSERT(n < max);
			ret[n++] = word;
			continue;
		}
		watched_must(finding_filter_add(f, arena_str(a, str_sub(word, 0, (size_t)at)).p,
						arena_str(a, str_sub(word, (size_t)at + 1, word.n)).p, &err),
			     &err);
	}
	return n;
}

static int objects(const struct metrics_view *view, str line, struct arena *a, struct buf *out, struct err *err)
{
	str words[4] = { 0 };
	struct finding_filter none;
	struct object_query q;
	struct objects_open *o;
	int r;

	(void)take_words(line, a, &none, words, ARRAY_LEN(words));
	q = (struct object_query){ .kind = words[0], .name = words[1], .namespace = words[2], .cluster = words[3] };
	watched_must(objects_open_new(view, &q, &o, err), err);
	while (objects_open_look(o, 0)) {
	}
	r = objects_doc(view, o, out, err);
	objects_open_free(o);
	return r;
}

static int words(const struct metrics_view *view, str line, struct arena *a, struct buf *out, struct err *err)
{
	struct word_query q = { 0 };
	str given[3] = { 0 };
	size_t n = take_words(line, a, &q.filter, given, ARRAY_LEN(given));
	struct words *w;
	int r;

	q.objects = n && str_eq(given[n - 1], STR("objects"));
	q.of = arena_str(a, given[0]).p;
	q.beginning = n > 1u + q.objects ? given[1] : STR("");
	r = words_new(view, &q, &w, err);
	if (r < 0)
		return r;
	while (words_look(w, 0)) {
	}
	r = words_doc(w, out, err);
	words_free(w);
	return r;
}

/* Known words are in no order of their own: the list of several is left out. */
static void print_unknown(struct buf *text, struct buf *out)
{
	str rest = buf_str(text), line;

	while (str_next_part(&rest, '\n', &line)) {
		ptrdiff_t list = str_find(line, STR("; there is "));

		if (list >= 0 && str_find_byte(line, ',') >= 0)
			line = str_sub(line, 0, (size_t)list);
		if (line.n)
			buf_printf(out, "%.*s\n", STR_ARG(line));
	}
	buf_clear(text);
}

static void unknown(const struct metrics_view *view, str line, struct arena *a, struct buf *out)
{
	struct unknown_words u = { .text = BUF_INIT(1u << 16) };
	struct finding_filter f;

	(void)take_words(line, a, &f, NULL, 0);
	unknown_words_find(view, &f, &u);
	buf_add_cstr(out, u.mistaken ? "mistaken\n" : "");
	print_unknown(&u.text, out);
	unknown_places_find(view, &f, &u);
	print_unknown(&u.text, out);
	buf_done(&u.text);
}

static int explain(struct cluster *c, str line, struct arena *a, struct buf *out, struct err *err)
{
	str words[4] = { 0 };
	struct finding_filter none;
	const struct object *o;

	(void)take_words(line, a, &none, words, ARRAY_LEN(words));
	o = cluster_find_object(c, words[0], words[1], words[3], words[2]);
	ASSERT(o);
	return explain_doc(c, 0, o, out, err);
}

/* ---- requests ---- */

static void *worked; /* what the route is called with again */

void __wrap_http_work(const struct http_request *q, void *state, http_some_fn *some, void (*forget)(void *state));

void __wrap_http_work(const struct http_request *q, void *state, http_some_fn *some, void (*forget)(void *state))
{
	(void)q, (void)forget;
	while (some(state, 0)) {
	}
	worked = state;
}

static const struct metrics_view *same_view(void *ctx)
{
	return ctx;
}

static void call(const struct metrics_view *view, const struct http_request *q, struct http_response *r)
{
	static const struct {
		const char *name;
		void (*answer)(const struct metrics_view *view, const struct http_request *q, struct http_response *r);
	} routes[] = { { "objects", api_objects },
		       { "words", api_words },
		       { "explain", api_explain },
		       { "releases", api_releases },
		       { "references", api_references } };
	const struct view_source views = { same_view, (void *)(uintptr_t)view };

	ASSERT(q->uri.n_segments == 3);
	if (strcmp(q->uri.segments[2], "findings") == 0)
		api_findings(&views, q, r);
	for (size_t i = 0; i < ARRAY_LEN(routes); i++) {
		if (strcmp(q->uri.segments[2], routes[i].name) == 0)
			routes[i].answer(view, q, r);
	}
}

static void get(const struct metrics_view *view, str line, struct buf *text, struct buf *out)
{
	struct http_response r = { .status = 200, .body = BUF_INIT(1u << 20) };
	struct http_request q = { .method = "GET", .trusted = true };
	struct err err;
	str path;

	(void)str_next_part(&line, ' ', &path);
	q.trusted = !str_eq(line, STR("untrusted"));
	watched_must(uri_parse(&q.uri, path, &err), &err);
	worked = NULL;
	call(view, &q, &r);
	q.state = worked;
	if (worked)
		call(view, &q, &r);
	buf_add_str(text, buf_str(&r.body));
	while (r.stream.next) {
		CLEANUP(buf_done) struct buf part = BUF_INIT(1u << 20);
		int more = r.stream.next(r.stream.state, &part);

		ASSERT(more >= 0);
		buf_add_str(text, buf_str(&part));
		if (more == 0)
			r.stream.next = NULL;
	}
	if (r.stream.done)
		r.stream.done(r.stream.state);
	if (r.status != 200)
		buf_printf(out, "%u\n", r.status);
	buf_done(&r.body);
	uri_done(&q.uri);
}

/* What stands for the line, if it is another one in each release, in each run, or when templates take more steps. */
static str as_in_any_run(str line)
{
	str text = str_trim(line);

	if (str_has_prefix(text, STR("\"version\": ")))
		return STR("  its version");
	if (str_has_prefix(text, STR("\"generation\": ")))
		return STR("  its generation");
	if (text.n > 34 && (str_has_prefix(text, STR("\"id\": ")) || str_has_prefix(text, STR("\"stateId\": ")) ||
			    str_has_prefix(text, STR("\"cause\": "))))
		return str_sub(line, 0, (size_t)str_find_byte(line, ':') + 1);
	if (str_has_prefix(text, STR("\"steps\": ")) && !str_has_suffix(text, STR("[")))
		return STR("  its steps");
	return text.n >= 34 && str_find_byte(text, ' ') < 0 && text.p[33] == '"' ? STR("        an ID") : line;
}

/* A member in each line. */
static int print_json(str text, struct buf *out, struct err *err)
{
	const struct limits limits = LIMITS_DEFAULT;
	const struct json_options o = { .limits = &limits };
	CLEANUP(buf_done) struct buf plain = BUF_INIT(1u << 20);
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	str rest, line;
	int r = json_decode(text, &o, &d, err);

	if (r == 0)
		r = json_encode(d->root, JSON_PLAIN, "  ", &plain, err);
	if (r < 0)
		return r;
	for (rest = buf_str(&plain); str_next_part(&rest, '\n', &line);) {
		line = as_in_any_run(line);
		if (line.n)
			buf_printf(out, "%.*s\n", STR_ARG(line));
	}
	return 0;
}

static int ask(struct story *s, str line, struct arena *a, struct buf *out, struct err *err)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(1u << 20);
	struct writer_status writer = { 0 };
	struct source_state sources[ARRAY_LEN(all_views)];
	struct metrics_view view = {
		.cfg = s->watched.cfg,
		.clusters = &s->watched.cluster,
		.n_clusters = 1,
		.findings = s->watched.findings,
		.writer = &writer,
		.configuration = { .state = RELOAD_REHEARSING, .accepted = true, .at = 1800000001.5 },
		.started_at = 1800000000.5,
	};
	int r = 0;

	if (story_word(&line, "unknown")) {
		unknown(&view, line, a, out);
		return 0;
	}
	if (story_word(&line, "status")) {
		add_more(&view, &writer, sources, line);
		status_doc(&view, &text);
	} else if (story_word(&line, "objects")) {
		r = objects(&view, line, a, &text, err);
	} else if (story_word(&line, "words")) {
		r = words(&view, line, a, &text, err);
	} else if (story_word(&line, "GET")) {
		get(&view, line, &text, out);
	} else if (story_word(&line, "explain")) {
		r = explain(s->watched.cluster, line, a, &text, err);
	}
	return r < 0 ? r : print_json(buf_str(&text), out, err);
}

static int run(const struct triple *t, struct arena *a, struct buf *out)
{
	struct buf reported = BUF_INIT(4u << 20);
	str line = t->program, config;
	struct story s;
	struct err err;
	int r;

	(void)str_next_part(&line, ' ', &config);
	story_begin(&s, TEST_DATA "/watch/told", config, &reported);
	story_happen_all(&s, t->input);
	r = ask(&s, line, a, out, &err);
	if (r < 0)
		buf_add_cstr(out, err.msg);
	story_end(&s);
	buf_done(&reported);
	return r;
}

static const struct triple_file files[] = {
	{ "watched", run },
};

int main(void)
{
	return triples_main(TEST_DATA "/api", files, ARRAY_LEN(files));
}
