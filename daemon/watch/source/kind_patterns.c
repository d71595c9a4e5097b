/* Compares the patterns of rules with the kinds that discovery has found. */
#include "daemon/watch/source/kind_patterns.h"

#include "kubeclient/kc_resources.h"
#include "rules/rule_set.h"

#include <stdlib.h>
#include <string.h>

#define KEY_MAX 4096

static str api_version_of(const struct kc_resource *r, struct buf *b)
{
	buf_clear(b);
	buf_printf(b, "%s%s%s", r->group, *r->group ? "/" : "", r->version);
	return buf_str(b);
}

static str kind_key(str group, str kind, struct buf *b)
{
	buf_clear(b);
	buf_add_str(b, group);
	buf_add_byte(b, ' ');
	buf_add_str(b, kind);
	return buf_str(b);
}

/* Find the kinds that @s means, each in the version that the server prefers: group and kind -> struct kc_resource. */
static bool find_best(const struct rule_set *s, const struct watch_source *source, struct strmap *best)
{
	CLEANUP(buf_done) struct buf scratch = BUF_INIT(KEY_MAX);
	const struct kc_resource *r, *other;
	size_t at = 0;

	while ((r = source->does->listable(source, &at))) {
		if (!r->can_watch || !rule_set_means_kind(s, api_version_of(r, &scratch), str_from(r->kind)))
			continue;
		other = strmap_get(best, kind_key(str_from(r->group), str_from(r->kind), &scratch));
		if ((!other || r->rank < other->rank) &&
		    (scratch.error || !strmap_put(best, buf_str(&scratch), (void *)(uintptr_t)r, NULL)))
			return false;
	}
	return true;
}

static bool add_best(struct found_kinds *f, const struct strmap *best)
{
	const struct strmap_entry *e;
	size_t at = 0;

	while ((e = strmap_each(best, &at))) {
		if (!vec_push(&f->list, e->value) || !strmap_put(&f->chosen, (str){ e->key, e->n }, e->value, NULL))
			return false;
	}
	return true;
}

static int by_name(const void *a, const void *b)
{
	const struct kc_resource *x = *(const struct kc_resource *const *)a, *y = *(const struct kc_resource *const *)b;
	int r = strcmp(x->group, y->group);

	if (r == 0)
		r = strcmp(x->kind, y->kind);
	return r ? r : strcmp(x->version, y->version);
}

static void sort_and_join(struct found_kinds *f)
{
	size_t n = 0;

	if (f->list.n)
		qsort(f->list.p, f->list.n, sizeof(*f->list.p), by_name);
	for (size_t i = 0; i < f->list.n; i++) {
		if (n == 0 || f->list.p[i] != f->list.p[n - 1])
			f->list.p[n++] = f->list.p[i];
	}
	f->list.n = n;
}

int found_kinds_make(const struct watch_plan *p, const struct watch_source *source, struct found_kinds *ret,
		     struct err *err)
{
	*ret = (struct found_kinds){ 0 };
	for (size_t i = 0; i < p->patterns.n; i++) {
		CLEANUP(strmap_done) struct strmap best = { 0 };

		if (!find_best(p->patterns.p[i], source, &best) || !add_best(ret, &best))
			return err_nomem(err);
	}
	sort_and_join(ret);
	return 0;
}

void found_kinds_done(struct found_kinds *f)
{
	vec_done(&f->list);
	strmap_done(&f->chosen);
}

bool found_kinds_have(const struct found_kinds *f, str api_version, str kind)
{
	CLEANUP(buf_done) struct buf key = BUF_INIT(KEY_MAX);

	return strmap_has(&f->chosen, kind_key(group_version_of(api_version).group, kind, &key));
}

bool kind_patterns_reach(const struct watch_plan *p, str api_version)
{
	for (size_t i = 0; i < p->patterns.n; i++) {
		if (rule_set_for_version(p->patterns.p[i], api_version))
			return true;
	}
	return false;
}

bool kind_patterns_mean(const struct watch_plan *p, str api_version, str kind)
{
	for (size_t i = 0; i < p->patterns.n; i++) {
		if (rule_set_means_kind(p->patterns.p[i], api_version, kind))
			return true;
	}
	return false;
}
