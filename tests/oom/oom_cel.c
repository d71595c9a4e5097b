/* CEL: compiling and evaluating without memory. */
#include "oom.h"

#include "cel/cel.h"
#include "value/json.h"

#include <errno.h>

/* The number is longer than what is read without memory. */
static const char source[] =
	"[double('1000.2500000000000000000000000000000000000000000000000000000000000000000') + 1.5, "
	"double(string(self.n))].map(x, string(x)).join(',') + 'a\\tb'.replace('a', r'\\') + "
	"(self.s.matches('^[a-z]+$') ? '!' : '') + string({'k': [1u, 2u]}.k.size()) + "
	"string(self.l.filter(x, x > 1).exists(x, x == 3)) + string(duration('1h30m')) + "
	"string(timestamp('2024-01-02T03:04:05Z').getHours('+01:30'))";
static const char object[] = "{\"n\":2,\"s\":\"abc\",\"l\":[1,2,3]}";
static const char expected[] = "1001.75,2\\\tb!2true5400s4";

static struct limits limits;

static int compile(struct cel_program **ret, struct err *err)
{
	struct cel_variable self = { STR("self"), &cel_type_dyn };
	struct cel_env env = { .dialect = CEL_KUBERNETES, .variables = &self, .n_variables = 1 };
	CLEANUP(buf_done) struct buf issues = BUF_INIT(1u << 16);

	return cel_compile(STR(source), &env, &limits, ret, &issues, err);
}

static int run_cel_compile(struct err *err)
{
	CLEANUP(cel_program_freep) struct cel_program *p = NULL;
	int r;

	oom_arm();
	r = compile(&p, err);
	oom_disarm();
	return (r == 0) == (p != NULL) ? r : OOM_WRONG;
}

static int run_cel_evaluate(struct err *err)
{
	CLEANUP(cel_program_freep) struct cel_program *p = NULL;
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	CLEANUP(arena_done) struct arena a;
	struct json_options o = { .limits = &limits };
	struct cel_run run = { .arena = &a, .limits = &limits };
	cv self, result;
	int r;

	arena_init(&a, 64, 0);
	if (compile(&p, err) < 0 || json_decode(STR(object), &o, &doc, err) < 0)
		return OOM_WRONG;
	self = cel_value(&a, doc->root, NULL);
	oom_arm();
	r = cel_evaluate(p, &self, &run, &result, err);
	oom_disarm();
	if (r < 0)
		return r;
	if (result.kind == CV_ERROR && result.err->memory) /* a result, as the limit of the arena is */
		return err_nomem(err);
	return result.kind == CV_STRING && str_eq(cv_str(result), STR(expected)) ? 0 : OOM_WRONG;
}

int main(int argc, char **argv)
{
	static const struct oom_case cases[] = {
		{ "cel_compile", run_cel_compile, false },
		{ "cel_evaluate", run_cel_evaluate, false },
	};

	limits = LIMITS_DEFAULT;
	return oom_main(argc, argv, cases, ARRAY_LEN(cases));
}
