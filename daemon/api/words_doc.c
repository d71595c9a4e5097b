/* Writes words for the completion of a command line. */
#include "base/arena.h"
#include "daemon/api/api_internal.h"
#include "value/json_out.h"

#include <errno.h>

#define WORDS_MAX 200 /* the most words in an answer */
#define WORD_BYTES_MAX 1024
#define RESOLVED_MAX ((size_t)64 << 10)
#define LOOK_NS ((uint64_t)8 * 1000 * 1000) /* the time of the loop for looking at objects */
#define LOOKS_BETWEEN 1024                  /* objects before the next look at the clock */

struct word_source;

/* A word that was found. */
struct word {
	str text;
	str finding; /* the key of its finding; {NULL, 0}: the word belongs to more than one finding, or to none */
};

/* An answer while its words are searched. It keeps the first ones in order, and the last one of all: the common
 * beginning of all words is that of the first and the last one, and a shell adds it to what was typed. */
struct words {
	struct findings *findings;
	struct finding_filter filter; /* the filter without kinds, which are in the next member */
	struct buf kinds;
	const struct word_source *source; /* the current source; NULL: none, or causes */
	struct findings_scan scan;
	struct findings_groups *groups; /* NULL: causes are not searched */
	str beginning;
	struct arena arena; /* memory of the words' texts */
	struct word first[WORDS_MAX];
	size_t n;
	struct word last; /* with @more: the last of all words, beyond the first ones */
	bool more;        /* there are more words than those kept */
	bool failed;      /* memory was short */
	bool cut;         /* not everything was looked at */
};

/* The index where @text is, or would be, among the first words. */
static size_t place_of(const struct words *w, str text)
{
	size_t low = 0, high = w->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (str_cmp(w->first[middle].text, text) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Keep @word if it is the last one so far. It is not among the first words. */
static void keep_last(struct words *w, struct word word)
{
	if (w->more && str_cmp(w->last.text, word.text) >= 0)
		return;
	w->more = true;
	w->last = word;
}

static void insert(struct words *w, size_t at, struct word word)
{
	if (w->n == WORDS_MAX)
		keep_last(w, w->first[--w->n]);
	memmove(&w->first[at + 1], &w->first[at], (w->n - at) * sizeof(w->first[0]));
	w->first[at] = word;
	w->n++;
}

static void offer(struct words *w, str text, const struct finding *x)
{
	struct word word = { text, { NULL, 0 } };
	size_t at;

	if (!text.n || text.n > WORD_BYTES_MAX || !str_has_prefix(text, w->beginning))
		return;
	at = place_of(w, text);
	if (at < w->n && str_eq(w->first[at].text, text))
		return;
	if (at == WORDS_MAX && w->more && str_cmp(w->last.text, text) >= 0)
		return;
	word.text = arena_str(&w->arena, text);
	if (x)
		word.finding = arena_str(&w->arena, x->key);
	if (!word.text.p || (x && !word.finding.p)) {
		w->failed = true;
		return;
	}
	if (at == WORDS_MAX)
		keep_last(w, word);
	else
		insert(w, at, word);
}

static void offer_lines(struct words *w, str lines)
{
	str line;

	while (lines.n && str_next_part(&lines, '\n', &line))
		offer(w, line, NULL);
}

/* ---- what findings have ---- */

/* One kind of word, and where a finding has it. */
struct word_source {
	const char *name;
	/* offset of the text in a subject, for words that are such a text */
	size_t at;
	void (*offer)(struct words *w, const struct finding *x); /* for other words: offers them */
};

static void offer_id(struct words *w, const struct finding *x)
{
	offer(w, str_from(x->id), x);
}

static void offer_fields(struct words *w, const struct finding *x)
{
	offer_lines(w, x->paths);
	offer(w, x->subject.rule_path, NULL);
}

static void offer_manager(struct words *w, const struct finding *x)
{
	offer(w, x->manager, NULL);
}

static void offer_actions(struct words *w, const struct finding *x)
{
	offer_lines(w, x->actions);
}

#define OF(member) offsetof(struct finding_subject, member)

static const struct word_source sources[] = {
	{ "namespace", OF(namespace), NULL }, { "kind", OF(kind), NULL },           { "resource", OF(resource), NULL },
	{ "name", OF(name), NULL },           { "component", OF(component), NULL }, { "id", 0, offer_id },
	{ "field", 0, offer_fields },         { "manager", 0, offer_manager },      { "action", 0, offer_actions },
};

#define FINDINGS_BETWEEN 256 /* findings before the next look at the clock */

/* Search findings. Return true when the time is up. */
static bool look_at_findings(struct words *w, uint64_t until_ns)
{
	const struct word_source *s = w->source;
	const struct finding *x;
	size_t n = 0;

	while (!w->failed) {
		if (++n % FINDINGS_BETWEEN == 0 && uv_hrtime() >= until_ns)
			return true;
		x = findings_scan_next(&w->scan);
		if (!x)
			break;
		if (!finding_filter_passes(&w->filter, x))
			continue;
		if (s->offer)
			s->offer(w, x);
		else
			offer(w, *(const str *)((const char *)&x->subject + s->at), NULL);
	}
	return false;
}

/* Search causes. Return true when the time is up. */
static bool look_at_causes(struct words *w, uint64_t until_ns)
{
	const struct findings_group *g;
	const struct finding *first;
	size_t at = 0;
	struct err err;
	int r = findings_groups_make(w->groups, until_ns, &err);

	w->failed |= r < 0;
	while (r == 0 && (g = findings_groups_next(w->groups, w->findings, &at, SIZE_MAX, &first)))
		offer(w, str_from(g->cause), first);
	return r > 0;
}

/* ---- what is configured ---- */

static bool look_at_configuration(const struct metrics_view *view, const char *of, struct words *w)
{
	bool clusters = strcmp(of, "cluster") == 0;

	if (!clusters && strcmp(of, "reference") != 0)
		return false;
	for (size_t i = 0; clusters && i < view->cfg->n_clusters; i++)
		offer(w, view->cfg->clusters[i].name, NULL);
	for (size_t i = 0; !clusters && i < view->cfg->n_references; i++)
		offer(w, view->cfg->references[i].name, NULL);
	return true;
}

/* ---- what is watched ---- */

static void offer_objects(struct words *w, const struct kind *k, const struct finding_filter *f, bool names,
			  uint64_t until_ns)
{
	const struct object *o;
	size_t at = 0, n = 0;

	while (!w->cut && !w->failed && (o = index_each(&k->objects, &at))) {
		struct identity id = object_identity(o);

		w->cut = ++n % LOOKS_BETWEEN == 0 && uv_hrtime() > until_ns;
		if (names && f->namespace.p && !str_eq(id.namespace, f->namespace))
			continue;
		offer(w, names ? id.name : id.namespace, NULL);
	}
}

/* Offer kinds, or names or namespaces of objects of the kind in the filter. */
static void look_at_objects(const struct metrics_view *view, const char *of, const struct finding_filter *f,
			    struct words *w)
{
	uint64_t until_ns = uv_hrtime() + LOOK_NS;
	bool names = strcmp(of, "name") == 0, namespaces = strcmp(of, "namespace") == 0;
	bool kinds = strcmp(of, "kind") == 0;
	struct cluster_kind *const *list;
	size_t n;

	for (size_t i = 0; i < view->n_clusters; i++) {
		if (f->cluster.p && !str_eq(cluster_name(view->clusters[i]), f->cluster))
			continue;
		list = cluster_kinds(view->clusters[i], &n);
		for (size_t k = 0; k < n; k++) {
			const struct kind *kind = list[k]->kind;

			if (!list[k]->n_watches || (f->kind.p && !kind_words_mean(f->kind, kind->name, kind->resource)))
				continue;
			if (names || namespaces)
				offer_objects(w, kind, f, names, until_ns);
			else
				offer(w, kinds ? kind->name : kind->resource, NULL);
		}
	}
}

/* ---- the answer ---- */

static void add_about(const struct finding *x, struct buf *out)
{
	CLEANUP(buf_done) struct buf about = BUF_INIT(64u << 10);
	const struct finding_subject *s = &x->subject;

	buf_printf(&about, "%s %s", severity_name(x->severity), finding_type(x->kind));
	if (s->kind.n)
		buf_printf(&about, " %.*s %.*s%s%.*s", STR_ARG(s->kind), STR_ARG(s->namespace),
			   s->namespace.n ? "/" : "", STR_ARG(s->name));
	else if (s->component.n)
		buf_printf(&about, " %.*s", STR_ARG(s->component));
	json_text(out, "about", buf_str(&about));
}

static void add_word(const struct words *w, const struct word *word, struct buf *out)
{
	const struct finding *x = word->finding.p ? findings_find(w->findings, word->finding) : NULL;

	json_open(out, NULL, '{');
	json_text(out, "word", word->text);
	if (x)
		add_about(x, out);
	buf_add_byte(out, '}');
}

static const struct word_source *find_source(const char *of)
{
	for (size_t i = 0; i < ARRAY_LEN(sources); i++) {
		if (strcmp(sources[i].name, of) == 0)
			return &sources[i];
	}
	return NULL;
}

static bool is_of_objects(const char *of)
{
	static const char *const names[] = { "namespace", "kind", "resource", "name" };

	return str_index(str_from(of), names, ARRAY_LEN(names)) < ARRAY_LEN(names);
}

/* Begin the search. Words that need no look at findings are found at once. */
static int begin_to_look(struct words *w, const struct metrics_view *view, const struct word_query *q, struct err *err)
{
	const struct word_source *s = find_source(q->of);

	if (look_at_configuration(view, q->of, w))
		return 0;
	if (strcmp(q->of, "cause") == 0) {
		w->groups = calloc(1, sizeof(*w->groups));
		return w->groups ? findings_groups_begin(w->groups, view->findings, &w->filter, err) : err_nomem(err);
	}
	if (!s || (q->objects && !is_of_objects(q->of)))
		return err_set(err, EINVAL, "there are no words of '%.40s'", q->of);
	if (q->objects) {
		look_at_objects(view, q->of, &w->filter, w);
		return 0;
	}
	w->source = s;
	findings_scan_begin(view->findings, &w->scan);
	return 0;
}

int words_new(const struct metrics_view *view, const struct word_query *q, struct words **ret, struct err *err)
{
	struct words *w = calloc(1, sizeof(*w));
	int r;

	if (!w)
		return err_nomem(err);
	w->findings = view->findings;
	w->beginning = q->beginning;
	w->arena = ARENA_INIT(0);
	w->kinds = BUF_INIT(RESOLVED_MAX);
	w->filter = kind_words_filter(view, &q->filter, &w->kinds);
	r = begin_to_look(w, view, q, err);
	if (r < 0)
		words_free(w);
	else
		*ret = w;
	return r;
}

void words_free(struct words *w)
{
	findings_scan_end(&w->scan);
	if (w->groups)
		findings_groups_done(w->groups);
	free(w->groups);
	buf_done(&w->kinds);
	arena_done(&w->arena);
	free(w);
}

bool words_look(struct words *w, uint64_t until_ns)
{
	if (w->source)
		return look_at_findings(w, until_ns);
	return w->groups && look_at_causes(w, until_ns);
}

int words_doc(const struct words *w, struct buf *out, struct err *err)
{
	size_t n = w->cut ? 0 : w->n; /* an incomplete search does not know the common beginning of all words */

	buf_add_cstr(out, "{\"apiVersion\":\"driftd/v1\",\"kind\":\"WordList\"");
	if (w->cut || w->more)
		json_bool(out, "more", true);
	json_open(out, "items", '[');
	for (size_t i = 0; i < n; i++)
		add_word(w, w->more && i == WORDS_MAX - 1 ? &w->last : &w->first[i], out);
	buf_add_cstr(out, "]}\n");
	return w->failed ? err_nomem(err) : 0;
}
