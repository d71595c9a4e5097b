/* A map from what is counted alike to its number, and queues of those that are series and those that are not. */
#include "daemon/findings/namespace_counts.h"

#include "base/assert.h"
#include "daemon/findings/findings.h"

#define KEY_BYTES_MAX (1u << 20)

void namespace_counts_begin(struct namespace_counts *c, size_t limit)
{
	*c = (struct namespace_counts){ .limit = limit, .key = BUF_INIT(KEY_BYTES_MAX) };
	for (size_t i = 0; i < NAMESPACE_RANKS; i++) {
		TAILQ_INIT(&c->series[i]);
		TAILQ_INIT(&c->folded[i]);
	}
}

void namespace_counts_done(struct namespace_counts *c)
{
	const struct strmap_entry *e;

	for (size_t at = 0; (e = strmap_each(&c->counts, &at));)
		free(e->value);
	strmap_done(&c->counts);
	buf_done(&c->key);
	*c = (struct namespace_counts){ 0 };
}

/* The key of @n. Names have no NUL, so that two counts never have the same key. {NULL, 0} without memory. */
static str key_of(struct namespace_counts *c, const struct namespace_count *n)
{
	buf_clear(&c->key);
	buf_printf(&c->key, "%d %d ", (int)n->kind, (int)n->severity);
	buf_add_str(&c->key, n->cluster);
	buf_add_byte(&c->key, '\0');
	buf_add_str(&c->key, n->reference);
	buf_add_byte(&c->key, '\0');
	buf_add_str(&c->key, n->namespace);
	return c->key.error ? (str){ NULL, 0 } : buf_str(&c->key);
}

static str append(char **at, str text)
{
	str copy = { *at, text.n };

	if (text.n)
		memcpy(*at, text.p, text.n);
	*at += text.n;
	return copy;
}

static struct namespace_count *copy_of(const struct namespace_count *from)
{
	size_t bytes = from->cluster.n + from->reference.n + from->namespace.n;
	struct namespace_count *n = malloc(sizeof(*n) + bytes);
	char *at = (char *)(n + 1);

	if (!n)
		return NULL;
	*n = *from;
	n->cluster = append(&at, from->cluster);
	n->reference = append(&at, from->reference);
	n->namespace = append(&at, from->namespace);
	return n;
}

static struct namespace_count *best_folded(struct namespace_counts *c)
{
	for (size_t i = 0; i < NAMESPACE_RANKS; i++) {
		if (!TAILQ_EMPTY(&c->folded[i]))
			return TAILQ_FIRST(&c->folded[i]);
	}
	return NULL;
}

static struct namespace_count *worst_series(struct namespace_counts *c)
{
	for (size_t i = NAMESPACE_RANKS; i-- > 0;) {
		if (!TAILQ_EMPTY(&c->series[i]))
			return TAILQ_LAST(&c->series[i], namespace_queue);
	}
	return NULL;
}

static size_t *as_series(const struct namespace_count *n)
{
	return &n->counters->as_series[n->kind][n->severity];
}

/* Turn a series into a folded count. It is placed before the counts that never were a series, to become one again
 * first. */
static void fold(struct namespace_counts *c, struct namespace_count *n)
{
	TAILQ_REMOVE(&c->series[n->rank], n, link);
	TAILQ_INSERT_HEAD(&c->folded[n->rank], n, link);
	n->folded = true;
	*as_series(n) -= n->n;
	ASSERT(c->n_series > 0);
	c->n_series--;
}

static void unfold(struct namespace_counts *c, struct namespace_count *n)
{
	TAILQ_REMOVE(&c->folded[n->rank], n, link);
	TAILQ_INSERT_TAIL(&c->series[n->rank], n, link);
	n->folded = false;
	*as_series(n) += n->n;
	c->n_series++;
}

static void rebuild(struct namespace_counts *c)
{
	struct namespace_count *best, *worst;

	while (c->n_series > c->limit && (worst = worst_series(c)))
		fold(c, worst);
	while (c->n_series < c->limit && (best = best_folded(c)))
		unfold(c, best);
	while ((best = best_folded(c)) && (worst = worst_series(c)) && best->rank < worst->rank) {
		fold(c, worst);
		unfold(c, best);
	}
}

void namespace_counts_limit(struct namespace_counts *c, size_t limit)
{
	c->limit = limit;
	rebuild(c);
}

/* NULL without memory. */
static struct namespace_count *insert(struct namespace_counts *c, const struct namespace_count *from, str key)
{
	struct namespace_count *n = copy_of(from);

	if (!n || !strmap_put(&c->counts, key, n, NULL)) {
		free(n);
		return NULL;
	}
	TAILQ_INSERT_TAIL(&c->folded[n->rank], n, link);
	rebuild(c);
	return n;
}

/* Findings in no namespace rank first, since only an administrator makes such objects. A severity has a lower number
 * the worse it is. */
struct namespace_count *namespace_counts_add(struct namespace_counts *c, const struct finding *x)
{
	const struct finding_subject *s = &x->subject;
	const struct namespace_count wanted = { .counters = x->counters,
						.cluster = s->cluster,
						.reference = s->reference,
						.namespace = s->namespace,
						.kind = x->kind,
						.severity = x->severity,
						.folded = true,
						.rank = s->namespace.n ? 1 + (unsigned)x->severity : 0 };
	str key = key_of(c, &wanted);
	struct namespace_count *n = key.p ? strmap_get(&c->counts, key) : NULL;

	if (!n && key.p)
		n = insert(c, &wanted, key);
	if (!n)
		return NULL;
	n->n++;
	if (!n->folded)
		++*as_series(n);
	return n;
}

void namespace_counts_take_off(struct namespace_counts *c, struct namespace_count *of)
{
	if (!of->folded)
		--*as_series(of);
	ASSERT(of->n > 0);
	if (--of->n)
		return;
	/* The scratch text had room for the key before. */
	(void)strmap_remove(&c->counts, key_of(c, of));
	TAILQ_REMOVE(of->folded ? &c->folded[of->rank] : &c->series[of->rank], of, link);
	c->n_series -= !of->folded;
	free(of);
	rebuild(c);
}

const struct namespace_count *namespace_counts_next(const struct namespace_counts *c, const struct namespace_count *at)
{
	const struct namespace_count *next = at ? TAILQ_NEXT(at, link) : NULL;

	for (size_t rank = at ? at->rank + 1 : 0; !next && rank < NAMESPACE_RANKS; rank++)
		next = TAILQ_FIRST(&c->series[rank]);
	return next;
}

size_t namespace_counts_folded(const struct namespace_counts *c)
{
	return c->counts.n - c->n_series;
}
