/* Matching requests with rules of faults. */
#include "faults.h"

#include "http.h"
#include "watch.h"

#include <string.h>

static void fault_done(struct fault *fault)
{
	free(fault->path);
	free(fault->verb);
	free(fault->resource);
	free(fault->reason);
	free(fault->message);
}

void faults_done(struct faults *f)
{
	for (size_t i = 0; i < f->rules.n; i++)
		fault_done(&f->rules.p[i]);
	vec_done(&f->rules);
}

static bool covers_resource(const struct fault *fault, const char *label)
{
	const char *dot = strchr(label, '.');
	size_t n = dot ? (size_t)(dot - label) : strlen(label);

	if (!fault->resource || strcmp(fault->resource, label) == 0)
		return true;
	return !strchr(fault->resource, '.') && strlen(fault->resource) == n && strncmp(fault->resource, label, n) == 0;
}

static bool covers(const struct fault *fault, const struct request *req)
{
	char label[256] = "";

	if (fault->count == 0)
		return false;
	if (fault->path && strncmp(fault->path, req->path, strlen(fault->path)) != 0)
		return false;
	if (fault->verb && strcmp(fault->verb, req->verb) != 0)
		return false;
	if (fault->kind == FAULT_FUTURE && strcmp(req->verb, "list") != 0 && strcmp(req->verb, "watch") != 0)
		return false;
	if (req->res)
		resource_label(req->res, label, sizeof(label));
	return covers_resource(fault, label);
}

const struct fault *faults_take(struct faults *f, const struct request *req)
{
	for (size_t i = 0; i < f->rules.n;) {
		struct fault *fault = &f->rules.p[i];

		if (fault->count == 0) { /* used up by the request before */
			fault_done(fault);
			memmove(fault, fault + 1, (f->rules.n - i - 1) * sizeof(*fault));
			f->rules.n--;
			continue;
		}
		if (covers(fault, req)) {
			if (fault->count > 0)
				fault->count--;
			return fault;
		}
		i++;
	}
	return NULL;
}

bool faults_forbid(const struct faults *f, const char *verb, const char *resource)
{
	for (size_t i = 0; i < f->rules.n; i++) {
		const struct fault *fault = &f->rules.p[i];

		if (fault->kind == FAULT_STATUS && fault->status == 403 && fault->count < 0 && !fault->path &&
		    (!fault->verb || strcmp(fault->verb, verb) == 0) && covers_resource(fault, resource))
			return true;
	}
	return false;
}

static char *copy_text(json_t *command, const char *key, bool *ok)
{
	const char *text = json_string_value(json_object_get(command, key));
	char *copy;

	if (!text)
		return NULL;
	copy = str_dup(str_from(text));
	if (!copy)
		*ok = false;
	return copy;
}

/* "seconds" in milliseconds, within reason. */
static uint64_t stall_ms(json_t *command)
{
	double seconds = json_number_value(json_object_get(command, "seconds"));

	return seconds > 0 && seconds < 1e6 ? (uint64_t)(seconds * 1000) : 0;
}

static int add_rule(struct sim *sim, enum fault_kind kind, json_t *command, struct refusal *refusal)
{
	json_t *count = json_object_get(command, "count");
	bool ok = true;
	struct fault fault = {
		.kind = kind,
		.path = copy_text(command, "path", &ok),
		.verb = copy_text(command, "verb", &ok),
		.resource = copy_text(command, "resource", &ok),
		.reason = copy_text(command, "reason", &ok),
		.message = copy_text(command, "message", &ok),
		.count = json_is_integer(count) ? json_integer_value(count) : 1,
		.status = (int)json_integer_value(json_object_get(command, "status")),
		.retry_after = (unsigned)json_integer_value(json_object_get(command, "retryAfter")),
		.stall_ms = stall_ms(command),
	};

	if (kind == FAULT_STATUS && (fault.status < 200 || fault.status > 599)) {
		fault_done(&fault);
		return refuse(refusal, 400, "BadRequest", "a fault needs an action or a status from 200 to 599");
	}
	if (ok && vec_push(&sim->faults.rules, fault))
		return 0;
	fault_done(&fault);
	return refuse_nomem(refusal);
}

/* Whether an open watch is meant: "resource", "path" (prefix of its path) and "namespace" narrow it. */
static bool meant(json_t *command, const struct watch *w)
{
	const char *path = json_string_value(json_object_get(command, "path"));
	const char *ns = json_string_value(json_object_get(command, "namespace"));
	struct fault as_rule = { .resource = NULL };
	char label[256];

	as_rule.resource = (char *)(uintptr_t)json_string_value(json_object_get(command, "resource"));
	resource_label(watch_resource(w), label, sizeof(label));
	return covers_resource(&as_rule, label) && (!path || strncmp(watch_path(w), path, strlen(path)) == 0) &&
	       (!ns || strcmp(watch_namespace(w), ns) == 0);
}

static int act_on_watches(struct sim *sim, enum watch_action action, json_t *command, struct refusal *refusal)
{
	json_t *bytes = json_object_get(command, "bytes");
	uint64_t amount = (uint64_t)json_integer_value(bytes);

	if (action == WATCH_STALL)
		amount = stall_ms(command);
	if (action == WATCH_HUGE && amount > WATCH_HUGE_MAX)
		return refuse(refusal, 400, "BadRequest", "bytes is larger than %zu", WATCH_HUGE_MAX);
	for (size_t i = 0; i < sim->watches.n; i++)
		if (meant(command, sim->watches.p[i]) && !watch_act(sim->watches.p[i], action, amount))
			return refuse_nomem(refusal);
	return 0;
}

static void expire(struct sim *sim, json_t *command)
{
	const char *label = json_string_value(json_object_get(command, "resource"));
	struct resource *only = label ? resource_of_label(&sim->resources, label) : NULL;

	/* The version moves on, so that what a client last saw is really below the window. */
	sim->rv++;
	sim->expire_over_http = json_is_true(json_object_get(command, "http"));
	for (size_t i = 0; i < sim->resources.rows.n; i++)
		if (!label || sim->resources.rows.p[i] == only)
			table_forget(&sim->resources.rows.p[i]->table, sim->rv);
}

int faults_command(struct sim *sim, json_t *command, struct refusal *refusal)
{
	static const struct {
		const char *name;
		enum watch_action action;
	} watch_actions[] = {
		{ "close-watches", WATCH_CLOSE }, { "truncate", WATCH_TRUNCATE }, { "garbage", WATCH_GARBAGE },
		{ "huge", WATCH_HUGE },           { "stall", WATCH_STALL },       { "error", WATCH_ERROR },
	};
	const char *action = json_string_value(json_object_get(command, "action"));

	if (!action)
		return add_rule(sim, FAULT_STATUS, command, refusal);
	if (strcmp(action, "drop") == 0)
		return add_rule(sim, FAULT_DROP, command, refusal);
	if (strcmp(action, "too-large-resource-version") == 0)
		return add_rule(sim, FAULT_FUTURE, command, refusal);
	if (strcmp(action, "stall") == 0 && json_object_get(command, "count"))
		return add_rule(sim, FAULT_STALL, command, refusal);
	if (strcmp(action, "expire") == 0) {
		expire(sim, command);
		return 0;
	}
	if (strcmp(action, "forget-continue") == 0) {
		sim->continue_epoch++;
		return 0;
	}
	for (size_t i = 0; i < ARRAY_LEN(watch_actions); i++)
		if (strcmp(watch_actions[i].name, action) == 0)
			return act_on_watches(sim, watch_actions[i].action, command, refusal);
	return refuse(refusal, 400, "BadRequest", "unknown action \"%s\"", action);
}
