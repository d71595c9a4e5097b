/* Runs actions: edits of the working copies, and effects. */
#include "rules/inspection/insp_action.h"

#include "base/assert.h"
#include "base/utf8.h"
#include "rules/inspection/insp_condition.h"
#include "rules/inspection/insp_path.h"
#include "rules/inspection/insp_python.h"

#include <inttypes.h>

static const char *const level_names[] = { "debug", "info", "warning", "error", "critical" };

_Static_assert(ARRAY_LEN(level_names) == INSP_LEVELS, "ORDER insp_level");

const char *insp_level_name(enum insp_level level)
{
	ASSERT(level < INSP_LEVELS);
	return level_names[level];
}

/* One iteration of an action. */
struct action {
	struct insp_actor *actor;
	struct insp_work *work;
	const struct insp_op *op;
	val args[INSP_PARAMS_MAX];
	bool secret[INSP_PARAMS_MAX]; /* something that may not be shown was read for the argument */
	struct err *err;
};

static val arg(const struct action *a, const char *name)
{
	return a->args[insp_param(a->op->code, name)];
}

static int text_arg(struct action *a, const char *name, str *ret)
{
	return py_text_of(a->work, arg(a, name), ret, a->err);
}

static bool is_secret(const struct action *a, const char *name)
{
	return a->secret[insp_param(a->op->code, name)];
}

/* ---- messages and requests ---- */

static int act_fail(struct action *a)
{
	int r = text_arg(a, "msg", &a->actor->failed);

	a->actor->secret = is_secret(a, "msg");
	return r < 0 ? r : 1;
}

static int act_log(struct action *a)
{
	const struct insp_effects *effects = a->actor->effects;
	size_t level = INSP_INFO;
	str message;
	int r = text_arg(a, "msg", &message);

	if (r < 0)
		return r;
	if (a->op->given[insp_param(INSP_LOG, "level")]) {
		val name = arg(a, "level");

		for (level = 0; level < INSP_LEVELS; level++) {
			if (val_is_string(name) && str_eq_nocase(val_str(name), str_from(level_names[level])))
				break;
		}
	}
	if (level == INSP_LEVELS)
		return err_set(a->err, EINVAL, "invalid log level: it is debug, info, warning, error or critical");
	if (effects->log)
		effects->log(effects->ctx, a->actor->rule, (enum insp_level)level,
			     (struct insp_text){ message, is_secret(a, "msg") });
	return 0;
}

static int act_call(struct action *a)
{
	const struct insp_effects *effects = a->actor->effects;
	struct insp_call call;
	int r;

	if (a->actor->n_call_prefixes == 0 && !a->actor->leaves_calls_out)
		return err_set(a->err, EINVAL, "api-call is not allowed by the configuration");
	r = insp_call_read(a->work, a->args, a->op->given, &call, a->err);
	if (a->actor->leaves_calls_out)
		return r;
	if (r == 0)
		r = insp_spend(a->work, call.url.n * (1 + a->actor->n_call_prefixes) / INSP_BYTES_A_STEP, a->err);
	if (r < 0)
		return r;
	call.secret = is_secret(a, "url");
	r = insp_url_allowed(call.url, a->actor->call_prefixes, a->actor->n_call_prefixes, a->work->arena, a->err);
	if (r == 0)
		return err_set(a->err, EINVAL, "api-call is not allowed by the configuration for this URL");
	if (r == 1 && effects->call)
		effects->call(effects->ctx, a->actor->rule, &call);
	return r < 0 ? r : 0;
}

/* ---- edits ---- */

/* Put "failed to DO PATH[ for port ID]: " before the error. @port: {NULL, 0} for none. */
static int edit_failed(struct action *a, const char *what, val path, str port)
{
	struct err why = *a->err;
	str text;
	int r;

	if (why.code == ENOMEM || (why.code == E2BIG && a->work->steps == 0))
		return -why.code;
	r = py_text_of(a->work, path, &text, a->err);
	if (r < 0)
		return r;
	return err_set(a->err, why.code, "failed to %s %.*s%s%.*s: %s", what, STR_ARG(utf8_cut(text, 160)),
		       port.p ? " for port " : "", STR_ARG(utf8_cut(port, 80)), why.msg);
}

/* Edit the document @d. What masked rules see of it is edited as well, unless the place is hidden from them. */
static int edit_doc(struct action *a, struct insp_edit edit, struct insp_doc *d)
{
	struct insp_scope *s = a->actor->scope;
	val before = d->real, seen;
	int r = insp_see(s, d, &seen, a->err);

	if (r == 0)
		r = insp_edit(a->work, d->real, &edit, &d->real, a->err);
	if (r < 0 || !s->masking || (before.items == d->real.items && before.n == d->real.n))
		return r;
	edit.unique = false; /* the real document has decided whether the value is unique */
	r = insp_edit(a->work, d->seen, &edit, &d->seen, a->err);
	d->stale = true;
	return r == -EINVAL ? 0 : r;
}

/* Edit @d as @edit says, which has a path, with the arguments of the action. */
static int edit_by_args(struct action *a, struct insp_edit edit, struct insp_doc *d)
{
	if (edit.kind != INSP_DELETE)
		edit.value = arg(a, "value");
	if (edit.kind == INSP_EXTEND)
		edit.unique = py_true(arg(a, "unique"));
	return edit_doc(a, edit, d);
}

static int read_path(struct action *a, bool data, struct insp_path *ret)
{
	return insp_path_read(a->work, arg(a, "path"), data, ret, a->err);
}

static int act_data(struct action *a, enum insp_edit_kind kind, const char *what)
{
	struct insp_edit edit = { .kind = kind, .falsy_too = true };
	int r = read_path(a, true, &edit.path);

	if (r == 0) {
		r = edit_by_args(a, edit, &a->actor->scope->plugin_data);
		/* what cannot be reached does not exist, and needs no deletion */
		if (r == -EINVAL && kind == INSP_DELETE)
			return 0;
	}
	return r < 0 ? edit_failed(a, what, arg(a, "path"), (str){ NULL, 0 }) : 0;
}

static int act_attribute(struct action *a, enum insp_edit_kind kind, const char *what)
{
	struct insp_edit edit = { .kind = kind, .known = true };
	int r = read_path(a, false, &edit.path);

	if (r == 0)
		r = edit_by_args(a, edit, &a->actor->scope->node);
	return r < 0 ? edit_failed(a, what, arg(a, "path"), (str){ NULL, 0 }) : 0;
}

/* Find a dependent by its UID, or else the first one of that name. */
static bool find_port(val ports, str id, uint32_t *ret)
{
	for (int by_name = 0; by_name < 2; by_name++) {
		for (uint32_t i = 0; i < val_count(ports); i++) {
			val v = val_dig(ports.items[i], "metadata", by_name ? "name" : "uid", NULL);

			if (val_is_string(v) && str_eq(val_str(v), id)) {
				*ret = i;
				return true;
			}
		}
	}
	return false;
}

/* The path in the argument, behind the path of the dependent at @at. */
static int port_path(struct action *a, uint32_t at, struct insp_path *ret)
{
	struct insp_path path;
	int r = read_path(a, false, &path);
	str *segments;

	if (r < 0)
		return r;
	segments = arena_array(a->work->arena, path.n + 1, sizeof(*segments));
	if (!segments)
		return arena_error(a->work->arena, a->err);
	segments[0] = arena_printf(a->work->arena, "%" PRIu32, at);
	memcpy(segments + 1, path.segments, path.n * sizeof(*segments));
	*ret = (struct insp_path){ segments, path.n + 1 };
	return segments[0].p ? 0 : arena_error(a->work->arena, a->err);
}

static int edit_port(struct action *a, enum insp_edit_kind kind, uint32_t at)
{
	struct insp_edit edit = { .kind = kind, .known = true, .object = 1 };
	int r = port_path(a, at, &edit.path);

	return r < 0 ? r : edit_by_args(a, edit, &a->actor->scope->ports);
}

static int act_port(struct action *a, enum insp_edit_kind kind, const char *what)
{
	val ports = a->actor->scope->ports.real;
	uint32_t at;
	str id;
	int r = text_arg(a, "port_id", &id);

	if (r == 0)
		r = insp_spend(a->work, 1 + 2 * (uint64_t)val_count(ports), a->err);
	if (r < 0)
		return r;
	if (!find_port(ports, id, &at))
		return err_set(a->err, EINVAL, "port %.*s could not be found", STR_ARG(id));
	r = edit_port(a, kind, at);
	return r < 0 ? edit_failed(a, what, arg(a, "path"), id) : 0;
}

/* Set the annotation or label in the argument to @value; VAL_ABSENT: remove it. */
static int edit_metadata(struct action *a, const char *map, val value, const char *what)
{
	str segments[] = { STR("metadata"), str_from(map), STR("") };
	struct insp_edit edit = {
		.kind = val_exists(value) ? INSP_SET : INSP_DELETE,
		.path = { segments, ARRAY_LEN(segments) },
		.value = value,
		.null_too = true,
	};
	int r = text_arg(a, "name", &segments[2]);

	if (r < 0)
		return r;
	r = edit_doc(a, edit, &a->actor->scope->node);
	if (r == -EINVAL && !val_exists(value))
		return 0;
	return r < 0 ? edit_failed(a, what, arg(a, "name"), (str){ NULL, 0 }) : 0;
}

static int act_set_capability(struct action *a)
{
	str text;
	int r = text_arg(a, "value", &text);
	val value = val_string(text);

	value.secret = is_secret(a, "value");
	return r < 0 ? r : edit_metadata(a, "annotations", value, "set annotation");
}

static int act_add_trait(struct action *a)
{
	str name;
	int r = text_arg(a, "name", &name);

	if (r < 0)
		return r;
	if (val_exists(val_get(val_dig(a->actor->scope->node.real, "metadata", "labels", NULL), name)))
		return 0;
	return edit_metadata(a, "labels", val_string(STR("")), "set label");
}

/* ---- running ---- */

static int dispatch(struct action *a)
{
	switch (a->op->code) {
	case INSP_FAIL:
		return act_fail(a);
	case INSP_LOG:
		return act_log(a);
	case INSP_SET_PLUGIN_DATA:
		return act_data(a, INSP_SET, "set plugin data at");
	case INSP_EXTEND_PLUGIN_DATA:
		return act_data(a, INSP_EXTEND, "extend plugin data at");
	case INSP_UNSET_PLUGIN_DATA:
		return act_data(a, INSP_DELETE, "unset plugin data at");
	case INSP_SET_ATTRIBUTE:
		return act_attribute(a, INSP_SET, "set attribute");
	case INSP_EXTEND_ATTRIBUTE:
		return act_attribute(a, INSP_EXTEND, "extend attribute");
	case INSP_DEL_ATTRIBUTE:
		return act_attribute(a, INSP_DELETE, "delete attribute at");
	case INSP_SET_PORT_ATTRIBUTE:
		return act_port(a, INSP_SET, "set attribute");
	case INSP_EXTEND_PORT_ATTRIBUTE:
		return act_port(a, INSP_EXTEND, "extend attribute");
	case INSP_DEL_PORT_ATTRIBUTE:
		return act_port(a, INSP_DELETE, "delete attribute");
	case INSP_SET_CAPABILITY:
		return act_set_capability(a);
	case INSP_UNSET_CAPABILITY:
		return edit_metadata(a, "annotations", (val){ 0 }, "delete annotation");
	case INSP_ADD_TRAIT:
		return act_add_trait(a);
	case INSP_REMOVE_TRAIT:
		return edit_metadata(a, "labels", (val){ 0 }, "delete label");
	case INSP_API_CALL:
		return act_call(a);
	default:
		ASSERT(!"an action");
		return 0;
	}
}

static int act_once(struct insp_actor *actor, const struct insp_op *op, struct err *err)
{
	struct action a = { .actor = actor, .work = actor->scope->work, .op = op, .err = err };
	int r = insp_spend(a.work, 1, err);
	bool any = false;

	for (size_t i = 0; r == 0 && i < INSP_PARAMS_MAX; i++) {
		actor->scope->secret = false;
		r = insp_evaluate(actor->scope, &op->args[i], false, &a.args[i], err);
		a.secret[i] = actor->scope->secret;
		any |= a.secret[i];
	}
	if (r == 0)
		r = dispatch(&a);
	if (r < 0)
		actor->secret = any; /* the error may quote an argument */
	return r;
}

static int act(struct insp_actor *actor, const struct insp_op *op, struct err *err)
{
	val items, one;
	int r;

	if (!op->looped)
		return act_once(actor, op, err);
	r = insp_loop(actor->scope, op, &one, &items, err);
	for (uint32_t i = 0; r == 0 && i < items.n; i++) {
		actor->scope->item = items.items[i];
		r = act_once(actor, op, err);
	}
	actor->scope->item = (val){ 0 };
	return r;
}

int insp_act(struct insp_actor *actor, const struct insp_op *op, struct err *err)
{
	int r;

	actor->secret = false;
	if (op->error.p)
		return err_set(err, EINVAL, "%.*s", STR_ARG(op->error));
	actor->scope->follows = true;
	r = act(actor, op, err);
	actor->scope->follows = false;
	return r;
}
