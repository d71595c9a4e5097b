/* Makes the keys of objects, and finds objects by them. */
#include "value/identity.h"

struct group_version group_version_of(str api_version)
{
	ptrdiff_t slash = str_find_byte(api_version, '/');

	if (slash < 0)
		return (struct group_version){ STR(""), api_version };
	return (struct group_version){ str_sub(api_version, 0, (size_t)slash),
				       str_sub(api_version, (size_t)slash + 1, api_version.n) };
}

struct identity identity_of(val object)
{
	val metadata = VAL_GET(object, "metadata");

	return (struct identity){
		.api_version = val_str(VAL_GET(object, "apiVersion")),
		.kind = val_str(VAL_GET(object, "kind")),
		.namespace = val_str(VAL_GET(metadata, "namespace")),
		.name = val_str(VAL_GET(metadata, "name")),
	};
}

bool identity_eq(const struct identity *a, const struct identity *b)
{
	return str_eq(a->name, b->name) && str_eq(a->namespace, b->namespace) && str_eq(a->kind, b->kind) &&
	       str_eq(a->api_version, b->api_version);
}

void identity_text(const struct identity *id, struct buf *out)
{
	buf_add_str(out, id->api_version);
	buf_add_byte(out, '_');
	buf_add_str(out, id->kind);
	if (id->namespace.n) {
		buf_add_byte(out, '_');
		buf_add_str(out, id->namespace);
	}
	buf_add_byte(out, '_');
	buf_add_str(out, id->name);
}

/* A key on the stack: a longer key is in no map. @space has IDENTITY_BYTES_MAX + 1 bytes. */
static struct buf stack_key(char *space)
{
	return (struct buf){ .p = space, .cap = IDENTITY_BYTES_MAX + 1, .max = IDENTITY_BYTES_MAX }; /* never grows */
}

static void *get(const struct strmap *m, const struct buf *key)
{
	return key->error ? NULL : strmap_get(m, buf_str(key));
}

void *identity_get(const struct strmap *m, const struct identity *id)
{
	char space[IDENTITY_BYTES_MAX + 1];
	struct buf key = stack_key(space);

	identity_text(id, &key);
	return get(m, &key);
}

void *identity_remove(struct strmap *m, const struct identity *id)
{
	char space[IDENTITY_BYTES_MAX + 1];
	struct buf key = stack_key(space);

	identity_text(id, &key);
	return key.error ? NULL : strmap_remove(m, buf_str(&key));
}

void identity_kind_key(str api_version, str kind, struct buf *out)
{
	buf_add_str(out, api_version);
	buf_add_byte(out, '\0');
	buf_add_str(out, kind);
}

void *identity_kind_get(const struct strmap *m, str api_version, str kind)
{
	char space[IDENTITY_BYTES_MAX + 1];
	struct buf key = stack_key(space);

	identity_kind_key(api_version, kind, &key);
	return get(m, &key);
}

void identity_local_key(str namespace, str name, struct buf *out)
{
	buf_add_str(out, namespace);
	buf_add_byte(out, '/');
	buf_add_str(out, name);
}

void *identity_local_get(const struct index *x, str namespace, str name)
{
	char space[IDENTITY_BYTES_MAX + 1];
	struct buf key = stack_key(space);

	identity_local_key(namespace, name, &key);
	return key.error ? NULL : index_get(x, buf_str(&key));
}

/* The first slash ends the namespace, because a namespace can have none; in no cluster can a name have one. */
void identity_local_split(str key, str *namespace, str *name)
{
	ptrdiff_t slash = str_find_byte(key, '/');

	*namespace = str_sub(key, 0, slash < 0 ? 0 : (size_t)slash);
	*name = str_sub(key, (size_t)(slash + 1), key.n);
}
