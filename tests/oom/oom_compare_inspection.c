/* The inspection of what "driftd compare" compares, without memory. */
#include "oom.h"

#include "base/file.h"
#include "base/key.h"
#include "daemon/compare/inspection.h"

#include <stdlib.h>
#include <unistd.h>

static const char rules[] = "- {phase: preprocess, actions: [{op: set-attribute, args: {path: spec.v, value: 2}}]}\n"
			    "- conditions: [{op: eq, args: ['{item.kind}', Pod], loop: '{ports}', multiple: any}]\n"
			    "  actions: [{op: api-call, args: {url: 'http://127.0.0.1:1/'}}, {op: fail, args: "
			    "['{node.metadata.name} has a Pod']}]\n";
static const char objects[] =
	"apiVersion: v1\nkind: Thing\nmetadata: {name: a, uid: u, managedFields: []}\nspec: {v: 9}\n---\n"
	"apiVersion: v1\nkind: Pod\nmetadata: {name: b, ownerReferences: [{apiVersion: v1, kind: Thing, name: a, uid: "
	"u}]}\nspec: {v: 1}\n";

static char path[] = "/tmp/oom-inspection-XXXXXX";
static struct limits limits;

static int inspect(struct compare_inspection *x, const struct compare_input *in, struct err *err)
{
	static const struct compare_candidates nothing;
	static const struct verdict none;
	int r = compare_inspection_add(x, in, err);

	for (size_t i = 0; i < in->objects.n && r == 0; i++) {
		val object = in->objects.p[i], compared;

		r = compare_inspect(x, object, in->names.p[i], &nothing, &compared, err);
		if (r == 0 && compared.members == object.members)
			r = OOM_WRONG; /* a rule has edited it */
		if (r == 0)
			r = compare_inspected(x, &none, err);
	}
	return r;
}

/* The failure is found, whether its message can be shown or not. */
static int check(const struct compare_inspection *x)
{
	struct report rep = { 0 };

	compare_inspection_report(x, &rep);
	return rep.n_failed_inspections == 1 && str_eq(rep.failed_inspections[0].cr, STR("v1_Thing_a")) ? 0 : OOM_WRONG;
}

static int run(struct err *err)
{
	struct compare_options o = { 0 };
	struct key_table *keys = key_table_new();
	struct compare_inspection *x = NULL;
	struct compare_input in;
	char *mistakes = NULL;
	int r;

	compare_input_init(&in, &limits, keys);
	in.quiet = true;
	if (!string_list_add(&o.inspection_rules, str_from(path)) ||
	    compare_input_text(&in, "objects", STR(objects), err) < 0)
		return OOM_WRONG;
	oom_arm();
	r = compare_inspection_load(&o, &limits, keys, &x, &mistakes, err);
	if (r == 0)
		r = inspect(x, &in, err);
	oom_disarm();
	if (r == 0)
		r = check(x);
	free(mistakes);
	compare_inspection_free(x);
	compare_input_done(&in);
	string_list_done(&o.inspection_rules);
	key_table_free(keys);
	return r;
}

int main(int argc, char **argv)
{
	static const struct oom_case cases[] = { { "compare_inspection", run, true } };
	int fd = mkstemp(path), status = 1;

	limits = LIMITS_DEFAULT;
	if (fd >= 0 && file_write_all(fd, STR(rules)) == 0)
		status = oom_main(argc, argv, cases, ARRAY_LEN(cases));
	close(fd);
	unlink(path);
	return status;
}
