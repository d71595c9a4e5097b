/* Judges the objects of a cluster: those of the kinds that rules are about. */
#include "daemon/validate/validate_internal.h"

#include "base/nearest.h"
#include "daemon/live/live.h"
#include "kubeclient/kc_resource.h"
#include "rules/crd_schema.h"
#include "value/identity.h"

#include <errno.h>
#include <unistd.h>

#define GROUP_VERSION_MAX 1024

/* The resources that the server offers, copied: the client's list is only valid until the loop runs again. */
struct offer {
	str api_version, group, kind;
	bool namespaced;
	unsigned rank;
	bool wanted;
};

struct look {
	struct validate_job *job;
	struct live *live;
	struct arena arena; /* the offers' texts */
	VEC(struct offer) offers;
	bool some_unknown; /* the server did not list all resources */
	/* objects of the current list */
	struct documents found;
	struct strmap seen; /* the local keys of the found objects */
};

static void found_clear(struct look *l)
{
	documents_done(&l->found);
	strmap_done(&l->seen);
	l->found = (struct documents){ 0 };
	l->seen = (struct strmap){ 0 };
}

static void look_done(struct look *l)
{
	found_clear(l);
	vec_done(&l->offers);
	arena_done(&l->arena);
	live_close(l->live);
}

static void warn(const char *message)
{
	validate_note("%s", message);
}

/* ---- listing ---- */

static str name_of(val object)
{
	return val_str(val_dig(object, "metadata", "name", NULL));
}

static int keep(void *ctx, struct doc *doc, val object, struct err *err)
{
	struct look *l = ctx;
	CLEANUP(buf_done) struct buf key = BUF_INIT(IDENTITY_BYTES_MAX);

	identity_local_key(val_str(val_dig(object, "metadata", "namespace", NULL)), name_of(object), &key);
	if (!key.error && strmap_has(&l->seen, buf_str(&key)))
		return 0;
	if ((!key.error && !strmap_put(&l->seen, buf_str(&key), NULL, NULL)) ||
	    !vec_push(&l->found.list, (struct document){ .doc = doc, .root = object, .path = "" }))
		return err_nomem(err);
	(void)doc_ref(doc);
	return 0;
}

/* List objects into @l->found. Those that cannot be read are reported. */
static int list(struct look *l, str api_version, str kind, str namespace, struct err *err)
{
	struct problems unread = { 0 };
	const struct live_sink to = { .object = keep, .ctx = l, .problems = &unread };
	const struct live_collection what = { .api_version = api_version, .kind = kind, .namespace = namespace };
	int r;

	found_clear(l);
	r = live_list(l->live, &what, &to, err);
	for (size_t i = 0; i < unread.list.n; i++)
		validate_unread(l->job, "%s", unread.list.p[i]);
	if (unread.dropped)
		validate_unread(l->job, "%zu more objects cannot be read", unread.dropped);
	problems_done(&unread);
	return r;
}

/* ---- definitions ---- */

static int take_definitions(struct look *l, struct err *err)
{
	struct documents *to = &l->job->live_crds;

	for (size_t i = 0; i < l->found.list.n; i++) {
		struct document d = l->found.list.p[i];

		d.path = arena_printf(&l->job->names, "CustomResourceDefinition %.*s", STR_ARG(name_of(d.root))).p;
		if (!d.path || !vec_push(&to->list, d))
			return err_nomem(err);
		(void)doc_ref(d.doc);
	}
	return 0;
}

static int read_definitions(struct look *l, struct err *err)
{
	int r;

	if (l->job->options->no_crds)
		return 0;
	r = list(l, CRD_API_VERSION, CRD_KIND, STR(""), err);
	if (r == 0)
		return take_definitions(l, err);
	if (r == -ENOMEM || live_lost(l->live))
		return r;
	if (r != -ENOENT) /* otherwise the cluster has no definitions */
		validate_unread(l->job,
				"the rules of the cluster's definitions are not known (--no-crds does without): %s",
				err->msg);
	return 0;
}

/* ---- which kinds ---- */

static int by_name(const void *a, const void *b)
{
	const struct offer *x = a, *y = b;
	int r = str_cmp(x->group, y->group);

	if (r == 0)
		r = str_cmp(x->kind, y->kind);
	return r ? r : x->rank < y->rank ? -1 : x->rank > y->rank;
}

static int read_offers(struct look *l, struct err *err)
{
	const struct kc_resource *r;
	size_t at = 0;

	while ((r = kc_listable(live_client(l->live), &at))) {
		struct offer o = { .namespaced = r->namespaced, .rank = r->rank };

		o.group = arena_str(&l->arena, str_from(r->group));
		o.kind = arena_str(&l->arena, str_from(r->kind));
		o.api_version = arena_printf(&l->arena, "%s%s%s", r->group, *r->group ? "/" : "", r->version);
		if (!o.group.p || !o.kind.p || !o.api_version.p || !vec_push(&l->offers, o))
			return err_nomem(err);
	}
	if (l->offers.n)
		qsort(l->offers.p, l->offers.n, sizeof(*l->offers.p), by_name);
	return 0;
}

static bool same_kind(const struct offer *a, const struct offer *b)
{
	return str_eq(a->group, b->group) && str_eq(a->kind, b->kind);
}

/* Want each kind that the set means, in the version that the server prefers among those meant. Return false when
 * there is none. */
static bool want_kinds_of(struct look *l, const struct rule_set *s)
{
	struct offer *last = NULL;

	for (size_t i = 0; i < l->offers.n; i++) {
		struct offer *o = &l->offers.p[i];

		if (!rule_set_means_kind(s, o->api_version, o->kind) || (last && same_kind(last, o)))
			continue;
		o->wanted = true;
		last = o;
	}
	return last;
}

static bool offers_kind(const struct look *l, str kind)
{
	for (size_t i = 0; i < l->offers.n; i++) {
		if (str_eq(l->offers.p[i].kind, kind))
			return true;
	}
	return false;
}

/* Report that the cluster does not serve the kind of the rules. When it did not list all of its kinds, that is
 * unknown. */
static void report_unserved(struct look *l, const struct rule_set *s)
{
	struct nearest nearest = { 0 };

	if (l->some_unknown)
		return;
	for (size_t i = 0; i < l->offers.n && !offers_kind(l, s->kind); i++)
		nearest_offer(&nearest, s->kind, l->offers.p[i].kind);
	validate_note("%.*s: the cluster has no kind %.*s of %.*s that can be listed%s", STR_ARG(s->where),
		      STR_ARG(s->kind.n ? s->kind : STR("*")), STR_ARG(s->api_version.n ? s->api_version : STR("*")),
		      nearest_hint(&nearest));
	l->job->n_idle++;
}

static void want_kinds_of_files(struct look *l)
{
	const struct validate_job *job = l->job;

	for (size_t f = 0; f < job->rule_files.n; f++) {
		const struct rule_file *file = job->rule_files.p[f];

		for (size_t i = 0; i < file->sets.n; i++) {
			const struct rule_set *s = &file->sets.p[i];

			if (!want_kinds_of(l, s))
				report_unserved(l, s);
		}
	}
}

static bool defines(const struct documents *crds, const struct offer *o)
{
	for (size_t i = 0; i < crds->list.n; i++) {
		if (crd_is_for(crds->list.p[i].root, o->api_version, o->kind))
			return true;
	}
	return false;
}

/* Want the kinds whose definitions have rules, in the version that the server prefers. */
static int want_defined_kinds(struct look *l, struct err *err)
{
	const struct offer *last = NULL;
	int r = 0;

	for (size_t i = 0; r == 0 && i < l->offers.n; i++) {
		struct offer *o = &l->offers.p[i];
		struct validate_kind *k = NULL;

		if ((last && same_kind(last, o)) || (!defines(&l->job->crds, o) && !defines(&l->job->live_crds, o)))
			continue;
		last = o;
		r = validate_kind_of(l->job, o->api_version, o->kind, &k, err);
		o->wanted |= r == 0 && validate_kind_has_rules(k);
	}
	return r;
}

/* Warn of kinds that rules may be about and that the server did not list. */
static void report_unknown_versions(struct look *l)
{
	const char *why;
	str api_version;
	size_t at = 0;

	while ((why = kc_why_unknown(live_client(l->live), &at, &api_version))) {
		validate_unread(l->job, "the kinds of %.*s are not known: %s", STR_ARG(api_version), why);
		l->some_unknown = true;
	}
}

/* ---- judging ---- */

static int judge_found(struct look *l, const struct offer *o, struct err *err)
{
	size_t without_old = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < l->found.list.n; i++) {
		enum rules_fit fit = RULES_NONE;

		r = validate_object(l->job, &l->found.list.p[i], &fit, err);
		without_old += fit == RULES_NEED_OLD;
	}
	if (r == 0 && without_old)
		validate_note("%.*s %.*s: only rules with oldSelf are for %zu of %zu objects (--old has the objects "
			      "before)",
			      STR_ARG(o->api_version), STR_ARG(o->kind), without_old, l->found.list.n);
	return r;
}

static int judge_kind(struct look *l, const struct offer *o, struct err *err)
{
	const char *namespace = l->job->options->namespace;
	int r;

	if (namespace && !o->namespaced)
		return 0;
	r = list(l, o->api_version, o->kind, str_from(namespace), err);
	if (r == 0)
		return judge_found(l, o, err);
	if (r == -ENOMEM || live_lost(l->live))
		return r;
	validate_unread(l->job, "list %.*s (%.*s): %s", STR_ARG(o->kind), STR_ARG(o->api_version), err->msg);
	return 0;
}

/* Check that the namespace exists when no object was found in it. An account that may not list namespaces cannot
 * check that. */
static int check_namespace(struct look *l, struct err *err)
{
	const char *wanted = l->job->options->namespace;
	struct problems ignored = { 0 };
	const struct live_sink to = { .object = keep, .ctx = l, .problems = &ignored };
	const struct live_collection all = { .api_version = STR("v1"), .kind = STR("Namespace") };
	struct nearest nearest = { 0 };
	struct err why;
	int r;

	if (!wanted || l->job->n_objects > l->job->objects.list.n)
		return 0;
	found_clear(l);
	r = live_list(l->live, &all, &to, &why);
	problems_done(&ignored);
	if (r == -ENOMEM)
		return err_nomem(err);
	for (size_t i = 0; r == 0 && i < l->found.list.n; i++) {
		str name = name_of(l->found.list.p[i].root);

		if (str_eq(name, str_from(wanted)))
			return 0;
		nearest_offer(&nearest, str_from(wanted), name);
	}
	if (r < 0)
		return 0;
	validate_note("the cluster has no namespace '%s'%s", wanted, nearest_hint(&nearest));
	l->job->n_idle++;
	return 0;
}

static int judge_all(struct look *l, struct err *err)
{
	int r = read_definitions(l, err);

	if (r == 0)
		r = read_offers(l, err);
	if (r == 0)
		r = want_defined_kinds(l, err);
	if (r < 0)
		return r;
	report_unknown_versions(l);
	want_kinds_of_files(l);
	for (size_t i = 0; r == 0 && i < l->offers.n; i++) {
		if (l->offers.p[i].wanted)
			r = judge_kind(l, &l->offers.p[i], err);
	}
	return r < 0 ? r : check_namespace(l, err);
}

int validate_live(struct validate_job *job, struct err *err)
{
	CLEANUP(look_done) struct look l = { .job = job };
	const struct live_options options = {
		.flags = &job->options->flags,
		.limits = &job->limits,
		.keys = job->keys,
		.progress = isatty(STDERR_FILENO),
		.warn = warn,
	};
	int r;

	arena_init(&l.arena, 0, 0);
	r = live_open(&options, &l.live, err);
	return r < 0 ? r : judge_all(&l, err);
}
