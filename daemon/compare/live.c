/* Connects to a cluster, and finds out which of its kinds a reference is about. */
#include "daemon/compare/live.h"

#include "compare/lookup.h"
#include "daemon/compare/idle.h"
#include "daemon/compare/klog.h"
#include "daemon/watch/source/watch_plan.h"
#include "rules/crd_schema.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define NONE_KNOWN "templates don't contain any types (kind) of resources that are supported by the cluster"
#define UNKNOWN_KINDS "Reference Contains Templates With Types (kind) Not Supported By Cluster: "
#define UNKNOWN_VERSIONS                                                                                               \
	"There may be an issue with the API resources exposed by the cluster. Found kind but missing group/version "   \
	"for "
#define NO_DEFINITION "Lists may be compared without their keys, since the definition %s cannot be read: "

static void warn_user(const char *message)
{
	klog_warning("%s", message);
}

int compare_live_open(const struct compare_options *o, const struct limits *limits, struct key_table *keys,
		      struct live **ret, struct err *err)
{
	const struct live_options options = {
		.flags = &o->live,
		.limits = limits,
		.keys = keys,
		.progress = isatty(STDERR_FILENO) && !o->verbose,
		.warn = warn_user,
	};

	return live_open(&options, ret, err);
}

/* Where listed objects go, and which of them are wanted. */
struct intake {
	struct compare_input *in;
	/* the plan for the kind, which chooses objects; NULL: all objects are wanted */
	const struct planned_kind *only;
};

static bool is_planned(const struct planned_kind *k, val object)
{
	struct identity id = identity_of(object);

	for (size_t i = 0; i < k->scopes.n; i++) {
		if (lookup_includes(k->scopes.p[i].namespace, id.namespace) &&
		    lookup_includes(k->scopes.p[i].name, id.name))
			return true;
	}
	return false;
}

static int add_object(void *ctx, struct doc *doc, val object, struct err *err)
{
	const struct intake *to = ctx;

	if (to->only && !is_planned(to->only, object))
		return 0;
	return compare_input_add(to->in, doc, object, err);
}

static int list(struct live *l, const struct live_collection *what, const struct intake *intake, struct err *err)
{
	const struct live_sink to = { .object = add_object,
				      .ctx = (struct intake *)(uintptr_t)intake,
				      .problems = &intake->in->problems,
				      .managed_fields = true };

	return live_list(l, what, &to, err);
}

int compare_live_list(struct live *l, const struct live_collection *what, struct compare_input *in, struct err *err)
{
	return list(l, what, &(struct intake){ .in = in }, err);
}

/* ---- the kinds of a reference ---- */

struct loader {
	struct live *live;
	const struct reference *ref;
	struct compare_input *in;
	bool whole;                 /* all objects of the kinds are wanted, in all versions */
	struct watch_plan plan;     /* otherwise: which objects of each kind, as the daemon would watch them */
	struct string_list unknown; /* kinds that the cluster does not have */
	/* "Kind.group/version" of templates, where the cluster has the kind in other versions only */
	struct string_list versions;
	size_t n_known, n_listed;
	bool some_unknown; /* for some kind it is unknown whether the cluster has it */
};

static void loader_done(struct loader *l)
{
	watch_plan_done(&l->plan);
	string_list_done(&l->unknown);
	string_list_done(&l->versions);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void warn(const char *what, struct string_list *names, const char *end)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(1 << 20);

	if (!names->v.n)
		return;
	qsort(names->v.p, names->v.n, sizeof(*names->v.p), by_text);
	for (size_t i = 0; i < names->v.n; i++)
		buf_printf(&text, "%s%s", i ? ", " : "", names->v.p[i]);
	klog_warning("%s%.*s%s", what, STR_ARG(buf_str(&text)), end);
}

/* Make the plan of a daemon that has this reference and nothing else, so that the roles of such a daemon suffice. */
static int make_plan(struct loader *l, struct err *err)
{
	const struct cfg_reference reference = { .reference = (struct reference *)(uintptr_t)l->ref };
	const struct cfg_reference *const list[] = { &reference };
	const struct cfg_cluster cluster = { .references = list, .n_references = 1, .crd_rules_referenced = true };
	const struct cfg cfg = { 0 };

	return watch_plan_make(&cfg, &cluster, &l->plan, err);
}

static const struct planned_kind *planned(const struct loader *l, str api_version, str kind)
{
	for (size_t i = 0; i < l->plan.kinds.n; i++) {
		const struct planned_kind *k = &l->plan.kinds.p[i];

		if (str_eq(k->api_version, api_version) && str_eq(k->kind, kind))
			return k;
	}
	return NULL;
}

/* Whether a template is for the kind in any version: then its objects cannot be planned. */
static bool has_open_version(const struct reference *ref, str kind)
{
	for (size_t i = 0; i < ref->n_templates; i++) {
		const struct identity *id = &ref->templates[i]->identity;

		if (str_eq(id->kind, kind) && !id->api_version.n)
			return true;
	}
	return false;
}

/* ---- what cannot be known ---- */

static int mark_kind(struct loader *l, str kind, str version, struct err *err)
{
	CLEANUP(buf_done) struct buf source = BUF_INIT(8192);

	buf_printf(&source, "%.*s (%.*s)", STR_ARG(kind), STR_ARG(version));
	return source.error == -ENOMEM ? err_nomem(err) : compare_input_mark(l->in, buf_str(&source), err);
}

static int mark_kind_unknown(struct loader *l, str api_version, str kind, const char *why, struct err *err)
{
	int r = compare_known_mark_unknown(l->in->known, api_version, kind, why, err);

	l->some_unknown = true;
	if (r < 0)
		return r;
	problems_add(&l->in->problems, "whether the cluster has kind %.*s of %.*s is not known: %s", STR_ARG(kind),
		     STR_ARG(api_version), why);
	return mark_kind(l, kind, api_version, err);
}

/* Note a kind as unknown in every group whose kinds discovery could not list: a template that leaves the version
 * open may be for any of them. */
static int mark_versions_unknown(struct loader *l, str kind, struct err *err)
{
	const char *why, *same;
	str api_version;
	size_t at = 0;
	int r = 0;

	while (r == 0 && (why = kc_why_unknown(live_client(l->live), &at, &api_version))) {
		if (!compare_known_has(l->in->known, api_version, kind) &&
		    live_serves(l->live, api_version, kind, &same) == LIVE_UNKNOWN)
			r = mark_kind_unknown(l, api_version, kind, why, err);
	}
	return r;
}

static int mark_planned_unknown(struct loader *l, struct err *err)
{
	const char *why;
	int r = 0;

	for (size_t i = 0; i < l->plan.kinds.n && r == 0; i++) {
		const struct planned_kind *k = &l->plan.kinds.p[i];

		if (live_serves(l->live, k->api_version, k->kind, &why) == LIVE_UNKNOWN)
			r = mark_kind_unknown(l, k->api_version, k->kind, why, err);
	}
	return r;
}

/* ---- versions that templates name ---- */

static bool is_noted(const struct string_list *l, str name)
{
	for (size_t i = 0; i < l->v.n; i++) {
		if (str_eq(str_from(l->v.p[i]), name))
			return true;
	}
	return false;
}

/* Check the versions that templates name. The core group has one version only, which is never wrong. */
static int check_versions(struct loader *l, str kind, struct err *err)
{
	const char *why;

	for (size_t i = 0; i < l->ref->n_templates; i++) {
		const struct identity *id = &l->ref->templates[i]->identity;
		CLEANUP(buf_done) struct buf name = BUF_INIT(4096);

		if (!str_eq(id->kind, kind) || str_find_byte(id->api_version, '/') <= 0 ||
		    live_serves(l->live, id->api_version, kind, &why) != LIVE_ABSENT)
			continue;
		buf_printf(&name, "%.*s.%.*s", STR_ARG(kind), STR_ARG(id->api_version));
		if (!is_noted(&l->versions, buf_str(&name)) && !string_list_add(&l->versions, buf_str(&name)))
			return err_nomem(err);
	}
	return 0;
}

static int check_kind(struct loader *l, str kind, struct err *err)
{
	CLEANUP(live_kinds_done) struct live_kinds kinds = { 0 };
	int r = live_kinds(l->live, kind, &kinds, err);

	if (r == 0 && has_open_version(l->ref, kind))
		r = mark_versions_unknown(l, kind, err);
	if (r < 0)
		return r;
	l->n_known += kinds.v.n > 0;
	if (kinds.v.n)
		return check_versions(l, kind, err);
	if (strmap_has(&l->in->known->names, kind))
		return 0;
	return string_list_add(&l->unknown, kind) ? 0 : err_nomem(err);
}

/* ---- listing ---- */

static size_t n_problems(const struct compare_input *in)
{
	return in->problems.list.n + in->problems.dropped;
}

bool compare_live_is_over(struct live *l, int r)
{
	return r == -ENOMEM || r == -ENOKEY || (r < 0 && live_lost(l));
}

/* Note the end of one list. An error after which listing other kinds is pointless is returned at once. */
static int note_list(struct loader *l, const struct live_collection *what, int r, size_t problems_before,
		     struct err *err)
{
	if (compare_live_is_over(l->live, r))
		return r;
	l->n_listed += r == 0;
	if (r < 0)
		problems_add(&l->in->problems, "list %.*s (%.*s): %s", STR_ARG(what->kind), STR_ARG(what->api_version),
			     err->msg);
	else if (n_problems(l->in) == problems_before)
		return compare_known_add(l->in->known, what->api_version, what->kind, err);
	/* The unreadable object may be the one that a template is for. */
	r = compare_known_mark_unknown(l->in->known, what->api_version, what->kind,
				       r < 0 ? err->msg : "an object of it cannot be read", err);
	return r < 0 ? r : mark_kind(l, what->kind, what->api_version, err);
}

static int list_scope(struct loader *l, const struct planned_kind *k, struct watch_scope scope, struct err *err)
{
	const struct live_collection what = {
		.api_version = k->api_version, .kind = k->kind, .namespace = scope.namespace, .name = scope.name
	};
	size_t before = n_problems(l->in);

	return note_list(l, &what, list(l->live, &what, &(struct intake){ .in = l->in }, err), before, err);
}

static bool is_narrow(const struct planned_kind *k)
{
	return k->scopes.n && (k->scopes.p[0].namespace.n || k->scopes.p[0].name.n);
}

/* List the planned objects of a kind. One request for the whole kind is the cheapest; an account that may not list
 * that may perhaps list what the daemon would watch. Either way the same objects are kept. */
static int list_planned(struct loader *l, const struct planned_kind *k, struct err *err)
{
	const struct live_collection all = { .api_version = k->api_version, .kind = k->kind };
	const struct intake to = { .in = l->in, .only = k };
	size_t before = n_problems(l->in);
	int r = list(l->live, &all, &to, err);

	if (r != -EACCES || !is_narrow(k))
		return note_list(l, &all, r, before, err);
	r = 0;
	for (size_t i = 0; i < k->scopes.n && r == 0; i++)
		r = list_scope(l, k, k->scopes.p[i], err);
	return r;
}

static int list_version(struct loader *l, str kind, const struct live_kind *version, struct err *err)
{
	CLEANUP(buf_done) struct buf name = BUF_INIT(4096);
	struct planned_kind all = { .kind = kind };
	const struct planned_kind *k;

	buf_printf(&name, "%s%s%s", version->group, *version->group ? "/" : "", version->version);
	if (name.error == -ENOMEM)
		return err_nomem(err);
	all.api_version = buf_str(&name);
	if (l->whole || has_open_version(l->ref, kind))
		return list_scope(l, &all, (struct watch_scope){ STR(""), STR("") }, err);
	k = planned(l, buf_str(&name), kind);
	return k ? list_planned(l, k, err) : 0;
}

static int list_kind(struct loader *l, str kind, struct err *err)
{
	CLEANUP(live_kinds_done) struct live_kinds kinds = { 0 };
	int r = live_kinds(l->live, kind, &kinds, err);

	for (size_t i = 0; i < kinds.v.n && r == 0; i++)
		r = list_version(l, kind, &kinds.v.p[i], err);
	return r;
}

/* List the rest of the plan: kinds that are only looked up, and those that the cluster does not have. */
static int list_looked_up(struct loader *l, struct err *err)
{
	const char *why;
	int r = 0;

	l->in->n_own = l->in->objects.n;
	for (size_t i = 0; i < l->plan.kinds.n && r == 0; i++) {
		const struct planned_kind *k = &l->plan.kinds.p[i];

		if (compare_known_has(l->in->known, k->api_version, k->kind))
			continue;
		if (live_serves(l->live, k->api_version, k->kind, &why) == LIVE_SERVED)
			r = list_planned(l, k, err);
		else
			r = compare_known_add(l->in->known, k->api_version, k->kind, err);
	}
	return r;
}

static int each_kind(struct loader *l, int (*fn)(struct loader *l, str kind, struct err *err), struct err *err)
{
	int r = 0;

	for (size_t i = 0; i < l->ref->n_templates && r == 0; i++) {
		if (!compare_kind_before(l->ref, i))
			r = fn(l, l->ref->templates[i]->identity.kind, err);
	}
	return r;
}

int compare_live_begin(struct compare_input *in, struct err *err)
{
	in->known = malloc(sizeof(*in->known));
	if (!in->known)
		return err_nomem(err);
	compare_known_init(in->known);
	return 0;
}

int compare_live_load(struct live *live, const struct reference *ref, bool whole, struct compare_input *in,
		      struct err *err)
{
	CLEANUP(loader_done) struct loader l = { .live = live, .ref = ref, .in = in, .whole = whole };
	int r = compare_live_begin(in, err);

	if (r == 0)
		r = make_plan(&l, err);
	if (r == 0)
		r = mark_planned_unknown(&l, err);
	if (r == 0)
		r = each_kind(&l, check_kind, err);
	if (r < 0)
		return r;
	warn(UNKNOWN_VERSIONS, &l.versions, " ");
	if (!l.n_known && !l.some_unknown)
		return err_set(err, ENOENT, "%s", NONE_KNOWN);
	warn(UNKNOWN_KINDS, &l.unknown, "");
	r = each_kind(&l, list_kind, err);
	if (r == 0)
		r = list_looked_up(&l, err);
	if (r == 0 && !l.n_listed && problems_any(&in->problems))
		return compare_input_refuse(in, COMPARE_UNREAD, &in->problems, err);
	return r;
}

/* ---- definitions ---- */

static int define(void *ctx, struct doc *doc, val object, struct err *err)
{
	return compare_input_define(ctx, doc, object, err);
}

/* Read the definition for the group and the kind of @k. */
static int read_definition(struct live *l, const struct live_kind *k, struct compare_input *in, struct err *err)
{
	CLEANUP(freep) char *name = NULL;
	struct live_collection what = { .api_version = CRD_API_VERSION, .kind = CRD_KIND };
	struct problems unread = { 0 };
	const struct live_sink to = { .object = define, .ctx = in, .problems = &unread };
	bool over;
	int r;

	if (asprintf(&name, "%s.%s", k->plural, k->group) < 0) {
		name = NULL;
		return err_nomem(err);
	}
	what.name = str_from(name);
	r = live_list(l, &what, &to, err);
	over = compare_live_is_over(l, r);
	if (r < 0 && r != -EACCES && r != -ENOENT && !over)
		klog_warning(NO_DEFINITION "%s", name, err->msg);
	else if (r == 0 && unread.list.n)
		klog_warning(NO_DEFINITION "%s", name, unread.list.p[0]);
	problems_done(&unread);
	return over ? r : 0;
}

int compare_live_define_kind(struct live *l, str kind, struct compare_input *in, struct err *err)
{
	CLEANUP(live_kinds_done) struct live_kinds kinds = { 0 };
	int r = live_kinds(l, kind, &kinds, err);

	for (size_t i = 0; i < kinds.v.n && r == 0; i++) {
		const struct live_kind *k = &kinds.v.p[i];
		CLEANUP(buf_done) struct buf version = BUF_INIT(4096);

		/* one definition has all versions of its group */
		if (i > 0 && strcmp(k->group, kinds.v.p[i - 1].group) == 0)
			continue;
		buf_printf(&version, "%s/%s", k->group, k->version);
		if (crd_may_define(buf_str(&version)))
			r = read_definition(l, k, in, err);
	}
	return r;
}

int compare_live_define(struct live *l, const struct reference *ref, struct compare_input *in, struct err *err)
{
	int r = 0;

	for (size_t i = 0; i < ref->n_templates && r == 0; i++) {
		if (!compare_kind_before(ref, i))
			r = compare_live_define_kind(l, ref->templates[i]->identity.kind, in, err);
	}
	return r;
}
