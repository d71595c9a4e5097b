/* Connecting, and which kinds of a live cluster a reference is about. */
#include "daemon/compare/live.h"

#include "daemon/compare/klog.h"

#include <errno.h>
#include <unistd.h>

#define NONE_KNOWN "templates don't contain any types (kind) of resources that are supported by the cluster"
#define UNKNOWN_KINDS "Reference Contains Templates With Types (kind) Not Supported By Cluster: "
#define UNKNOWN_VERSIONS                                                                                               \
	"There may be an issue with the API resources exposed by the cluster. Found kind but missing group/version "   \
	"for "

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

static int add_object(void *ctx, struct doc *doc, val object, struct err *err)
{
	return compare_input_add(ctx, doc, object, err);
}

int compare_live_list(struct live *l, str api_version, str kind, str namespace, struct compare_input *in,
		      struct err *err)
{
	const struct live_sink to = {
		.object = add_object, .ctx = in, .problems = &in->problems, .managed_fields = true
	};

	return live_list(l, api_version, kind, namespace, &to, err);
}

/* ---- the kinds of a reference ---- */

struct loader {
	struct live *live;
	const struct reference *ref;
	struct compare_input *in;
	struct string_list unknown;  /* kinds */
	struct string_list versions; /* "Kind.group/version" of templates, where the kind is known in others only */
	size_t n_known, n_listed;
};

static void loader_done(struct loader *l)
{
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

/* ---- versions that templates name ---- */

static bool is_served(const struct live_kinds *kinds, str api_version)
{
	for (size_t i = 0; i < kinds->v.n; i++) {
		CLEANUP(buf_done) struct buf text = BUF_INIT(4096);

		buf_printf(&text, "%s/%s", kinds->v.p[i].group, kinds->v.p[i].version);
		if (str_eq(buf_str(&text), api_version))
			return true;
	}
	return false;
}

static bool is_noted(const struct string_list *l, str name)
{
	for (size_t i = 0; i < l->v.n; i++) {
		if (str_eq(str_from(l->v.p[i]), name))
			return true;
	}
	return false;
}

/* The core group has one version only: nothing can be wrong with it. */
static int check_versions(struct loader *l, str kind, const struct live_kinds *kinds, struct err *err)
{
	for (size_t i = 0; i < l->ref->n_templates; i++) {
		const struct identity *id = &l->ref->templates[i]->identity;
		CLEANUP(buf_done) struct buf name = BUF_INIT(4096);

		if (!str_eq(id->kind, kind) || str_find_byte(id->api_version, '/') <= 0 ||
		    is_served(kinds, id->api_version))
			continue;
		buf_printf(&name, "%.*s.%.*s", STR_ARG(kind), STR_ARG(id->api_version));
		if (!is_noted(&l->versions, buf_str(&name)) && !string_list_add(&l->versions, buf_str(&name)))
			return err_nomem(err);
	}
	return 0;
}

/* ---- listing ---- */

static int mark_kind(struct loader *l, str kind, str version, struct err *err)
{
	CLEANUP(buf_done) struct buf source = BUF_INIT(8192);

	buf_printf(&source, "%.*s (%.*s)", STR_ARG(kind), STR_ARG(version));
	return source.error == -ENOMEM ? err_nomem(err) : compare_input_mark(l->in, buf_str(&source), err);
}

static int list_version(struct loader *l, str kind, const struct live_kind *k, struct err *err)
{
	CLEANUP(buf_done) struct buf version = BUF_INIT(4096);
	int r;

	buf_printf(&version, "%s%s%s", k->group, *k->group ? "/" : "", k->version);
	r = compare_live_list(l->live, buf_str(&version), kind, STR(""), l->in, err);
	if (r == -ENOMEM || r == -ENOKEY || (r < 0 && live_lost(l->live)))
		return r;
	l->n_listed += r == 0;
	if (r < 0)
		problems_add(&l->in->problems, "list %.*s (%.*s): %s", STR_ARG(kind), STR_ARG(buf_str(&version)),
			     err->msg);
	return mark_kind(l, kind, buf_str(&version), err);
}

static bool seen_before(const struct reference *ref, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (str_eq(ref->templates[k]->identity.kind, ref->templates[i]->identity.kind))
			return true;
	}
	return false;
}

static int check_kind(struct loader *l, str kind, struct err *err)
{
	CLEANUP(live_kinds_done) struct live_kinds kinds = { 0 };
	int r = live_kinds(l->live, kind, &kinds, err);

	if (r < 0)
		return r;
	l->n_known += kinds.v.n > 0;
	if (!kinds.v.n)
		return string_list_add(&l->unknown, kind) ? 0 : err_nomem(err);
	return check_versions(l, kind, &kinds, err);
}

static int list_kind(struct loader *l, str kind, struct err *err)
{
	CLEANUP(live_kinds_done) struct live_kinds kinds = { 0 };
	int r = live_kinds(l->live, kind, &kinds, err);

	for (size_t i = 0; i < kinds.v.n && r == 0; i++)
		r = list_version(l, kind, &kinds.v.p[i], err);
	return r;
}

static int each_kind(struct loader *l, int (*fn)(struct loader *l, str kind, struct err *err), struct err *err)
{
	int r = 0;

	for (size_t i = 0; i < l->ref->n_templates && r == 0; i++) {
		if (!seen_before(l->ref, i))
			r = fn(l, l->ref->templates[i]->identity.kind, err);
	}
	return r;
}

int compare_live_load(struct live *live, const struct reference *ref, struct compare_input *in, struct err *err)
{
	CLEANUP(loader_done) struct loader l = { .live = live, .ref = ref, .in = in };
	int r = each_kind(&l, check_kind, err);

	if (r < 0)
		return r;
	warn(UNKNOWN_VERSIONS, &l.versions, " ");
	if (!l.n_known)
		return err_set(err, ENOENT, "%s", NONE_KNOWN);
	warn(UNKNOWN_KINDS, &l.unknown, "");
	r = each_kind(&l, list_kind, err);
	if (r == 0 && !l.n_listed && problems_any(&in->problems))
		return compare_input_refuse(in, COMPARE_UNREAD, &in->problems, err);
	return r;
}
