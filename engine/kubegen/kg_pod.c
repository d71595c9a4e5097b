/* Makes pods, with their containers and volumes. */
#include "kubegen/kg_objects.h"

static const struct kg_field pod_fields[] = {
	{ "volumes", KG_MAPS, true },
	{ "initContainers", KG_MAPS, true },
	{ "containers", KG_MAPS, true },
	{ "restartPolicy", KG_TEXT, false },
	{ "terminationGracePeriodSeconds", KG_COUNT_ZERO, false },
	{ "activeDeadlineSeconds", KG_COUNT_ZERO, false },
	{ "dnsPolicy", KG_TEXT, false },
	{ "nodeSelector", KG_TEXT_MAP, false },
	{ "serviceAccountName", KG_TEXT, false },
	{ "nodeName", KG_TEXT, false },
	{ "hostNetwork", KG_FLAG, false },
	{ "hostPID", KG_FLAG, false },
	{ "hostIPC", KG_FLAG, false },
	{ "securityContext", KG_MAP, false },
	{ "hostname", KG_TEXT, false },
	{ "subdomain", KG_TEXT, false },
	{ "affinity", KG_MAP, false },
	{ "schedulerName", KG_TEXT, false },
	{ "imagePullSecrets", KG_TEXTS, true },
};
const struct kg_shape kg_pod_shape = { pod_fields, ARRAY_LEN(pod_fields), &kg_common_shape };

static const struct kg_field volume_fields[] = {
	{ "name", KG_TEXT, true },  { "hostPath", KG_MAP, true },  { "emptyDir", KG_MAP, true },
	{ "secret", KG_MAP, true }, { "configMap", KG_MAP, true }, { "persistentVolumeClaim", KG_MAP, true },
};
static const struct kg_shape volume_shape = { volume_fields, ARRAY_LEN(volume_fields), NULL };

/* ---- volumes ---- */

/* @source with its member @field, whose default is the volume's name. */
static val named_source(struct kg_make *m, val source, const char *field, str name)
{
	const struct key *key;
	val v = source;

	if (val_exists(kg_get(source, field)))
		return source;
	key = key_make(m->e->keys, &m->e->arena, str_from(field));
	if (key)
		v = val_map_with(&m->e->arena, source, key, val_string(name));
	if (!key || !val_exists(v))
		kg_make_nomem(m);
	return v;
}

static val make_volume(struct kg_make *m, val from, void *ctx)
{
	struct kg_object o = { .m = m };
	size_t sources = 0;
	str name;

	(void)ctx;
	if (!kg_check(m, from, &volume_shape))
		return (val){ 0 };
	name = kg_get_required(m, from, "name");
	kg_put(&o, "name", val_string(name));
	for (size_t i = 1; i < ARRAY_LEN(volume_fields); i++) {
		const char *field = volume_fields[i].name;
		val source = kg_get(from, field);

		if (!val_exists(source))
			continue;
		if (strcmp(field, "secret") == 0)
			source = named_source(m, source, "secretName", name);
		if (strcmp(field, "configMap") == 0)
			source = named_source(m, source, "name", name);
		kg_put(&o, field, source);
		sources++;
	}
	if (sources != 1)
		kg_wrong(m, from, NULL, "exactly one volume source is needed");
	return kg_object_val(&o);
}

static void add_name(struct kg_make *m, val volume, struct strmap *to)
{
	str name = val_str(kg_get(volume, "name"));

	if (m->r == 0 && !strmap_put(to, name, to, NULL))
		kg_make_nomem(m);
}

/* ---- the pod ---- */

static val make_container(struct kg_make *m, val from, void *ctx)
{
	return kg_container(m, from, ctx);
}

static val make_secret_name(struct kg_make *m, val from, void *ctx)
{
	struct kg_object o = { .m = m };

	(void)ctx;
	kg_put(&o, "name", from);
	return kg_object_val(&o);
}

static void put_containers(struct kg_object *o, val from, struct strmap *volumes)
{
	val containers = kg_get(from, "containers");

	if (val_count(containers) == 0)
		kg_wrong(o->m, from, val_exists(containers) ? "containers" : NULL,
			 "at least one container is required");
	kg_put_filled(o, "initContainers", kg_each(o->m, kg_get(from, "initContainers"), make_container, volumes));
	kg_put(o, "containers", kg_each(o->m, containers, make_container, volumes));
}

val kg_pod_spec(struct kg_make *m, val from, val claims)
{
	struct kg_object o = { .m = m };
	struct strmap volumes = { 0 };
	val list = kg_get(from, "volumes");

	for (uint32_t i = 0; i < val_count(list); i++)
		add_name(m, list.items[i], &volumes);
	for (uint32_t i = 0; i < val_count(claims); i++)
		add_name(m, kg_get(claims.items[i], "metadata"), &volumes);
	kg_put_filled(&o, "volumes", kg_each(m, list, make_volume, NULL));
	put_containers(&o, from, &volumes);
	strmap_done(&volumes);
	kg_carry(&o, from, &kg_pod_shape);
	kg_put_filled(&o, "imagePullSecrets", kg_each(m, kg_get(from, "imagePullSecrets"), make_secret_name, NULL));
	return kg_object_val(&o);
}
