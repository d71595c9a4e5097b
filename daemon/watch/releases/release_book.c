/* The Helm releases of a cluster, and the manifests of each that are in force. */
#include "daemon/watch/releases/release_book.h"

#include "base/pattern.h"
#include "manifest/manifest_releases.h"
#include "value/identity.h"

#include <errno.h>
#include <stdio.h>

struct release_book {
	struct release_book_options o;
	VEC(struct known_release *) list;
	struct strmap by_name;   /* NAMESPACE/RELEASE -> struct known_release */
	struct strmap by_secret; /* the key of a Secret -> struct known_release */
	bool changed, urgent;
};

int release_book_new(const struct release_book_options *o, struct release_book **ret, struct err *err)
{
	struct release_book *b = calloc(1, sizeof(*b));

	if (!b)
		return err_nomem(err);
	b->o = *o;
	b->changed = true;
	*ret = b;
	return 0;
}

static void release_free(struct known_release *k)
{
	reference_unref(k->manifests);
	vec_done(&k->revisions);
	free(k->claimed);
	free((char *)(uintptr_t)k->name.p);
	free(k);
}

void release_book_free(struct release_book *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->list.n; i++)
		release_free(b->list.p[i]);
	vec_done(&b->list);
	strmap_done(&b->by_name);
	strmap_done(&b->by_secret);
	free(b);
}

/* ---- releases by name ---- */

static bool is_trusted(const struct release_book *b, str namespace)
{
	const struct text_list *trusted = &b->o.reference->helm.trusted;

	for (size_t i = 0; i < trusted->n; i++) {
		if (str_eq(trusted->p[i], namespace))
			return true;
	}
	return false;
}

static bool is_looked_at(const struct release_book *b, const struct helm_revision *r)
{
	const struct cfg_helm *h = &b->o.reference->helm;

	return cfg_helm_looks_in(h, r->namespace) &&
	       (!h->names.n || pattern_any_matches(h->names.p, h->names.n, r->release));
}

static void take_out(struct release_book *b, struct known_release *k)
{
	size_t n = 0;

	for (size_t i = 0; i < b->list.n; i++) {
		if (b->list.p[i] != k)
			b->list.p[n++] = b->list.p[i];
	}
	b->list.n = n;
	(void)strmap_remove(&b->by_name, k->name);
	release_free(k);
}

/* The release that @r belongs to, made if it is new. NULL without memory. */
static struct known_release *need_release(struct release_book *b, const struct helm_revision *r)
{
	CLEANUP(buf_done) struct buf name = BUF_INIT(4096);
	struct known_release *k;

	buf_printf(&name, "%.*s/%.*s", STR_ARG(r->namespace), STR_ARG(r->release));
	if (name.error)
		return NULL;
	k = strmap_get(&b->by_name, buf_str(&name));
	if (k)
		return k;
	k = calloc(1, sizeof(*k));
	if (!k)
		return NULL;
	k->name = (str){ str_dup(buf_str(&name)), name.n };
	k->namespace = str_sub(k->name, 0, r->namespace.n);
	k->release = str_sub(k->name, r->namespace.n + 1, k->name.n);
	k->trusted = is_trusted(b, k->namespace);
	if (k->name.p && strmap_put(&b->by_name, k->name, k, NULL)) {
		if (vec_push(&b->list, k))
			return k;
		(void)strmap_remove(&b->by_name, k->name);
	}
	release_free(k);
	return NULL;
}

/* ---- whether a release is deployed, or is changing ---- */

static bool is_changing(const struct known_release *k)
{
	return helm_status_is_pending(k->newest.status) || k->newest.status == HELM_UNINSTALLING;
}

/* When the change of a release began. If driftd saw it begin, that is the time; otherwise Helm's own time. */
static int64_t began_usec(const struct known_release *k, struct release_time now)
{
	int64_t said = now.listed ? k->newest.changed_sec * 1000000 : 0;

	return said > 0 && said < now.usec ? said : now.usec;
}

static void find_standing(struct known_release *k, struct release_time now)
{
	uint32_t uninstalled = 0;

	k->newest = (struct release_revision){ 0 };
	k->deployed = 0;
	for (size_t i = 0; i < k->revisions.n; i++) {
		const struct release_revision *r = &k->revisions.p[i];

		if (r->number > k->newest.number)
			k->newest = *r;
		if (r->status == HELM_DEPLOYED && r->number > k->deployed)
			k->deployed = r->number;
		if (r->status == HELM_UNINSTALLED && r->number > uninstalled)
			uninstalled = r->number;
	}
	/* when a failed revision is uninstalled, Helm leaves the one before it as deployed */
	if (k->deployed < uninstalled)
		k->deployed = 0;
	if (!is_changing(k))
		k->changing_usec = 0;
	else if (!k->changing_usec)
		k->changing_usec = began_usec(k, now);
}

static void forget_manifests(struct known_release *k)
{
	reference_unref(k->manifests);
	k->manifests = NULL;
	k->opened = 0;
}

/* Update a release after its revisions have changed, and open the deployed revision if that can be done. */
static void update_standing(struct release_book *b, struct known_release *k, struct release_time now)
{
	find_standing(k, now);
	if (k->deployed ? k->deployed != k->opened : !is_changing(k))
		forget_manifests(k);
	if (!k->deployed || k->deployed == k->opened)
		k->problem.code = 0;
	else if (k->deployed != k->unreadable)
		(void)err_set(&k->problem, ENOENT, "revision %u is deployed, and what it holds was not seen",
			      k->deployed);
	b->changed = true;
}

/* ---- manifests of a revision ---- */

static int make_manifests(const struct release_book *b, const struct known_release *k, const struct helm_release *r,
			  struct reference **ret, struct release_left_out *left, struct err *err)
{
	const struct cfg_reference *of = b->o.reference;
	char revision[160];
	struct release_options o = {
		.limits = b->o.limits,
		.keys = b->o.keys,
		.name = k->name,
		.namespace = k->namespace,
		.trusted = k->trusted,
		.additions = of->additions,
		.kinds = of->helm.watched,
		.n_kinds = of->helm.n_watched,
		.scope = b->o.scope,
		.ctx = b->o.ctx,
	};

	if (r->manifest.n > RELEASE_MANIFEST_MAX)
		return err_set(err, E2BIG, "its manifest has more than %zu bytes", RELEASE_MANIFEST_MAX);
	o.revision = (str){ revision, (size_t)snprintf(revision, sizeof(revision), "revision %u", r->revision) };
	return release_manifests_make(r->manifest, &o, ret, left, err);
}

static int open_revision(const struct release_book *b, const struct known_release *k, val secret,
			 struct reference **ret, struct release_left_out *left, struct err *err)
{
	struct helm_release r = { 0 };
	int e = helm_release_open(secret, b->o.limits, b->o.keys, &r, err);

	if (e == 0)
		e = make_manifests(b, k, &r, ret, left, err);
	helm_release_done(&r);
	return e;
}

/* Open the deployed revision. If it cannot be read, the manifests of the revision before it are dropped all the
 * same: they are not what is deployed. */
static void open_deployed(struct release_book *b, struct known_release *k, val secret, uint32_t number)
{
	struct reference *manifests = NULL;
	struct err err;

	forget_manifests(k);
	k->problem.code = 0;
	k->unreadable = 0;
	if (open_revision(b, k, secret, &manifests, &k->left_out, &err) < 0) {
		(void)err_set(&k->problem, err.code, "revision %u cannot be read: %s", number, err.msg);
		k->unreadable = number;
		return;
	}
	k->manifests = manifests;
	k->opened = number;
}

/* ---- Secrets ---- */

/* Add a revision, or replace the one with the same number. Beyond RELEASE_REVISIONS_MAX the oldest one is forgotten.
 * False without memory. */
static bool put_revision(struct known_release *k, const struct helm_revision *r)
{
	struct release_revision is = { r->revision, r->status, r->changed_sec }, *oldest = &is;

	for (size_t i = 0; i < k->revisions.n; i++) {
		struct release_revision *known = &k->revisions.p[i];

		if (known->number == r->revision) {
			*known = is;
			return true;
		}
		if (known->number < oldest->number)
			oldest = known;
	}
	if (k->revisions.n < RELEASE_REVISIONS_MAX)
		return vec_push(&k->revisions, is);
	*oldest = is;
	return true;
}

static str key_of(val secret, struct buf *key)
{
	struct identity id = identity_of(secret);

	identity_local_key(id.namespace, id.name, key);
	return buf_str(key);
}

/* Forget what the Secret said before: it has no revision now. */
static void pass_over(struct release_book *b, val secret, struct release_time now)
{
	CLEANUP(buf_done) struct buf space = BUF_INIT(4096);
	str key = key_of(secret, &space);

	if (!space.error)
		release_book_drop(b, key, now);
}

static void remember(struct release_book *b, struct known_release *k, const struct helm_revision *r, val secret)
{
	CLEANUP(buf_done) struct buf space = BUF_INIT(4096);
	str key = key_of(secret, &space);

	if (space.error || !put_revision(k, r) || !strmap_put(&b->by_secret, key, k, NULL))
		(void)err_nomem(&k->problem);
}

void release_book_take(struct release_book *b, val secret, struct release_time now)
{
	struct helm_revision r;
	struct known_release *k;

	if (!helm_revision_of(secret, &r)) {
		pass_over(b, secret, now);
		return;
	}
	if (!is_looked_at(b, &r))
		return;
	k = need_release(b, &r);
	if (!k)
		return;
	remember(b, k, &r, secret);
	find_standing(k, now);
	if (r.status == HELM_DEPLOYED && r.revision == k->deployed) {
		open_deployed(b, k, secret, r.revision);
		k->stable_from_ns = now.listed ? 0 : now.ns + RELEASE_STABILIZATION_NS;
	}
	update_standing(b, k, now);
}

/* The number of the revision at the end of a Secret's name. When the Secret was read, the name agreed with the
 * labels. */
static uint32_t number_of(str key)
{
	uint32_t n = 0;

	for (ptrdiff_t at = str_rfind(key, STR("v")); at >= 0 && (size_t)++at < key.n;)
		n = n * 10 + (uint32_t)(key.p[at] - '0');
	return n;
}

void release_book_drop(struct release_book *b, str key, struct release_time now)
{
	struct known_release *k = strmap_remove(&b->by_secret, key);
	uint32_t number;
	size_t n = 0;

	if (!k)
		return;
	number = number_of(key);
	for (size_t i = 0; i < k->revisions.n; i++) {
		if (k->revisions.p[i].number != number)
			k->revisions.p[n++] = k->revisions.p[i];
	}
	k->revisions.n = n;
	update_standing(b, k, now);
	if (!n)
		take_out(b, k);
}

/* ---- what is in force ---- */

static bool is_suspended(const struct known_release *k, struct release_time now)
{
	return is_changing(k) || now.ns < k->stable_from_ns;
}

bool release_book_changed(struct release_book *b, struct release_time now)
{
	for (size_t i = 0; i < b->list.n; i++) {
		struct known_release *k = b->list.p[i];
		bool suspended = is_suspended(k, now);

		b->changed |= suspended != k->suspended;
		b->urgent |= suspended && !k->suspended;
		k->suspended = suspended;
	}
	return b->changed;
}

bool release_book_is_urgent(const struct release_book *b)
{
	return b->urgent;
}

void release_book_again(struct release_book *b)
{
	b->changed = true;
}

static void note_claim(void *ctx, const struct ref_template *t, str first, str second)
{
	const struct identity *id = &t->identity;
	struct release_book *b = ctx;
	struct known_release *k = strmap_get(&b->by_name, second);

	if (!k || k->n_claimed++)
		return;
	if (asprintf(&k->claimed, "%.*s %.*s%s%.*s of release %.*s", STR_ARG(id->kind), STR_ARG(id->namespace),
		     id->namespace.n ? "/" : "", STR_ARG(id->name), STR_ARG(first)) < 0)
		k->claimed = NULL;
}

static void forget_claims(struct release_book *b)
{
	for (size_t i = 0; i < b->list.n; i++) {
		free(b->list.p[i]->claimed);
		b->list.p[i]->claimed = NULL;
		b->list.p[i]->n_claimed = 0;
	}
}

static int by_precedence(const void *a, const void *b)
{
	const struct known_release *const *x = a, *const *y = b;

	if ((*x)->trusted != (*y)->trusted)
		return (*x)->trusted ? -1 : 1;
	return str_cmp((*x)->name, (*y)->name);
}

int release_book_make(struct release_book *b, struct reference **ret, struct err *err)
{
	struct releases_options o = cfg_helm_options(b->o.reference, b->o.limits);
	struct release_in_force *in_force = calloc(b->list.n + 1, sizeof(*in_force));
	size_t n = 0;
	int r;

	if (!in_force)
		return err_nomem(err);
	if (b->list.n)
		qsort(b->list.p, b->list.n, sizeof(*b->list.p), by_precedence);
	for (size_t i = 0; i < b->list.n; i++) {
		const struct known_release *k = b->list.p[i];

		if (k->manifests)
			in_force[n++] = (struct release_in_force){ k->name, k->manifests, k->suspended };
	}
	o.claimed = note_claim;
	o.ctx = b;
	forget_claims(b);
	r = releases_reference_make(&o, in_force, n, ret, err);
	free(in_force);
	if (r == 0)
		b->changed = b->urgent = false;
	return r;
}

/* ---- problems ---- */

const struct known_release *release_book_get(const struct release_book *b, size_t at)
{
	return at < b->list.n ? b->list.p[at] : NULL;
}

const struct known_release *release_book_find(const struct release_book *b, str name)
{
	return strmap_get(&b->by_name, name);
}

void release_problem(const struct known_release *k, struct buf *out)
{
	if (k->problem.code)
		buf_add_cstr(out, k->problem.msg);
	if (k->newest.status == HELM_FAILED && k->opened)
		buf_printf(out, "%sits newest revision, %u, has failed: its objects are compared with revision %u",
			   out->n ? "; " : "", k->newest.number, k->opened);
	else if (k->newest.status == HELM_FAILED)
		buf_printf(out, "%sits newest revision, %u, has failed, and none is deployed", out->n ? "; " : "",
			   k->newest.number);
	if (k->n_claimed)
		buf_printf(out, "%s%zu of its objects %s compared with another's manifest, such as %s",
			   out->n ? "; " : "", k->n_claimed, k->n_claimed == 1 ? "is" : "are",
			   k->claimed ? k->claimed : "some");
}

int64_t release_changing(const struct known_release *k, struct release_time now)
{
	return k->changing_usec && now.usec > k->changing_usec ? now.usec - k->changing_usec : 0;
}
