/* The kinds of a cluster that its rules name by pattern, followed through discovery.
 *
 *   found --watched--> still found            goes on
 *                  --> in another version     dropped, that one is watched instead
 *                  --> not found any more     once the server is known not to have it (KC_ABSENT), dropped
 */
#include "daemon/findings/notice.h"
#include "daemon/watch/cluster/cluster_internal.h"
#include "daemon/watch/source/kind_patterns.h"
#include "kubeclient/kc_resources.h"
#include "mask/foreign.h"

#include <errno.h>
#include <stdio.h>

/* A pattern is hardly meant for more kinds than this: each kind costs a watch, and all its objects are kept. */
#define KINDS_MANY 100

static int find_kind(struct cluster *c, const struct kc_resource *r, struct err *err)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct planned_kind plan = {
		.api_version = arena_printf(&a, "%s%s%s", r->group, *r->group ? "/" : "", r->version),
		.kind = str_from(r->kind),
	};
	const struct kind *known = snapshot_find_kind(&c->snapshot, plan.api_version, plan.kind);
	struct cluster_kind *k = known ? cluster_kind_of(c, known) : NULL;
	int status;

	if (!plan.api_version.p)
		return err_nomem(err);
	if (k && (!k->found || k->n_watches))
		return 0;
	status = watch_plan_found(&c->plan, &plan, r->namespaced, err);
	if (status == 0 && plan.scopes.n && k)
		status = cluster_plan_watches(k, &plan, err);
	else if (status == 0 && plan.scopes.n)
		status = cluster_add_kind(c, plan.api_version, plan.kind, &plan, &k, err);
	if (status == 0 && k) {
		k->found = k->kept = true;
		k->kind->known = false;
		status = rule_judge_add_kind(c->rules, k->kind, err);
	}
	vec_done(&plan.scopes);
	return status;
}

static bool is_listed(const struct found_kinds *f, const struct cluster_kind *k)
{
	struct group_version gv = group_version_of(k->kind->api_version);

	for (size_t i = 0; i < f->list.n; i++) {
		const struct kc_resource *r = f->list.p[i];

		if (str_eq(str_from(r->group), gv.group) && str_eq(str_from(r->version), gv.version) &&
		    str_eq(str_from(r->kind), k->kind->name))
			return true;
	}
	return false;
}

static void drop_lost(struct cluster *c, const struct found_kinds *f)
{
	for (size_t i = 0; i < c->kinds.n; i++) {
		struct cluster_kind *k = c->kinds.p[i];

		if (!k->found || k->n_watches == 0 || is_listed(f, k))
			continue;
		if (found_kinds_have(f, k->kind->api_version, k->kind->name))
			cluster_drop_kind(k, END_OTHER_VERSION);
		else if (cluster_kind_absent(k))
			cluster_drop_kind(k, END_NOT_SERVED);
	}
}

static void warn_of_many(struct cluster *c)
{
	char text[128];
	size_t n = 0;

	for (size_t i = 0; i < c->kinds.n; i++)
		n += c->kinds.p[i]->found && c->kinds.p[i]->n_watches;
	if (n <= KINDS_MANY || c->patterns.many_reported)
		return;
	c->patterns.many_reported = true;
	(void)snprintf(text, sizeof(text),
		       "the rules watch %zu kinds that they name by pattern, with all their objects", n);
	record_notice(c->context.sink, c->config->name, SEVERITY_WARNING, NULL, text);
}

/* Note why discovery may lack kinds that a pattern means. */
static void note_unknown(struct cluster *c)
{
	const char *why;
	str api_version;
	size_t at = 0;

	c->patterns.why.code = 0;
	while ((why = c->source->does->why_unknown(c->source, &at, &api_version))) {
		if (kind_patterns_reach(&c->plan, api_version))
			(void)err_set(&c->patterns.why, EAGAIN, "%s", why);
	}
}

static int find_kinds(struct cluster *c, struct err *err)
{
	struct found_kinds found;
	int r = found_kinds_make(&c->plan, c->source, &found, err);

	if (r == 0)
		drop_lost(c, &found);
	for (size_t i = 0; r == 0 && i < found.list.n; i++)
		r = find_kind(c, found.list.p[i], err);
	found_kinds_done(&found);
	if (r == 0)
		r = cluster_begin_watches(c, err);
	return r;
}

void cluster_find_kinds(void *ctx)
{
	struct cluster *c = ctx;

	note_unknown(c);
	(void)!find_kinds(c, &c->patterns.why); /* on failure the reason is in patterns.why */
	warn_of_many(c);
	cluster_kinds_changed(c);
}

bool cluster_awaits_definition(void *ctx, val crd)
{
	const struct cluster *c = ctx;
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	str group = foreign_name(val_dig(crd, "spec", "group", NULL));
	str kind = foreign_name(val_dig(crd, "spec", "names", "kind", NULL));
	val versions = val_dig(crd, "spec", "versions", NULL);

	for (uint32_t i = 0; i < val_count(versions); i++) {
		str version = foreign_name(VAL_GET(val_at(versions, i), "name"));
		str text = arena_printf(&a, "%.*s/%.*s", STR_ARG(group), STR_ARG(version));

		if (text.p && kind_patterns_mean(&c->plan, text, kind))
			return true;
	}
	return false;
}

void cluster_await_patterns(struct cluster *c)
{
	if (c->plan.patterns.n)
		(void)err_set(&c->patterns.why, EAGAIN, "discovery has not ended");
}

const struct err *cluster_patterns_problem(const struct cluster *c)
{
	return c->patterns.why.code ? &c->patterns.why : NULL;
}

bool cluster_patterns_resolved(const struct cluster *c)
{
	return !cluster_patterns_problem(c) || cluster_patterns_are_reported(c);
}
