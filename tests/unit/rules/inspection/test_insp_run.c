/* What the corpus does not show of evaluations: formats in formats, what masking withstands, ceilings, what phases may
 * see, and which URLs may be called. */
#include "rules/inspection/insp_run.h"

#include "value/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static struct limits limits = LIMITS_DEFAULT;

/* ---- running ---- */

struct fixture {
	struct arena arena;
	struct buf reported; /* what is logged, called and failed with, a line each */
	struct insp_config config;
	struct insp_run run;
};

static val decode(struct arena *a, const char *text)
{
	const struct json_options o = { .limits = &limits };
	struct err err;
	size_t used;
	val v;

	if (json_decode_value(str_from(text), &o, a, &v, &used, &err) < 0)
		fail_msg("%s: %s", text, err.msg);
	return v;
}

static void on_mistake(void *ctx, const char *field, int64_t index, const char *key, const char *text)
{
	(void)ctx, (void)field, (void)index, (void)key, (void)text;
}

static void on_log(void *ctx, const struct insp_rule *rule, enum insp_level level, struct insp_text message)
{
	struct fixture *f = ctx;

	(void)rule, (void)level;
	buf_printf(&f->reported, "%s%.*s\n", message.secret ? "(secret) " : "", STR_ARG(message.text));
}

static void on_call(void *ctx, const struct insp_rule *rule, const struct insp_call *call)
{
	struct fixture *f = ctx;

	(void)rule;
	buf_printf(&f->reported, "call %.*s %.1f %u %.1f\n", STR_ARG(call->url), call->timeout, call->retries,
		   call->backoff_factor);
}

static void fixture_init(struct fixture *f)
{
	*f = (struct fixture){ .arena = ARENA_INIT(limits.arena_bytes), .reported = BUF_INIT(1u << 20) };
}

static void fixture_done(struct fixture *f)
{
	insp_run_done(&f->run);
	buf_done(&f->reported);
	arena_done(&f->arena);
}

/* Run the rules, a JSON list of user rules, through all phases. */
static void run(struct fixture *f, const char *rules, const char *node, const char *inventory)
{
	const struct insp_report report = { on_mistake, NULL };
	const struct insp_effects effects = { .log = on_log, .call = on_call, .ctx = f };
	const struct insp_object object = {
		decode(&f->arena, node), { .kind = VAL_LIST }, decode(&f->arena, inventory), { NULL, 0 }
	};
	val list = decode(&f->arena, rules);
	struct insp_rule *made[8] = { NULL };
	struct insp_set set;
	size_t mistakes;
	struct err err;

	assert_true(list.n <= ARRAY_LEN(made));
	for (uint32_t i = 0; i < list.n; i++)
		assert_int_equal(insp_rule_new(list.items[i], false, &limits, &report, &mistakes, &made[i], &err), 0);
	assert_int_equal(insp_set_init(&set, (const struct insp_rule *const *)made, list.n, NULL, 0, &err), 0);
	assert_int_equal(insp_run_init(&f->run, &object, &f->config, &effects, &limits, &f->arena, &err), 0);
	for (size_t p = 0; p < INSP_PHASES; p++)
		assert_int_equal(insp_run_phase(&f->run, &set, (enum insp_phase)p, &err), 0);
	if (f->run.state != INSP_DONE)
		buf_printf(&f->reported, "%s %s%.*s\n",
			   f->run.state == INSP_FAILED ? "failed:" : "broken:", f->run.secret ? "(secret) " : "",
			   STR_ARG(f->run.message));
	insp_set_done(&set);
	for (uint32_t i = 0; i < list.n; i++)
		insp_rule_free(made[i]);
}

#define U "7f2b1c9e-1111-4222-8333-444455556666"

/* Rules over this object and these facts, and what they tell. */
static const char secret[] =
	"{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"s\",\"annotations\":{"
	"\"kubectl.kubernetes.io/last-applied-configuration\":\"hush\",\"b\":\"c\"}},"
	"\"data\":{\"k\":\"hush\"},\"stringData\":\"hush\",\"spec\":{\"password\":{\"x\":\"hush\"}}}";

static const struct {
	const char *rules, *inventory, *reported;
} cases[] = {
	/* Formats may have fields, one deep; what stands before a mistake is read first. */
	{ "[{\"actions\":[{\"op\":\"log\",\"args\":[\"{inventory[a]:>{inventory[n]}}|\"]},"
	  "{\"op\":\"log\",\"args\":[\"{inventory[a]:{inventory[n]:{inventory[n]}}}\"]},"
	  "{\"op\":\"log\",\"args\":[\"{inventory[a]!r:*^7}\"]}]}]",
	  "{\"a\":\"x\",\"n\":3}", "  x|\n{inventory[a]:{inventory[n]:{inventory[n]}}}\n**'x'**\n" },
	{ "[{\"conditions\":[{\"op\":\"is-empty\",\"args\":[\"{inventory[no]} }\"]}],\"actions\":[{\"op\":\"log\","
	  "\"args\":[\"missing\"]}]},{\"conditions\":[{\"op\":\"is-empty\",\"args\":[\"} {inventory[no]}\"]}],"
	  "\"actions\":[{\"op\":\"log\",\"args\":[\"malformed\"]}]}]",
	  "{}", "missing\n" },
	/* What is hidden, whole and in parts. */
	{ "[{\"actions\":[{\"op\":\"log\",\"args\":[\"{node.data} {node.data[k]} {node.stringData} {node.spec}\"]},"
	  "{\"op\":\"log\",\"args\":[\"{node.metadata[annotations]}\"]},"
	  "{\"op\":\"log\",\"args\":[\"{node.spec[password][x]}\"]}]}]",
	  "{}",
	  "{'k': '***'} *** *** {'password': '***'}\n"
	  "{'b': 'c', 'kubectl.kubernetes.io/last-applied-configuration': '***'}\n{node.spec[password][x]}\n" },
	/* It stays hidden when the object is made something else, and what is written to it is hidden as well. */
	{ "[{\"actions\":[{\"op\":\"set-attribute\",\"args\":[\"kind\",\"ConfigMap\"]},"
	  "{\"op\":\"set-attribute\",\"args\":[\"/data/k\",\"new\"]},"
	  "{\"op\":\"set-attribute\",\"args\":[\"/spec/password/y\",1]},"
	  "{\"op\":\"log\",\"args\":[\"{node.kind} {node.data} {node.spec}\"]}]}]",
	  "{}", "ConfigMap {'k': 'new'} {'password': '***'}\n" },
	{ "[{\"actions\":[{\"op\":\"del-attribute\",\"args\":[\"kind\"]},"
	  "{\"op\":\"log\",\"args\":[\"{node.data}\"]}]}]",
	  "{}", "{'k': '***'}\n" },
	{ "[{\"actions\":[{\"op\":\"log\",\"args\":[\"{item}\"],\"loop\":[{\"password\":1}]}]}]", "{}",
	  "{'password': '***'}\n" },
	/* A sensitive rule tells nothing, whatever is wrong with it. */
	{ "[{\"uuid\":\"" U "\",\"sensitive\":true,\"actions\":[{\"op\":\"fail\",\"args\":[\"secret\"]}]}]", "{}",
	  "failed: inspection failed by sensitive rule " U "\n" },
	{ "[{\"uuid\":\"" U "\",\"sensitive\":true,\"actions\":[{\"op\":\"secret\",\"args\":[]}]}]", "{}",
	  "broken: sensitive rule " U " could not be run\n" },
	/* What a phase may see, and that a failure ends those behind it. */
	{ "[{\"phase\":\"early\",\"actions\":[{\"op\":\"log\",\"args\":[\"{inventory} {node}\"]}]},"
	  "{\"phase\":\"preprocess\",\"actions\":[{\"op\":\"log\",\"args\":[\"{inventory}\"]}]},"
	  "{\"actions\":[{\"op\":\"log\",\"args\":[\"{inventory}\"]}]}]",
	  "{\"changes\":[],\"cluster\":\"c\",\"drifted\":true,\"template\":\"t\"}",
	  "{inventory} {node}\n{'cluster': 'c', 'template': 't'}\n"
	  "{'changes': [], 'cluster': 'c', 'drifted': True, 'template': 't'}\n" },
	{ "[{\"phase\":\"early\",\"actions\":[{\"op\":\"fail\",\"args\":[\"x\"]}]},"
	  "{\"actions\":[{\"op\":\"log\",\"args\":[\"never\"]}]}]",
	  "{}", "failed: x\n" },
	{ "[{\"uuid\":\"" U "\",\"conditions\":[{\"op\":\"in-net\",\"args\":[\"{item}\",\"10.0.0.0/0.255.0.0\"]}],"
	  "\"actions\":[{\"op\":\"log\",\"args\":[\"x\"]}]}]",
	  "{}", "broken: rule " U ": invalid network '10.0.0.0/0.255.0.0'\n" },
	/* A path that is none is a mistake even where nothing need be there. */
	{ "[{\"uuid\":\"" U "\",\"actions\":[{\"op\":\"unset-plugin-data\",\"args\":[\"a.b\"]},"
	  "{\"op\":\"unset-plugin-data\",\"args\":[\"/\"]}]}]",
	  "{}", "broken: rule " U ": failed to unset plugin data at /: the path is empty\n" },
	/* Nothing grows without end. */
	{ "[{\"uuid\":\"" U "\",\"actions\":[{\"op\":\"set-plugin-data\",\"args\":[\"a\","
	  "{\"x\":\"{plugin_data}\",\"y\":\"{plugin_data}\"}],\"loop\":\"{inventory[l]}\"}]}]",
	  "{\"l\":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}",
	  "broken: rule " U ": the evaluation takes too many steps\n" },
	{ "[{\"uuid\":\"" U "\",\"actions\":[{\"op\":\"set-plugin-data\",\"args\":[\"a\","
	  "\"{plugin_data[a]!s}{plugin_data[a]!s}\"],\"loop\":\"{inventory[l]}\"}]}]",
	  "{\"l\":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}",
	  "broken: rule " U ": the evaluation takes too many steps\n" },
	{ "[{\"uuid\":\"" U
	  "\",\"conditions\":[{\"op\":\"matches\",\"args\":[\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\","
	  "\"(a+)+\"]}],\"actions\":[{\"op\":\"log\",\"args\":[\"x\"]}]}]",
	  "{}", "broken: rule " U ": the regular expression takes too many steps\n" },
};

/* What may not be shown follows its value into messages and requests, through formats, loops and edits; conditions and
 * what is counted do not carry it. */
static const char pod[] =
	"{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"annotations\":{\"a\":\"b\"}},"
	"\"spec\":{\"clientSecret\":12,\"password\":\"hush\",\"size\":\"3\",\"tokens\":[\"hush\"],\"list\":[\"x\","
	"\"y\"],"
	"\"env\":[{\"name\":\"DB_PASSWORD\",\"value\":\"hush\"},{\"name\":\"LEVEL\",\"value\":\"info\"}]}}";

static const struct {
	const char *actions, *reported;
} followed[] = {
	{ "{\"op\":\"log\",\"args\":[\"{node.spec[size]} {node.spec[list]} {node.metadata}\"]}",
	  "3 ['x', 'y'] {'annotations': {'a': 'b'}, 'name': 'p'}\n" },
	{ "{\"op\":\"log\",\"args\":[\"{node.spec[password]}\"]}", "(secret) hush\n" },
	{ "{\"op\":\"log\",\"args\":[\"a {node.spec[password]!r:.3} b\"]}", "(secret) a 'hu b\n" },
	{ "{\"op\":\"log\",\"args\":[\"{node.spec}\"]}", NULL },
	{ "{\"op\":\"log\",\"args\":[\"{node.spec[env][0][value]}\"]}", "(secret) hush\n" },
	{ "{\"op\":\"log\",\"args\":[\"{node.spec[env][0][name]}={node.spec[env][1][value]}\"]}",
	  "DB_PASSWORD=info\n" },
	{ "{\"op\":\"log\",\"args\":[\"{item[value]}\"],\"loop\":\"{node.spec[env]}\"}", "(secret) hush\ninfo\n" },
	{ "{\"op\":\"log\",\"args\":[\"{node.spec[size]:{node.spec[clientSecret]}}\"]}", NULL },
	{ "{\"op\":\"set-plugin-data\",\"args\":[\"a\",\"-{node.spec[password]}-\"]},"
	  "{\"op\":\"log\",\"args\":[\"{plugin_data[a]:.2}\"]},{\"op\":\"log\",\"args\":[\"fine\"]}",
	  "(secret) -h\nfine\n" },
	{ "{\"op\":\"set-plugin-data\",\"args\":[\"a\",{\"k\":[\"{node.spec[password]}\"]}]},"
	  "{\"op\":\"log\",\"args\":[\"{plugin_data}\"]}",
	  "(secret) {'a': {'k': ['hush']}}\n" },
	{ "{\"op\":\"set-capability\",\"args\":[\"c\",\"{node.spec[password]}\"]},"
	  "{\"op\":\"log\",\"args\":[\"{node.metadata[annotations][c]}\"]}",
	  "(secret) hush\n" },
	{ "{\"op\":\"set-attribute\",\"args\":[\"/spec/size\",\"{node.spec[password]}\"]},"
	  "{\"op\":\"log\",\"args\":[\"{node.spec[size]}\"]}",
	  "(secret) hush\n" },
	{ "{\"op\":\"log\",\"args\":[\"{inventory[raw][data][k]}\"]}", "(secret) eA==\n" },
	{ "{\"op\":\"fail\",\"args\":[\"it is {node.spec[password]}\"]}", "failed: (secret) it is hush\n" },
	{ "{\"op\":\"fail\",\"args\":[\"it is {node.spec[size]}\"]}", "failed: it is 3\n" },
	{ "{\"op\":\"unset-plugin-data\",\"args\":[\"{node.spec[password]:.0}/\"]}",
	  "broken: (secret) rule " U ": failed to unset plugin data at /: the path is empty\n" },
	{ "{\"op\":\"set-port-attribute\",\"args\":[\"{node.spec[password]}\",\"/a\",1]}",
	  "broken: (secret) rule " U ": port hush could not be found\n" },
};

static const struct {
	const char *condition, *reported;
} conditions[] = {
	{ "{\"op\":\"eq\",\"args\":[\"{node.spec[password]}\",\"hush\"]}", "yes\n" },
	{ "{\"op\":\"in-net\",\"args\":[\"10.0.0.1\",\"{node.spec[password]}\"]}",
	  "broken: (secret) rule " U ": invalid network 'hush'\n" },
	{ "{\"op\":\"in-net\",\"args\":[\"10.0.0.1\",\"{node.spec[size]}\"]}",
	  "broken: rule " U ": invalid network '3'\n" },
	{ "{\"op\":\"in-net\",\"args\":[\"10.0.0.1\",\"{item}\"],\"loop\":\"{node.spec[tokens]}\"}",
	  "broken: (secret) rule " U ": invalid network 'hush'\n" },
	{ "{\"op\":\"in-net\",\"args\":[\"10.0.0.1\",\"{item[value]}\"],\"loop\":\"{node.spec[env]}\"}",
	  "broken: (secret) rule " U ": invalid network 'hush'\n" },
};

static void expect_followed(const char *rules, const char *reported)
{
	struct fixture f;

	fixture_init(&f);
	f.config.mask_secrets = INSP_MASK_NEVER;
	run(&f, rules, pod, "{\"raw\":{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"data\":{\"k\":\"eA==\"}}}");
	if (reported)
		assert_string_equal(f.reported.p, reported);
	else
		assert_true(str_find(buf_str(&f.reported), STR("(secret) ")) >= 0);
	fixture_done(&f);
}

static void test_followed(void **state)
{
	char rules[1024];

	(void)state;
	limits.evaluation_steps = 1000u * 1000;
	for (size_t i = 0; i < ARRAY_LEN(followed); i++) {
		(void)snprintf(rules, sizeof(rules), "[{\"uuid\":\"" U "\",\"actions\":[%s]}]", followed[i].actions);
		expect_followed(rules, followed[i].reported);
	}
	for (size_t i = 0; i < ARRAY_LEN(conditions); i++) {
		(void)snprintf(rules, sizeof(rules),
			       "[{\"uuid\":\"" U
			       "\",\"conditions\":[%s],\"actions\":[{\"op\":\"log\",\"args\":[\"yes\"]}]}]",
			       conditions[i].condition);
		expect_followed(rules, conditions[i].reported);
	}
}

static void test_cases(void **state)
{
	(void)state;
	limits.evaluation_steps = 1000u * 1000;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fixture f;

		fixture_init(&f);
		run(&f, cases[i].rules, secret, cases[i].inventory);
		assert_string_equal(f.reported.p, cases[i].reported);
		fixture_done(&f);
	}
}

/* Each level of the object is one more of what an action puts around it. */
static void test_depth(void **state)
{
	struct fixture f;

	(void)state;
	limits.depth = 20;
	fixture_init(&f);
	run(&f,
	    "[{\"uuid\":\"" U "\",\"actions\":[{\"op\":\"set-plugin-data\",\"args\":[\"a\",[\"{plugin_data}\"]],"
	    "\"loop\":\"{inventory[l]}\"}]}]",
	    "{}", "{\"l\":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}");
	assert_string_equal(f.reported.p,
			    "broken: rule " U ": failed to set plugin data at a: nested deeper than 20\n");
	fixture_done(&f);
	limits.depth = 1000;
}

/* ---- calls ---- */

static void test_urls(void **state)
{
	static const str prefixes[] = { { "https://hook.example/in/", 24 }, { "http://[2001:db8::1]:8080", 25 } };
	static const struct {
		const char *url;
		int allowed;
	} urls[] = {
		{ "https://hook.example/in", 1 },
		{ "https://hook.example/in/x?y=z", 1 },
		{ "HTTPS://HOOK.example:443/in/x", 1 },
		{ "https://hook.example/inx", 0 },
		{ "https://hook.example/IN", 0 },
		{ "https://hook.example/", 0 },
		{ "https://hook.example:444/in", 0 },
		{ "http://hook.example/in", 0 },
		{ "https://hook.example@evil.example/in", 0 },
		{ "https://user@hook.example/in", 0 },
		{ "https://hook.example.evil/in", 0 },
		{ "https://hook.example/in/../out", 0 },
		{ "https://hook.example/in/%2e%2E/out", 0 },
		{ "https://hook.example/in/..%2fout", 0 },
		{ "https://hook.example/in/..;/out", 0 },
		{ "https://hook.example/in/..;v=1/out", 0 },
		{ "https://hook.example/in/%2e%2e%3b/out", 0 },
		{ "https://hook.example/in/.;/out", 0 },
		{ "https://hook.example/in/..%5cout", 0 },
		{ "https://hook.example/in/..%5Cout", 0 },
		{ "https://hook.example/in/%252e%252e/out", 0 },
		{ "https://hook.example/in/..%252fout", 0 },
		{ "https://hook.example/in/..%00/out", 0 },
		{ "https://hook.example/in/..%0a/out", 0 },
		{ "https://hook.example/in/..%7f/out", 0 },
		{ "https://hook.example/in/%c0%ae%c0%ae/out", 0 },
		{ "https://hook.example/%69n/x", 1 },
		{ "https://hook.example/in/100%25/x", 1 },
		{ "https://hook.example/in/a;v=1/..x/%20/%C3%A4", 1 },
		{ "https://hook.example/in?x=/../%00", 1 },
		{ "https://hook.example/in\\..\\out", 0 },
		{ "https://hook.example/in#x", 0 },
		{ "https://hook.example/in/a b", 0 },
		{ "https://hook.example/in/\r\nX: y", 0 },
		{ " https://hook.example/in", 0 },
		{ "//hook.example/in", 0 },
		{ "ftp://hook.example/in", 0 },
		{ "", 0 },
		{ "http://[2001:db8::1]:8080/x", 1 },
		{ "http://[2001:db8::1]/x", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(urls); i++) {
		CLEANUP(arena_done) struct arena a = ARENA_INIT(1u << 20);
		struct err err;

		if (insp_url_allowed(str_from(urls[i].url), prefixes, ARRAY_LEN(prefixes), &a, &err) != urls[i].allowed)
			fail_msg("%s: expected %d", urls[i].url, urls[i].allowed);
	}
}

static void test_prefixes(void **state)
{
	static const struct {
		const char *prefix;
		int valid;
	} prefixes[] = {
		{ "https://hook.example", 1 },      { "https://hook.example/in", 1 }, { "hook.example", 0 },
		{ "https://hook.example/?x=y", 0 }, { "https://u@hook.example", 0 },  { "file:///etc", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(prefixes); i++) {
		CLEANUP(arena_done) struct arena a = ARENA_INIT(1u << 20);
		struct err err;

		if (insp_url_prefix_valid(str_from(prefixes[i].prefix), &a, &err) != prefixes[i].valid)
			fail_msg("%s: expected %d", prefixes[i].prefix, prefixes[i].valid);
	}
}

static void test_calls(void **state)
{
	static const str prefixes[] = { { "http://h/in", 11 } };
	struct fixture f;

	(void)state;
	fixture_init(&f);
	f.config.call_prefixes = prefixes;
	f.config.n_call_prefixes = 1;
	run(&f,
	    "[{\"uuid\":\"" U "\",\"actions\":[{\"op\":\"api-call\",\"args\":[\"http://h/in/{inventory[x]}\"]},"
	    "{\"op\":\"api-call\",\"args\":{\"url\":\"http://h/in\",\"timeout\":1,\"retries\":0,\"backoff_factor\":2}},"
	    "{\"op\":\"api-call\",\"args\":{\"url\":\"http://h/in\",\"timeout\":0}}]}]",
	    "{}", "{\"x\":\"a/b\"}");
	assert_string_equal(f.reported.p,
			    "call http://h/in/a/b 5.0 3 0.3\ncall http://h/in 1.0 0 2.0\n"
			    "broken: rule " U ": timeout must be a number of seconds above 0 and at most 300\n");
	fixture_done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases), cmocka_unit_test(test_followed), cmocka_unit_test(test_depth),
		cmocka_unit_test(test_urls),  cmocka_unit_test(test_calls),    cmocka_unit_test(test_prefixes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
