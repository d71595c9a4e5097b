/* Lists kind by kind, each once. */
#include "daemon/compare/manifest_live.h"

#include "daemon/compare/live.h"
#include "topology/scope.h"

#include <errno.h>
#include <stdlib.h>

struct loader {
	struct live *live;
	const struct compare_manifests *m;
	struct compare_input *in;
	VEC(const struct identity *) kinds;
	size_t n_listed;
};

static bool same_kind(const struct identity *a, const struct identity *b)
{
	return str_eq(a->api_version, b->api_version) && str_eq(a->kind, b->kind);
}

/* Whether the manifest is the first of its kind, so that each kind is listed once. */
static bool is_new(struct loader *l, const struct identity *id)
{
	for (size_t i = 0; i < l->kinds.n; i++) {
		if (same_kind(l->kinds.p[i], id))
			return false;
	}
	return true;
}

static int find_kinds(struct loader *l, struct err *err)
{
	for (size_t i = 0; i < l->m->groups.n; i++) {
		const struct manifest_set *set = &l->m->groups.p[i]->set;

		for (size_t k = 0; k < set->list.n; k++) {
			if (is_new(l, &set->list.p[k].id) && !vec_push(&l->kinds, &set->list.p[k].id))
				return err_nomem(err);
		}
	}
	return 0;
}

/* ---- kinds that are not served ---- */

/* Note a kind that is not served. Its objects may exist in another version, in which they cannot be compared. */
static int note_absent(struct loader *l, const struct identity *id, struct err *err)
{
	CLEANUP(live_kinds_done) struct live_kinds kinds = { 0 };
	CLEANUP(buf_done) struct buf versions = BUF_INIT(4096);
	CLEANUP(freep) char *why = NULL;
	int r = live_kinds(l->live, id->kind, &kinds, err);

	for (size_t i = 0; i < kinds.v.n && r == 0; i++) {
		if (str_eq(group_version_of(id->api_version).group, str_from(kinds.v.p[i].group)))
			buf_printf(&versions, "%s%s", versions.n ? ", " : "", kinds.v.p[i].version);
	}
	if (r < 0)
		return r;
	if (!versions.n)
		return compare_known_add(l->in->known, id->api_version, id->kind, err);
	if (asprintf(&why, "its version is not served; served are %.*s", STR_ARG(buf_str(&versions))) < 0) {
		why = NULL;
		return err_nomem(err);
	}
	return compare_known_mark_unknown(l->in->known, id->api_version, id->kind, why, err);
}

/* ---- lists ---- */

static int note_failure(struct loader *l, const struct identity *id, const char *why, struct err *err)
{
	CLEANUP(buf_done) struct buf source = BUF_INIT(8192);
	CLEANUP(freep) char *copy = str_dup(str_from(why));

	if (!copy)
		return err_nomem(err);
	problems_add(&l->in->problems, "list %.*s (%.*s): %s", STR_ARG(id->kind), STR_ARG(id->api_version), copy);
	buf_printf(&source, "%.*s (%.*s)", STR_ARG(id->kind), STR_ARG(id->api_version));
	if (compare_known_mark_unknown(l->in->known, id->api_version, id->kind, copy, err) < 0)
		return -err->code;
	return compare_input_mark(l->in, buf_str(&source), err);
}

static int list_one(struct loader *l, const struct compare_group *g, const struct manifest *m, struct err *err)
{
	struct live_collection what = {
		.api_version = m->id.api_version, .kind = m->id.kind, .namespace = m->id.namespace, .name = m->id.name
	};

	if (scope_is_cluster(m->id.api_version, m->id.kind))
		what.namespace = STR("");
	else if (!what.namespace.n)
		what.namespace = g->namespace;
	return compare_live_list(l->live, &what, l->in, err);
}

static int list_one_by_one(struct loader *l, const struct identity *id, struct err *err)
{
	int r = 0;

	for (size_t i = 0; i < l->m->groups.n; i++) {
		const struct compare_group *g = l->m->groups.p[i];

		for (size_t k = 0; k < g->set.list.n && r == 0; k++) {
			if (same_kind(&g->set.list.p[k].id, id))
				r = list_one(l, g, &g->set.list.p[k], err);
		}
	}
	return r;
}

static int list_kind(struct loader *l, const struct identity *id, struct err *err)
{
	const struct live_collection all = { .api_version = id->api_version, .kind = id->kind };
	const char *why = NULL;
	int r;

	switch (live_serves(l->live, id->api_version, id->kind, &why)) {
	case LIVE_ABSENT:
		return note_absent(l, id, err);
	case LIVE_UNKNOWN:
		return note_failure(l, id, why, err);
	case LIVE_SERVED:
		break;
	}
	r = compare_live_list(l->live, &all, l->in, err);
	if (r == -EACCES)
		r = list_one_by_one(l, id, err);
	if (compare_live_is_over(l->live, r))
		return r;
	l->n_listed += r == 0;
	return r < 0 ? note_failure(l, id, err->msg, err)
		     : compare_known_add(l->in->known, id->api_version, id->kind, err);
}

static int list_kinds(struct loader *l, struct err *err)
{
	int r = find_kinds(l, err);

	for (size_t i = 0; i < l->kinds.n && r == 0; i++) {
		r = list_kind(l, l->kinds.p[i], err);
		if (r == 0)
			r = compare_live_define_kind(l->live, l->kinds.p[i]->kind, l->in, err);
	}
	if (r == 0 && !l->n_listed && problems_any(&l->in->problems))
		return compare_input_refuse(l->in, COMPARE_UNREAD, &l->in->problems, err);
	return r;
}

int manifest_live_load(struct live *live, const struct compare_manifests *m, struct compare_input *in, struct err *err)
{
	struct loader l = { .live = live, .m = m, .in = in };
	int r = compare_live_begin(in, err);

	if (r == 0)
		r = list_kinds(&l, err);
	vec_done(&l.kinds);
	return r;
}
