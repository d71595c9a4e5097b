/* inspection: conditions, actions and sets of rules over an object. */
#include "suite_inspection.h"

#include "rules/inspection/insp_builtin.h"
#include "rules/inspection/insp_read_set.h"
#include "support/object_part.h"
#include "value/json.h"

#include <inttypes.h>

/* What a case runs, and what came of it. */
struct rehearsal {
	struct verdict *v;
	struct insp_rule **user;
	size_t n_user;
	struct insp_builtins built_in;
	struct insp_set set;
	struct py_regex *interfaces;
	struct insp_config config;
	struct insp_run run;
	VEC(val) ran, log;
	size_t n_seen; /* of ran, up to the first that is not quiet */
	bool acted;    /* there was one */
};

bool inspection_text_in(str got, str text)
{
	for (size_t i = 0; i + text.n <= got.n; i++) {
		if (str_eq_nocase(str_sub(got, i, i + text.n), text))
			return true;
	}
	return false;
}

void inspection_show(val v, struct buf *out)
{
	struct err err;

	if (val_exists(v) && json_encode(v, JSON_PLAIN, NULL, out, &err) < 0)
		buf_add_cstr(out, err.msg);
}

static val make_map(struct arena *a, const char *const *names, const val *values, size_t n)
{
	val map = val_map_sorted(NULL, 0);

	for (size_t i = 0; i < n; i++)
		map = val_map_with(a, map, key_make(NULL, a, str_from(names[i])), values[i]);
	return map;
}

static val part(val line, const char *name, enum val_kind kind)
{
	val v = val_get(line, str_from(name));

	return val_exists(v) ? v : (val){ .kind = (uint8_t)kind };
}

/* ---- running ---- */

static void ignore_mistake(void *ctx, const char *field, int64_t index, const char *key, const char *text)
{
	(void)ctx, (void)field, (void)index, (void)key, (void)text;
}

static void note_ran(void *ctx, const struct insp_rule *rule)
{
	struct rehearsal *r = ctx;

	(void)vec_push(&r->ran, val_string(arena_str(r->v->arena, rule->uuid)));
	r->n_seen += !r->acted;
	r->acted |= !insp_rule_is_quiet(rule);
}

static void note_log(void *ctx, const struct insp_rule *rule, enum insp_level level, struct insp_text message)
{
	static const char *const names[] = { "level", "msg" };
	struct rehearsal *r = ctx;
	const val values[] = { val_string(str_from(insp_level_name(level))),
			       val_string(arena_str(r->v->arena, message.text)) };

	(void)rule;
	(void)vec_push(&r->log, make_map(r->v->arena, names, values, ARRAY_LEN(names)));
}

static int read_config(struct rehearsal *r, val config, struct err *err)
{
	str mask = val_str(VAL_GET(config, "mask_secrets"));
	val interfaces = VAL_GET(config, "supported_interfaces"), scope = VAL_GET(config, "default_scope");
	val prefixes = VAL_GET(config, "allow_api_call");
	str *list = arena_array(r->v->arena, val_count(prefixes), sizeof(*list));

	if (str_eq(mask, STR("never")))
		r->config.mask_secrets = INSP_MASK_NEVER;
	else if (str_eq(mask, STR("sensitive")))
		r->config.mask_secrets = INSP_MASK_SENSITIVE;
	if (val_is_string(scope))
		r->config.default_scope = val_str(scope);
	for (uint32_t i = 0; val_is_list(prefixes) && i < prefixes.n; i++)
		list[r->config.n_call_prefixes++] = val_str(prefixes.items[i]);
	r->config.call_prefixes = list;
	if (!val_is_string(interfaces))
		return 0;
	if (py_regex_compile(val_str(interfaces), &r->interfaces, err) < 0)
		return -err->code;
	r->config.interfaces = r->interfaces;
	return 0;
}

static int read_rules(struct rehearsal *r, val user, val built_in, struct err *err)
{
	static const struct insp_report report = { ignore_mistake, NULL };
	struct problems problems = { 0 };
	size_t mistakes;
	int status = 0;

	r->user = calloc(val_count(user) + 1, sizeof(struct insp_rule *));
	for (uint32_t i = 0; status == 0 && i < val_count(user); i++) {
		status = insp_rule_new(user.items[i], false, r->v->limits, &report, &mistakes, &r->user[i], err);
		r->n_user += status == 0;
	}
	if (status == 0 && val_is_list(built_in))
		status = insp_builtins_read(built_in, r->v->limits, &r->built_in, &problems, err);
	problems_done(&problems);
	if (status < 0)
		return status;
	return insp_set_init(&r->set, (const struct insp_rule *const *)r->user, r->n_user,
			     (const struct insp_rule *const *)r->built_in.rules.p, r->built_in.rules.n, err);
}

static int run_phases(struct rehearsal *r, val line, val phases, struct err *err)
{
	const struct insp_effects effects = { note_ran, note_log, NULL, r };
	val scope = VAL_GET(line, "scope");
	const struct insp_object object = {
		.node = part(line, "node", VAL_MAP),
		.ports = part(line, "ports", VAL_LIST),
		.inventory = part(line, "inventory", VAL_MAP),
		.scope = val_is_string(scope) ? val_str(scope) : (str){ NULL, 0 },
	};
	int status = insp_run_init(&r->run, &object, &r->config, &effects, r->v->limits, r->v->arena, err);
	enum insp_phase phase = INSP_MAIN;

	r->run.scope.plugin_data = insp_doc(part(line, "plugin_data", VAL_MAP));
	if (status == 0 && !val_exists(phases))
		return insp_run_phase(&r->run, &r->set, INSP_MAIN, err);
	for (uint32_t i = 0; status == 0 && i < val_count(phases); i++) {
		if (!insp_phase_parse(val_str(phases.items[i]), &phase))
			return err_set(err, EINVAL, "no such phase");
		status = insp_run_phase(&r->run, &r->set, phase, err);
	}
	return status;
}

static void rehearsal_done(struct rehearsal *r)
{
	insp_run_done(&r->run);
	insp_set_done(&r->set);
	for (size_t i = 0; i < r->n_user; i++)
		insp_rule_free(r->user[i]);
	free(r->user);
	insp_builtins_done(&r->built_in);
	py_regex_free(r->interfaces);
	vec_done(&r->ran);
	vec_done(&r->log);
}

/* ---- what rules look at ---- */

static val with_part(val map, const char *name, const struct object_ways *ways, struct arena *a)
{
	val whole = val_get(map, str_from(name));

	return val_is_map(whole) ? val_map_with(a, map, key_make(NULL, a, str_from(name)), object_part(ways, whole, a))
				 : map;
}

/* The line with an object that has nothing but what is looked at, and who it is. */
static val line_of_part(val line, struct object_ways *ways, struct arena *a)
{
	static const str version[] = { { "apiVersion", 10 } }, kind[] = { { "kind", 4 } };
	val inventory = VAL_GET(line, "inventory");

	ways->known &= object_ways_add(ways, version, 1) && object_ways_add(ways, kind, 1);
	if (val_is_map(inventory))
		line = val_map_with(a, line, key_make(NULL, a, STR("inventory")), with_part(inventory, "raw", ways, a));
	return with_part(line, "node", ways, a);
}

static bool went_the_same_way(const struct rehearsal *a, const struct rehearsal *b)
{
	if (a->n_seen != b->n_seen || a->acted != b->acted)
		return false;
	for (size_t i = 0; i < a->n_seen; i++) {
		if (!val_equal(a->ran.p[i], b->ran.p[i]))
			return false;
	}
	return a->acted || a->run.state != INSP_DONE ||
	       (b->run.state == INSP_DONE && val_equal(a->run.scope.plugin_data.real, b->run.scope.plugin_data.real));
}

/* Rules go the same way over such an object. */
static void judge_reads(const struct rehearsal *whole, val line, val user, val built_in, val phases)
{
	struct rehearsal part = { .v = whole->v };
	struct object_ways ways;
	bool alike;
	struct err err;

	object_ways_init(&ways, NULL);
	insp_set_reads(&whole->set, &ways, &alike);
	line = line_of_part(line, &ways, whole->v->arena);
	if (ways.known) {
		if (read_config(&part, VAL_GET(line, "config"), &err) < 0 ||
		    read_rules(&part, user, built_in, &err) < 0 || run_phases(&part, line, phases, &err) < 0)
			verdict_fail(part.v, STR("a run over a part"), str_from(err.msg));
		else if (!went_the_same_way(whole, &part))
			verdict_fail(part.v, STR("as over the whole object"),
				     STR("what is read of it goes another way"));
		rehearsal_done(&part);
	}
	object_ways_done(&ways);
}

/* False: the case has failed. */
static bool rehearse(struct rehearsal *r, val line, val user, val built_in, val phases)
{
	struct err err;

	if (read_config(r, VAL_GET(line, "config"), &err) == 0 && read_rules(r, user, built_in, &err) == 0 &&
	    run_phases(r, line, phases, &err) == 0) {
		judge_reads(r, line, user, built_in, phases);
		return r->v->outcome == PASSED;
	}
	verdict_fail(r->v, STR("a run"), str_from(err.msg));
	return false;
}

/* ---- judging ---- */

static void expect_same(val want, val got, struct verdict *v)
{
	CLEANUP(buf_done) struct buf w = BUF_INIT(1u << 20), g = BUF_INIT(1u << 20);

	if (v->outcome != PASSED || val_same(want, got))
		return;
	inspection_show(want, &w);
	inspection_show(got, &g);
	verdict_fail(v, buf_str(&w), buf_str(&g));
}

/* @want: null, or a text that @got must have in it. */
static void expect_error(val want, bool failed, str got, struct verdict *v)
{
	if (v->outcome != PASSED)
		return;
	if (val_is_null(want) && failed)
		verdict_fail(v, STR("no error"), got);
	else if (!val_is_null(want) && (!failed || !inspection_text_in(got, val_str(want))))
		verdict_fail(v, val_str(want), failed ? got : STR("no error"));
}

static void expect_outcome(val line, const struct rehearsal *r, struct verdict *v)
{
	static const char *const names[] = { "node", "plugin_data", "ports" };
	const struct insp_run *run = &r->run;
	const val after[] = { run->scope.node.real, run->scope.plugin_data.real, run->scope.ports.real };
	bool broken = run->state == INSP_BROKEN;
	val rule = VAL_GET(line, "error_rule");

	expect_error(VAL_GET(line, "error"), broken, run->message, v);
	expect_same(VAL_GET(line, "failed"), run->state == INSP_FAILED ? val_string(run->message) : val_null(), v);
	expect_same(VAL_GET(line, "after"), make_map(v->arena, names, after, ARRAY_LEN(names)), v);
	expect_same(VAL_GET(line, "log"), val_list(v->arena, r->log.p, r->log.n), v);
	if (val_is_string(rule))
		expect_same(rule, val_string(broken ? run->rule->uuid : STR("none")), v);
}

/* One rule that has @op among its @field. */
static val rule_of(struct verdict *v, const char *field, val op, val phase)
{
	static const char log_text[] = "{\"op\":\"log\",\"args\":[\"held\"]}";
	const struct json_options o = { .limits = v->limits };
	const char *names[] = { "actions", "phase", field };
	val values[3] = { 0 };
	struct err err;
	size_t used;

	if (json_decode_value(str_from(log_text), &o, v->arena, &values[0], &used, &err) < 0)
		return (val){ 0 };
	values[0] = val_list(v->arena, &values[0], 1);
	values[1] = val_exists(phase) ? phase : val_null();
	values[2] = val_list(v->arena, &op, 1);
	values[0] = make_map(v->arena, names, values, 3);
	return val_list(v->arena, &values[0], 1);
}

void judge_inspection_condition(val line, struct verdict *v)
{
	struct rehearsal r = { .v = v };
	val want = VAL_GET(line, "result"), error = VAL_GET(want, "error");

	if (rehearse(&r, line, rule_of(v, "conditions", VAL_GET(line, "condition"), (val){ 0 }), (val){ 0 },
		     (val){ 0 })) {
		expect_error(val_exists(error) ? error : val_null(), r.run.state == INSP_BROKEN, r.run.message, v);
		if (!val_exists(error))
			expect_same(want, val_bool(r.ran.n > 0), v);
	}
	rehearsal_done(&r);
}

void judge_inspection_action(val line, struct verdict *v)
{
	val phase = VAL_GET(line, "phase");
	struct rehearsal r = { .v = v };

	if (rehearse(&r, line, rule_of(v, "actions", VAL_GET(line, "action"), phase), (val){ 0 },
		     val_exists(phase) ? val_list(v->arena, &phase, 1) : phase))
		expect_outcome(line, &r, v);
	rehearsal_done(&r);
}

void judge_inspection_rules(val line, struct verdict *v)
{
	struct rehearsal r = { .v = v };

	if (rehearse(&r, line, VAL_GET(line, "rules"), VAL_GET(line, "built_in"), VAL_GET(line, "phases"))) {
		expect_same(VAL_GET(line, "ran"), val_list(v->arena, r.ran.p, r.ran.n), v);
		expect_outcome(line, &r, v);
	}
	rehearsal_done(&r);
}
