/* Matching requests with rules of faults. */
#include "faults.h"

#include "http.h"
#include "watch.h"

#include <string.h>

/* The name of each kind in a command, and the verbs it can be for. */
static const struct {
	const char *action; /* NULL: told by its members */
	const char *verbs;  /* NULL: any; "": it is not for requests */
} rows[] = {
	[FAULT_STATUS] = { NULL, NULL },
	[FAULT_ANSWER] = { NULL, NULL },
	[FAULT_STALL] = { NULL, NULL },
	[FAULT_DROP] = { "drop", NULL },
	[FAULT_FUTURE] = { "too-large-resource-version", "list watch" },
	[FAULT_SHAPE] = { "body", NULL },
	[FAULT_REPEAT] = { "repeat-continue", "list" },
	[FAULT_ENDLESS] = { "endless-list", "list" },
	[FAULT_ITEM] = { "item", "list" },
	[FAULT_PLAIN] = { "ignore-initial-events", "watch" },
	[FAULT_NO_MARK] = { "no-end-mark", "watch" },
	[FAULT_STALE] = { "stale", "" },
	[FAULT_HIDE] = { "hide", "" },
};
_Static_assert(ARRAY_LEN(rows) == FAULT_KINDS, "ORDER enum fault_kind");

static void fault_done(struct fault *fault)
{
	free(fault->path);
	free(fault->verb);
	free(fault->resource);
	free(fault->reason);
	free(fault->message);
	free(fault->text);
	free(fault->type);
	free(fault->location);
	free(fault->group);
	free(fault->version);
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
	const char *verbs = rows[fault->kind].verbs;
	char label[256] = "";

	if (fault->path && strncmp(fault->path, req->path, strlen(fault->path)) != 0)
		return false;
	if ((fault->verb && strcmp(fault->verb, req->verb) != 0) || (verbs && !strstr(verbs, req->verb)))
		return false;
	if (req->res)
		resource_label(req->res, label, sizeof(label));
	return covers_resource(fault, label);
}

/* What was used up by the requests before, or has had its time, goes. */
static void forget_used(struct faults *f)
{
	uint64_t now = now_ms();
	size_t kept = 0;

	for (size_t i = 0; i < f->rules.n; i++) {
		struct fault *fault = &f->rules.p[i];

		if (fault->count == 0 || (fault->until_ms && now >= fault->until_ms))
			fault_done(fault);
		else
			f->rules.p[kept++] = *fault;
	}
	f->rules.n = kept;
}

static const struct fault *take(struct fault *fault)
{
	if (fault->count > 0)
		fault->count--;
	return fault;
}

const struct fault *faults_take(struct faults *f, const struct request *req)
{
	forget_used(f);
	for (size_t i = 0; i < f->rules.n; i++) {
		struct fault *fault = &f->rules.p[i];

		if (!covers(fault, req))
			continue;
		if (fault->after <= 0)
			return take(fault);
		fault->after--;
	}
	return NULL;
}

const struct fault *faults_take_group(struct faults *f, enum fault_kind kind, const char *group, const char *version)
{
	forget_used(f);
	for (size_t i = 0; i < f->rules.n; i++) {
		struct fault *fault = &f->rules.p[i];

		if (fault->kind == kind && (!fault->group || strcmp(fault->group, group) == 0) &&
		    (!fault->version || !version || strcmp(fault->version, version) == 0))
			return take(fault);
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

/* A number of seconds in milliseconds, within reason. */
static uint64_t milliseconds(json_t *command, const char *key)
{
	double seconds = json_number_value(json_object_get(command, key));

	return seconds > 0 && seconds < 1e6 ? (uint64_t)(seconds * 1000) : 0;
}

static uint64_t number(json_t *command, const char *key)
{
	json_int_t n = json_integer_value(json_object_get(command, key));

	return n > 0 ? (uint64_t)n : 0;
}

/* False when "cut" is none of the words. */
static bool read_shape(json_t *command, struct body_shape *ret)
{
	static const char *const cuts[] = {
		[BODY_END] = "end", [BODY_CLOSE] = "close", [BODY_FIN] = "fin", [BODY_RST] = "rst"
	};
	const char *cut = json_string_value(json_object_get(command, "cut"));

	*ret = (struct body_shape){
		.bytes = number(command, "bytes"),
		.pause_ms = milliseconds(command, "seconds"),
		.per_second = number(command, "bytesPerSecond"),
	};
	for (size_t i = BODY_END; cut && i < ARRAY_LEN(cuts); i++)
		if (strcmp(cut, cuts[i]) == 0)
			ret->cut = (enum body_cut)i;
	return !cut || ret->cut != BODY_WHOLE;
}

static int check_rule(const struct fault *fault, bool shape_ok, struct refusal *refusal)
{
	bool answers = fault->kind == FAULT_STATUS || fault->kind == FAULT_ANSWER;

	if (answers && (fault->status < 200 || fault->status > 599))
		return refuse(refusal, 400, "BadRequest", "a fault needs an action or a status from 200 to 599");
	if (fault->kind == FAULT_ITEM && !fault->text)
		return refuse(refusal, 400, "BadRequest", "an item needs a text");
	if (!shape_ok)
		return refuse(refusal, 400, "BadRequest", "cut is end, close, fin or rst");
	return 0;
}

static int add_rule(struct sim *sim, enum fault_kind kind, json_t *command, struct refusal *refusal)
{
	json_t *count = json_object_get(command, "count");
	uint64_t for_ms = milliseconds(command, "for");
	bool ok = true;
	struct fault fault = {
		.kind = kind,
		.path = copy_text(command, "path", &ok),
		.verb = copy_text(command, "verb", &ok),
		.resource = copy_text(command, "resource", &ok),
		.reason = copy_text(command, "reason", &ok),
		.message = copy_text(command, "message", &ok),
		.text = copy_text(command, kind == FAULT_ANSWER ? "body" : "text", &ok),
		.type = copy_text(command, "contentType", &ok),
		.location = copy_text(command, "location", &ok),
		.group = copy_text(command, "group", &ok),
		.version = copy_text(command, "version", &ok),
		.count = json_is_integer(count) ? json_integer_value(count)
			 : for_ms               ? -1
						: 1,
		.after = json_integer_value(json_object_get(command, "after")),
		.until_ms = for_ms ? now_ms() + for_ms : 0,
		.status = (int)json_integer_value(json_object_get(command, "status")),
		.retry_after = (unsigned)json_integer_value(json_object_get(command, "retryAfter")),
		.stall_ms = milliseconds(command, "seconds"),
		.at = (size_t)number(command, "at"),
		.empty = json_is_false(json_object_get(command, "resources")),
	};
	int r = check_rule(&fault, kind != FAULT_SHAPE || read_shape(command, &fault.shape), refusal);

	if (r == 0 && ok && vec_push(&sim->faults.rules, fault))
		return 0;
	fault_done(&fault);
	return r < 0 ? r : refuse_nomem(refusal);
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
	const char *text = json_string_value(json_object_get(command, "text"));
	uint64_t amount = action == WATCH_STALL ? milliseconds(command, "seconds") : number(command, "bytes");

	if (action == WATCH_HUGE && amount > WATCH_HUGE_MAX)
		return refuse(refusal, 400, "BadRequest", "bytes is larger than %zu", WATCH_HUGE_MAX);
	if (action == WATCH_LINE && !text)
		return refuse(refusal, 400, "BadRequest", "a line needs a text");
	for (size_t i = 0; i < sim->watches.n; i++)
		if (meant(command, sim->watches.p[i]) && !watch_act(sim->watches.p[i], action, amount, text))
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

/* The kind of rule that a command makes. */
static enum fault_kind kind_of(json_t *command, const char *action)
{
	if (!action)
		return json_object_get(command, "body") ? FAULT_ANSWER : FAULT_STATUS;
	if (strcmp(action, "stall") == 0 && (json_object_get(command, "count") || json_object_get(command, "for")))
		return FAULT_STALL;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].action && strcmp(rows[i].action, action) == 0)
			return (enum fault_kind)i;
	return FAULT_KINDS;
}

int faults_command(struct sim *sim, json_t *command, struct refusal *refusal)
{
	static const struct {
		const char *name;
		enum watch_action action;
	} watch_actions[] = {
		{ "close-watches", WATCH_CLOSE }, { "truncate", WATCH_TRUNCATE }, { "garbage", WATCH_GARBAGE },
		{ "huge", WATCH_HUGE },           { "stall", WATCH_STALL },       { "error", WATCH_ERROR },
		{ "line", WATCH_LINE },           { "reset", WATCH_RESET },
	};
	const char *action = json_string_value(json_object_get(command, "action"));
	enum fault_kind kind = kind_of(command, action);

	if (kind != FAULT_KINDS)
		return add_rule(sim, kind, command, refusal);
	if (strcmp(action, "recover") == 0) {
		faults_done(&sim->faults);
		return 0;
	}
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
