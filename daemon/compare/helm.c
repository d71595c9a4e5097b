/* List the Helm revisions, and read the manifest of the newest deployed one of each release. */
#include "daemon/compare/helm.h"

#include "daemon/compare/klog.h"
#include "daemon/compare/live.h"
#include "release/helm_release.h"

#include <errno.h>

#define NAMESPACES_MAX 16 /* namespaces that are listed one by one */

struct helm_known {
	str name; /* NAMESPACE/RELEASE */
	str namespace;
	uint32_t newest;
	enum helm_status status;
	uint32_t deployed; /* the newest deployed revision; 0: none */
	val object;        /* the object that holds the revision @deployed */
	struct doc *doc;   /* the document that keeps @object alive; NULL: the input does */
};

int compare_helm_init(const struct compare_options *o, const struct limits *limits, struct key_table *keys,
		      struct compare_helm *ret, struct err *err)
{
	const char *driver = o->helm_driver ? o->helm_driver : "";

	*ret = (struct compare_helm){
		.limits = limits, .keys = keys, .namespace = str_from(o->namespace), .only = &o->args
	};
	arena_init(&ret->text, 0, 0);
	if (*driver && !helm_driver_parse(str_from(driver), &ret->driver))
		return err_set(err, EINVAL, "--helm-driver is 'secret' or 'configmap', and not '%.100s'", driver);
	for (size_t i = 0; i < o->args.v.n; i++) {
		str name = str_from(o->args.v.p[i]);
		ptrdiff_t slash = str_find_byte(name, '/');

		if (!name.n || slash == 0 || (size_t)(slash + 1) == name.n)
			return err_set(err, EINVAL, "'%.100s' is no NAMESPACE/RELEASE", name.p);
		if (slash < 0 && !ret->namespace.n)
			return err_set(err, EINVAL,
				       "of release '%.100s' the namespace is not known: write NAMESPACE/%.100s", name.p,
				       name.p);
	}
	return 0;
}

void compare_helm_done(struct compare_helm *h)
{
	for (size_t i = 0; i < h->releases.n; i++)
		doc_unref(h->releases.p[i].doc);
	vec_done(&h->releases);
	strmap_done(&h->names);
	arena_done(&h->text);
}

/* ---- which are asked for ---- */

/* The namespace of the @i-th release that the options name, and its own name in *release. */
static str only_namespace(const struct compare_helm *h, size_t i, str *release)
{
	str name = str_from(h->only->v.p[i]);
	ptrdiff_t slash = str_find_byte(name, '/');

	*release = slash < 0 ? name : str_sub(name, (size_t)slash + 1, name.n);
	return slash < 0 ? h->namespace : str_sub(name, 0, (size_t)slash);
}

static bool is_asked_for(const struct compare_helm *h, const struct helm_revision *r)
{
	str release;

	for (size_t i = 0; i < h->only->v.n; i++) {
		if (str_eq(only_namespace(h, i, &release), r->namespace) && str_eq(release, r->release))
			return true;
	}
	return !h->only->v.n && (!h->namespace.n || str_eq(h->namespace, r->namespace));
}

/* ---- what was seen ---- */

static struct helm_known *known(struct compare_helm *h, const struct helm_revision *r)
{
	CLEANUP(buf_done) struct buf name = BUF_INIT(4096);
	struct helm_known new = { 0 };
	size_t at;

	identity_local_key(r->namespace, r->release, &name);
	at = (size_t)(uintptr_t)strmap_get(&h->names, buf_str(&name));
	if (at)
		return &h->releases.p[at - 1];
	new.name = arena_str(&h->text, buf_str(&name));
	new.namespace = arena_str(&h->text, r->namespace);
	if (name.error || !new.name.p || !new.namespace.p || !vec_push(&h->releases, new) ||
	    !strmap_put(&h->names, new.name, (void *)(uintptr_t)h->releases.n, NULL))
		return NULL;
	return &h->releases.p[h->releases.n - 1];
}

/* Note the revision in @object. @doc gets a reference when the object is kept; NULL: the object lives anyway. */
static int see(struct compare_helm *h, struct doc *doc, val object, struct err *err)
{
	struct helm_revision r;
	struct helm_known *k;

	if (!str_eq(val_str(VAL_GET(object, "kind")), helm_driver_kind(h->driver)))
		return 0;
	if (!helm_revision_of(object, &r)) {
		h->n_strange += !h->only->v.n && helm_claims_revision(object);
		return 0;
	}
	if (!is_asked_for(h, &r))
		return 0;
	k = known(h, &r);
	if (!k)
		return err_nomem(err);
	if (r.revision >= k->newest) {
		k->newest = r.revision;
		k->status = r.status;
	}
	if (r.status != HELM_DEPLOYED || r.revision < k->deployed)
		return 0;
	k->deployed = r.revision;
	k->object = object;
	doc_unref(k->doc);
	k->doc = doc_ref(doc);
	return 0;
}

int compare_helm_find(struct compare_helm *h, const struct compare_input *in, struct err *err)
{
	int r = 0;

	for (size_t i = 0; i < in->objects.n && r == 0; i++)
		r = see(h, NULL, in->objects.p[i], err);
	return r;
}

/* ---- a cluster ---- */

static int see_listed(void *ctx, struct doc *doc, val object, struct err *err)
{
	return see(ctx, doc, object, err);
}

static int list_in(struct compare_helm *h, struct live *l, str namespace, struct compare_input *in, struct err *err)
{
	struct live_collection what = { .api_version = STR("v1"),
					.kind = helm_driver_kind(h->driver),
					.namespace = namespace,
					.labels = HELM_LABEL_SELECTOR,
					.fields = h->driver == HELM_SECRETS ? HELM_FIELD_SELECTOR : NULL };
	const struct live_sink to = { .object = see_listed, .ctx = h, .problems = &in->problems };
	int r = live_list(l, &what, &to, err);

	/* Servers that know no field but an object's name refuse it: then the label has to do. */
	if (r == -EINVAL && what.fields) {
		what.fields = NULL;
		r = live_list(l, &what, &to, err);
	}
	if (r < 0)
		return err_wrap(err, "list the %.*ss of Helm%s%.*s", STR_ARG(what.kind), namespace.n ? " in " : "",
				STR_ARG(namespace));
	return compare_input_mark(in, what.kind, err);
}

static bool is_asked_before(const struct compare_helm *h, size_t n, str namespace)
{
	str release;

	for (size_t i = 0; i < n; i++) {
		if (str_eq(only_namespace(h, i, &release), namespace))
			return true;
	}
	return false;
}

int compare_helm_list(struct compare_helm *h, struct live *l, struct compare_input *in, struct err *err)
{
	str namespace, release;
	int r = 0;

	if (!h->only->v.n || h->only->v.n > NAMESPACES_MAX)
		return list_in(h, l, h->only->v.n ? STR("") : h->namespace, in, err);
	for (size_t i = 0; i < h->only->v.n && r == 0; i++) {
		namespace = only_namespace(h, i, &release);
		if (!is_asked_before(h, i, namespace))
			r = list_in(h, l, namespace, in, err);
	}
	return r;
}

/* ---- their manifests ---- */

static int by_name(const void *a, const void *b)
{
	const struct helm_known *x = a, *y = b;

	return str_cmp(x->name, y->name);
}

/* Warn when the newest revision is not the deployed one: it is what its author meant last, and may have changed the
 * objects. */
static void say_standing(const struct helm_known *k)
{
	if (!k->deployed)
		klog_warning("release %.*s: no revision is deployed, and the newest, %u, is %s: it is not compared",
			     STR_ARG(k->name), k->newest, helm_status_name(k->status));
	else if (k->deployed != k->newest)
		klog_warning(
			"release %.*s: its newest revision, %u, is %s; compared is %u, the newest that is deployed",
			STR_ARG(k->name), k->newest, helm_status_name(k->status), k->deployed);
}

static int add_manifest(struct compare_manifests *m, const struct helm_known *k, str manifest, struct err *err)
{
	struct compare_group *g = compare_manifests_add(m, k->name, k->namespace);

	return g ? manifest_set_add(&g->set, k->name, manifest, err) : err_nomem(err);
}

static int open_release(struct compare_helm *h, const struct helm_known *k, struct compare_manifests *m,
			struct compare_input *in, struct err *err)
{
	struct helm_release release;
	int r = helm_release_open(k->object, h->limits, h->keys, &release, err);

	if (r == -ENOMEM)
		return r;
	if (r < 0) {
		problems_add(&in->problems, "revision %u of %.*s: %s", k->deployed, STR_ARG(k->name), err->msg);
		return compare_input_mark(in, k->name, err);
	}
	if (release.status != HELM_DEPLOYED)
		klog_warning("release %.*s: the label of revision %u says deployed, and the revision itself %s",
			     STR_ARG(k->name), k->deployed, helm_status_name(release.status));
	r = add_manifest(m, k, release.manifest, err);
	helm_release_done(&release);
	return r;
}

/* Fail when a release that the options name was not found. */
static int check_all_there(const struct compare_helm *h, struct err *err)
{
	for (size_t i = 0; i < h->only->v.n; i++) {
		CLEANUP(buf_done) struct buf name = BUF_INIT(4096);
		str release, namespace = only_namespace(h, i, &release);
		size_t at;

		identity_local_key(namespace, release, &name);
		at = (size_t)(uintptr_t)strmap_get(&h->names, buf_str(&name));
		if (!at)
			return err_set(err, ENOENT, "there is no release %.*s", STR_ARG(buf_str(&name)));
		if (!h->releases.p[at - 1].deployed)
			return err_set(err, ENOENT, "release %.*s: no revision is deployed: nothing was compared",
				       STR_ARG(buf_str(&name)));
	}
	return 0;
}

static int check_any(const struct compare_helm *h, struct err *err)
{
	size_t n = 0;

	for (size_t i = 0; i < h->releases.n; i++)
		n += h->releases.p[i].deployed > 0;
	if (n)
		return 0;
	if (h->releases.n)
		return err_set(err, ENOENT, "no release is deployed: nothing was compared");
	return err_set(err, ENOENT, "there is no release of Helm%s%.*s: nothing was compared",
		       h->namespace.n ? " in " : "", STR_ARG(h->namespace));
}

int compare_helm_open(struct compare_helm *h, struct compare_manifests *m, struct compare_input *in, struct err *err)
{
	int r = check_all_there(h, err);

	if (h->n_strange)
		klog_warning(
			"%zu %.*s%s named or typed as releases of Helm, and with names and labels that do not agree: "
			"passed over",
			h->n_strange, STR_ARG(helm_driver_kind(h->driver)), plural_s(h->n_strange));
	if (h->releases.n)
		qsort(h->releases.p, h->releases.n, sizeof(*h->releases.p), by_name);
	for (size_t i = 0; i < h->releases.n; i++)
		say_standing(&h->releases.p[i]);
	if (r == 0)
		r = check_any(h, err);
	for (size_t i = 0; i < h->releases.n && r == 0; i++) {
		if (h->releases.p[i].deployed)
			r = open_release(h, &h->releases.p[i], m, in, err);
		/* the objects may be large, and in sum be all that the cluster has */
		doc_unref(TAKE(h->releases.p[i].doc));
	}
	return r;
}
