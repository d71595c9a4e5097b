/* Generates Services from their shorthand. */
#include "kubegen/kg_objects.h"

static const struct kg_field service_fields[] = {
	{ "selector", KG_TEXT_MAP, true },
	{ "ports", KG_MAPS, true },
	{ "type", KG_TEXT, false },
	{ "clusterIP", KG_TEXT, false },
	{ "externalIPs", KG_TEXTS, false },
	{ "externalName", KG_TEXT, false },
	{ "sessionAffinity", KG_TEXT, false },
	{ "loadBalancerIP", KG_TEXT, false },
	{ "loadBalancerSourceRanges", KG_TEXTS, false },
};
static const struct kg_shape service_shape = { service_fields, ARRAY_LEN(service_fields), &kg_common_shape };

static const struct kg_field port_fields[] = {
	{ "name", KG_TEXT, false },       { "port", KG_COUNT, true },          { "protocol", KG_TEXT, false },
	{ "targetPort", KG_COUNT, true }, { "targetPortName", KG_TEXT, true }, { "nodePort", KG_COUNT, false },
};
static const struct kg_shape port_shape = { port_fields, ARRAY_LEN(port_fields), NULL };

/* The place where a port of a service is searched. */
struct search {
	val manifest;
	str service;
};

/* The ports of one name in the workloads of one name. */
struct named_port {
	size_t found;
	int64_t number; /* the number of the last one that was found */
};

/* The key of a port. It begins with the length of the workload's name, so that no two pairs have the same key. */
static str port_key(struct kg_make *m, str workload, str port)
{
	str key = arena_printf(&m->e->arena, "%zu %.*s %.*s", workload.n, STR_ARG(workload), STR_ARG(port));

	if (!key.p)
		kg_make_nomem(m);
	return key;
}

static void index_port(struct kg_make *m, str workload, str name, int64_t number)
{
	str key = port_key(m, workload, name);
	struct named_port *p = key.p ? strmap_get(&m->ports, key) : NULL;

	if (key.p && !p) {
		p = arena_zalloc(&m->e->arena, sizeof(*p));
		if (!p || !strmap_put(&m->ports, key, p, NULL))
			kg_make_nomem(m);
	}
	if (m->r < 0)
		return;
	p->found++;
	p->number = number;
}

static void index_workload(struct kg_make *m, val workload)
{
	val containers = kg_get(workload, "containers");

	for (uint32_t i = 0; i < val_count(containers); i++) {
		val container = val_at(containers, i), ports = kg_get(container, "ports");

		for (uint32_t k = 0; m->r == 0 && k < val_count(ports); k++)
			index_port(m, val_str(kg_get(workload, "name")), kg_port_name(container, val_at(ports, k)),
				   kg_get_count(val_at(ports, k), "containerPort"));
	}
}

/* Index the ports of a manifest, because all of its services search in the same workloads. */
static void index_ports(struct kg_make *m, val manifest)
{
	static const struct kg_kind *const kinds[] = { &kg_deployment, &kg_replica_set, &kg_daemon_set,
						       &kg_stateful_set };

	m->ports_indexed = true;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		val workloads = kg_get(manifest, kinds[i]->list);

		for (uint32_t k = 0; m->r == 0 && k < val_count(workloads); k++)
			index_workload(m, val_at(workloads, k));
	}
}

/* The containerPort of that name in the workloads that have the name of the service. */
static int64_t find_port(struct kg_make *m, const struct search *s, str name, val from)
{
	const struct named_port *p;
	str key = port_key(m, s->service, name);

	if (!m->ports_indexed)
		index_ports(m, s->manifest);
	if (m->r < 0)
		return 0;
	p = strmap_get(&m->ports, key);
	if (p && p->found == 1)
		return p->number;
	kg_wrong(m, from, NULL, "%s ports named '%.*s' in the workloads called '%.*s'; give the port's number",
		 p ? "too many" : "no", STR_ARG(name), STR_ARG(s->service));
	return 0;
}

static int64_t port_number(struct kg_make *m, const struct search *s, int64_t target, str name, val from)
{
	int64_t port = kg_get_count(from, "port");

	if (port)
		return port;
	if (target)
		return target;
	if (name.n)
		return find_port(m, s, name, from);
	kg_wrong(m, from, NULL, "port or name is required");
	return 0;
}

static val make_port(struct kg_make *m, val from, void *ctx)
{
	struct kg_object o = { .m = m };
	int64_t target = kg_get_count(from, "targetPort");
	str name = val_str(kg_get(from, "targetPortName"));

	if (!kg_check(m, from, &port_shape))
		return (val){ 0 };
	if (target && name.n)
		kg_wrong(m, from, "targetPortName", "ambiguous: targetPort and targetPortName are both given");
	if (name.n == 0)
		name = val_str(kg_get(from, "name"));
	kg_carry(&o, from, &port_shape);
	kg_put(&o, "port", val_int(port_number(m, ctx, target, name, from)));
	if (target)
		kg_put(&o, "targetPort", val_int(target));
	else if (name.n)
		kg_put(&o, "targetPort", val_string(name));
	return kg_object_val(&o);
}

static bool has_node_port(val ports)
{
	for (uint32_t i = 0; i < val_count(ports); i++) {
		if (kg_get_count(ports.items[i], "nodePort"))
			return true;
	}
	return false;
}

static val make_service(struct kg_make *m, const struct kg_kind *kind, val from, val manifest)
{
	struct kg_object o = { .m = m }, spec = { .m = m };
	struct search search = { .manifest = manifest, .service = val_str(kg_get(from, "name")) };
	val ports = kg_get(from, "ports"), selector = kg_get_texts(m, from, "selector");

	kg_put_head(&o, "v1", kind->kind, from);
	kg_carry(&spec, from, &service_shape);
	if (!val_exists(kg_get(from, "type")) && has_node_port(ports))
		kg_put_text(&spec, "type", "NodePort");
	kg_put(&spec, "selector", val_count(selector) ? selector : kg_labels(m, from));
	kg_put_filled(&spec, "ports", kg_each(m, ports, make_port, &search));
	kg_put(&o, "spec", kg_object_val(&spec));
	return kg_object_val(&o);
}

const struct kg_kind kg_service = { "Services", "Service", &service_shape, make_service };
