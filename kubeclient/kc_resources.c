/* The table of kinds, read from either of the two forms of discovery. */
#include "kubeclient/kc_resources.h"
#include "mask/foreign.h"

#include <errno.h>

#define SHORT_NAMES_MAX 16 /* the most short names of a kind; a server offers one or two */

struct kc_resources *kc_resources_new(void)
{
	struct kc_resources *t = calloc(1, sizeof(*t));

	if (t)
		arena_init(&t->arena, 0, KC_RESOURCES_BYTES);
	return t;
}

void kc_resources_free(struct kc_resources *t)
{
	if (!t)
		return;
	strmap_done(&t->by_kind);
	strmap_done(&t->unknown_versions);
	vec_done(&t->list);
	arena_done(&t->arena);
	free(t);
}

static void make_key(struct buf *b, str group, str version, str kind)
{
	buf_add_str(b, group);
	if (group.n)
		buf_add_byte(b, '/');
	buf_add_str(b, version);
	buf_add_byte(b, ' ');
	buf_add_str(b, kind);
}

const struct kc_resource *kc_resources_find(const struct kc_resources *t, str api_version, str kind)
{
	CLEANUP(buf_done) struct buf key = BUF_INIT(4096);
	struct group_version gv = group_version_of(api_version);

	if (!t)
		return NULL;
	make_key(&key, gv.group, gv.version, kind);
	return key.error ? NULL : strmap_get(&t->by_kind, buf_str(&key));
}

int kc_resources_mark_unknown(struct kc_resources *t, str api_version, str why, struct err *err)
{
	str copy = arena_str(&t->arena, why);

	if (!copy.p || !strmap_put(&t->unknown_versions, api_version, (char *)(uintptr_t)copy.p, NULL))
		return err_nomem(err);
	return 0;
}

const char *kc_resources_why_unknown(const struct kc_resources *t, str api_version)
{
	return strmap_get(&t->unknown_versions, api_version);
}

static int add(struct kc_resources *t, const struct kc_resource *r, struct err *err)
{
	CLEANUP(buf_done) struct buf key = BUF_INIT(4096);
	struct kc_resource *copy;

	make_key(&key, str_from(r->group), str_from(r->version), str_from(r->kind));
	if (buf_error(&key, "name of a kind", err) < 0)
		return -err->code;
	if (strmap_has(&t->by_kind, buf_str(&key)))
		return 0;
	if (t->list.n >= KC_RESOURCES_MAX)
		return err_set(err, E2BIG, "too many kinds (limit is %d)", KC_RESOURCES_MAX);
	copy = arena_alloc(&t->arena, sizeof(*copy));
	if (!copy)
		return err_nomem(err);
	*copy = *r;
	copy->group = arena_str(&t->arena, str_from(r->group)).p;
	copy->version = arena_str(&t->arena, str_from(r->version)).p;
	copy->kind = arena_str(&t->arena, str_from(r->kind)).p;
	copy->plural = arena_str(&t->arena, str_from(r->plural)).p;
	copy->short_names = arena_str(&t->arena, str_from(r->short_names ? r->short_names : "")).p;
	if (!copy->group || !copy->version || !copy->kind || !copy->plural || !copy->short_names ||
	    !vec_push(&t->list, copy) || !strmap_put(&t->by_kind, buf_str(&key), copy, NULL))
		return err_nomem(err);
	return 0;
}

int kc_resources_keep(struct kc_resources *t, const struct kc_resources *from, struct group_version gv, struct err *err)
{
	for (size_t i = 0; from && i < from->list.n; i++) {
		const struct kc_resource *r = from->list.p[i];

		if (!str_eq(gv.group, str_from(r->group)) || !str_eq(gv.version, str_from(r->version)))
			continue;
		int code = add(t, r, err);

		if (code < 0)
			return code;
	}
	return 0;
}

/* Whether @s is a name for a path or a query: text of a server becomes part of a request only then. */
static bool is_name(str s)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (c <= ' ' || c >= 0x7F || c == '/' || c == '%' || c == '?' || c == '#')
			return false;
	}
	return s.n <= 253;
}

static bool has_verb(val verbs, str verb)
{
	for (uint32_t i = 0; i < val_count(verbs); i++)
		if (foreign_is(foreign_of(val_at(verbs, i)), verb))
			return true;
	return false;
}

/* Join the names. Texts that are no names, and those beyond the maximum, are left out. */
static void join_names(val names, struct buf *out)
{
	for (uint32_t i = 0; i < val_count(names) && i < SHORT_NAMES_MAX; i++) {
		str name = foreign_name(val_at(names, i));

		if (name.n && is_name(name) && str_find_byte(name, ',') < 0)
			buf_printf(out, "%s%.*s", out->n ? "," : "", STR_ARG(name));
	}
}

/* Add a kind. @r: the members that both forms of discovery share. */
static int add_one(struct kc_resources *t, struct group_version gv, unsigned rank, str kind, str plural,
		   bool namespaced, val r, struct err *err)
{
	CLEANUP(buf_done) struct buf short_names = BUF_INIT(SHORT_NAMES_MAX * 256);
	CLEANUP(freep) char *group = str_dup(gv.group);
	CLEANUP(freep) char *version = str_dup(gv.version);
	CLEANUP(freep) char *kind_text = str_dup(kind);
	CLEANUP(freep) char *plural_text = str_dup(plural);
	val verbs = VAL_GET(r, "verbs"), names = VAL_GET(r, "shortNames");

	join_names(names, &short_names);
	if (!group || !version || !kind_text || !plural_text || buf_error(&short_names, "short names", err) < 0)
		return err_nomem(err);
	if (!kind.n || !plural.n || !gv.version.n || !is_name(gv.group) || !is_name(gv.version) || !is_name(kind) ||
	    !is_name(plural))
		return 0; /* subresources have a slash; other texts cannot be requested */
	return add(t,
		   &(struct kc_resource){
			   .group = group,
			   .version = version,
			   .kind = kind_text,
			   .plural = plural_text,
			   .namespaced = namespaced,
			   .can_list = has_verb(verbs, STR("list")),
			   .can_watch = has_verb(verbs, STR("watch")),
			   .rank = rank,
			   .short_names = short_names.n ? short_names.p : NULL,
		   },
		   err);
}

static int add_version(struct kc_resources *t, struct group_version gv, unsigned rank, val version, struct err *err)
{
	val list = VAL_GET(version, "resources");

	for (uint32_t i = 0; i < val_count(list); i++) {
		val r = val_at(list, i);
		struct foreign scope = foreign_of(VAL_GET(r, "scope"));
		int code = add_one(t, gv, rank, foreign_name(val_dig(r, "responseKind", "kind", NULL)),
				   foreign_name(VAL_GET(r, "resource")), foreign_is(scope, STR("Namespaced")), r, err);

		if (code < 0)
			return code;
	}
	return 0;
}

int kc_resources_add_aggregated(struct kc_resources *t, val list,
				int (*failed)(void *ctx, struct group_version gv, struct err *err), void *ctx,
				struct err *err)
{
	val groups = VAL_GET(list, "items");

	for (uint32_t i = 0; i < val_count(groups); i++) {
		val group = val_at(groups, i);
		val versions = VAL_GET(group, "versions");

		for (uint32_t j = 0; j < val_count(versions); j++) {
			val version = val_at(versions, j);
			struct group_version gv = { foreign_name(val_dig(group, "metadata", "name", NULL)),
						    foreign_name(VAL_GET(version, "version")) };
			int r = add_version(t, gv, j, version, err); /* versions come in order of preference */

			if (r == 0 && foreign_is(foreign_of(VAL_GET(version, "freshness")), STR("Stale")))
				r = failed(ctx, gv, err);
			if (r < 0)
				return r;
		}
	}
	return 0;
}

int kc_resources_add_list(struct kc_resources *t, val list, unsigned rank, struct err *err)
{
	struct group_version gv = group_version_of(foreign_name(VAL_GET(list, "groupVersion")));
	val resources = VAL_GET(list, "resources");

	for (uint32_t i = 0; i < val_count(resources); i++) {
		val r = val_at(resources, i);
		val namespaced = VAL_GET(r, "namespaced");
		int code = add_one(t, gv, rank, foreign_name(VAL_GET(r, "kind")), foreign_name(VAL_GET(r, "name")),
				   val_is_true(namespaced), r, err);

		if (code < 0)
			return code;
	}
	return 0;
}
