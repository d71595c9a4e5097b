/* Stories of a cluster as cases of tests/support/triples.h: the program is the name of a configuration of a folder, the
 * input what happens, a line each, and the result all that is told of it: what people read besides, once each;
 * and of each record what is other than in the one before, "-" before the name of a field that it has no more. For
 * programs that are linked with --wrap=findings_report.
 *
 *   listed | added | modified | deleted OBJECT [|| MANAGED_FIELDS]    in JSON
 *   unreadable OBJECT                                                 its text cannot be read: but for this of it
 *   settle | restart | pack | counts                                  all is listed; a new cluster; nothing is open
 *   explain API_VERSION KIND KEY                                      what each reference makes of an object now
 *   accept | withdraw ACCEPTANCE                                      in JSON
 *   absent KIND | lost KIND                                           the server has it not; it cannot be watched
 *   seconds N                                                         time goes by
 *   as in NAME                                                        what NAME.txt of the folder tells, first
 */
#ifndef TESTS_STORY_H
#define TESTS_STORY_H

#include "base/assert.h"
#include "base/number.h"
#include "daemon/findings/clock.h"
#include "daemon/watch/accepted_apply.h"
#include "daemon/watch/cluster/cluster_internal.h"
#include "support/capture.h"
#include "support/triples.h"
#include "support/watched.h"

#define STORY_BEGINS_USEC (1000000 * INT64_C(1800000000)) /* in January 2027 */

struct story {
	struct watched watched;
	struct capture capture;
	const char *folder;
	struct doc *last; /* record; NULL: there was none */
	struct buf *out;
	int64_t usec; /* since it began */
};

/* ---- what is told ---- */

#define STORY_STEP_MAX 200 /* texts or records of what happens at once: in no order of their own */

/* Of the story that is told. */
static struct {
	struct arena arena;
	struct strmap known; /* what people read besides, so far */
	str news[STORY_STEP_MAX];
	size_t n_news;
} story_read;

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker's names */
int __real_findings_report(struct findings *f, const struct finding_report *r, struct err *err);
int __wrap_findings_report(struct findings *f, const struct finding_report *r, struct err *err);

/* What people read besides is in no field of a record. */
int __wrap_findings_report(struct findings *f, const struct finding_report *r, struct err *err)
{
	if (r->details.n && !strmap_has(&story_read.known, r->details)) {
		ASSERT(strmap_put(&story_read.known, r->details, &story_read, NULL));
		ASSERT(story_read.n_news < STORY_STEP_MAX);
		story_read.news[story_read.n_news++] = arena_str(&story_read.arena, r->details);
	}
	return __real_findings_report(f, r, err);
}
/* NOLINTEND(bugprone-reserved-identifier) */

static inline int story_by_text(const void *a, const void *b)
{
	return str_cmp(*(const str *)a, *(const str *)b);
}

static inline void story_print_read(struct buf *out)
{
	qsort(story_read.news, story_read.n_news, sizeof(str), story_by_text);
	for (size_t i = 0; i < story_read.n_news; i++) {
		str rest = story_read.news[i], line;

		while (str_next_part(&rest, '\n', &line))
			buf_printf(out, "    %.*s\n", STR_ARG(line));
	}
	story_read.n_news = 0;
}

/* Of those that differ from run to run, and of those that say what others do. */
static inline bool story_leaves_out(str name)
{
	static const char *const names[] = {
		"MESSAGE",        "MESSAGE_ID",   "DRIFTD_RECORD_ID",      "DRIFTD_DRIFT_ID",
		"DRIFTD_CLUSTER", "DRIFTD_EVENT", "DRIFTD_REFERENCE_HASH", "DRIFTD_CAUSE"
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (str_eq(name, str_from(names[i])))
			return true;
	}
	return !str_has_prefix(name, STR("DRIFTD_")) && !str_eq(name, STR("PRIORITY"));
}

/* One line of the value each. */
static inline void story_print_text(str name, str text, struct buf *out)
{
	str line;

	do {
		if (!str_next_part(&text, '\n', &line))
			line = STR("");
		buf_printf(out, "  %.*s=%.*s\n", STR_ARG(name), STR_ARG(line));
	} while (text.n);
}

static inline void story_print_field(str name, val v, struct buf *out)
{
	if (val_is_list(v)) {
		for (uint32_t i = 0; i < v.n; i++)
			story_print_text(name, val_str(v.items[i]), out);
	} else {
		story_print_text(name, val_str(v), out);
	}
}

static inline val story_field(const struct doc *d, const struct key *key)
{
	return d ? val_get(d->root, key_str(key)) : (val){ 0 };
}

static inline void story_print_record(const struct doc *last, const struct doc *d, struct buf *out)
{
	for (uint32_t i = 0; last && i < last->root.n; i++) {
		const struct key *key = last->root.members[i].key;

		if (!story_leaves_out(key_str(key)) && !val_exists(story_field(d, key)))
			buf_printf(out, "  -%.*s\n", STR_ARG(key_str(key)));
	}
	for (uint32_t i = 0; i < d->root.n; i++) {
		const struct key *key = d->root.members[i].key;
		val now = d->root.members[i].value;

		if (!story_leaves_out(key_str(key)) && !val_equal(story_field(last, key), now))
			story_print_field(key_str(key), now, out);
	}
}

static inline str story_message(const struct doc *d)
{
	return val_str(VAL_GET(d->root, "MESSAGE"));
}

static inline int story_by_message(const void *a, const void *b)
{
	return str_cmp(story_message(*(struct doc *const *)a), story_message(*(struct doc *const *)b));
}

static inline void story_print_reported(struct story *s)
{
	struct doc *reported[STORY_STEP_MAX];
	size_t n = 0;

	story_print_read(s->out);
	while (n < STORY_STEP_MAX && (reported[n] = capture_next(&s->capture)))
		n++;
	qsort(reported, n, sizeof(*reported), story_by_message);
	for (size_t i = 0; i < n; i++) {
		buf_printf(s->out, "%.*s: %.*s\n", STR_ARG(val_str(VAL_GET(reported[i]->root, "DRIFTD_EVENT"))),
			   STR_ARG(story_message(reported[i])));
		story_print_record(s->last, reported[i], s->out);
		doc_unref(s->last);
		s->last = reported[i];
	}
}

static inline void story_print_counts(struct story *s)
{
	size_t n;
	const struct reference_judge *judges = cluster_judges(s->watched.cluster, &n);

	for (int o = 0; o < ARRIVAL_OUTCOMES; o++) {
		uint64_t n_so = cluster_arrivals(s->watched.cluster, (enum arrival_outcome)o);

		if (n_so)
			buf_printf(s->out, "%s %llu, ", arrival_outcome_name((enum arrival_outcome)o),
				   (unsigned long long)n_so);
	}
	for (size_t i = 0; i < n; i++) {
		const struct reference_judge *rj = &judges[i];

		buf_printf(s->out, "%.*s:", STR_ARG(rj->reference->name));
		for (size_t k = 0; k < ARRAY_LEN(rj->states); k++)
			buf_printf(s->out, " %zu", rj->states[k]);
		for (size_t t = 0; t < rj->reference->reference->n_templates; t++)
			buf_printf(s->out, " %.*s %zu/%zu/%zu%s", STR_ARG(rj->reference->reference->templates[t]->path),
				   rj->matched[t], rj->referenced[t], rj->waiting[t], rj->unknown[t] ? "?" : "");
		buf_printf(s->out, ", %llu judged, %llu unseen, %llu failed\n",
			   (unsigned long long)rj->counters.evaluations,
			   (unsigned long long)rj->counters.skipped_unchanged,
			   (unsigned long long)rj->counters.failures);
	}
}

static inline void story_explain(struct story *s, str line)
{
	static const char *const states[] = { [VERDICT_UNMATCHED] = "unmatched",
					      [VERDICT_COMPLIANT] = "compliant",
					      [VERDICT_DRIFTED] = "drifted",
					      [VERDICT_EXCLUDED] = "excluded",
					      [VERDICT_ERROR] = "error" };
	str api_version, kind;
	size_t n;

	ASSERT(str_next_part(&line, ' ', &api_version) && str_next_part(&line, ' ', &kind));
	(void)cluster_judges(s->watched.cluster, &n);
	for (size_t i = 0; i < n; i++) {
		const struct kind *k = snapshot_find_kind(&s->watched.cluster->snapshot, api_version, kind);
		const struct object *o = k ? snapshot_find(k, line) : NULL;
		const struct accepted *by;
		struct doc *edited = NULL;
		struct verdict v;
		struct err err;
		bool waits;

		ASSERT(o);
		watched_must(cluster_explain(s->watched.cluster, i, o, &v, &edited, &waits, &err), &err);
		buf_printf(s->out, "%.*s is %s%s, %zu tried%s\n", STR_ARG(line), states[v.state],
			   waits ? " and waits" : "", v.n_trials, edited ? ", edited" : "");
		for (size_t c = 0; c < v.changes.n; c++) {
			by = cluster_accepted_by(s->watched.cluster, i, o, &v.changes.p[c]);
			buf_printf(s->out, "  %.*s%s%.*s\n", STR_ARG(v.changes.p[c].path_text), by ? " accepted: " : "",
				   STR_ARG(by ? by->is.says.reason : STR("")));
		}
		verdict_done(&v);
		doc_unref(edited);
	}
}

/* ---- what happens ---- */

static inline struct doc *story_json(struct story *s, str text)
{
	struct json_options o = { .limits = &s->watched.limits, .keys = s->watched.keys };
	struct doc *doc = NULL;
	struct err err;

	watched_must(json_decode(text, &o, &doc, &err), &err);
	return doc;
}

static inline void story_event(struct story *s, enum kc_event event, str line)
{
	ptrdiff_t bar = str_find(line, STR(" || "));
	str managers = bar < 0 ? STR("") : str_sub(line, (size_t)bar + 4, line.n);
	CLEANUP(doc_unrefp) struct doc *doc = story_json(s, bar < 0 ? line : str_sub(line, 0, (size_t)bar));
	CLEANUP(freep) char *kind = str_dup(val_str(VAL_GET(doc->root, "kind")));

	ASSERT(kind && fake_watch(kind));
	fake_event_managed(fake_watch(kind), event, doc, managers);
}

static inline void story_unreadable(struct story *s, str line)
{
	CLEANUP(doc_unrefp) struct doc *doc = story_json(s, line);
	CLEANUP(buf_done) struct buf key = BUF_INIT(512);
	CLEANUP(freep) char *kind = str_dup(val_str(VAL_GET(doc->root, "kind")));
	struct identity id = identity_of(doc->root);
	struct feed_watch *w;
	struct kc_object o = {
		.event = KC_MODIFIED,
		.namespace = id.namespace,
		.name = id.name,
		.uid = val_str(val_dig(doc->root, "metadata", "uid", NULL)),
		.resource_version = STR("1"),
		.doc = doc,
		.unreadable = "it is too deep",
		.received_ns = 1,
	};

	ASSERT(kind && (w = fake_watch(kind)));
	identity_local_key(id.namespace, id.name, &key);
	o.key = buf_str(&key);
	w->handler.object(w->ctx, &o);
}

static inline void story_state(enum kc_state state, str name)
{
	CLEANUP(freep) char *kind = str_dup(name);

	ASSERT(kind && fake_watch(kind));
	fake_state(fake_watch(kind), state);
}

static inline void story_accept(struct story *s, str text, bool withdraw)
{
	CLEANUP(doc_unrefp) struct doc *doc = story_json(s, text);
	char id[ACCEPTANCE_ID_SIZE];
	struct acceptance a;
	struct err err;

	watched_must(acceptance_from_json(doc->root, &a, &err), &err);
	if (!withdraw) {
		watched_must(acceptances_put(s->watched.acceptances, &a, false, &err), &err);
		return;
	}
	ASSERT(acceptance_id(&a, id) && acceptances_remove(s->watched.acceptances, id));
}

static inline bool story_word(str *line, const char *word)
{
	size_t n = strlen(word);

	if (!str_has_prefix(*line, str_from(word)) || (line->n > n && line->p[n] != ' '))
		return false;
	*line = str_sub(*line, n + (line->n > n), line->n);
	return true;
}

static inline void story_go_on(struct story *s, int64_t seconds)
{
	s->usec += seconds * 1000000;
	clock_set(STORY_BEGINS_USEC + s->usec, (uint64_t)s->usec * 1000 + 1);
}

static inline void story_apply(struct story *s)
{
	accepted_apply(s->watched.acceptances, s->watched.findings, &s->watched.cluster, 1);
	findings_tick(s->watched.findings, clock_ns());
	watched_work(&s->watched);
}

static inline void story_happen_all(struct story *s, str input);

static inline void story_as_in(struct story *s, str name)
{
	CLEANUP(freep) char *text = NULL;
	char path[512];
	struct err err;
	size_t n;

	(void)snprintf(path, sizeof(path), "%s/%.*s.txt", s->folder, STR_ARG(name));
	watched_must(file_read(path, TRIPLES_FILE_MAX, &text, &n, &err), &err);
	story_happen_all(s, (str){ text, n });
}

static inline void story_happens(struct story *s, str line)
{
	int64_t n = 0;

	if (story_word(&line, "listed"))
		story_event(s, KC_LISTED, line);
	else if (story_word(&line, "added"))
		story_event(s, KC_ADDED, line);
	else if (story_word(&line, "modified"))
		story_event(s, KC_MODIFIED, line);
	else if (story_word(&line, "deleted"))
		story_event(s, KC_DELETED, line);
	else if (story_word(&line, "unreadable"))
		story_unreadable(s, line);
	else if (story_word(&line, "as in"))
		story_as_in(s, line);
	else if (story_word(&line, "settle"))
		watched_settle(&s->watched);
	else if (story_word(&line, "restart"))
		watched_restart(&s->watched);
	else if (story_word(&line, "pack"))
		doc_cache_close_all(&s->watched.cluster->snapshot.doc_cache);
	else if (story_word(&line, "counts"))
		story_print_counts(s);
	else if (story_word(&line, "explain"))
		story_explain(s, line);
	else if (story_word(&line, "accept"))
		story_accept(s, line, false);
	else if (story_word(&line, "withdraw"))
		story_accept(s, line, true);
	else if (story_word(&line, "absent"))
		story_state(KC_ABSENT, line);
	else if (story_word(&line, "lost"))
		story_state(KC_BACKOFF, line);
	else if (story_word(&line, "seconds") && int64_parse(line, &n))
		story_go_on(s, n);
	else
		ASSERT(!"a line that is known");
}

static inline void story_happen_all(struct story *s, str input)
{
	str line;

	while (str_next_part(&input, '\n', &line)) {
		if (!line.n)
			continue;
		story_happens(s, line);
		story_apply(s);
		story_print_reported(s);
	}
}

/* Of the configuration @folder/CONFIG.yaml; @program: "CONFIG", or "CONFIG 1/3" for the second of three processes. */
static inline void story_begin(struct story *s, const char *folder, str program, struct buf *out)
{
	struct cluster_context more = { 0 };
	char file[512];
	str config;

	if (str_next_part(&program, ' ', &config) && program.n == 3)
		more.shard = (struct shard){ (uint32_t)(program.p[0] - '0'), (uint32_t)(program.p[2] - '0') };

	*s = (struct story){ .folder = folder, .out = out };
	(void)snprintf(file, sizeof(file), "%s/%.*s.yaml", folder, STR_ARG(config));
	ASSERT(capture_begin(&s->capture));
	memset(&story_read, 0, sizeof(story_read));
	story_read.arena = ARENA_INIT(0);
	story_go_on(s, 0);
	watched_start_with(&s->watched, file, &more);
	story_apply(s);
}

static inline void story_end(struct story *s)
{
	watched_stop(&s->watched);
	story_print_reported(s);
	strmap_done(&story_read.known);
	arena_done(&story_read.arena);
	doc_unref(s->last);
	capture_end(&s->capture);
}

/* All of it: the program is the name of its configuration. */
static inline int story_run(const char *folder, const struct triple *t, struct arena *a, struct buf *out)
{
	struct story s;

	(void)a;
	story_begin(&s, folder, t->program, out);
	story_happen_all(&s, t->input);
	story_end(&s);
	return 0;
}

#endif
