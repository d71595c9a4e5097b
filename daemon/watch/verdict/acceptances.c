/* Keeps the set of all acceptances. */
#include "daemon/watch/verdict/acceptances.h"

#include "base/assert.h"
#include "base/index.h"
#include "base/pattern.h"
#include "base/strmap.h"

#include <errno.h>

TAILQ_HEAD(accepted_list, accepted);

/* Texts of one acceptance that was made at run time. They never change, so that copies of a set share them. */
struct accepted_texts {
	unsigned refs;
	struct arena arena;
};

/* Acceptances that are looked for together, the oldest first. */
struct accepted_group {
	struct accepted_list list;
};

struct acceptances {
	struct index by_id;    /* each struct accepted by its id */
	struct strmap by_name; /* the name of an object -> struct accepted_group for that object, which is not empty */
	struct accepted_group patterns, of_components;
	struct accepted_list all, changed;
	size_t n[2]; /* how many were made at run time, and how many are configured */
	uint64_t numbers, changes;
};

static str id_of(const void *accepted)
{
	return str_from(((const struct accepted *)accepted)->is.id);
}

int acceptances_new(struct acceptances **ret, struct err *err)
{
	struct acceptances *s = calloc(1, sizeof(*s));

	if (!s)
		return err_nomem(err);
	s->by_id = INDEX_OF(id_of);
	TAILQ_INIT(&s->all);
	TAILQ_INIT(&s->changed);
	TAILQ_INIT(&s->patterns.list);
	TAILQ_INIT(&s->of_components.list);
	*ret = s;
	return 0;
}

/* ---- groups ---- */

bool accepted_is_named(const struct accepted *x)
{
	return !x->is.says.component.n && x->is.says.name.n && patterns_are_names(&x->is.says.name, 1);
}

/* The group of acceptances for objects called @name, made if it is new. NULL without memory. */
static struct accepted_group *group_of_name(struct acceptances *s, str name)
{
	struct accepted_group *g = strmap_get(&s->by_name, name);

	if (g)
		return g;
	g = calloc(1, sizeof(*g));
	if (!g || !strmap_put(&s->by_name, name, g, NULL)) {
		free(g);
		return NULL;
	}
	TAILQ_INIT(&g->list);
	return g;
}

/* Add @x to the group that it belongs to. False without memory. */
static bool join_group(struct acceptances *s, struct accepted *x)
{
	if (accepted_is_named(x))
		x->among = group_of_name(s, x->is.says.name);
	else
		x->among = x->is.says.component.n ? &s->of_components : &s->patterns;
	if (x->among)
		TAILQ_INSERT_TAIL(&x->among->list, x, alike);
	return x->among;
}

static void leave_group(struct acceptances *s, struct accepted *x)
{
	struct accepted_group *g = x->among;

	if (!g)
		return;
	TAILQ_REMOVE(&g->list, x, alike);
	if (g == &s->patterns || g == &s->of_components || !TAILQ_EMPTY(&g->list))
		return;
	(void)strmap_remove(&s->by_name, x->is.says.name);
	free(g);
}

struct accepted_walk acceptances_for_object(const struct acceptances *s, str name)
{
	const struct accepted_group *g = strmap_get(&s->by_name, name);

	return (struct accepted_walk){ g ? TAILQ_FIRST(&g->list) : NULL, TAILQ_FIRST(&s->patterns.list) };
}

struct accepted_walk acceptances_for_components(const struct acceptances *s)
{
	return (struct accepted_walk){ NULL, TAILQ_FIRST(&s->of_components.list) };
}

const struct accepted *accepted_walk_next(struct accepted_walk *w)
{
	bool named = w->named && (!w->others || w->named->number < w->others->number);
	const struct accepted **from = named ? &w->named : &w->others, *x = *from;

	if (x)
		*from = TAILQ_NEXT(x, alike);
	return x;
}

/* ---- the set ---- */

static void texts_unref(struct accepted_texts *t)
{
	if (!t || --t->refs > 0)
		return;
	arena_done(&t->arena);
	free(t);
}

static void accepted_free(struct acceptances *s, struct accepted *x)
{
	leave_group(s, x);
	cfg_unref(x->cfg);
	texts_unref(x->texts);
	free(x);
}

void acceptances_free(struct acceptances *s)
{
	struct accepted *x;

	if (!s)
		return;
	acceptances_forget_changes(s, s->changes);
	while ((x = TAILQ_FIRST(&s->all))) {
		TAILQ_REMOVE(&s->all, x, link);
		accepted_free(s, x);
	}
	index_done(&s->by_id);
	strmap_done(&s->by_name);
	free(s);
}

static void note_change(struct acceptances *s, struct accepted *x)
{
	if (x->changed)
		TAILQ_REMOVE(&s->changed, x, news);
	x->changed = true;
	x->change = ++s->changes;
	TAILQ_INSERT_TAIL(&s->changed, x, news);
}

void acceptances_forget_changes(struct acceptances *s, uint64_t change)
{
	struct accepted *x;

	while ((x = TAILQ_FIRST(&s->changed)) && x->change <= change) {
		TAILQ_REMOVE(&s->changed, x, news);
		x->changed = false;
		if (x->removed)
			accepted_free(s, x);
	}
}

uint64_t acceptances_last_change(const struct acceptances *s)
{
	return s->changes;
}

static void take_out(struct acceptances *s, struct accepted *x)
{
	(void)index_remove(&s->by_id, str_from(x->is.id));
	TAILQ_REMOVE(&s->all, x, link);
	ASSERT(s->n[x->configured] > 0);
	s->n[x->configured]--;
	x->removed = true;
	x->in_force = false;
	note_change(s, x);
}

static struct accepted *get(const struct acceptances *s, str id)
{
	return index_get(&s->by_id, id);
}

/* Whether @is says the same as @old, so that nothing has changed. With @cfg, @old takes its texts from there from
 * now on: a configuration need not outlive the next one. */
static bool is_known(struct accepted *old, const struct accepted_change *is, bool configured, struct cfg *cfg)
{
	struct cfg *was;

	if (!old || old->configured != configured || !acceptance_same(&old->is.says, &is->says))
		return false;
	if (!cfg)
		return true;
	was = old->cfg;
	old->is = *is;
	old->cfg = cfg_ref(cfg);
	cfg_unref(was);
	return true;
}

/* Put @x, which is complete except for its place in the set. @x is taken over, or freed. */
static int put(struct acceptances *s, struct accepted *x, struct err *err)
{
	struct accepted *old = get(s, str_from(x->is.id));
	int r = 0;

	if (old && old->configured && !x->configured)
		r = err_set(err, EEXIST, "the configuration accepts it already");
	if (r == 0 && !join_group(s, x))
		r = err_nomem(err);
	if (r == 0 && old)
		take_out(s, old);
	if (r == 0 && !index_put(&s->by_id, x, NULL))
		r = err_nomem(err);
	if (r < 0) {
		accepted_free(s, x);
		return r;
	}
	x->number = ++s->numbers;
	TAILQ_INSERT_TAIL(&s->all, x, link);
	s->n[x->configured]++;
	note_change(s, x);
	return 0;
}

/* Put an acceptance whose texts belong to @cfg or to @texts; the other of these is NULL. */
static int put_ready(struct acceptances *s, const struct accepted_change *is, bool configured, struct cfg *cfg,
		     struct accepted_texts *texts, struct err *err)
{
	struct accepted *x;

	if (is_known(get(s, str_from(is->id)), is, configured, cfg))
		return 0;
	x = calloc(1, sizeof(*x));
	if (!x)
		return err_nomem(err);
	x->is = *is;
	x->configured = configured;
	x->cfg = cfg ? cfg_ref(cfg) : NULL;
	x->texts = texts;
	if (texts)
		texts->refs++;
	return put(s, x, err);
}

int acceptances_put(struct acceptances *s, const struct acceptance *a, bool configured, struct err *err)
{
	struct accepted_texts *texts = calloc(1, sizeof(*texts));
	struct accepted_change is;
	int r;

	if (!texts)
		return err_nomem(err);
	texts->refs = 1;
	arena_init(&texts->arena, 512, 0);
	r = acceptance_compile(a, &texts->arena, &is, err);
	if (r == 0)
		r = put_ready(s, &is, configured, NULL, texts, err);
	texts_unref(texts);
	return r;
}

bool acceptances_remove(struct acceptances *s, const char *id)
{
	struct accepted *x = get(s, str_from(id));

	if (x)
		take_out(s, x);
	return x != NULL;
}

static void mark_kept(struct acceptances *s, const struct cfg *cfg)
{
	struct accepted *x;

	TAILQ_FOREACH(x, &s->all, link)
	x->kept = false;
	for (size_t i = 0; i < cfg->n_accepted; i++) {
		x = get(s, str_from(cfg->accepted[i].id));
		if (x)
			x->kept = true;
	}
}

int acceptances_configure(struct acceptances *s, struct cfg *cfg, struct err *err)
{
	struct accepted *x, *next;

	mark_kept(s, cfg);
	for (x = TAILQ_FIRST(&s->all); x; x = next) {
		next = TAILQ_NEXT(x, link);
		if (x->configured && !x->kept)
			take_out(s, x);
	}
	for (size_t i = 0; i < cfg->n_accepted; i++) {
		int r = put_ready(s, &cfg->accepted[i], true, cfg, NULL, err);

		if (r < 0)
			return r;
	}
	return 0;
}

int acceptances_copy(struct acceptances *s, const struct acceptances *from, struct err *err)
{
	const struct accepted *x = NULL;
	int r = 0;

	while (r == 0 && (x = acceptances_next(from, x)))
		r = put_ready(s, &x->is, x->configured, x->cfg, x->texts, err);
	return r;
}

void acceptances_tick(struct acceptances *s, int64_t now_usec)
{
	struct accepted *x;

	TAILQ_FOREACH(x, &s->all, link)
	{
		bool in_force = now_usec < x->is.until_usec;

		if (x->in_force != in_force)
			note_change(s, x);
		x->in_force = in_force;
	}
}

const struct accepted *acceptances_get(const struct acceptances *s, str id)
{
	return get(s, id);
}

const struct accepted *acceptances_next(const struct acceptances *s, const struct accepted *x)
{
	return x ? TAILQ_NEXT(x, link) : TAILQ_FIRST(&s->all);
}

const struct accepted *acceptances_find(const struct acceptances *s, str start, bool *several)
{
	const struct accepted *x, *found = NULL;

	*several = false;
	TAILQ_FOREACH(x, &s->all, link)
	{
		if (!str_has_prefix(str_from(x->is.id), start))
			continue;
		*several |= found != NULL;
		found = x;
	}
	return *several ? NULL : found;
}

size_t acceptances_count(const struct acceptances *s, bool configured)
{
	return s->n[configured];
}

const struct accepted *acceptances_changed(const struct acceptances *s, const struct accepted *x)
{
	return x ? TAILQ_NEXT(x, news) : TAILQ_FIRST(&s->changed);
}
