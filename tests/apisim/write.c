/* Create, update, patch and delete. */
#include "write.h"

#include "list.h"
#include "managed_fields.h"
#include "patch.h"
#include "route.h"
#include "watch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

static json_t *meta_of(json_t *obj)
{
	return json_object_get(obj, "metadata");
}

static const char *meta_text(json_t *obj, const char *key)
{
	const char *text = json_string_value(json_object_get(meta_of(obj), key));

	return text ? text : "";
}

static bool is_resource(const struct resource *res, const char *group, const char *plural)
{
	return strcmp(res->group, group) == 0 && strcmp(res->plural, plural) == 0;
}

static bool is_crd(const struct resource *res)
{
	return is_resource(res, "apiextensions.k8s.io", "customresourcedefinitions");
}

static bool is_namespace(const struct resource *res)
{
	return is_resource(res, "", "namespaces");
}

static void new_uid(char out[40])
{
	uint64_t a = random_u64(), b = random_u64();

	(void)snprintf(out, 40, "%08x-%04x-4%03x-%04x-%012" PRIx64, (unsigned)(a >> 32), (unsigned)(a >> 16) & 0xffff,
		       (unsigned)a & 0xfff, 0x8000 | ((unsigned)(b >> 48) & 0x3fff), b & 0xffffffffffff);
}

static void object_key(const char *ns, const char *name, char *to, size_t n)
{
	(void)snprintf(to, n, "%s%s%s", ns ? ns : "", ns && *ns ? "/" : "", name);
}

static struct rev *get(const struct resource *res, const char *ns, const char *name)
{
	char key[640];

	object_key(ns, name, key, sizeof(key));
	return table_get(&res->table, str_from(key));
}

/* --- committing --- */

/* Store @obj as the next version and tell the watchers. *ret (may be NULL) gets a reference. */
static int commit(struct sim *sim, struct resource *res, json_t *obj, struct rev **ret)
{
	struct rev *rev = rev_new(res, obj, sim->rv + 1);

	if (!rev)
		return -ENOMEM;
	sim->rv++;
	(void)rev_ref(rev);
	if (table_put(&res->table, rev) < 0) {
		rev_unref(rev);
		return -ENOMEM;
	}
	watches_wake(sim, res);
	if (ret)
		*ret = rev;
	else
		rev_unref(rev);
	return 0;
}

static int commit_delete(struct sim *sim, struct resource *res, struct rev *rev)
{
	json_auto_t *obj = rev_parse(rev);
	struct rev *tombstone = obj ? rev_new(res, obj, sim->rv + 1) : NULL;

	if (!tombstone)
		return -ENOMEM;
	sim->rv++;
	if (table_delete(&res->table, tombstone) < 0)
		return -ENOMEM;
	watches_wake(sim, res);
	return 0;
}

/* All objects of @res, or those of namespace @ns. */
static void delete_all(struct sim *sim, struct resource *res, const char *ns)
{
	struct selector none = { 0 };
	struct list_query q = { .selector = &none, .ns = str_from(ns ? ns : ""), .rv = sim->rv };
	rev_list all = { 0 };

	if (list_collect(res, &q, &all, NULL) == 0)
		for (size_t i = 0; i < all.n; i++)
			if (commit_delete(sim, res, all.p[i]) < 0)
				break;
	rev_list_done(&all);
}

/* What follows from a written object: a definition brings its resource and gets its status. */
static int after_write(const struct write *w, struct rev **ret)
{
	json_auto_t *crd = NULL, *status = NULL;
	struct rev *next = NULL;

	if (!is_crd(w->res))
		return 0;
	crd = rev_parse(*ret);
	if (!crd || !resources_define(w->sim, crd))
		return 0;
	if (json_object_size(json_object_get(json_object_get(crd, "status"), "acceptedNames")))
		return 0;
	status = crd_status(crd);
	if (!status || json_object_set(crd, "status", status) < 0 || commit(w->sim, w->res, crd, &next) < 0)
		return -ENOMEM;
	rev_unref(*ret);
	*ret = next;
	return 0;
}

static void after_delete(const struct write *w, const struct rev *rev)
{
	struct sim *sim = w->sim;

	if (is_namespace(w->res)) {
		for (size_t i = 0; i < sim->resources.rows.n; i++)
			if (sim->resources.rows.p[i]->namespaced)
				delete_all(sim, sim->resources.rows.p[i], rev->name.p);
	} else if (is_crd(w->res)) {
		/* The name is "<plural>.<group>". */
		struct resource *res = resource_of_label(&sim->resources, rev->name.p);

		if (!res || !res->custom)
			return;
		delete_all(sim, res, NULL);
		watches_wake(sim, res);
		resources_undefine(sim, res);
	}
}

/* --- checks that create and update share --- */

static int check_identity(const struct write *w, json_t *obj, struct refusal *refusal)
{
	const char *kind = json_string_value(json_object_get(obj, "kind"));
	const char *version = json_string_value(json_object_get(obj, "apiVersion"));
	const char *ns = meta_text(obj, "namespace");
	char gv[320];

	group_version(w->res->group, w->version, gv, sizeof(gv));
	if ((kind && strcmp(kind, w->res->kind) != 0) || (version && strcmp(version, gv) != 0))
		return refuse(refusal, 400, "BadRequest",
			      "%s in version \"%s\" cannot be handled as a %s: the object is not a %s of %s",
			      kind ? kind : "", version ? version : "", w->res->kind, w->res->kind, gv);
	if (!json_is_object(meta_of(obj)))
		return refuse_invalid(refusal, w->res, w->name, "metadata", "Required value");
	if (w->ns && *ns && strcmp(ns, w->ns) != 0)
		return refuse(refusal, 400, "BadRequest",
			      "the namespace of the provided object does not match the namespace sent on the request");
	if (w->ns)
		json_object_set_new(meta_of(obj), "namespace", json_string(w->ns));
	if (!w->res->namespaced)
		json_object_del(meta_of(obj), "namespace");
	return 0;
}

static bool name_is_valid(const char *name)
{
	size_t n = strlen(name);

	/* Printable ASCII only, so that a name goes unescaped into paths and continue tokens. */
	for (size_t i = 0; i < n; i++)
		if (name[i] <= ' ' || name[i] > '~')
			return false;
	return n > 0 && n <= 253 && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && !strpbrk(name, "/%\"\\");
}

static void generate_name(json_t *meta)
{
	static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
	const char *prefix = json_string_value(json_object_get(meta, "generateName"));
	char name[300], end[6] = "";
	uint64_t r = random_u64();

	if (!prefix || json_object_get(meta, "name"))
		return;
	for (size_t i = 0; i < 5; i++, r /= sizeof(letters) - 1)
		end[i] = letters[r % (sizeof(letters) - 1)];
	(void)snprintf(name, sizeof(name), "%.248s%s", prefix, end);
	json_object_set_new(meta, "name", json_string(name));
}

/* Without memory the field is missing, which rev_new survives. */
static bool track(const struct write *w, json_t *now, json_t *old)
{
	char gv[320], time[32];
	struct field_write f = { w->manager, gv, w->sub, time, w->res->custom };

	if (!w->manager)
		return true;
	group_version(w->res->group, w->version, gv, sizeof(gv));
	now_rfc3339(time);
	return managed_fields_update(now, old, &f);
}

static void default_namespace(json_t *obj)
{
	json_t *meta = meta_of(obj), *labels = json_object_get(meta, "labels");

	if (!labels) {
		labels = json_object();
		json_object_set_new(meta, "labels", labels);
	}
	json_object_set(labels, "kubernetes.io/metadata.name", json_object_get(meta, "name"));
	json_object_set_new(obj, "spec", json_pack("{s:[s]}", "finalizers", "kubernetes"));
	json_object_set_new(obj, "status", json_pack("{s:s}", "phase", "Active"));
}

static int check_crd(const struct resource *res, json_t *obj, struct refusal *refusal)
{
	const char *field;

	if (!is_crd(res))
		return 0;
	crd_default_names(obj);
	field = crd_bad_field(obj);
	return field ? refuse_invalid(refusal, res, meta_text(obj, "name"), field, "Invalid value") : 0;
}

/* --- create --- */

static void set_server_fields(json_t *obj, bool generation)
{
	json_t *meta = meta_of(obj);
	char uid[40], time[32];

	new_uid(uid);
	now_rfc3339(time);
	json_object_set_new(meta, "uid", json_string(uid));
	json_object_set_new(meta, "creationTimestamp", json_string(time));
	json_object_del(meta, "deletionTimestamp");
	json_object_del(meta, "managedFields");
	if (generation)
		json_object_set_new(meta, "generation", json_integer(1));
}

static int check_create(const struct write *w, json_t *obj, struct refusal *refusal)
{
	const char *name;
	struct resource *namespaces = resource_find(&w->sim->resources, "", "v1", "namespaces");

	if (check_identity(w, obj, refusal) < 0)
		return -1;
	if (*meta_text(obj, "resourceVersion"))
		return refuse(refusal, 400, "BadRequest", "resourceVersion should not be set on objects to be created");
	generate_name(meta_of(obj));
	name = meta_text(obj, "name");
	if (!*name)
		return refuse_invalid(refusal, w->res, "", "metadata.name",
				      "Required value: name or generateName is required");
	if (!name_is_valid(name))
		return refuse_invalid(refusal, w->res, name, "metadata.name", "Invalid value: \"%s\"", name);
	if (w->res->namespaced && !w->ns)
		return refuse(refusal, 400, "BadRequest", "an empty namespace may not be set during creation");
	if (w->res->namespaced && !get(namespaces, NULL, w->ns))
		return refuse_not_found(refusal, namespaces, w->ns);
	return 0;
}

int write_create(const struct write *w, json_t *obj, struct rev **ret, struct refusal *refusal)
{
	struct rev *rev = NULL;
	char label[256];

	if (check_create(w, obj, refusal) < 0)
		return -1;
	if (get(w->res, w->ns, meta_text(obj, "name"))) {
		resource_label(w->res, label, sizeof(label));
		return refuse_object(refusal, w->res, meta_text(obj, "name"), 409, "AlreadyExists",
				     "%s \"%s\" already exists", label, meta_text(obj, "name"));
	}
	set_server_fields(obj, w->res->generation);
	if (resource_has_status(w->res, w->version))
		json_object_del(obj, "status");
	if (is_namespace(w->res))
		default_namespace(obj);
	if (check_crd(w->res, obj, refusal) < 0)
		return -1;
	if (!track(w, obj, NULL))
		return refuse_nomem(refusal);
	if (w->dry_run)
		rev = rev_new(w->res, obj, 0);
	else if (commit(w->sim, w->res, obj, &rev) < 0 || after_write(w, &rev) < 0)
		return refuse_nomem(refusal);
	if (!rev)
		return refuse_nomem(refusal);
	if (ret)
		*ret = rev;
	else
		rev_unref(rev);
	return 0;
}

/* --- update --- */

static int refuse_conflict(struct refusal *refusal, const struct resource *res, const char *name, const char *why)
{
	char label[256];

	resource_label(res, label, sizeof(label));
	return refuse_object(refusal, res, name, 409, "Conflict", "Operation cannot be fulfilled on %s \"%s\": %s",
			     label, name, why);
}

static int check_update(const struct write *w, json_t *obj, json_t *old, struct refusal *refusal)
{
	const char *version = meta_text(obj, "resourceVersion"), *uid = meta_text(obj, "uid");

	if (check_identity(w, obj, refusal) < 0)
		return -1;
	if (strcmp(meta_text(obj, "name"), w->name) != 0)
		return refuse(refusal, 400, "BadRequest",
			      "the name of the object (%s) does not match the name on the URL (%s)",
			      meta_text(obj, "name"), w->name);
	if (*uid && strcmp(uid, meta_text(old, "uid")) != 0)
		return refuse_conflict(refusal, w->res, w->name,
				       "the UID in the object's metadata is not that of the object");
	if (!*version && w->res->custom)
		return refuse_invalid(refusal, w->res, w->name, "metadata.resourceVersion",
				      "Invalid value: 0x0: must be specified for an update");
	if (*version && strcmp(version, meta_text(old, "resourceVersion")) != 0)
		return refuse_conflict(
			refusal, w->res, w->name,
			"the object has been modified; please apply your changes to the latest version and try "
			"again");
	return 0;
}

static void keep_from_old(json_t *meta, json_t *old_meta, const char *key)
{
	json_t *value = json_object_get(old_meta, key);

	if (value)
		json_object_set(meta, key, value);
	else
		json_object_del(meta, key);
}

static void keep_or_drop(json_t *obj, json_t *old, const char *key)
{
	json_t *value = json_object_get(old, key);

	if (value)
		json_object_set(obj, key, value);
	else
		json_object_del(obj, key);
}

/* A client may empty managedFields with [{}] or []; everything else in it is the server's. */
static bool resets_managed_fields(json_t *obj)
{
	json_t *list = json_object_get(meta_of(obj), "managedFields");

	return json_is_array(list) && (json_array_size(list) == 0 ||
				       (json_array_size(list) == 1 && json_object_size(json_array_get(list, 0)) == 0));
}

/* @obj as the server will have it: a new reference that shares with @obj and @old. */
static json_t *merge_server_side(const struct write *w, json_t *obj, json_t *old)
{
	static const char *const kept[] = {
		"uid", "creationTimestamp", "generation", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"
	};
	bool status_write = w->sub && strcmp(w->sub, "status") == 0;
	json_t *next = json_copy(status_write ? old : obj);
	json_t *meta = json_copy(meta_of(next));

	json_object_set_new(next, "metadata", meta);
	if (status_write)
		keep_or_drop(next, obj, "status");
	else if (resource_has_status(w->res, w->version))
		keep_or_drop(next, old, "status");
	for (size_t i = 0; i < ARRAY_LEN(kept); i++)
		keep_from_old(meta, meta_of(old), kept[i]);
	json_object_del(meta, "managedFields");
	json_object_del(meta, "resourceVersion");
	json_object_set_new(next, "apiVersion", json_string(w->res->api_version));
	json_object_set_new(next, "kind", json_string(w->res->kind));
	return next;
}

/* Whether what generation counts differs: spec; for custom resources all but metadata and status. */
static bool spec_differs(const struct resource *res, const char *version, json_t *next, json_t *old)
{
	json_auto_t *a = NULL, *b = NULL;

	if (!res->custom)
		return !json_equal(json_object_get(next, "spec"), json_object_get(old, "spec"));
	a = json_copy(next);
	b = json_copy(old);
	json_object_del(a, "metadata");
	json_object_del(b, "metadata");
	if (resource_has_status(res, version)) {
		json_object_del(a, "status");
		json_object_del(b, "status");
	}
	return !json_equal(a, b);
}

static void bump_generation(json_t *next, json_t *old)
{
	json_int_t before = json_integer_value(json_object_get(meta_of(old), "generation"));

	json_object_set_new(meta_of(next), "generation", json_integer(before + 1));
}

static bool same_but_for_bookkeeping(json_t *next, json_t *old)
{
	json_auto_t *plain = json_copy(old);
	json_t *meta = json_copy(meta_of(old));

	json_object_del(meta, "managedFields");
	json_object_del(meta, "resourceVersion");
	json_object_set_new(plain, "metadata", meta);
	return json_equal(next, plain);
}

/* The last finalizer of an object that is being deleted has gone. */
static bool is_released(json_t *obj)
{
	return json_object_get(meta_of(obj), "deletionTimestamp") &&
	       json_array_size(json_object_get(meta_of(obj), "finalizers")) == 0;
}

static int store_update(const struct write *w, json_t *next, struct rev **rev, struct refusal *refusal)
{
	if (w->dry_run) {
		*rev = rev_new(w->res, next, w->sim->rv);
		return *rev ? 0 : refuse_nomem(refusal);
	}
	if (commit(w->sim, w->res, next, rev) < 0)
		return refuse_nomem(refusal);
	if (is_released(next)) {
		if (commit_delete(w->sim, w->res, *rev) < 0)
			return refuse_nomem(refusal);
		after_delete(w, *rev);
		return 0;
	}
	return after_write(w, rev) < 0 ? refuse_nomem(refusal) : 0;
}

int write_update(const struct write *w, json_t *obj, struct rev **ret, struct refusal *refusal)
{
	struct rev *before = get(w->res, w->ns, w->name), *rev = NULL;
	json_auto_t *old = NULL, *next = NULL;
	bool reset = resets_managed_fields(obj);

	if (!before)
		return refuse_not_found(refusal, w->res, w->name);
	old = rev_parse(before);
	if (!old)
		return refuse_nomem(refusal);
	if (check_update(w, obj, old, refusal) < 0)
		return -1;
	next = merge_server_side(w, obj, old);
	if (same_but_for_bookkeeping(next, old) && !reset) {
		rev = rev_ref(before);
	} else {
		if (w->res->generation && spec_differs(w->res, w->version, next, old))
			bump_generation(next, old);
		if (check_crd(w->res, next, refusal) < 0)
			return -1;
		keep_from_old(meta_of(next), meta_of(old), "managedFields");
		if (reset)
			json_object_del(meta_of(next), "managedFields");
		else if (!track(w, next, old))
			return refuse_nomem(refusal);
		if (store_update(w, next, &rev, refusal) < 0) {
			rev_unref(rev);
			return -1;
		}
	}
	if (ret)
		*ret = rev;
	else
		rev_unref(rev);
	return 0;
}

/* --- delete --- */

/* With finalizers an object is only marked; it goes when the last one is removed. */
static int mark_deleted(const struct write *w, json_t *obj, struct rev **ret, struct refusal *refusal)
{
	json_t *meta = meta_of(obj);
	char time[32];

	if (json_object_get(meta, "deletionTimestamp"))
		return 0;
	now_rfc3339(time);
	json_object_set_new(meta, "deletionTimestamp", json_string(time));
	json_object_set_new(meta, "deletionGracePeriodSeconds", json_integer(0));
	if (w->res->generation)
		bump_generation(obj, obj);
	return commit(w->sim, w->res, obj, ret) < 0 ? refuse_nomem(refusal) : 0;
}

int write_delete(const struct write *w, struct rev *rev, struct rev **ret, struct refusal *refusal)
{
	json_auto_t *obj = rev_parse(rev);
	struct rev *held = rev_ref(rev); /* the store lets go of it below */
	int r = 0;

	if (!obj)
		r = refuse_nomem(refusal);
	else if (!w->dry_run && json_array_size(json_object_get(meta_of(obj), "finalizers")))
		r = mark_deleted(w, obj, ret, refusal);
	else if (!w->dry_run) {
		r = commit_delete(w->sim, w->res, rev) < 0 ? refuse_nomem(refusal) : 0;
		if (r == 0)
			after_delete(w, held);
	}
	rev_unref(held);
	return r;
}

/* --- loading --- */

static int ensure_namespace(struct sim *sim, const char *ns, struct refusal *refusal)
{
	struct resource *res = resource_find(&sim->resources, "", "v1", "namespaces");
	struct write w = { .sim = sim, .res = res, .version = "v1" };
	json_auto_t *obj = NULL;

	if (get(res, NULL, ns))
		return 0;
	obj = json_pack("{s:{s:s}}", "metadata", "name", ns);
	return obj ? write_create(&w, obj, NULL, refusal) : refuse_nomem(refusal);
}

/* A loaded object keeps what it brings, and gets what is missing. */
static void complete(const struct resource *res, json_t *obj, json_t *old)
{
	json_auto_t *mine = json_copy(meta_of(obj));
	json_t *meta = meta_of(obj);

	if (old) {
		keep_from_old(meta, meta_of(old), "uid");
		keep_from_old(meta, meta_of(old), "creationTimestamp");
		keep_from_old(meta, meta_of(old), "generation");
		if (res->generation && spec_differs(res, "", obj, old))
			bump_generation(obj, old);
	} else {
		set_server_fields(obj, res->generation);
		json_object_update_existing(meta, mine);
		if (json_object_get(mine, "managedFields"))
			json_object_set(meta, "managedFields", json_object_get(mine, "managedFields"));
	}
}

int write_upsert(struct sim *sim, json_t *obj, const char *manager, struct refusal *refusal)
{
	const char *version = json_string_value(json_object_get(obj, "apiVersion"));
	const char *kind = json_string_value(json_object_get(obj, "kind"));
	struct write w = { .sim = sim, .manager = manager };
	const char *slash = version ? strrchr(version, '/') : NULL;
	json_auto_t *old = NULL;
	struct rev *before, *rev = NULL;

	w.res = version && kind ? resource_of_kind(&sim->resources, version, kind) : NULL;
	if (!w.res)
		return refuse(refusal, 400, "BadRequest", "no resource for kind \"%s\" of \"%s\"", kind ? kind : "",
			      version ? version : "");
	w.version = slash ? slash + 1 : version;
	if (!name_is_valid(meta_text(obj, "name")))
		return refuse_invalid(refusal, w.res, meta_text(obj, "name"), "metadata.name", "Invalid value");
	if (w.res->namespaced && !*meta_text(obj, "namespace"))
		json_object_set_new(meta_of(obj), "namespace", json_string("default"));
	if (!w.res->namespaced)
		json_object_del(meta_of(obj), "namespace");
	else if (ensure_namespace(sim, meta_text(obj, "namespace"), refusal) < 0)
		return -1;
	before = get(w.res, meta_text(obj, "namespace"), meta_text(obj, "name"));
	old = before ? rev_parse(before) : NULL;
	complete(w.res, obj, old);
	if (is_namespace(w.res) && !json_object_get(obj, "status"))
		default_namespace(obj);
	if (check_crd(w.res, obj, refusal) < 0)
		return -1;
	if (!track(&w, obj, old) || commit(sim, w.res, obj, &rev) < 0 || after_write(&w, &rev) < 0) {
		rev_unref(rev);
		return refuse_nomem(refusal);
	}
	rev_unref(rev);
	return 0;
}
