/* Generates probes and handlers from their shorthand. */
#include "kubegen/kg_objects.h"

static const struct kg_field exec_fields[] = { { "command", KG_TEXTS, false } };
static const struct kg_shape exec_shape = { exec_fields, ARRAY_LEN(exec_fields), NULL };

static const struct kg_field port_fields[] = { { "port", KG_COUNT, true }, { "portName", KG_TEXT, true } };
static const struct kg_shape port_shape = { port_fields, ARRAY_LEN(port_fields), NULL };

static const struct kg_field http_fields[] = {
	{ "path", KG_TEXT, false },       { "host", KG_TEXT, false },           { "scheme", KG_TEXT, false },
	{ "headers", KG_TEXT_MAP, true }, { "httpHeaders", KG_TEXT_MAP, true },
};
static const struct kg_shape http_shape = { http_fields, ARRAY_LEN(http_fields), &port_shape };

static const struct kg_field handler_fields[] = {
	{ "exec", KG_MAP, true },
	{ "httpGet", KG_MAP, true },
	{ "tcpSocket", KG_MAP, true },
};
static const struct kg_shape handler_shape = { handler_fields, ARRAY_LEN(handler_fields), NULL };

static const struct kg_field probe_fields[] = {
	{ "initialDelaySeconds", KG_COUNT, false }, { "timeoutSeconds", KG_COUNT, false },
	{ "periodSeconds", KG_COUNT, false },       { "successThreshold", KG_COUNT, false },
	{ "failureThreshold", KG_COUNT, false },
};
static const struct kg_shape probe_shape = { probe_fields, ARRAY_LEN(probe_fields), &handler_shape };

static const struct kg_field lifecycle_fields[] = { { "postStart", KG_MAP, true }, { "preStop", KG_MAP, true } };
static const struct kg_shape lifecycle_shape = { lifecycle_fields, ARRAY_LEN(lifecycle_fields), NULL };

/* The first port of the container, which a handler uses when it has no port of its own. */
static val first_port(struct kg_make *m, val from, val container)
{
	val ports = kg_get(container, "ports"), port = val_at(ports, 0);
	str name = kg_port_name(container, port);

	if (val_count(ports) == 0)
		kg_wrong(m, from, NULL, "port or portName is required in a container without ports");
	return name.n ? val_string(name) : kg_get(port, "containerPort");
}

static val handler_port(struct kg_make *m, val from, val container)
{
	int64_t port = kg_get_count(from, "port");
	str name = val_str(kg_get(from, "portName"));

	if (port && name.n)
		kg_wrong(m, from, "portName", "ambiguous: port and portName are both given");
	if (port)
		return val_int(port);
	return name.n ? val_string(name) : first_port(m, from, container);
}

static val http_get(struct kg_make *m, val from, val container)
{
	struct kg_object o = { .m = m };

	if (!kg_check(m, from, &http_shape))
		return (val){ 0 };
	(void)kg_get_either(m, from, "headers", "httpHeaders");
	kg_carry(&o, from, &http_shape);
	kg_put(&o, "port", handler_port(m, from, container));
	kg_put_filled(&o, "httpHeaders", kg_names_and_values(m, kg_get_texts(m, from, "headers")));
	kg_put_filled(&o, "httpHeaders", kg_names_and_values(m, kg_get_texts(m, from, "httpHeaders")));
	return kg_object_val(&o);
}

static val tcp_socket(struct kg_make *m, val from, val container)
{
	struct kg_object o = { .m = m };

	if (kg_check(m, from, &port_shape))
		kg_put(&o, "port", handler_port(m, from, container));
	return kg_object_val(&o);
}

static val exec(struct kg_make *m, val from)
{
	struct kg_object o = { .m = m };

	if (kg_check(m, from, &exec_shape))
		kg_carry(&o, from, &exec_shape);
	return kg_object_val(&o);
}

/* Put the one handler that @from has. */
static void put_handler(struct kg_object *o, val from, val container)
{
	val command = kg_get(from, "exec"), http = kg_get(from, "httpGet"), tcp = kg_get(from, "tcpSocket");

	if (val_exists(command) + val_exists(http) + val_exists(tcp) != 1) {
		kg_wrong(o->m, from, NULL, "exactly one handler is needed: exec, httpGet or tcpSocket");
		return;
	}
	if (val_exists(command))
		kg_put(o, "exec", exec(o->m, command));
	else if (val_exists(http))
		kg_put(o, "httpGet", http_get(o->m, http, container));
	else
		kg_put(o, "tcpSocket", tcp_socket(o->m, tcp, container));
}

val kg_probe(struct kg_make *m, val from, val container)
{
	struct kg_object o = { .m = m };

	if (!val_exists(from) || !kg_check(m, from, &probe_shape))
		return (val){ 0 };
	kg_carry(&o, from, &probe_shape);
	put_handler(&o, from, container);
	return kg_object_val(&o);
}

static val handler(struct kg_make *m, val from, val container)
{
	struct kg_object o = { .m = m };

	if (!val_exists(from) || !kg_check(m, from, &handler_shape))
		return (val){ 0 };
	put_handler(&o, from, container);
	return kg_object_val(&o);
}

val kg_lifecycle(struct kg_make *m, val from, val container)
{
	struct kg_object o = { .m = m };

	if (!val_exists(from) || !kg_check(m, from, &lifecycle_shape))
		return (val){ 0 };
	kg_put(&o, "postStart", handler(m, kg_get(from, "postStart"), container));
	kg_put(&o, "preStop", handler(m, kg_get(from, "preStop"), container));
	return kg_object_val(&o);
}
