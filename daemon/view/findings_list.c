/* Lists findings by filter, in an order that is stable while findings come and go. */
#include "daemon/view/findings_list.h"

#include "base/strmap.h"
#include "base/vec.h"
#include "daemon/findings/cause.h"

#include <errno.h>
#include <uv.h>

/* The summary of a finding in a list. Without trust only two types have one: for a component it names objects, and
 * for a gap the reason why something is not watched. */
str finding_listed_summary(const struct finding *x, bool trusted)
{
	return trusted || x->kind == FINDING_COMPONENT || x->kind == FINDING_GAP ? x->summary : STR("");
}

/* ---- causes ---- */

/* The names of causes, computed once for each cause, because many findings have few causes. */
struct causes {
	const struct findings *findings;
	str wanted;
	struct strmap known; /* the text of the cause -> whether it is the wanted one */
	struct buf text;
	bool failed; /* memory was short */
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

/* ---- what passes ---- */

#define LOOKS_AT_ONCE 128 /* findings before the next look at the clock */

/* A walk over the findings that pass the filter, over many turns of the loop. */
struct findings_looked {
	struct findings_scan scan;
	struct finding_filter filter;
	struct causes causes;
	size_t n;                  /* how many findings were looked at */
	bool gaps;                 /* only gaps are wanted, of which there is a list: no slices are needed */
	size_t gap_at;             /* the position of findings_each_gap */
	const struct finding *gap; /* the last gap */
};

static struct findings_looked *looked_new(struct findings *f, const struct finding_filter *filter)
{
	struct findings_looked *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->filter = *filter;
	l->gaps = filter->types == 1u << FINDING_GAP;
	l->causes = (struct causes){ .findings = f, .wanted = filter->cause, .text = BUF_INIT(CAUSE_MAX) };
	findings_scan_begin(f, &l->scan);
	return l;
}

static void looked_free(struct findings_looked *l)
{
	if (!l)
		return;
	findings_scan_end(&l->scan);
	strmap_done(&l->causes.known);
	buf_done(&l->causes.text);
	free(l);
}

static const struct finding *next_one(struct findings_looked *l)
{
	if (!l->gaps)
		return findings_scan_next(&l->scan);
	l->gap = findings_each_gap(l->causes.findings, &l->gap_at, l->gap);
	return l->gap;
}

/* Find the next finding that passes. 1: *ret passes; 0: none is left; -EAGAIN: the time is up. Fails: ENOMEM,
 * ESTALE: another set took its place. */
static int next_passing(struct findings_looked *l, uint64_t until_ns, const struct finding **ret)
{
	const struct finding *x;
	bool passes = false;

	while (!passes) {
		if (!l->gaps && ++l->n % LOOKS_AT_ONCE == 0 && uv_hrtime() >= until_ns)
			return -EAGAIN;
		x = next_one(l);
		if (!x)
			return l->gaps || l->scan.begun ? 0 : -ESTALE;
		passes = finding_filter_passes(&l->filter, x) && has_cause(&l->causes, x);
		if (l->causes.failed)
			return -ENOMEM;
		*ret = x;
	}
	return 1;
}

/* ---- order ---- */

struct place {
	enum findings_order order; /* the order of the whole list */
	enum severity severity;
	int64_t since;
	str text; /* the order text that findings_order_text gives */
	str key;
};

/*   looking at all, keeping the first --> sorting what was kept --> made */
struct findings_cursor {
	const struct findings *findings;
	struct arena arena;             /* for keys and texts */
	struct findings_looked *looked; /* NULL: the walk is over */
	struct slice_sort sort;
	bool sorted; /* sorted, or being sorted */
	VEC(struct place) places;
	size_t count;       /* how many findings passed */
	size_t first, last; /* the range of places to return */
	size_t most;        /* the most places to keep during the walk */
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

#define HEAP_MAX 1000 /* places: with more of them all are kept, and sorted in slices */

/* Copy the texts of the place into the cursor. False without memory. */
static bool own(struct findings_cursor *c, struct place *p)
{
	p->key = arena_str(&c->arena, p->key);
	if (p->text.n)
		p->text = arena_str(&c->arena, p->text);
	return p->key.p && p->text.p;
}

static bool push_place(struct findings_cursor *c, struct place p)
{
	if (!own(c, &p) || !vec_push(&c->places, p))
		return false;
	for (size_t i = c->places.n == c->most ? c->most / 2 : 0; i > 0; i--)
		sink_place(c->places.p, c->most, i - 1);
	return true;
}

/* Add a place to the kept ones if it is among the first. Return false without memory. */
static bool add_place(struct findings_cursor *c, struct place p)
{
	c->count++;
	if (c->places.n < c->most)
		return push_place(c, p);
	if (!c->most || compare_places(&p, c->places.p) >= 0)
		return true;
	if (!own(c, &p))
		return false;
	c->places.p[0] = p;
	sink_place(c->places.p, c->most, 0);
	return true;
}

static struct place place_of(enum findings_order order, const struct finding *x)
{
	return (struct place){ order, x->severity, x->first_seen_usec, findings_order_text(order, x), x->key };
}

int findings_cursor_begin(struct findings *f, const struct finding_filter *filter, size_t first, size_t n,
			  struct findings_cursor **ret, struct err *err)
{
	struct findings_cursor *c = calloc(1, sizeof(*c));

	if (!c)
		return err_nomem(err);
	c->findings = f;
	c->first = first;
	c->most = n > HEAP_MAX || first > HEAP_MAX - n ? SIZE_MAX : first + n;
	c->last = n > SIZE_MAX - first ? SIZE_MAX : first + n;
	arena_init(&c->arena, 0, 0);
	c->looked = looked_new(f, filter);
	if (!c->looked) {
		findings_cursor_free(c);
		return err_nomem(err);
	}
	*ret = c;
	return 0;
}

static int report_failure(int r, struct err *err)
{
	return r == -ESTALE ? err_set(err, ESTALE,
				      "the open findings were replaced by those that another host reported: ask again")
			    : err_nomem(err);
}

/* Walk over the findings. 1: the time is up; 0: all were looked at. */
static int look(struct findings_cursor *c, uint64_t until_ns)
{
	const struct finding *x;
	int r;

	while ((r = next_passing(c->looked, until_ns, &x)) > 0) {
		if (!add_place(c, place_of(c->looked->filter.order, x)))
			return -ENOMEM;
	}
	if (r == -EAGAIN)
		return 1;
	if (r == 0)
		looked_free(TAKE(c->looked));
	return r;
}

/* Sort. 1: the time is up; 0: the places are in order. */
static int sort_some(struct slice_sort *s, uint64_t until_ns)
{
	while (slice_sort_step(s)) {
		if (uv_hrtime() >= until_ns)
			return 1;
	}
	slice_sort_done(s);
	return 0;
}

int findings_cursor_make(struct findings_cursor *c, uint64_t until_ns, struct err *err)
{
	int r = c->looked ? look(c, until_ns) : 0;

	if (r == 0 && !c->sorted)
		r = slice_sort_begin(&c->sort, c->places.p, c->places.n, sizeof(*c->places.p), compare_places)
			    ? 0
			    : -ENOMEM;
	if (r < 0)
		return report_failure(r, err);
	if (r > 0)
		return r;
	c->sorted = true;
	r = sort_some(&c->sort, until_ns);
	if (r > 0)
		return r;
	if (c->places.n > c->last)
		c->places.n = c->last;
	c->at = c->first < c->places.n ? c->first : c->places.n;
	return 0;
}

int findings_cursor_page(struct findings *f, const struct finding_filter *filter, size_t first, size_t n,
			 struct findings_cursor **ret, struct err *err)
{
	struct findings_cursor *c = NULL;
	int r = findings_cursor_begin(f, filter, first, n, &c, err);

	if (r == 0)
		r = findings_cursor_make(c, UINT64_MAX, err);
	if (r < 0)
		findings_cursor_free(c);
	else
		*ret = c;
	return r;
}

int findings_cursor_new(struct findings *f, const struct finding_filter *filter, struct findings_cursor **ret,
			struct err *err)
{
	return findings_cursor_page(f, filter, 0, SIZE_MAX, ret, err);
}

void findings_cursor_free(struct findings_cursor *c)
{
	if (!c)
		return;
	looked_free(c->looked);
	slice_sort_done(&c->sort);
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

/* Put a finding into a group. Its key is copied: findings come and go while others are added. Return false without
 * memory. */
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

/* The group of the cause @text, made if it is new. NULL without memory. */
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

void findings_groups_init(struct findings_groups *g)
{
	*g = (struct findings_groups){ .arena = ARENA_INIT(0), .text = BUF_INIT(CAUSE_MAX) };
}

int findings_groups_begin(struct findings_groups *g, struct findings *f, const struct finding_filter *filter,
			  struct err *err)
{
	findings_groups_init(g);
	g->looked = looked_new(f, filter);
	return g->looked ? 0 : err_nomem(err);
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

/* Group the findings. 1: the time is up; 0: all were looked at. */
static int look_at_groups(struct findings_groups *g, uint64_t until_ns, struct err *err)
{
	const struct finding *x;
	int r;

	while ((r = next_passing(g->looked, until_ns, &x)) > 0) {
		r = findings_groups_add(g, g->looked->causes.findings, x, err);
		if (r < 0)
			return r;
	}
	if (r == -EAGAIN)
		return 1;
	if (r == 0)
		looked_free(TAKE(g->looked));
	return r < 0 ? report_failure(r, err) : 0;
}

int findings_groups_make(struct findings_groups *g, uint64_t until_ns, struct err *err)
{
	int r = g->looked ? look_at_groups(g, until_ns, err) : 0;

	if (r != 0)
		return r;
	if (!g->sorted && !slice_sort_begin(&g->sort, g->list.p, g->list.n, sizeof(*g->list.p), compare_groups))
		return err_nomem(err);
	g->sorted = true;
	return sort_some(&g->sort, until_ns);
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
	looked_free(g->looked);
	slice_sort_done(&g->sort);
	vec_done(&g->list);
	strmap_done(&g->by_cause);
	buf_done(&g->text);
	arena_done(&g->arena);
}
