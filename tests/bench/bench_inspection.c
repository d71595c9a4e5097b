/* 200 inspection rules over an object of about 5 KB, none of whose conditions hold: objects and rules per second on one
 * core, and what is allocated meanwhile. Allocations are counted by wrapping malloc, calloc and realloc. Then rules
 * that go on until their steps are used up: how long that takes. */
#include "rules/inspection/insp_run.h"
#include "value/json.h"

#include <stdio.h>
#include <time.h>

#define RULES 200

static const char fail_text[] = "{\"op\":\"fail\",\"args\":[\"m\"]}";
#define SECONDS 2.0

/* Each is the condition of every so many-th rule. */
static const char *const conditions[] = {
	"{\"op\":\"eq\",\"args\":[\"{node.kind}\",\"StatefulSet\"]}",
	"{\"op\":\"gt\",\"args\":[\"{node.spec[replicas]}\",100]}",
	"{\"op\":\"is-empty\",\"args\":[\"{node.metadata[labels][app.kubernetes.io/name]}\"]}",
	"{\"op\":\"contains\",\"args\":[\"{node.metadata[name]}\",\"^(?:test|demo)-[0-9]+$\"]}",
	"{\"op\":\"one-of\",\"args\":[\"{inventory[event]}\",[\"deleted\",\"added\"]]}",
	"{\"op\":\"!is-none\",\"args\":[\"{inventory[template]}\"]}",
	"{\"op\":\"in-net\",\"args\":[\"{node.spec[address]}\",\"192.168.0.0/16\"]}",
	"{\"op\":\"eq\",\"args\":[\"{node.metadata[namespace]}/{node.metadata[name]}\",\"shop/other\"]}",
	"{\"op\":\"eq\",\"args\":[\"{item[protocol]}\",\"UDP\"],\"loop\":\"{node.spec[ports]}\"}",
	"{\"op\":\"matches\",\"args\":[\"{item}\",\"team-[a-z]+\"],\"loop\":[\"{inventory[cluster]}\",\"x\"]}",
};

/* Loops over 1,000 numbers. */
static const char *const hostile[] = {
	"{\"op\":\"set-plugin-data\",\"args\":[\"a\",[\"{plugin_data}\",\"{plugin_data}\"]],\"loop\":\"{inventory[many]"
	"}\"}",
	"{\"op\":\"set-plugin-data\",\"args\":[\"a\",\"{plugin_data!s}{plugin_data!r}\"],\"loop\":\"{inventory[many]}"
	"\"}",
	"{\"op\":\"extend-plugin-data\",\"args\":{\"path\":\"a\",\"value\":\"{node.spec}\",\"unique\":true},"
	"\"loop\":\"{inventory[many]}\"}",
	"{\"op\":\"extend-plugin-data\",\"args\":{\"path\":\"a\",\"value\":\"{item}\",\"unique\":true},"
	"\"loop\":\"{inventory[many]}\"}",
	"{\"op\":\"set-attribute\",\"args\":[\"/x{item}\",\"{node}\"],\"loop\":\"{inventory[many]}\"}",
	"{\"op\":\"log\",\"args\":[\"{node:>65000}\"],\"loop\":\"{inventory[many]}\"}",
	"{\"op\":\"log\",\"args\":[\"{node}{node}{node}{node}\"],\"loop\":\"{inventory[many]}\"}",
};
static const char *const hostile_conditions[] = {
	"{\"op\":\"matches\",\"args\":[\"{node}\",\"(.+)+x\"]}",
	"{\"op\":\"!contains\",\"args\":[\"{node}\",\"(?:a|ab|[a-z])*[0-9]x\"],\"loop\":\"{inventory[many]}\","
	"\"multiple\":\"all\"}",
	"{\"op\":\"!contains\",\"args\":[\"{node}\",\"{item}(a|b)?x$\"],\"loop\":\"{inventory[many]}\",\"multiple\":"
	"\"all\"}",
	"{\"op\":\"!one-of\",\"args\":[\"{item}x\",\"{inventory[many]}\"],\"loop\":\"{inventory[many]}\",\"multiple\":"
	"\"all\"}",
};

/* ---- counting ---- */

static unsigned long allocations;

void *__real_malloc(size_t n);
void *__real_calloc(size_t count, size_t n);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t count, size_t n);
void *__wrap_realloc(void *p, size_t n);

void *__wrap_malloc(size_t n)
{
	allocations++;
	return __real_malloc(n);
}

void *__wrap_calloc(size_t count, size_t n)
{
	allocations++;
	return __real_calloc(count, n);
}

void *__wrap_realloc(void *p, size_t n)
{
	allocations++;
	return __real_realloc(p, n);
}

/* Of the processor, so that neighbours do not count. */
static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- what is run ---- */

static void node_text(struct buf *b)
{
	buf_add_cstr(b,
		     "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"web\",\"namespace\":"
		     "\"shop\",\"labels\":{\"app.kubernetes.io/name\":\"web\"}},\"spec\":{\"replicas\":3,\"address\":"
		     "\"10.1.2.3\",\"ports\":[");
	for (int i = 0; i < 40; i++)
		buf_printf(b, "%s{\"name\":\"port-%d\",\"port\":%d,\"protocol\":\"TCP\",\"note\":\"%s\"}", i ? "," : "",
			   i, 8000 + i, "served by the front of the application for its users");
	buf_add_cstr(b, "]}}");
}

static void inventory_text(struct buf *b)
{
	buf_add_cstr(b, "{\"cluster\":\"east-1\",\"event\":\"modified\",\"template\":null,\"many\":[0");
	for (int i = 1; i < 1000; i++)
		buf_printf(b, ",%d", i);
	buf_add_cstr(b, "]}");
}

static void count_mistake(void *ctx, const char *field, int64_t index, const char *key, const char *text)
{
	(void)ctx, (void)index, (void)key;
	fprintf(stderr, "%s: %s\n", field, text);
}

static int make_rule(const char *condition, const char *action, struct insp_rule **ret, const struct limits *limits)
{
	const struct insp_report report = { count_mistake, NULL };
	const struct json_options o = { .limits = limits };
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	CLEANUP(buf_done) struct buf text = BUF_INIT(4096);
	size_t mistakes = 0;
	struct err err;

	buf_printf(&text, "{\"conditions\":[%s],\"actions\":[%s]}", condition, action);
	if (json_decode(buf_str(&text), &o, &doc, &err) < 0)
		return -1;
	return insp_rule_new(doc->root, false, limits, &report, &mistakes, ret, &err) < 0 || mistakes ? -1 : 0;
}

struct bench {
	const struct limits *limits;
	struct insp_config config;
	struct insp_effects effects;
	struct insp_object object;
	struct arena arena;
	unsigned long in_rules; /* allocations while the rules ran, not before and behind */
};

static int run_once(struct bench *b, const struct insp_set *set)
{
	struct insp_run run;
	unsigned long before;
	struct err err;
	int r = insp_run_init(&run, &b->object, &b->config, &b->effects, b->limits, &b->arena, &err);

	before = allocations;
	if (r == 0)
		r = insp_run_phase(&run, set, INSP_MAIN, &err);
	b->in_rules += allocations - before;
	if (r == 0 && run.state != INSP_DONE) {
		fprintf(stderr, "%.*s\n", STR_ARG(run.message));
		r = -1;
	}
	insp_run_done(&run);
	arena_reset(&b->arena);
	return r;
}

static int bench(const char *name, struct bench *b, const struct insp_rule *const *rules)
{
	unsigned long objects = 0;
	struct insp_set set;
	double start, taken;
	struct err err;

	if (insp_set_init(&set, rules, RULES, NULL, 0, &err) < 0 || run_once(b, &set) < 0)
		return 1;
	b->in_rules = 0;
	start = now();
	do {
		if (run_once(b, &set) < 0)
			return 1;
		objects++;
		taken = now() - start;
	} while (taken < SECONDS);
	printf("%9.0f objects/s %10.0f rules/s  %6.3f allocations for 200 rules  %s\n", (double)objects / taken,
	       (double)objects * RULES / taken, (double)b->in_rules / (double)objects, name);
	insp_set_done(&set);
	return 0;
}

static int bench_all(struct bench *b, struct insp_rule **rules)
{
	const struct insp_rule *same[RULES];
	int status = bench("all of them", b, (const struct insp_rule *const *)rules);

	for (size_t i = 0; i < ARRAY_LEN(conditions); i++) {
		for (size_t k = 0; k < RULES; k++)
			same[k] = rules[i];
		status |= bench(conditions[i], b, same);
	}
	return status;
}

/* 200 times the same rule, which never stops by itself. */
static int exhaust(const char *condition, const char *action, struct bench *b)
{
	const struct insp_rule *rules[RULES];
	struct insp_rule *rule = NULL;
	struct insp_set set;
	struct insp_run run;
	struct err err;
	double start;
	int r = make_rule(condition, action, &rule, b->limits);

	for (size_t i = 0; i < RULES; i++)
		rules[i] = rule;
	if (r < 0 || insp_set_init(&set, rules, RULES, NULL, 0, &err) < 0)
		return 1;
	start = now();
	r = insp_run_init(&run, &b->object, &b->config, &b->effects, b->limits, &b->arena, &err);
	if (r == 0)
		r = insp_run_phase(&run, &set, INSP_MAIN, &err);
	printf("%7.1f ms  %8llu steps left  %5zu MiB  %s%s  (%.*s)\n", (now() - start) * 1e3,
	       (unsigned long long)run.work.steps, b->arena.used >> 20, condition, *condition ? "" : action,
	       STR_ARG(run.message));
	insp_run_done(&run);
	insp_set_done(&set);
	insp_rule_free(rule);
	arena_reset(&b->arena);
	return r < 0;
}

static int exhaust_all(struct bench *b)
{
	int status = 0;

	for (size_t i = 0; i < ARRAY_LEN(hostile); i++)
		status |= exhaust("", hostile[i], b);
	for (size_t i = 0; i < ARRAY_LEN(hostile_conditions); i++)
		status |= exhaust(hostile_conditions[i], "{\"op\":\"log\",\"args\":[\"x\"]}", b);
	return status;
}

int main(void)
{
	const struct limits limits = limits_of_a_loop();
	const struct json_options o = { .limits = &limits };
	CLEANUP(doc_unrefp) struct doc *node = NULL, *inventory = NULL;
	CLEANUP(buf_done) struct buf text = BUF_INIT(1u << 16), facts = BUF_INIT(1u << 16);
	struct bench b = { .limits = &limits, .arena = ARENA_INIT(0) };
	struct insp_rule *rules[RULES] = { NULL };
	struct err err;
	int status = 0;

	node_text(&text);
	inventory_text(&facts);
	if (json_decode(buf_str(&text), &o, &node, &err) < 0 || json_decode(buf_str(&facts), &o, &inventory, &err) < 0)
		return 1;
	b.object = (struct insp_object){ node->root, { .kind = VAL_LIST }, inventory->root, { NULL, 0 } };
	for (size_t i = 0; i < RULES; i++)
		status |= make_rule(conditions[i % ARRAY_LEN(conditions)], fail_text, &rules[i], &limits);
	printf("object of %zu bytes, %d rules of one condition\n", text.n, RULES);
	if (status == 0)
		status = bench_all(&b, rules);
	if (status == 0)
		status = exhaust_all(&b);
	for (size_t i = 0; i < RULES; i++)
		insp_rule_free(rules[i]);
	arena_done(&b.arena);
	return status != 0;
}
