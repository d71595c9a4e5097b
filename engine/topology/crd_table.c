/* The table is one map, by version and kind. */
#include "topology/crd_table.h"

#include "topology/crd.h"
#include "value/identity.h"

#include <errno.h>

void crd_table_init(struct crd_table *t)
{
	*t = (struct crd_table){ 0 };
	arena_init(&t->arena, 0, 0);
}

void crd_table_done(struct crd_table *t)
{
	strmap_done(&t->kinds);
	arena_done(&t->arena);
}

static int put(struct crd_table *t, str api_version, str kind, const struct crd_version *version, struct err *err)
{
	CLEANUP(buf_done) struct buf key = BUF_INIT(IDENTITY_BYTES_MAX);
	struct crd_version *copy;

	identity_kind_key(api_version, kind, &key);
	if (key.error == -E2BIG || strmap_has(&t->kinds, buf_str(&key)))
		return 0;
	copy = arena_alloc(&t->arena, sizeof(*copy));
	if (key.error || !copy || !strmap_put(&t->kinds, buf_str(&key), copy, NULL))
		return err_nomem(err);
	*copy = *version;
	return 0;
}

static int add_version(struct crd_table *t, val crd, val version, struct err *err)
{
	str group = val_str(val_dig(crd, "spec", "group", NULL)), name = val_str(VAL_GET(version, "name"));
	str kind = val_str(val_dig(crd, "spec", "names", "kind", NULL));
	str api_version = arena_printf(&t->arena, "%.*s/%.*s", STR_ARG(group), STR_ARG(name));
	struct crd_version v = { .crd = crd, .served = val_is_true(VAL_GET(version, "served")) };

	if (!api_version.p)
		return err_nomem(err);
	v.schema = crd_schema(crd, api_version, kind);
	v.namespaced = !str_eq(val_str(val_dig(crd, "spec", "scope", NULL)), STR("Cluster"));
	return put(t, api_version, kind, &v, err);
}

int crd_table_add(struct crd_table *t, val object, struct err *err)
{
	val versions = val_dig(object, "spec", "versions", NULL);
	int r = 0;

	if (!crd_is(object))
		return 0;
	for (uint32_t i = 0; val_is_list(versions) && i < versions.n && r == 0; i++)
		r = add_version(t, object, versions.items[i], err);
	return r;
}

const struct crd_version *crd_table_get(const struct crd_table *t, str api_version, str kind)
{
	return identity_kind_get(&t->kinds, api_version, kind);
}

val crd_table_schema(const struct crd_table *t, str api_version, str kind)
{
	const struct crd_version *v = crd_table_get(t, api_version, kind);

	return v ? v->schema : (val){ 0 };
}
