/* Rule files, of both kinds, without memory. */
#include "oom.h"

#include "daemon/validate/files.h"
#include "rules/event_set.h"
#include "rules/rule_file.h"

#include <errno.h>

static struct limits limits;

static bool is_whole(const struct rule_file *f)
{
	const struct rule_set *s = f ? f->sets.p : NULL;

	return f && f->sets.n == 2 && s[0].labels.n == 3 && s[0].labels.requirements[1].n_values == 2 &&
	       s[0].at.n == 2 && s[0].severities[0] && cel_rules_count(s[0].rules) == 1 &&
	       !cel_rules_at(s[0].rules, 0)->error.p && s[1].labels.n == 2 && cel_rules_count(s[1].rules) == 1 &&
	       !cel_rules_at(s[1].rules, 0)->error.p && !cel_rules_at(s[1].rules, 0)->message_error.p;
}

static int run_rule_file_parse(struct err *err)
{
	static const char text[] =
		"apiVersion: v1\nkind: Config*\nnamespace: shop\nlabelSelector: app=web,tier in (front,back),!gone\n"
		"at: .data.*\nrules:\n- rule: self.size() < 3\n  message: too long\n  severity: error\n---\n"
		"- apiVersion: '*'\n  kind: Pod\n  labelSelector:\n    matchLabels: {app: web}\n    matchExpressions:\n"
		"    - {key: tier, operator: NotIn, values: [back]}\n  rules:\n"
		"  - rule: self.metadata.name.startsWith('w')\n    messageExpression: \"'name ' + "
		"self.metadata.name\"\n"
		"    reason: FieldValueForbidden\n    fieldPath: .metadata.name\n";
	CLEANUP(rule_file_freep) struct rule_file *f = NULL;
	struct problems problems = { 0 };
	int r;

	oom_arm();
	r = rule_file_parse(STR(text), "file", &limits, NULL, &f, &problems, err);
	oom_disarm();
	problems_done(&problems);
	return r == 0 ? (is_whole(f) ? 0 : OOM_WRONG) : f ? OOM_WRONG : r;
}

/* Mistakes must be told as such, or as a lack of memory: a file with mistakes never loads. */
static int run_rule_file_mistakes(struct err *err)
{
	static const char text[] =
		"apiVersion: v1\nkind: [Pod]\nat: spec[0]\nlabelSelector: a in b\nrules: []\n---\n"
		"- kind: Pod\n  apiversion: v1\n  labelSelector:\n    matchExpressions:\n    - {key: a, operator: "
		"Near}\n"
		"  rules:\n  - rule: true\n  - {rule: self == 1, severity: awful, reasons: x}\n- text\n---\n"
		"apiVersion: v1\nkind: Pod\nrules:\n- rule: self.a +\n- rule: 'true'\n  messageExpression: self\n";
	CLEANUP(rule_file_freep) struct rule_file *f = NULL;
	struct problems problems = { 0 };
	bool reported;
	int r;

	oom_arm();
	r = rule_file_parse(STR(text), "file", &limits, NULL, &f, &problems, err);
	oom_disarm();
	reported = problems_any(&problems);
	problems_done(&problems);
	if (f || r == 0 || (r == -EINVAL && !reported))
		return OOM_WRONG;
	return r == -EINVAL ? 0 : r;
}

static int run_event_set_parse(struct err *err)
{
	static const char text[] = "list_order: false\nrules:\n- {type: error, path: 'a.{\"b.c\", d}.@', for: 30s}\n"
				   "- {equal: set, path: '*!', kinds: [A, B], names: c, labels: 'a in (b, c)'}\n";
	CLEANUP(event_set_freep) struct event_set *s = NULL;
	struct problems problems = { 0 };
	int r;

	oom_arm();
	r = event_set_parse(STR(text), "file", &limits, &s, &problems, err);
	oom_disarm();
	problems_done(&problems);
	if (r < 0)
		return s ? OOM_WRONG : r;
	return s->n == 2 && s->rules[0].rule.path.segments[1].n_options == 2 && s->rules[1].selector.kinds.n == 2 &&
			       s->rules[1].selector.labels.n == 1
		       ? 0
		       : OOM_WRONG;
}

static int run_event_set_mistakes(struct err *err)
{
	static const char text[] = "list_order: maybe\nrules:\n- {type: alow, path: 'a.\"b', labels: a in b}\n"
				   "- {typ: allow, kinds: [], for: 30}\n- a\n---\nrules: []\n";
	CLEANUP(event_set_freep) struct event_set *s = NULL;
	struct problems problems = { 0 };
	bool reported;
	int r;

	oom_arm();
	r = event_set_parse(STR(text), "file", &limits, &s, &problems, err);
	oom_disarm();
	reported = problems_any(&problems);
	problems_done(&problems);
	if (s || r == 0 || (r == -EINVAL && !reported))
		return OOM_WRONG;
	return r == -EINVAL ? 0 : r;
}

static int run_documents_parse(struct err *err)
{
	static const char text[] = "a: b\n---\n# nothing\n---\nkind: PodList\nitems:\n- {a: 1}\n- {a: 2}\n- {a: 3}\n"
				   "---\n{\"c\": [1, 2]}\n";
	struct documents d = { 0 };
	int r;

	oom_arm();
	r = documents_parse(STR(text), "file", &limits, NULL, &d, err);
	oom_disarm();
	if (r == 0 && d.list.n != 5)
		r = OOM_WRONG;
	documents_done(&d);
	return r;
}

int main(int argc, char **argv)
{
	static const struct oom_case cases[] = {
		{ "rule_file_parse", run_rule_file_parse, false },
		{ "rule_file_mistakes", run_rule_file_mistakes, true }, /* a mistake may be counted instead of kept */
		{ "event_set_parse", run_event_set_parse, false },
		{ "event_set_mistakes", run_event_set_mistakes, true },
		{ "documents_parse", run_documents_parse, false },
	};

	limits = LIMITS_DEFAULT;
	return oom_main(argc, argv, cases, ARRAY_LEN(cases));
}
