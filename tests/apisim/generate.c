/* Making objects and changes. */
#include "generate.h"

#include "write.h"

#include <inttypes.h>
#include <stdio.h>

#define COUNT_MAX 10000000
#define BYTES_MAX (64 << 20) /* of one object */
#define RATE_MAX 1000000.0
#define SECONDS_MAX 1000000.0
#define BURST 256u /* changes between two turns of the loop, so that watchers are served meanwhile */

struct generator {
	struct resource *res; /* a reference */
	char *ns;
	char *field; /* dotted path that is changed; NULL: an annotation */
	double rate; /* changes a second */
	uint64_t start_ms, end_ms;
	uint64_t done;
	uint64_t most;
	char *next_key; /* objects are changed in turn */
};

/* --- new objects --- */

static uint64_t next_random(uint64_t *state)
{
	uint64_t z = (*state += 0x9E3779B97F4A7C15u);

	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
	return z ^ (z >> 31);
}

static json_t *pod_spec(uint64_t *seed, size_t bytes)
{
	json_t *env = json_array();

	for (size_t at = 0, i = 0; at < bytes; at += 55, i++) {
		char name[32], value[40];

		(void)snprintf(name, sizeof(name), "VAR_%04zu", i);
		(void)snprintf(value, sizeof(value), "%016" PRIx64, next_random(seed));
		json_array_append_new(env, json_pack("{s:s, s:s}", "name", name, "value", value));
	}
	return json_pack("{s:[{s:s, s:s, s:o, s:{s:{s:s, s:s}}}], s:s}", "containers", "name", "main", "image",
			 "registry.example/app:1.0", "env", env, "resources", "limits", "cpu", "500m", "memory",
			 "128Mi", "restartPolicy", "Always");
}

static json_t *data_map(uint64_t *seed, size_t bytes)
{
	json_t *data = json_object();

	for (size_t at = 0, i = 0; at < bytes; at += 34, i++) {
		char key[32], value[40];

		/* Sixteen hexadecimal digits are valid base64 too, as Secrets need. */
		(void)snprintf(key, sizeof(key), "key-%06zu", i);
		(void)snprintf(value, sizeof(value), "%016" PRIx64, next_random(seed));
		json_object_set_new(data, key, json_string(value));
	}
	return data;
}

static void fill_body(json_t *obj, const struct resource *res, const char *app, uint64_t *seed, size_t bytes)
{
	if (strcmp(res->group, "apps") == 0) {
		json_object_set_new(obj, "spec",
				    json_pack("{s:i, s:{s:{s:s}}, s:{s:{s:{s:s}}, s:o}}", "replicas", 3, "selector",
					      "matchLabels", "app", app, "template", "metadata", "labels", "app", app,
					      "spec", pod_spec(seed, bytes)));
	} else if (strcmp(res->plural, "pods") == 0) {
		json_object_set_new(obj, "spec", pod_spec(seed, bytes));
		json_object_set_new(obj, "status", json_pack("{s:s}", "phase", "Running"));
	} else if (strcmp(res->plural, "configmaps") == 0 || strcmp(res->plural, "secrets") == 0) {
		json_object_set_new(obj, "data", data_map(seed, bytes));
	} else {
		json_object_set_new(obj, "spec",
				    json_pack("{s:i, s:o}", "replicas", 3, "settings", data_map(seed, bytes)));
	}
}

/* "object" of the command with the name put in, or one of our own making. */
static json_t *make_object(const struct resource *res, json_t *command, const char *name, const char *ns,
			   uint64_t *seed)
{
	json_t *given = json_object_get(command, "object");
	json_t *obj = given ? json_deep_copy(given) : json_object();
	json_t *meta = json_object_get(obj, "metadata");

	if (!meta) {
		meta = json_pack("{s:{s:s, s:s}}", "labels", "app", name, "apisim/generated", "true");
		json_object_set_new(obj, "metadata", meta);
	}
	json_object_set_new(obj, "apiVersion", json_string(res->api_version));
	json_object_set_new(obj, "kind", json_string(res->kind));
	json_object_set_new(meta, "name", json_string(name));
	if (res->namespaced)
		json_object_set_new(meta, "namespace", json_string(ns));
	if (!given)
		fill_body(obj, res, name, seed, (size_t)json_integer_value(json_object_get(command, "bytes")));
	return obj;
}

static int create_objects(struct sim *sim, const struct resource *res, json_t *command, const char *ns, size_t *created,
			  struct refusal *refusal)
{
	size_t count = (size_t)json_integer_value(json_object_get(command, "count"));
	size_t first = (size_t)json_integer_value(json_object_get(command, "first"));
	uint64_t seed = (uint64_t)json_integer_value(json_object_get(command, "seed"));
	const char *prefix = json_string_value(json_object_get(command, "prefix"));

	for (size_t i = 0; i < count; i++) {
		char name[256], key[640];
		json_auto_t *obj = NULL;

		(void)snprintf(name, sizeof(name), "%.200s%06zu", prefix ? prefix : "gen-", first + i);
		(void)snprintf(key, sizeof(key), "%s%s%s", res->namespaced ? ns : "", res->namespaced ? "/" : "", name);
		if (table_get(&res->table, str_from(key)))
			continue;
		obj = make_object(res, command, name, ns, &seed);
		if (!obj)
			return refuse_nomem(refusal);
		if (write_upsert(sim, obj, NULL, refusal) < 0)
			return -1;
		(*created)++;
	}
	return 0;
}

/* --- changes --- */

static void generator_free(struct generator *g)
{
	resource_unref(g->res);
	free(g->ns);
	free(g->field);
	free(g->next_key);
	free(g);
}

/* The value at the dotted path is counted up: numbers by one, anything else becomes text with a number. */
static void change_field(json_t *obj, const char *path, uint64_t n)
{
	str rest = str_from(path), part;
	json_t *at = obj;

	while (str_next_part(&rest, '.', &part)) {
		char key[256];
		json_t *next;

		(void)snprintf(key, sizeof(key), "%.*s", STR_ARG(part));
		next = json_object_get(at, key);
		if (!rest.p) {
			json_object_set_new(at, key,
					    json_is_integer(next) ? json_integer(json_integer_value(next) % 1000 + 1)
								  : json_sprintf("value-%" PRIu64, n));
			return;
		}
		if (!json_is_object(next)) {
			next = json_object();
			json_object_set_new(at, key, next);
		}
		at = next;
	}
}

static void change_annotation(json_t *obj, uint64_t n)
{
	json_t *meta = json_object_get(obj, "metadata"), *notes = json_object_get(meta, "annotations");

	if (!notes) {
		notes = json_object();
		json_object_set_new(meta, "annotations", notes);
	}
	json_object_set_new(notes, "apisim/touched", json_sprintf("%" PRIu64, n));
}

/* The object whose turn it is; NULL when there is none. */
static struct rev *next_object(struct generator *g)
{
	const struct table *t = &g->res->table;
	str prefix = str_from(g->ns);
	const struct object *o = table_seek(t, g->next_key ? str_from(g->next_key) : prefix);

	if (!o || !str_has_prefix(o->rev->key, prefix))
		o = table_seek(t, prefix);
	if (!o || !str_has_prefix(o->rev->key, prefix))
		return NULL;
	free(g->next_key);
	/* Behind this key, before any other: the key with a control byte at its end. */
	g->next_key = malloc(o->rev->key.n + 2);
	if (g->next_key)
		(void)snprintf(g->next_key, o->rev->key.n + 2, "%.*s\x01", STR_ARG(o->rev->key));
	return o->rev;
}

/* True while there is more to do. */
static bool change_one(struct sim *sim, struct generator *g)
{
	struct rev *rev = next_object(g);
	json_auto_t *obj = rev ? rev_parse(rev) : NULL;
	struct refusal refusal;

	if (!obj || g->res->gone)
		return false;
	g->done++;
	if (g->field)
		change_field(obj, g->field, g->done);
	else
		change_annotation(obj, g->done);
	return write_upsert(sim, obj, NULL, &refusal) == 0;
}

static bool generator_tick(struct sim *sim, struct generator *g, uint64_t now)
{
	uint64_t end = now < g->end_ms ? now : g->end_ms;
	uint64_t due = (uint64_t)(g->rate * (double)(end - g->start_ms) / 1000.0);

	if (due > g->most)
		due = g->most;
	for (unsigned i = 0; i < BURST && g->done < due; i++)
		if (!change_one(sim, g))
			return false;
	return g->done < due || (now < g->end_ms && g->done < g->most);
}

void generators_tick(struct sim *sim, uint64_t now)
{
	for (size_t i = 0; i < sim->generators.n;) {
		if (generator_tick(sim, sim->generators.p[i], now)) {
			i++;
			continue;
		}
		generator_free(sim->generators.p[i]);
		sim->generators.p[i] = sim->generators.p[--sim->generators.n];
	}
}

void generators_done(struct sim *sim)
{
	for (size_t i = 0; i < sim->generators.n; i++)
		generator_free(sim->generators.p[i]);
	vec_done(&sim->generators);
}

size_t generators_pending(const struct sim *sim)
{
	return sim->generators.n;
}

static int start_generator(struct sim *sim, struct resource *res, json_t *command, const char *ns,
			   struct refusal *refusal)
{
	const char *field = json_string_value(json_object_get(command, "field"));
	double seconds = json_number_value(json_object_get(command, "seconds"));
	json_t *changes = json_object_get(command, "changes");
	struct generator *g = calloc(1, sizeof(*g));

	if (!g)
		return refuse_nomem(refusal);
	g->res = resource_ref(res);
	g->rate = json_number_value(json_object_get(command, "rate"));
	g->start_ms = now_ms();
	g->end_ms = g->start_ms + (uint64_t)((seconds > 0 ? seconds : 10) * 1000);
	g->most = changes ? (uint64_t)json_integer_value(changes) : UINT64_MAX;
	g->ns = malloc(strlen(ns) + 2);
	if (g->ns)
		(void)snprintf(g->ns, strlen(ns) + 2, "%s%s", res->namespaced ? ns : "", res->namespaced ? "/" : "");
	g->field = field ? str_dup(str_from(field)) : NULL;
	if (g->ns && (g->field || !field) && vec_push(&sim->generators, g))
		return 0;
	generator_free(g);
	return refuse_nomem(refusal);
}

/* Absent numbers are 0. */
static bool in_range(json_t *command, const char *key, double max)
{
	double n = json_number_value(json_object_get(command, key));

	return n >= 0 && n <= max;
}

static int check_command(json_t *command, struct refusal *refusal)
{
	json_t *object = json_object_get(command, "object");
	json_t *meta = json_object_get(object, "metadata");

	if (!in_range(command, "count", COUNT_MAX) || !in_range(command, "first", COUNT_MAX) ||
	    !in_range(command, "bytes", BYTES_MAX) || !in_range(command, "rate", RATE_MAX) ||
	    !in_range(command, "seconds", SECONDS_MAX) || !in_range(command, "changes", 1e15))
		return refuse(refusal, 400, "BadRequest", "a number is out of range");
	if ((object && !json_is_object(object)) || (meta && !json_is_object(meta)))
		return refuse(refusal, 400, "BadRequest", "object is not an object");
	return 0;
}

int generate_command(struct sim *sim, json_t *command, size_t *created, struct refusal *refusal)
{
	const char *label = json_string_value(json_object_get(command, "resource"));
	const char *ns = json_string_value(json_object_get(command, "namespace"));
	struct resource *res = label ? resource_of_label(&sim->resources, label) : NULL;

	if (!res)
		return refuse(refusal, 400, "BadRequest", "unknown resource \"%s\"", label ? label : "");
	if (!ns)
		ns = "default";
	if (check_command(command, refusal) < 0)
		return -1;
	if (create_objects(sim, res, command, ns, created, refusal) < 0)
		return -1;
	if (json_number_value(json_object_get(command, "rate")) <= 0)
		return 0;
	return start_generator(sim, res, command, ns, refusal);
}
