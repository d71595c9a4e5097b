/* Generates containers from their shorthand. */
#include "base/buf.h"
#include "kubegen/kg_internal.h"
#include "kubegen/kg_objects.h"
#include "text/quantity.h"

#include <errno.h>

static const struct kg_field container_fields[] = {
	{ "name", KG_TEXT, false },
	{ "image", KG_TEXT, false },
	{ "command", KG_TEXTS, false },
	{ "args", KG_TEXTS, false },
	{ "env", KG_TEXT_MAP, true },
	{ "ports", KG_MAPS, true },
	{ "resources", KG_MAP, true },
	{ "volumeMounts", KG_MAPS, false },
	{ "livenessProbe", KG_MAP, true },
	{ "readinessProbe", KG_MAP, true },
	{ "lifecycle", KG_MAP, true },
	{ "terminationMessagePath", KG_TEXT, false },
	{ "terminationMessagePolicy", KG_TEXT, false },
	{ "imagePullPolicy", KG_TEXT, false },
	{ "securityContext", KG_MAP, false },
	{ "stdin", KG_FLAG, false },
	{ "stdinOnce", KG_FLAG, false },
	{ "tty", KG_FLAG, false },
	{ "workDir", KG_TEXT, true },
	{ "workingDir", KG_TEXT, true },
};
static const struct kg_shape container_shape = { container_fields, ARRAY_LEN(container_fields), NULL };

static const struct kg_field port_fields[] = {
	{ "name", KG_TEXT, true },      { "containerPort", KG_COUNT, false }, { "hostPort", KG_COUNT, false },
	{ "protocol", KG_TEXT, false }, { "hostIP", KG_TEXT, false },
};
static const struct kg_shape port_shape = { port_fields, ARRAY_LEN(port_fields), NULL };

static const struct kg_field resources_fields[] = { { "limits", KG_MAP, true }, { "requests", KG_MAP, true } };
static const struct kg_shape resources_shape = { resources_fields, ARRAY_LEN(resources_fields), NULL };

/* ---- ports ---- */

str kg_port_name(val container, val port)
{
	str name = val_str(kg_get(port, "name"));

	if (name.n == 0 && val_count(kg_get(container, "ports")) == 1)
		name = val_str(kg_get(container, "name"));
	return name;
}

static val make_port(struct kg_make *m, val from, void *ctx)
{
	struct kg_object o = { .m = m };
	str name = kg_port_name(*(const val *)ctx, from);

	if (!kg_check(m, from, &port_shape))
		return (val){ 0 };
	if (kg_get_count(from, "containerPort") == 0)
		kg_wrong(m, from, NULL, "containerPort is required");
	kg_carry(&o, from, &port_shape);
	if (name.n)
		kg_put(&o, "name", val_string(name));
	return kg_object_val(&o);
}

/* ---- resources ---- */

/* The text of a quantity, which may be written as a number. */
static val quantity(struct kg_make *m, val v, const struct kg_place *at)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(1u << 16);
	struct quantity q;
	struct err why;
	val ret = v;
	int r;

	if (val_is_number(v)) {
		r = kg_json(m->e, v, &text, at);
		ret = val_string(arena_str(&m->e->arena, buf_str(&text)));
		if (r < 0 || text.error || !ret.s)
			kg_make_nomem(m);
	} else if (!val_is_string(v)) {
		m->r = kg_error(m->e, at, "expected String, got %s", kg_type_name(kg_type_of(v)));
	}
	r = m->r == 0 ? quantity_parse(val_str(ret), &m->e->arena, &q, &why) : 0;
	if (r == -ENOMEM)
		kg_make_nomem(m);
	else if (r < 0)
		m->r = kg_error(m->e, at, "invalid quantity '%.*s': %s", STR_ARG(val_str(ret)), why.msg);
	return m->r == 0 ? ret : (val){ 0 };
}

static val quantities(struct kg_make *m, val from)
{
	struct member *members = arena_array(&m->e->arena, val_count(from), sizeof(*members));
	uint32_t n = 0;

	if (!members) {
		kg_make_nomem(m);
		return (val){ 0 };
	}
	for (uint32_t i = 0; m->r == 0 && i < val_count(from); i++) {
		const struct key *key = from.members[i].key;
		const struct kg_place *at = kg_place_member(&m->e->arena, kg_place_of(from), key);

		if (!at)
			kg_make_nomem(m);
		else if (!val_is_null(from.members[i].value))
			members[n++] = (struct member){ key, quantity(m, from.members[i].value, at) };
	}
	return m->r == 0 ? val_map_sorted(members, n) : (val){ 0 };
}

static val make_resources(struct kg_make *m, val from)
{
	struct kg_object o = { .m = m };

	if (!val_exists(from) || !kg_check(m, from, &resources_shape))
		return (val){ 0 };
	kg_put_filled(&o, "limits", quantities(m, kg_get(from, "limits")));
	kg_put_filled(&o, "requests", quantities(m, kg_get(from, "requests")));
	return kg_object_val(&o);
}

/* ---- the container ---- */

static void check_mounts(struct kg_make *m, val mounts, const struct strmap *volumes)
{
	for (uint32_t i = 0; m->r == 0 && i < val_count(mounts); i++) {
		str name = kg_get_required(m, mounts.items[i], "name");

		if (m->r == 0 && !strmap_has(volumes, name))
			kg_wrong(m, mounts.items[i], "name", "no such volume '%.*s'", STR_ARG(name));
	}
}

val kg_container(struct kg_make *m, val from, const struct strmap *volumes)
{
	struct kg_object o = { .m = m };

	if (!kg_check(m, from, &container_shape))
		return (val){ 0 };
	(void)kg_get_required(m, from, "name");
	check_mounts(m, kg_get(from, "volumeMounts"), volumes);
	kg_carry(&o, from, &container_shape);
	kg_put(&o, "workingDir", kg_get_either(m, from, "workDir", "workingDir"));
	kg_put_filled(&o, "env", kg_names_and_values(m, kg_get_texts(m, from, "env")));
	kg_put_filled(&o, "ports", kg_each(m, kg_get(from, "ports"), make_port, &from));
	kg_put_filled(&o, "resources", make_resources(m, kg_get(from, "resources")));
	kg_put(&o, "livenessProbe", kg_probe(m, kg_get(from, "livenessProbe"), from));
	kg_put(&o, "readinessProbe", kg_probe(m, kg_get(from, "readinessProbe"), from));
	kg_put_filled(&o, "lifecycle", kg_lifecycle(m, kg_get(from, "lifecycle"), from));
	return kg_object_val(&o);
}
