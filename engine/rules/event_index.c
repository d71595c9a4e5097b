/* The index is a trie over segments: each text that a segment matches leads to the branch of this segment. */
#include "rules/event_index.h"

#include "base/strmap.h"
#include "base/vec.h"

/* The branches for one text. Several different segments may match the same text. */
struct branches {
	VEC(struct branch *) p;
};

struct branch {
	struct strmap texts;    /* texts that segments match -> struct branches */
	struct strmap segments; /* segments as written -> struct branch */
	struct branch *any;     /* the branch of all wildcards; NULL: there is none */
	VEC(uint32_t) rules;    /* the rules that end here, the highest type first, equal ones in order */
};

struct event_index {
	const struct event_rule *const *rules;
	struct branch root;
};

/* ---- building ---- */

static void branch_done(struct branch *b)
{
	const struct strmap_entry *e;

	for (size_t at = 0; (e = strmap_each(&b->texts, &at));) {
		struct branches *list = e->value;

		vec_done(&list->p);
		free(list);
	}
	for (size_t at = 0; (e = strmap_each(&b->segments, &at));) {
		branch_done(e->value);
		free(e->value);
	}
	if (b->any) {
		branch_done(b->any);
		free(b->any);
	}
	strmap_done(&b->texts);
	strmap_done(&b->segments);
	vec_done(&b->rules);
}

/* Let @text lead from one branch to another. False without memory. */
static bool lead(struct branch *from, str text, struct branch *to)
{
	struct branches *list = strmap_get(&from->texts, text);

	if (!list) {
		list = calloc(1, sizeof(*list));
		if (!list || !strmap_put(&from->texts, text, list, NULL)) {
			free(list);
			return false;
		}
	}
	if (list->p.n && list->p.p[list->p.n - 1] == to)
		return true; /* an option is the same text as the segment */
	return vec_push(&list->p, to);
}

static bool lead_all(struct branch *from, const struct event_segment *s, struct branch *to)
{
	for (size_t i = 0; i < s->n_options; i++) {
		if (!lead(from, s->options[i], to))
			return false;
	}
	return lead(from, s->text, to);
}

/* The branch of @s below @from, which may be a new one. NULL without memory. */
static struct branch *branch_of(struct branch *from, const struct event_segment *s)
{
	struct branch *to = s->wildcard ? from->any : strmap_get(&from->segments, s->text);

	if (to)
		return to;
	to = calloc(1, sizeof(*to));
	if (s->wildcard) {
		from->any = to;
		return to;
	}
	if (!to || !strmap_put(&from->segments, s->text, to, NULL)) {
		free(to);
		return NULL;
	}
	return lead_all(from, s, to) ? to : NULL;
}

static bool add_rule(struct event_index *x, uint32_t rule)
{
	const struct event_rule *r = x->rules[rule];
	struct branch *b = &x->root;

	for (size_t i = 0; b && i < r->path.n; i++)
		b = branch_of(b, &r->path.segments[i]);
	if (!b || !vec_push(&b->rules, rule))
		return false;
	for (size_t i = b->rules.n - 1; i > 0 && x->rules[b->rules.p[i - 1]]->type < r->type; i--) {
		b->rules.p[i] = b->rules.p[i - 1];
		b->rules.p[i - 1] = rule;
	}
	return true;
}

void event_index_free(struct event_index *x)
{
	if (!x)
		return;
	branch_done(&x->root);
	free(x);
}

int event_index_new(const struct event_rule *const *rules, size_t n, struct event_index **ret, struct err *err)
{
	CLEANUP(event_index_freep) struct event_index *x = calloc(1, sizeof(*x));

	if (!x)
		return err_nomem(err);
	x->rules = rules;
	for (size_t i = 0; i < n; i++) {
		if (!add_rule(x, (uint32_t)i))
			return err_nomem(err);
	}
	*ret = TAKE(x);
	return 0;
}

/* ---- searching ---- */

struct search {
	const struct event_index *index;
	const struct event_leaf *leaf;
	size_t best; /* 1 + the best rule so far; 0: none yet */
};

static bool spend(const struct search *s)
{
	if (!s->leaf->steps)
		return true;
	*s->leaf->steps -= *s->leaf->steps > 0;
	return *s->leaf->steps > 0;
}

static bool is_better(const struct event_rule *const *rules, size_t rule, size_t other)
{
	const struct event_rule *a = rules[rule], *b = rules[other];

	if (a->path.n != b->path.n)
		return a->path.n > b->path.n;
	if (a->path.wildcards != b->path.wildcards)
		return a->path.wildcards < b->path.wildcards;
	return a->type != b->type ? a->type > b->type : rule < other;
}

/* Try the rules that end at @b. They are sorted, so that the first that is for the leaf is the best of them. */
static void try_rules(struct search *s, const struct branch *b, size_t depth)
{
	const struct event_leaf *leaf = s->leaf;

	for (size_t i = 0; i < b->rules.n && spend(s); i++) {
		size_t rule = b->rules.p[i];
		const struct event_rule *r = s->index->rules[rule];

		if (s->best && !is_better(s->index->rules, rule, s->best - 1))
			return;
		if ((r->any_change || r->change == leaf->change) && (!r->path.exact || depth == leaf->path.n) &&
		    (!leaf->fits || leaf->fits(leaf->ctx, rule))) {
			s->best = rule + 1;
			return;
		}
	}
}

/* Search the longest paths first, so that rules with shorter ones need not be tried. */
static void search_below(struct search *s, const struct branch *b, size_t depth)
{
	if (!spend(s))
		return;
	if (depth < s->leaf->path.n) {
		const struct branches *list = strmap_get(&b->texts, s->leaf->path.p[depth]);

		for (size_t i = 0; list && i < list->p.n; i++)
			search_below(s, list->p.p[i], depth + 1);
		if (b->any)
			search_below(s, b->any, depth + 1);
	}
	try_rules(s, b, depth);
}

size_t event_index_best(const struct event_index *x, const struct event_leaf *leaf)
{
	struct search s = { .index = x, .leaf = leaf };

	search_below(&s, &x->root, 0);
	return s.best;
}
