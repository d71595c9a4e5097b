/* Reads complete Kubernetes objects from files. */
#include "kubegen/kg_file.h"
#include "kubegen/kg_internal.h"
#include "kubegen/kg_objects.h"

#include <errno.h>

static const struct kg_field resource_fields[] = { { "path", KG_TEXT, true } };
static const struct kg_shape resource_shape = { resource_fields, ARRAY_LEN(resource_fields), NULL };

static void add_object(struct kg_make *m, val object, struct kg_items *to);

static void add_items(struct kg_make *m, val items, struct kg_items *to)
{
	for (uint32_t i = 0; m->r == 0 && i < items.n; i++) {
		const struct kg_place *at = kg_place_item(&m->e->arena, kg_place_of(items), i);
		val item = items.items[i];

		if (!at)
			kg_make_nomem(m);
		else if (!val_is_map(item))
			m->r = kg_error(m->e, at, "expected Object, got %s", kg_type_name(kg_type_of(item)));
		else
			add_object(m, item, to);
	}
}

/* Add an object, or the objects of a list. A list may have lists; the depth is bounded as for all documents. */
static void add_object(struct kg_make *m, val object, struct kg_items *to)
{
	static const char *const required[] = { "apiVersion", "kind" };
	val items = VAL_GET(object, "items");

	for (size_t i = 0; m->r == 0 && i < ARRAY_LEN(required); i++) {
		if (val_str(kg_get(object, required[i])).n == 0)
			kg_wrong(m, object, NULL, "%s is required in a complete object", required[i]);
	}
	if (m->r < 0)
		return;
	if (val_is_list(items) && str_has_suffix(val_str(VAL_GET(object, "kind")), STR("List")))
		add_items(m, items, to);
	else if (!vec_push(&to->v, object))
		kg_make_nomem(m);
}

void kg_resource(struct kg_make *m, val entry, struct kg_items *to)
{
	const struct kg_place *at;
	bool yaml;
	str path;
	val object = { 0 };

	if (!kg_check(m, entry, &resource_shape))
		return;
	path = kg_get_required(m, entry, "path");
	at = kg_place_member(&m->e->arena, kg_place_of(entry), key_make(m->e->keys, &m->e->arena, STR("path")));
	if (!at)
		kg_make_nomem(m);
	if (m->r == 0 && !kg_path_is_yaml(path, &yaml))
		kg_wrong(m, entry, "path", "unknown file extension '%.*s'", STR_ARG(kg_path_extension(path)));
	if (m->r == 0)
		m->r = kg_file_value(m->e, path, yaml, at, &object);
	if (m->r < 0 || !val_exists(object))
		return;
	if (!val_is_map(object))
		kg_wrong(m, entry, "path", "'%.*s': root of the document must be an object", STR_ARG(path));
	else
		add_object(m, object, to);
}
