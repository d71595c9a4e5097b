/* One map, by version and kind. */
#include "daemon/compare/schemas.h"

#include "rules/crd_schema.h"
#include "value/identity.h"

#include <errno.h>

void compare_schemas_init(struct compare_schemas *s)
{
	*s = (struct compare_schemas){ 0 };
	arena_init(&s->arena, 0, 0);
}

void compare_schemas_done(struct compare_schemas *s)
{
	strmap_done(&s->kinds);
	arena_done(&s->arena);
}

static int put(struct compare_schemas *s, str api_version, str kind, val schema, struct err *err)
{
	CLEANUP(buf_done) struct buf key = BUF_INIT(IDENTITY_BYTES_MAX);
	val *copy;

	identity_kind_key(api_version, kind, &key);
	if (key.error == -E2BIG || strmap_has(&s->kinds, buf_str(&key)))
		return 0;
	copy = arena_alloc(&s->arena, sizeof(*copy));
	if (key.error || !copy || !strmap_put(&s->kinds, buf_str(&key), copy, NULL))
		return err_nomem(err);
	*copy = schema;
	return 0;
}

static int add_version(struct compare_schemas *s, val crd, str version, struct err *err)
{
	str group = val_str(val_dig(crd, "spec", "group", NULL));
	str kind = val_str(val_dig(crd, "spec", "names", "kind", NULL));
	str api_version = arena_printf(&s->arena, "%.*s/%.*s", STR_ARG(group), STR_ARG(version));
	val schema = api_version.p ? crd_schema(crd, api_version, kind) : (val){ 0 };

	if (!api_version.p)
		return err_nomem(err);
	return val_exists(schema) ? put(s, api_version, kind, schema, err) : 0;
}

int compare_schemas_add(struct compare_schemas *s, val object, struct err *err)
{
	val versions = val_dig(object, "spec", "versions", NULL);
	int r = 0;

	if (!crd_is(object))
		return 0;
	for (uint32_t i = 0; i < val_count(versions) && r == 0; i++)
		r = add_version(s, object, val_str(VAL_GET(val_at(versions, i), "name")), err);
	return r;
}

val compare_schemas_get(const struct compare_schemas *s, str api_version, str kind)
{
	const val *schema = identity_kind_get(&s->kinds, api_version, kind);

	return schema ? *schema : (val){ 0 };
}
