/* What the control endpoint does to the simulator. */
#include "control.h"

#include "generate.h"
#include "route.h"
#include "watch.h"
#include "write.h"

static int load_one(struct sim *sim, json_t *obj, const char *manager, size_t *loaded, struct refusal *refusal)
{
	json_t *items = json_object_get(obj, "items");
	const char *kind = json_string_value(json_object_get(obj, "kind"));
	str list = str_from(kind ? kind : "");
	size_t i;
	json_t *item;

	if (!json_is_array(items) || !str_has_suffix(list, STR("List"))) {
		if (write_upsert(sim, obj, manager, refusal) < 0)
			return -1;
		(*loaded)++;
		return 0;
	}
	json_array_foreach(items, i, item)
	{
		if (write_upsert(sim, item, manager, refusal) < 0)
			return -1;
		(*loaded)++;
	}
	return 0;
}

static str skip(str s, const char *bytes)
{
	size_t n = 0;

	while (n < s.n && s.p[n] && strchr(bytes, s.p[n]))
		n++;
	return str_sub(s, n, s.n);
}

int load_text(struct sim *sim, str text, const char *manager, size_t *loaded, struct refusal *refusal)
{
	const char *space = " \t\r\n";
	str rest = skip(text, space);

	/* An array is read element by element, so that a large one is never a tree in memory. */
	if (rest.n && rest.p[0] == '[') {
		space = " \t\r\n,]";
		rest = str_sub(rest, 1, rest.n);
	}
	for (rest = skip(rest, space); rest.n; rest = skip(rest, space)) {
		json_error_t e;
		json_auto_t *obj = json_loadb(rest.p, rest.n, JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL, &e);

		if (!obj)
			return refuse(refusal, 400, "BadRequest", "object %zu: line %d: %s", *loaded + 1, e.line,
				      e.text);
		if (load_one(sim, obj, manager, loaded, refusal) < 0)
			return -1;
		rest = str_sub(rest, (size_t)e.position, rest.n);
	}
	return 0;
}

static enum MHD_Result serve_load(struct request *req)
{
	struct refusal refusal;
	size_t loaded = 0;

	if (load_text(req->sim, buf_str(&req->body), http_query(req, "fieldManager"), &loaded, &refusal) < 0)
		return http_refusal(req, &refusal);
	return http_json(
		req, 200,
		json_pack("{s:I, s:I}", "loaded", (json_int_t)loaded, "resourceVersion", (json_int_t)req->sim->rv));
}

static enum MHD_Result serve_fault(struct request *req)
{
	json_auto_t *command = NULL;
	struct refusal refusal;

	if (http_body(req, &command, &refusal) < 0 || faults_command(req->sim, command, &refusal) < 0)
		return http_refusal(req, &refusal);
	return http_json(req, 200, json_pack("{s:b}", "ok", 1));
}

static enum MHD_Result serve_generate(struct request *req)
{
	json_auto_t *command = NULL;
	struct refusal refusal;
	size_t created = 0;

	if (http_body(req, &command, &refusal) < 0 || generate_command(req->sim, command, &created, &refusal) < 0)
		return http_refusal(req, &refusal);
	return http_json(
		req, 200,
		json_pack("{s:I, s:I}", "created", (json_int_t)created, "resourceVersion", (json_int_t)req->sim->rv));
}

static json_t *objects_json(const struct sim *sim)
{
	json_t *out = json_object();

	for (size_t i = 0; i < sim->resources.rows.n; i++) {
		const struct resource *res = sim->resources.rows.p[i];
		char label[256];

		resource_label(res, label, sizeof(label));
		if (res->table.n)
			json_object_set_new(out, label, json_integer((json_int_t)res->table.n));
	}
	return out;
}

static enum MHD_Result serve_stats(struct request *req)
{
	json_t *out = stats_json(&req->sim->stats, req->sim->watches.n, req->sim->rv);

	json_object_set_new(out, "generators", json_integer((json_int_t)generators_pending(req->sim)));
	json_object_set_new(out, "objects", objects_json(req->sim));
	return http_json(req, 200, out);
}

static enum MHD_Result serve_reset(struct request *req)
{
	struct refusal refusal;

	if (sim_reset(req->sim) == 0)
		return http_json(req, 200, json_pack("{s:b}", "ok", 1));
	(void)refuse_nomem(&refusal);
	return http_refusal(req, &refusal);
}

enum MHD_Result control_serve(struct request *req, const char *what)
{
	static const struct {
		const char *method, *what;
		enum MHD_Result (*fn)(struct request *req);
	} rows[] = {
		{ "POST", "load", serve_load },         { "POST", "fault", serve_fault },
		{ "POST", "generate", serve_generate }, { "GET", "stats", serve_stats },
		{ "POST", "reset", serve_reset },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (strcmp(rows[i].method, req->method) == 0 && strcmp(rows[i].what, what) == 0)
			return rows[i].fn(req);
	return http_not_found(req);
}
