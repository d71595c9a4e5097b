/* A CustomResourceDefinition, an object of its kind, the object before, and a rule file, as YAML or JSON and "=== "
 * between them: from the schema to the failures, as the daemon has them told. The same twice is the same; what only
 * warns is what else fails; no failure is without words; and what is evaluated is what was paid for. */
#include "cel/cel_eval.h"
#include "rules/crd_schema.h"
#include "rules/failure_text.h"
#include "rules/kind_rules.h"
#include "value/yaml.h"

#include "go/zoneinfo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum part { DEFINITION, OBJECT, BEFORE, RULE_FILE, PARTS };

/* Many small inputs find more than a few slow ones. */
#define TOTAL_COST (CEL_TOTAL_COST / 100)
#define CALL_COST (CEL_CALL_COST / 100)

static const struct limits limits = { .file_bytes = 1u << 16,
				      .object_bytes = 1u << 16,
				      .depth = 200,
				      .document_nodes = 1u << 13,
				      .arena_bytes = 32u << 20,
				      .regex_match_limit = 10000,
				      .cel_cost = CALL_COST };

static void check(bool ok)
{
	if (!ok)
		abort();
}

/* ---- what is done for what is paid ---- */

#define STEPS_PER_COST 16 /* a unit of cost is a tenth of a text, or a part of a value: some steps */

static uint64_t steps; /* calls of functions and looks at parts of values */

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker's names */
#define COUNTED(T, name, parameters, arguments)                                                                        \
	T __real_##name parameters;                                                                                    \
	T __wrap_##name parameters;                                                                                    \
	T __wrap_##name parameters                                                                                     \
	{                                                                                                              \
		steps++;                                                                                               \
		return __real_##name arguments;                                                                        \
	}

COUNTED(uint64_t, cel_call_cost,
	(struct cel_ctx * c, const struct cel_overload *o, bool only, const cv *args, uint32_t n, cv result),
	(c, o, only, args, n, result))
COUNTED(cv, cv_item, (struct arena * a, cv list, uint32_t i), (a, list, i))
COUNTED(void, cv_entry_at, (struct arena * a, cv map, uint32_t i, cv *key, cv *value), (a, map, i, key, value))
COUNTED(bool, val_equal, (val a, val b), (a, b))

int __real_cel_rules_validate(const struct cel_rules *r, struct cel_validation *v, struct err *err);
int __wrap_cel_rules_validate(const struct cel_rules *r, struct cel_validation *v, struct err *err);

int __wrap_cel_rules_validate(const struct cel_rules *r, struct cel_validation *v, struct err *err)
{
	int64_t given = v->budget / (CEL_TOTAL_COST / TOTAL_COST), spent;
	int status;

	v->budget = given;
	v->call_limit = CALL_COST;
	steps = 0;
	status = __real_cel_rules_validate(r, v, err);
	check(status == 0 && v->budget >= -1 && v->budget <= given);
	spent = v->budget < 0 ? given + CALL_COST : given - v->budget;
	check(steps <= STEPS_PER_COST * ((uint64_t)spent + v->evaluated + 1));
	v->budget = v->budget < 0 ? -1 : v->budget * (CEL_TOTAL_COST / TOTAL_COST);
	return status;
}
/* NOLINTEND(bugprone-reserved-identifier) */

/* ---- one object, judged ---- */

struct judging {
	const struct kind_rules *rules;
	const struct compiled_rules *set;
	val object;
	struct buf reported;
	size_t n, n_warnings;
	bool ratchet;
};

static int on_failure(void *ctx, const struct cel_failure *f, struct err *err)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct judging *j = ctx;
	bool hidden = failure_hides(NULL, j->object, f);
	str message = failure_message(f, hidden, &a), path = failure_path(NULL, j->object, NULL, &f->path, &a);

	(void)err;
	check(message.n && path.p && f->message.n && f->kind != CEL_COMPILE);
	check(f->rule || f->kind == CEL_COST);
	check(j->ratchet || !f->warning);
	check(f->kind == CEL_FAILED ||
	      val_same(path_get(j->object, f->path.at), f->value)); /* else a fieldPath may go on */
	check(!f->path.at.n || f->path.ends[f->path.at.n - 1] <= f->path.text.n);
	buf_printf(&j->reported, "%d %d %d %.*s: %.*s: %.*s (%.*s)\n", f->kind, f->reason, hidden,
		   STR_ARG(f->path.text), STR_ARG(f->message), STR_ARG(message), STR_ARG(f->message_problem));
	j->n++;
	j->n_warnings += f->warning;
	return 0;
}

static void judge(struct judging *j, val before)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct rules_run run = { .object = j->object,
				 .old = before,
				 .ratchet = j->ratchet,
				 .arena = &a,
				 .transient = true,
				 .limits = &limits,
				 .zones = &go_zoneinfo,
				 .failed = on_failure,
				 .ctx = j };
	struct err err;

	j->reported = BUF_INIT(64 << 20);
	for (size_t i = 0; i < j->rules->sets.n; i++) {
		j->set = &j->rules->sets.p[i];
		check(compiled_rules_run(j->set, &run, &err) == 0);
	}
	check(j->n == 0 || kind_rules_fit(j->rules, j->object, val_exists(before)) == RULES_FIT);
}

/* ---- the input ---- */

struct input {
	str text[PARTS];
	struct doc *docs[PARTS];
	val root[PARTS];
	struct rule_file *file;
};

static void split(str text, str parts[PARTS])
{
	for (size_t i = 0; i < PARTS; i++) {
		ptrdiff_t mark = str_find(text, STR("=== "));

		parts[i] = str_sub(text, 0, mark < 0 ? text.n : (size_t)mark);
		text = mark < 0 ? STR("") : str_sub(text, (size_t)mark + 4, text.n);
	}
}

static void parse(struct input *in)
{
	static const struct yaml_options o = { .limits = &limits };
	struct problems problems = { 0 };
	struct err err;

	for (size_t i = 0; i < RULE_FILE; i++) {
		if (in->text[i].n && yaml_decode(in->text[i], &o, &in->docs[i], &err) == 0)
			in->root[i] = in->docs[i]->root;
	}
	if (in->text[RULE_FILE].n &&
	    rule_file_parse(in->text[RULE_FILE], "f", &limits, NULL, &in->file, &problems, &err) < 0)
		in->file = NULL;
	problems_done(&problems);
}

static void release(struct input *in)
{
	for (size_t i = 0; i < PARTS; i++)
		doc_unref(in->docs[i]);
	rule_file_free(in->file);
}

/* The kind of the object, or the first of the definition: what is for another kind finds nothing. */
static str kind_of(const struct input *in, struct arena *a, str *kind)
{
	val crd = in->root[DEFINITION], object = in->root[OBJECT], versions = val_dig(crd, "spec", "versions", NULL);
	str group = val_str(val_dig(crd, "spec", "group", NULL));
	str version = val_str(VAL_GET(val_at(versions, 0), "name"));

	*kind = val_str(VAL_GET(object, "kind"));
	if (val_is_map(crd_schema(crd, val_str(VAL_GET(object, "apiVersion")), *kind)) || !version.n)
		return val_str(VAL_GET(object, "apiVersion"));
	*kind = val_str(val_dig(crd, "spec", "names", "kind", NULL));
	return arena_printf(a, "%.*s/%.*s", STR_ARG(group), STR_ARG(version));
}

static void check_rules(const struct kind_rules *k)
{
	check(!k->refused.code || *k->refused.msg);
	for (size_t i = 0; i < k->sets.n; i++) {
		const struct compiled_rules *c = &k->sets.p[i];

		for (size_t r = 0; r < cel_rules_count(c->rules); r++) {
			const struct cel_rule *rule = cel_rules_at(c->rules, r);

			check(rule->empty || (rule->error.p != NULL) == (rule->program == NULL));
			check(!rule->error.p || rule->error.n);
			(void)compiled_rules_severity(c, rule);
		}
	}
}

/* Parsed, compiled and judged from the text on. */
static void run(str text, struct judging *j)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct input in = { 0 };
	struct kind_rules rules;
	struct rule_sources from;
	str api_version, kind;
	struct err err;

	split(text, in.text);
	parse(&in);
	api_version = kind_of(&in, &a, &kind);
	from = (struct rule_sources){ .crd = in.docs[DEFINITION],
				      .definition = in.root[DEFINITION],
				      .files = &in.file,
				      .n_files = in.file != NULL,
				      .limits = &limits };
	check(kind_rules_init(&rules, api_version, kind, &from, &err) == 0);
	check_rules(&rules);
	j->rules = &rules;
	j->object = in.root[OBJECT];
	if (val_is_map(j->object))
		judge(j, val_is_map(in.root[BEFORE]) ? in.root[BEFORE] : (val){ 0 });
	j->rules = NULL;
	j->set = NULL;
	kind_rules_done(&rules);
	release(&in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	str text = { (const char *)data, size };
	struct judging first = { .ratchet = true }, again = { .ratchet = true }, strict = { 0 };

	run(text, &first);
	run(text, &again);
	run(text, &strict);
	check(str_eq(buf_str(&first.reported), buf_str(&again.reported)) && first.n_warnings == again.n_warnings);
	check(str_eq(buf_str(&first.reported), buf_str(&strict.reported)));
	buf_done(&first.reported);
	buf_done(&again.reported);
	buf_done(&strict.reported);
	return 0;
}
