/* Inspection rules without memory: a file of them read, run over an object, and changed by requests. */
#include "oom.h"

#include "rules/inspection/insp_run.h"
#include "support/memory_rules.h"
#include "value/json.h"

#include <errno.h>

static struct limits limits;

static const char rules_text[] =
	"- phase: early\n"
	"  actions:\n"
	"  - {op: set-plugin-data, args: [a.b, {'{inventory[c]}': ['{plugin_data}', '{inventory[c]!r:>9}']}]}\n"
	"  - {op: extend-plugin-data, args: {path: /l, value: '{item}', unique: 1}, loop: [1, 2, {password: x}]}\n"
	"- conditions:\n"
	"  - {op: eq, args: ['x{node.kind}', xPod]}\n"
	"  - {op: matches, args: ['{node.kind}', '(?i)p.d']}\n"
	"  - {op: contains, args: ['{port_groups}', '{inventory[c]}|u']}\n"
	"  - {op: in-net, args: ['10.1.2.3', '10.0.0.0/8']}\n"
	"  actions:\n"
	"  - {op: set-attribute, args: [/spec/x, '{node.spec}']}\n"
	"  - {op: set-port-attribute, args: [u, kind, '{node.data}']}\n"
	"  - {op: add-trait, args: [t]}\n"
	"  - {op: set-capability, args: [c, 5]}\n"
	"  - {op: log, args: ['{node} {ports}']}\n"
	"  - {op: api-call, args: ['http://h/in']}\n"
	"  - {op: fail, args: ['{inventory}']}\n";
static const char mistakes_text[] =
	"- {uuid: x, actions: []}\n- {uuid: X, conditions: [{op: nope, args: {}}], foo: 1}\n";
static const char object_text[] =
	"{\"node\":{\"kind\":\"Pod\",\"metadata\":{},\"spec\":{\"password\":\"p\"}},\"ports\":[{\"kind\":\"Secret\","
	"\"apiVersion\":\"v1\",\"data\":{\"a\":1},\"metadata\":{\"uid\":\"u\"}}],\"inventory\":{\"c\":\"k\","
	"\"changes\":[]}}";

static int parse(const char *text, struct insp_builtins *ret, struct err *err)
{
	struct problems problems = { 0 };
	int r = insp_builtins_parse(str_from(text), "f", &limits, ret, &problems, err);

	problems_done(&problems);
	return r;
}

static int case_parse(struct err *err)
{
	struct insp_builtins b = { 0 };
	int r;

	oom_arm();
	r = parse(rules_text, &b, err);
	oom_disarm();
	if (r == 0 ? b.rules.n != 2 : b.rules.n != 0)
		r = OOM_WRONG;
	insp_builtins_done(&b);
	return r;
}

/* A file with mistakes is refused, with or without memory for all of them. */
static int case_mistakes(struct err *err)
{
	struct insp_builtins b = { 0 };
	int r;

	oom_arm();
	r = parse(mistakes_text, &b, err);
	oom_disarm();
	return r == -ENOMEM ? r : r == -EINVAL ? 0 : OOM_WRONG;
}

static int run_phases(const struct insp_builtins *b, const struct insp_object *object, struct arena *a, struct err *err)
{
	static const str prefixes[] = { { "http://h", 8 } };
	const struct insp_config config = { .call_prefixes = prefixes, .n_call_prefixes = 1 };
	const struct insp_effects effects = { .ctx = NULL };
	struct insp_set set;
	struct insp_run run;
	int r = insp_set_init(&set, NULL, 0, (const struct insp_rule *const *)b->rules.p, b->rules.n, err);

	if (r < 0)
		return r;
	r = insp_run_init(&run, object, &config, &effects, &limits, a, err);
	for (size_t p = 0; r == 0 && p < INSP_PHASES; p++)
		r = insp_run_phase(&run, &set, (enum insp_phase)p, err);
	if (r == 0 && run.state != INSP_FAILED)
		r = OOM_WRONG;
	insp_run_done(&run);
	insp_set_done(&set);
	return r;
}

static int case_run(struct err *err)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0), mine = ARENA_INIT(0);
	const struct json_options o = { .limits = &limits };
	struct insp_builtins b = { 0 };
	struct insp_object object;
	size_t used;
	val v;
	int r = parse(rules_text, &b, err);

	if (r < 0 || json_decode_value(str_from(object_text), &o, &mine, &v, &used, err) < 0)
		return OOM_WRONG;
	object = (struct insp_object){ VAL_GET(v, "node"), VAL_GET(v, "ports"), VAL_GET(v, "inventory"), { NULL, 0 } };
	oom_arm();
	r = run_phases(&b, &object, &a, err);
	oom_disarm();
	insp_builtins_done(&b);
	return r;
}

#define U "7f2b1c9e-1111-4222-8333-444455556666"

static int ask(const struct insp_api *api, const char *method, const char *path, const char *body, int status,
	       struct err *err)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	const struct insp_request q = { str_from(method), str_from(path), STR(""), str_from(body) };
	struct insp_answer answer = { 0 };
	int r = insp_api_answer(api, &q, &a, &answer, err);

	return r < 0 ? r : answer.status == status ? 0 : OOM_WRONG;
}

static int ask_all(const struct insp_api *api, struct err *err)
{
	int r = ask(api, "POST", INSP_RULES_PATH,
		    "{\"uuid\":\"" U "\",\"sensitive\":true,\"actions\":[{\"op\":\"fail\",\"args\":[\"m\"]}]}", 201,
		    err);

	if (r == 0)
		r = ask(api, "POST", INSP_RULES_PATH, "{\"actions\":[{\"op\":\"fail\",\"args\":[\"m\"]}]}", 201, err);
	if (r == 0)
		r = ask(api, "PATCH", INSP_RULES_PATH "/" U,
			"[{\"op\":\"add\",\"path\":\"/actions/-\",\"value\":{\"op\":\"log\",\"args\":[\"x\"]}}]", 200,
			err);
	if (r == 0)
		r = ask(api, "PATCH", INSP_RULES_PATH "/" U, "[{\"op\":\"remove\",\"path\":\"/actions\"}]", 400, err);
	if (r == 0)
		r = ask(api, "GET", INSP_RULES_PATH, "", 200, err);
	return r < 0 ? r : r == OOM_WRONG ? r : ask(api, "DELETE", INSP_RULES_PATH, "", 204, err);
}

static int case_api(struct err *err)
{
	struct memory_rules rules = { 0 };
	const struct insp_store store = memory_rules_store(&rules);
	struct insp_builtins b = { 0 };
	const struct insp_api api = { &store, &b, STR("a"), STR("b"), STR("aaaaaaaa-0000-4000-8000-000000000000"),
				      &limits };
	int r;

	oom_arm();
	r = ask_all(&api, err);
	oom_disarm();
	memory_rules_done(&rules);
	return r;
}

int main(int argc, char **argv)
{
	static const struct oom_case cases[] = {
		{ "inspection_parse", case_parse, false },
		{ "inspection_mistakes", case_mistakes, true },
		{ "inspection_run", case_run, false },
		{ "inspection_api", case_api, false },
	};

	limits = LIMITS_DEFAULT;
	return oom_main(argc, argv, cases, ARRAY_LEN(cases));
}
