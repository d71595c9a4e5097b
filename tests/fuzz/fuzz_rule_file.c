/* Any text as a rule file of the administrator and, after "=== ", the objects to hold against it. What loads must be
 * able to say which of them it is for, and to judge them. */
#include "cel/cel.h"
#include "daemon/validate/files.h"
#include "rules/rule_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct limits limits = LIMITS_DEFAULT;

struct judging {
	const struct rule_set *set;
	struct arena *arena;
};

static int judge(void *ctx, val self, val old, const struct cel_where *path, struct err *err)
{
	struct judging *j = ctx;
	struct cel_validation v = {
		.object = self,
		.old = old,
		.root = *path,
		.arena = j->arena,
		.limits = &limits,
		.budget = CEL_TOTAL_COST / 100, /* many small inputs find more than a few slow ones */
		.call_limit = CEL_CALL_COST / 100,
	};
	int r = cel_rules_validate(j->set->rules, &v, err);

	for (struct cel_failure *f = v.failures; r == 0 && f; f = f->next) {
		if (!rule_failure_place(f, j->arena))
			abort();
	}
	return r;
}

static void judge_document(const struct rule_set *s, val object)
{
	CLEANUP(arena_done) struct arena a;
	struct judging j = { .set = s, .arena = &a };
	struct err err;

	arena_init(&a, 0, 0);
	if (!rule_set_for_kind(s, val_str(VAL_GET(object, "apiVersion")), val_str(VAL_GET(object, "kind"))) ||
	    !rule_set_for_object(s, object))
		return;
	if (cel_at_walk(&s->at, object, object, judge, &j, &err) < 0)
		abort();
}

static void judge_all(const struct rule_file *f, str objects)
{
	struct documents documents = { 0 };
	struct err err;

	if (documents_parse(objects, "objects", &limits, NULL, &documents, &err) == 0) {
		for (size_t i = 0; i < documents.list.n * f->sets.n; i++)
			judge_document(&f->sets.p[i % f->sets.n], documents.list.p[i / f->sets.n].root);
	}
	documents_done(&documents);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(rule_file_freep) struct rule_file *f = NULL;
	str text = { (const char *)data, size }, objects = STR("");
	ptrdiff_t mark = str_find(text, STR("=== "));
	struct problems problems = { 0 };
	struct err err;
	int r;

	if (mark >= 0) {
		objects = str_sub(text, (size_t)mark + 4, text.n);
		text = str_sub(text, 0, (size_t)mark);
	}
	r = rule_file_parse(text, "rules", &limits, NULL, &f, &problems, &err);
	if ((r == 0) != (f != NULL) || (r == 0) == problems_any(&problems))
		abort();
	problems_done(&problems);
	if (f)
		judge_all(f, objects);
	return 0;
}
