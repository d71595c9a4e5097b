/* Filters, and an order that stays while findings come and go. */
#include "daemon/view/findings_list.h"

#include "base/strmap.h"
#include "base/vec.h"
#include "daemon/findings/cause.h"

/* Of a component it names objects, of a gap it says why something is not watched. */
str finding_listed_summary(const struct finding *x, bool trusted)
{
	return trusted || x->kind == FINDING_COMPONENT || x->kind == FINDING_GAP ? x->summary : STR("");
}

/* ---- causes ---- */

/* Many findings have few causes: each is called by its name once. */
struct causes {
	const struct findings *findings;
	str wanted;
	struct strmap known; /* of the cause, its text -> whether it is the one that is wanted */
	struct buf text;
	bool failed; /* without memory */
};

static bool is_named(struct causes *c, str text)
{
	char id[FINDING_ID_SIZE];
	bool is;

	c->failed |= !findings_cause_id(c->findings, text, id);
	is = !c->failed && str_has_prefix(str_from(id), c->wanted);
	c->failed |= !strmap_put(&c->known, text, is ? (void *)c : &c->text, NULL);
	return is;
}

static bool has_cause(struct causes *c, const struct finding *x)
{
	const void *known;

	if (!c->wanted.n)
		return true;
	buf_clear(&c->text);
	finding_cause(x, &c->text);
	known = strmap_get(&c->known, buf_str(&c->text));
	return known ? known == c : is_named(c, buf_str(&c->text));
}

static const struct finding *next_passing(struct causes *c, const struct finding_filter *filter, size_t *at)
{
	const struct finding *x;

	while (!c->failed && (x = findings_each(c->findings, at))) {
		if (finding_filter_passes(filter, x) && has_cause(c, x))
			return x;
	}
	return NULL;
}

static void causes_done(struct causes *c)
{
	strmap_done(&c->known);
	buf_done(&c->text);
}

/* ---- order ---- */

struct place {
	enum findings_order order; /* of the whole list */
	enum severity severity;
	int64_t since;
	str text; /* findings_order_text */
	str key;
};

struct findings_cursor {
	const struct findings *findings;
	struct arena arena;
	VEC(struct place) places;
	size_t count; /* that passed */
	size_t at;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int text = str_cmp(x->text, y->text);

	if (text)
		return text;
	if (x->order == ORDER_SINCE && x->since != y->since)
		return x->since < y->since ? -1 : 1;
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
		struct place *p = &c->places.p[i];

		p->key = arena_str(&c->arena, p->key);
		p->text = STR(""); /* they are in order */
		if (!p->key.p)
			return false;
	}
	return true;
}

static struct place place_of(enum findings_order order, const struct finding *x)
{
	return (struct place){ order, x->severity, x->first_seen_usec, findings_order_text(order, x), x->key };
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
	struct causes causes = { .findings = f, .wanted = filter->cause, .text = BUF_INIT(CAUSE_MAX) };
	size_t at = 0, most = n > SIZE_MAX - first ? SIZE_MAX : first + n;
	const struct finding *x;
	bool ok = c;

	if (!c)
		return err_nomem(err);
	c->findings = f;
	arena_init(&c->arena, 0, 0);
	while (ok && (x = next_passing(&causes, filter, &at)))
		ok = add_place(c, place_of(filter->order, x), most);
	if (c->places.n > first)
		qsort(c->places.p, c->places.n, sizeof(*c->places.p), compare_places);
	c->at = first < c->places.n ? first : c->places.n;
	ok &= !causes.failed;
	causes_done(&causes);
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

		if (x)
			return x;
	}
	return NULL;
}

/* ---- by their cause ---- */

/* The key is copied: findings come and go while others are added. False without memory. */
static bool take_into(struct findings_groups *of, struct findings_group *g, const struct finding *x)
{
	bool first = !g->count || x->severity < g->severity ||
		     (x->severity == g->severity && x->first_seen_usec < g->first_usec);
	str key = first ? arena_str(&of->arena, x->key) : g->key;

	if (!key.p)
		return false;
	if (first) {
		g->key = key;
		g->severity = x->severity;
		g->first_usec = x->first_seen_usec;
	}
	if (!g->count || x->first_seen_usec < g->since_usec)
		g->since_usec = x->first_seen_usec;
	g->count++;
	return true;
}

/* The group of the cause @text, made when it is new. NULL without memory. */
static struct findings_group *group_of(struct findings_groups *g, const struct findings *f, str text)
{
	uintptr_t known = (uintptr_t)strmap_get(&g->by_cause, text);
	struct findings_group fresh = { 0 };

	if (known)
		return &g->list.p[known - 1];
	if (!findings_cause_id(f, text, fresh.cause) || !vec_push(&g->list, fresh) ||
	    !strmap_put(&g->by_cause, text, (void *)(uintptr_t)g->list.n, NULL))
		return NULL;
	return &g->list.p[g->list.n - 1];
}

static int compare_groups(const void *a, const void *b)
{
	const struct findings_group *x = a, *y = b;

	if (x->severity != y->severity)
		return x->severity < y->severity ? -1 : 1;
	if (x->since_usec != y->since_usec)
		return x->since_usec < y->since_usec ? -1 : 1;
	return strcmp(x->cause, y->cause);
}

void findings_groups_begin(struct findings_groups *g)
{
	*g = (struct findings_groups){ .arena = ARENA_INIT(0), .text = BUF_INIT(CAUSE_MAX) };
}

int findings_groups_add(struct findings_groups *g, const struct findings *f, const struct finding *x, struct err *err)
{
	struct findings_group *group;

	buf_clear(&g->text);
	finding_cause(x, &g->text);
	group = g->text.error ? NULL : group_of(g, f, buf_str(&g->text));
	if (!group || !take_into(g, group, x))
		return err_nomem(err);
	g->n_findings++;
	return 0;
}

void findings_groups_end(struct findings_groups *g)
{
	if (g->list.n)
		qsort(g->list.p, g->list.n, sizeof(*g->list.p), compare_groups);
	strmap_done(&g->by_cause);
	buf_done(&g->text);
}

int findings_groups_init(struct findings_groups *g, const struct findings *f, const struct finding_filter *filter,
			 struct err *err)
{
	struct causes causes = { .findings = f, .wanted = filter->cause, .text = BUF_INIT(CAUSE_MAX) };
	const struct finding *x;
	size_t at = 0;
	int r = 0;

	findings_groups_begin(g);
	while (r == 0 && (x = next_passing(&causes, filter, &at)))
		r = findings_groups_add(g, f, x, err);
	if (r == 0 && causes.failed)
		r = err_nomem(err);
	causes_done(&causes);
	if (r < 0)
		findings_groups_done(g);
	else
		findings_groups_end(g);
	return r;
}

const struct findings_group *findings_groups_next(const struct findings_groups *g, const struct findings *f, size_t *at,
						  size_t end, const struct finding **first)
{
	while (*at < g->list.n && *at < end) {
		const struct findings_group *group = &g->list.p[(*at)++];

		*first = findings_find(f, group->key);
		if (*first)
			return group;
	}
	return NULL;
}

void findings_groups_done(struct findings_groups *g)
{
	vec_done(&g->list);
	strmap_done(&g->by_cause);
	buf_done(&g->text);
	arena_done(&g->arena);
}
