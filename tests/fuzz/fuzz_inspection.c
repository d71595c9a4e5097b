/* Inspection rules as an administrator may write them, an object, and requests about rules; parted by "=== ": first the
 * file of built-in rules (YAML), then the context of an evaluation (JSON), then a request a line, "METHOD PATH BODY".
 *
 *   - A file has mistakes exactly when it is refused, and what loads can be run, in all phases, over an object that is
 * a Secret, and over what the input brings.
 *   - With mask_secrets at its default no rule gets hold of what is hidden: not in messages, logs, requests, plugin
 * data, nor anywhere in the object but where it was.
 *   - A sensitive rule that fails says nothing but its uuid.
 *   - What an evaluation leaves is no deeper than a document may be, and steps are only ever taken away.
 *   - What a request makes of a stored rule is a rule; one that is refused changes nothing; a sensitive rule stays one,
 *     and shows neither conditions nor actions; built-in rules stay as they are. */
#include "rules/inspection/insp_run.h"
#include "support/memory_rules.h"
#include "value/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MARKER "hidden-0123456789"
#define REQUESTS_MAX 20

static const char object_text[] =
	"{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"s\",\"uid\":\"u-0\",\"labels\":{\"a\":"
	"\"b\"},"
	"\"annotations\":{\"kubectl.kubernetes.io/last-applied-configuration\":\"" MARKER "\"}},"
	"\"data\":{\"k\":\"" MARKER "\"},\"stringData\":{\"k\":\"" MARKER "\"},"
	"\"spec\":{\"password\":\"" MARKER "\",\"auth_token\":[\"" MARKER
	"\"],\"n\":1,\"list\":[1,{\"bmc_password\":\"" MARKER "\"}]}}";

#define CHECK(cond)                                                                                                    \
	do {                                                                                                           \
		if (!(cond))                                                                                           \
			abort();                                                                                       \
	} while (0)

static struct limits limits;

static const struct json_options *json_options(void)
{
	static struct json_options o = { .limits = &limits };

	return &o;
}

static bool has_marker(str s)
{
	return str_find(s, STR(MARKER)) >= 0;
}

static bool holds_marker(val v)
{
	if (val_is_string(v))
		return has_marker(val_str(v));
	for (uint32_t i = 0; i < val_count(v); i++) {
		if (v.kind == VAL_MAP && has_marker(key_str(v.members[i].key)))
			return true;
		if (holds_marker(v.kind == VAL_LIST ? v.items[i] : v.members[i].value))
			return true;
	}
	return false;
}

static uint32_t depth_of(val v)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < val_count(v); i++) {
		uint32_t d = depth_of(v.kind == VAL_LIST ? v.items[i] : v.members[i].value);

		most = d > most ? d : most;
	}
	return most + 1;
}

/* ---- evaluations ---- */

static void on_log(void *ctx, const struct insp_rule *rule, enum insp_level level, struct insp_text message)
{
	(void)ctx;
	CHECK(rule && level < INSP_LEVELS && !has_marker(message.text));
}

/* As a reader would have it who knows nothing of URLs but where the host ends. */
static bool is_below_hook(str url)
{
	static const str host = { "http://hook.example", 19 };

	return url.n > host.n && str_eq_nocase(str_sub(url, 0, host.n), host) &&
	       (url.p[host.n] == '/' || url.p[host.n] == ':') && str_find(url, STR("/../")) < 0 &&
	       str_find_byte(str_sub(url, host.n, url.n), '/') >= 0;
}

static void on_call(void *ctx, const struct insp_rule *rule, const struct insp_call *call)
{
	(void)ctx;
	CHECK(rule && !has_marker(call->url) && call->timeout > 0);
	CHECK(is_below_hook(call->url));
	CHECK(!val_exists(call->headers) || !holds_marker(call->headers));
}

static void check_end(const struct insp_run *run)
{
	CHECK(!has_marker(run->message));
	if (run->state == INSP_DONE || !run->rule->sensitive)
		return;
	CHECK(str_has_suffix(run->message, run->state == INSP_FAILED ? run->rule->uuid : STR(" could not be run")));
	CHECK(str_find(run->message, run->rule->uuid) >= 0);
}

static void run_all(const struct insp_set *set, const struct insp_object *object, bool secret)
{
	static const str prefixes[] = { { "http://hook.example/in", 22 } };
	const struct insp_config config = { .call_prefixes = prefixes, .n_call_prefixes = 1 };
	const struct insp_effects effects = { .log = on_log, .call = on_call };
	CLEANUP(arena_done) struct arena a = ARENA_INIT(limits.arena_bytes);
	struct insp_run run;
	struct err err;
	int r = insp_run_init(&run, object, &config, &effects, &limits, &a, &err);

	for (size_t phase = 0; r == 0 && phase < INSP_PHASES; phase++) {
		uint64_t before = run.work.steps;

		r = insp_run_phase(&run, set, (enum insp_phase)phase, &err);
		CHECK(run.work.steps <= before);
	}
	CHECK(r == 0 || r == -ENOMEM);
	check_end(&run);
	CHECK(val_is_map(run.scope.node.real) && val_is_list(run.scope.ports.real));
	CHECK(depth_of(run.scope.node.real) <= limits.depth + 2 &&
	      depth_of(run.scope.plugin_data.real) <= limits.depth + 2);
	CHECK(!secret || (!holds_marker(run.scope.plugin_data.real) &&
			  !holds_marker(val_dig(run.scope.node.real, "metadata", "labels", NULL))));
	insp_run_done(&run);
}

static val part(val context, const char *name, enum val_kind kind)
{
	val v = val_get(context, str_from(name));

	return v.kind == kind ? v : (val){ .kind = (uint8_t)kind };
}

static void run_rules(const struct insp_builtins *b, val context)
{
	CLEANUP(doc_unrefp) struct doc *secret = NULL;
	val scope = VAL_GET(context, "scope");
	struct insp_object object = {
		.node = part(context, "node", VAL_MAP),
		.ports = part(context, "ports", VAL_LIST),
		.inventory = part(context, "inventory", VAL_MAP),
		.scope = val_is_string(scope) ? val_str(scope) : (str){ NULL, 0 },
	};
	struct insp_set set;
	struct err err;

	if (insp_set_init(&set, NULL, 0, (const struct insp_rule *const *)b->rules.p, b->rules.n, &err) < 0)
		return;
	run_all(&set, &object, false);
	if (json_decode(str_from(object_text), json_options(), &secret, &err) == 0) {
		object.node = secret->root;
		object.ports = (val){ .kind = VAL_LIST, .n = 1, .items = &secret->root };
		run_all(&set, &object, true);
	}
	insp_set_done(&set);
}

/* ---- requests ---- */

static void check_shown(val v)
{
	val sensitive = VAL_GET(v, "sensitive");

	if (sensitive.kind != VAL_BOOL || !sensitive.b)
		return;
	CHECK(val_is_null(VAL_GET(v, "conditions")) || !val_exists(VAL_GET(v, "conditions")));
	CHECK(val_is_null(VAL_GET(v, "actions")) || !val_exists(VAL_GET(v, "actions")));
}

static void check_answer(const struct insp_answer *a)
{
	val list = VAL_GET(a->body, "inspection_rules");

	CHECK((a->status >= 400) == val_is_string(VAL_GET(a->body, "error")));
	CHECK((a->status == 204) == !val_exists(a->body));
	check_shown(a->body);
	for (uint32_t i = 0; i < val_count(list); i++)
		check_shown(list.items[i]);
}

static void ignore(void *ctx, const char *field, int64_t index, const char *key, const char *text)
{
	(void)ctx, (void)field, (void)index, (void)key, (void)text;
}

/* The stored rules are rules, also when they are read again. */
static void check_stored(const struct memory_rules *rules)
{
	const struct insp_report report = { ignore, NULL };

	for (size_t i = 0; i < rules->list.n; i++) {
		struct insp_rule *again = NULL;
		size_t mistakes = 0;
		struct err err;

		if (insp_rule_new(rules->list.p[i].rule->source, false, &limits, &report, &mistakes, &again, &err) < 0)
			continue;
		CHECK(mistakes == 0 && val_equal(again->source, rules->list.p[i].rule->source));
		insp_rule_free(again);
	}
}

/* Of all rules, in their order. */
static uint64_t hash_of(const struct memory_rules *rules)
{
	uint64_t h = rules->list.n;

	for (size_t i = 0; i < rules->list.n; i++)
		h = h * 31 + val_hash(rules->list.p[i].rule->source);
	return h;
}

static bool next_request(str *rest, struct insp_request *q)
{
	str line, part_;

	if (!rest->p || !str_next_part(rest, '\n', &line))
		return false;
	(void)str_next_part(&line, ' ', &q->method);
	part_ = STR("");
	if (line.p)
		(void)str_next_part(&line, ' ', &part_);
	(void)str_next_part(&part_, '?', &q->path);
	q->query = part_.p ? part_ : STR("");
	q->body = line.p ? line : STR("");
	return true;
}

static void ask_all(const struct insp_builtins *b, str requests)
{
	struct memory_rules rules = { 0 };
	const struct insp_store store = memory_rules_store(&rules);
	struct insp_request q;

	for (int i = 0; i < REQUESTS_MAX && next_request(&requests, &q); i++) {
		CLEANUP(arena_done) struct arena a = ARENA_INIT(limits.arena_bytes);
		char uuid[] = "aaaaaaaa-0000-4000-8000-0000000000aa";
		const struct insp_api api = {
			&store, b, STR("2026"), STR("2027"), { uuid, sizeof(uuid) - 1 }, &limits
		};
		uint64_t before = hash_of(&rules);
		size_t sensitive = 0;
		struct insp_answer answer;
		struct err err;

		uuid[35] = (char)('a' + i % 6);
		uuid[34] = (char)('0' + i / 6);
		for (size_t k = 0; k < rules.list.n; k++)
			sensitive += rules.list.p[k].rule->sensitive;
		if (insp_api_answer(&api, &q, &a, &answer, &err) < 0)
			break;
		check_answer(&answer);
		CHECK(answer.status < 400 || before == hash_of(&rules));
		for (size_t k = 0; k < rules.list.n; k++)
			sensitive -= sensitive > 0 && rules.list.p[k].rule->sensitive;
		CHECK(sensitive == 0 || str_eq(q.method, STR("DELETE")));
		check_stored(&rules);
	}
	memory_rules_done(&rules);
}

static str next_section(str *rest)
{
	ptrdiff_t mark = str_find(*rest, STR("=== "));
	str section = mark < 0 ? *rest : str_sub(*rest, 0, (size_t)mark);

	*rest = mark < 0 ? STR("") : str_sub(*rest, (size_t)mark + 4, rest->n);
	return section;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	str rest = { (const char *)data, size }, rules = next_section(&rest), context = next_section(&rest);
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	struct problems problems = { 0 };
	struct insp_builtins b = { 0 };
	struct err err;
	int r;

	if (has_marker((str){ (const char *)data, size }))
		return 0;
	limits = LIMITS_DEFAULT;
	limits.depth = 100;
	limits.evaluation_steps = 200 * 1000;
	limits.arena_bytes = 64u << 20;
	r = insp_builtins_parse(rules, "rules", &limits, &b, &problems, &err);
	CHECK(r == -ENOMEM || (r == 0) == !problems_any(&problems));
	problems_done(&problems);
	if (json_decode(context, json_options(), &doc, &err) < 0)
		doc = NULL;
	if (r == 0)
		run_rules(&b, doc ? doc->root : (val){ 0 });
	ask_all(&b, rest);
	insp_builtins_done(&b);
	return 0;
}
