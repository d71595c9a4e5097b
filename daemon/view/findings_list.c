/* Filters, and an order that stays while findings come and go. */
#include "daemon/view/findings_list.h"

#include "base/vec.h"

#include <errno.h>

/* ---- filters ---- */

static int parse_type(const char *value, struct finding_filter *ret, struct err *err)
{
	enum finding_kind kind;

	if (!finding_type_parse(str_from(value), &kind))
		return err_set(err, EINVAL,
			       "type '%.40s': drift, component, error, gap, validation, accepted or inspection", value);
	ret->types |= 1u << kind;
	return 0;
}

int finding_filter_add(struct finding_filter *f, const char *name, const char *value, struct err *err)
{
	const struct {
		const char *name;
		str *to;
	} texts[] = {
		{ "cluster", &f->cluster },     { "namespace", &f->namespace }, { "name", &f->name },
		{ "reference", &f->reference }, { "component", &f->component }, { "kind", &f->kind },
		{ "action", &f->action },
	};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		if (strcmp(name, texts[i].name) == 0) {
			*texts[i].to = str_from(value);
			return 0;
		}
	}
	if (strcmp(name, "type") == 0)
		return parse_type(value, f, err);
	if (strcmp(name, "severity") != 0)
		return err_set(err, EINVAL, "unknown parameter '%.40s'", name);
	if (!severity_parse(str_from(value), &f->worst))
		return err_set(err, EINVAL, "severity '%.40s': critical, error, warning, notice or info", value);
	return 0;
}

int finding_filter_parse(const struct http_request *q, struct finding_filter *ret, struct err *err)
{
	struct finding_filter f = { 0 };
	const char *name, *value;
	size_t at = 0;

	while (http_query_each(q, &at, &name, &value)) {
		int r = finding_filter_add(&f, name, value, err);

		if (r < 0)
			return r;
	}
	*ret = f;
	return 0;
}

static bool is_wanted(str wanted, str is)
{
	return !wanted.p || str_eq(wanted, is);
}

static bool passes(const struct finding_filter *filter, const struct finding *x)
{
	const struct finding_subject *s = &x->subject;

	return (!filter->types || filter->types & 1u << x->kind) && (!filter->worst || x->severity <= filter->worst) &&
	       is_wanted(filter->cluster, s->cluster) && is_wanted(filter->namespace, s->namespace) &&
	       is_wanted(filter->name, s->name) && is_wanted(filter->reference, s->reference) &&
	       is_wanted(filter->component, s->component) &&
	       (!filter->action.p || finding_has_action(x, filter->action)) &&
	       (!filter->kind.p || kind_word_means(filter->kind, s->kind, s->resource));
}

/* ---- order ---- */

struct place {
	enum severity severity;
	int64_t since;
	str key;
};

struct findings_cursor {
	const struct findings *findings;
	struct arena arena;
	VEC(struct place) places;
	size_t count; /* that passed */
	size_t at;
	size_t given;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->severity != y->severity)
		return x->severity < y->severity ? -1 : 1;
	if (x->since != y->since)
		return x->since < y->since ? -1 : 1;
	return str_cmp(x->key, y->key);
}

/* ---- the first of many: a heap, the last of them on top ---- */

static void sink_place(struct place *heap, size_t n, size_t at)
{
	for (size_t child = 2 * at + 1; child < n; child = 2 * at + 1) {
		struct place p = heap[at];

		if (child + 1 < n && compare_places(&heap[child], &heap[child + 1]) < 0)
			child++;
		if (compare_places(&p, &heap[child]) >= 0)
			return;
		heap[at] = heap[child];
		heap[child] = p;
		at = child;
	}
}

/* Into the first @most of them, if it is one. False: no memory. */
static bool add_place(struct findings_cursor *c, struct place p, size_t most)
{
	c->count++;
	if (c->places.n < most) {
		if (!vec_push(&c->places, p))
			return false;
		for (size_t i = c->places.n == most ? most / 2 : 0; i > 0; i--)
			sink_place(c->places.p, most, i - 1);
	} else if (most && compare_places(&p, c->places.p) < 0) {
		c->places.p[0] = p;
		sink_place(c->places.p, most, 0);
	}
	return true;
}

static bool own_keys(struct findings_cursor *c)
{
	for (size_t i = c->at; i < c->places.n; i++) {
		c->places.p[i].key = arena_str(&c->arena, c->places.p[i].key);
		if (!c->places.p[i].key.p)
			return false;
	}
	return true;
}

int findings_cursor_new(const struct findings *f, const struct finding_filter *filter, struct findings_cursor **ret,
			struct err *err)
{
	return findings_cursor_page(f, filter, 0, SIZE_MAX, ret, err);
}

int findings_cursor_page(const struct findings *f, const struct finding_filter *filter, size_t first, size_t n,
			 struct findings_cursor **ret, struct err *err)
{
	struct findings_cursor *c = calloc(1, sizeof(*c));
	size_t at = 0, most = n > SIZE_MAX - first ? SIZE_MAX : first + n;
	const struct finding *x;
	bool ok = c;

	if (!c)
		return err_nomem(err);
	c->findings = f;
	arena_init(&c->arena, 0, 0);
	while (ok && (x = findings_each(f, &at))) {
		if (passes(filter, x))
			ok = add_place(c, (struct place){ x->severity, x->first_seen_usec, x->key }, most);
	}
	if (c->places.n > first)
		qsort(c->places.p, c->places.n, sizeof(*c->places.p), compare_places);
	c->at = first < c->places.n ? first : c->places.n;
	if (!ok || !own_keys(c)) {
		findings_cursor_free(c);
		return err_nomem(err);
	}
	*ret = c;
	return 0;
}

void findings_cursor_free(struct findings_cursor *c)
{
	if (!c)
		return;
	vec_done(&c->places);
	arena_done(&c->arena);
	free(c);
}

size_t findings_cursor_count(const struct findings_cursor *c)
{
	return c->count;
}

const struct finding *findings_cursor_next(struct findings_cursor *c)
{
	while (c->at < c->places.n) {
		const struct finding *x = findings_find(c->findings, c->places.p[c->at++].key);

		if (x) {
			c->given++;
			return x;
		}
	}
	return NULL;
}

bool findings_cursor_is_first(const struct findings_cursor *c)
{
	return c->given == 1;
}
