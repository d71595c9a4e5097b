/* Reads files of event rules, and reports every mistake with its place. */
#include "rules/event_set.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/pattern.h"
#include "rules/rule_set.h"
#include "value/settings.h"
#include "value/yaml.h"

#include <errno.h>

/* ---- values ---- */

static void set_type(struct settings *s, void *target, const struct node *n)
{
	struct event_set_rule *x = target;

	x->typed = true; /* even if the type is unknown: one mistake is enough */
	if (setting_expect(s, n, NODE_SCALAR, "a type") && !event_type_read(n->text, &x->rule.type))
		node_problem(n, s->problems, "'%.*s' is not a type: allow, warn, error or ignore", STR_ARG(n->text));
}

/* Set the change of a rule. "none", which the original takes, is refused: no change is of that kind. */
static void set_change(struct settings *s, void *target, const struct node *n)
{
	struct event_rule *x = target;
	struct err err;

	if (!setting_expect(s, n, NODE_SCALAR, "a change"))
		return;
	if (event_change_read(n->text, &x->path, &x->any_change, &x->change, &err) < 0 ||
	    (!x->any_change && x->change == EVENT_NONE))
		node_problem(n, s->problems, "'%.*s' is not a change: any, create, delete or modify", STR_ARG(n->text));
}

static void set_path(struct settings *s, void *target, const struct node *n)
{
	struct event_path *p = target;
	struct err err;

	if (!setting_expect(s, n, NODE_SCALAR, "a path such as spec.replicas"))
		return;
	if (event_path_read(n->text, s->arena, p, &err) < 0)
		s->no_memory = true;
	else if (event_path_check(p, &err) < 0)
		node_problem(n, s->problems, "%s", err.msg);
}

static void set_own_severity(struct settings *s, void *target, const struct node *n)
{
	enum severity severity = SEVERITY_WARNING;

	setting_severity(s, &severity, n);
	*(int *)target = (int)severity;
}

static void set_equal(struct settings *s, void *target, const struct node *n)
{
	static const char *const names[] = {
		[EVENT_EQUAL_NONE] = "",
		[EVENT_EQUAL_QUANTITY] = "quantity",
		[EVENT_EQUAL_DURATION] = "duration",
		[EVENT_EQUAL_NUMBER] = "number",
		[EVENT_EQUAL_SET] = "set",
	};
	size_t i = EVENT_EQUAL_QUANTITY;

	if (!setting_expect(s, n, NODE_SCALAR, "quantity, duration, number or set"))
		return;
	while (i < ARRAY_LEN(names) && !str_eq(n->text, str_from(names[i])))
		i++;
	if (i == ARRAY_LEN(names))
		node_problem(n, s->problems, "'%.*s' is not a way to be equal: quantity, duration, number or set",
			     STR_ARG(n->text));
	else
		*(enum event_equal *)target = (enum event_equal)i;
}

static void set_hold(struct settings *s, void *target, const struct node *n)
{
	if (n->kind != NODE_SCALAR || !rule_hold_parse(n->text, target))
		node_problem(n, s->problems, "expected a duration from 0s to 24h, such as 30s or 5m");
}

static void set_patterns(struct settings *s, void *target, const struct node *n)
{
	struct text_list list = setting_texts(s, n);

	if (node_count(n) == 0)
		node_problem(n, s->problems, "an empty list matches nothing; leave it out to match everything");
	*(struct event_patterns *)target = (struct event_patterns){ list.p, list.n };
}

static void set_labels(struct settings *s, void *target, const struct node *n)
{
	s->no_memory |= !label_selector_read(n, s->arena, target, s->problems);
}

/* ---- rules ---- */

static const struct setting rule_settings[] = {
	{ .key = "type",
	  .set = set_type,
	  .help = "what a change is: allow, warn, error or ignore; needed unless there is equal" },
	{ .key = "change",
	  .set = set_change,
	  .offset = offsetof(struct event_set_rule, rule),
	  .default_text = "any",
	  .help = "any, create, delete or modify" },
	{ .key = "path",
	  .set = set_path,
	  .offset = offsetof(struct event_set_rule, rule.path),
	  .help = "of the field, with all below it, such as spec.containers[name=web].image; required" },
	{ .key = "message",
	  .set = setting_text,
	  .offset = offsetof(struct event_set_rule, rule.message),
	  .help = "what the record says of it" },
	{ .key = "action",
	  .set = setting_text,
	  .offset = offsetof(struct event_set_rule, rule.action),
	  .help = "what is to be done about it" },
	{ .key = "severity",
	  .set = set_own_severity,
	  .offset = offsetof(struct event_set_rule, severity),
	  .default_text = "that of the type",
	  .help = "critical, error, warning, notice or info" },
	{ .key = "equal",
	  .set = set_equal,
	  .offset = offsetof(struct event_set_rule, equal),
	  .help = "when two values are the same: quantity, duration, number or set" },
	{ .key = "for",
	  .set = set_hold,
	  .offset = offsetof(struct event_set_rule, hold_ns),
	  .default_text = "as the reference says",
	  .help = "how long it must last before it is reported, such as 30s" },
	{ .key = "kinds",
	  .set = set_patterns,
	  .offset = offsetof(struct event_set_rule, selector.kinds),
	  .help = "only objects of these kinds, such as Deployment.apps; \"*\" stands for any text, here and below" },
	{ .key = "namespaces",
	  .set = set_patterns,
	  .offset = offsetof(struct event_set_rule, selector.namespaces),
	  .help = "only those in these namespaces" },
	{ .key = "names",
	  .set = set_patterns,
	  .offset = offsetof(struct event_set_rule, selector.names),
	  .help = "only those called so" },
	{ .key = "templates",
	  .set = set_patterns,
	  .offset = offsetof(struct event_set_rule, selector.templates),
	  .help = "only those that these templates of the reference are for" },
	{ .key = "manager",
	  .set = set_patterns,
	  .offset = offsetof(struct event_set_rule, selector.managers),
	  .help = "only fields that one of these field managers wrote" },
	{ .key = "labels",
	  .set = set_labels,
	  .offset = offsetof(struct event_set_rule, selector.labels),
	  .help = "only objects with these labels: app=web,tier in (front,back)" },
};

static void read_rule(struct settings *s, const struct node *n, struct event_set_rule *x)
{
	*x = (struct event_set_rule){ .rule = { .any_change = true }, .hold_ns = -1, .where = node_where(n, s->arena) };
	s->no_memory |= !x->where.p;
	if (!setting_expect(s, n, NODE_MAP, "a rule: a map with 'path'"))
		return;
	settings_read(s, n, rule_settings, ARRAY_LEN(rule_settings), x);
	if (node_is_null(node_get(n, "path"))) /* a path that is not null has been read, or reported as a mistake */
		node_problem(n, s->problems, "this rule has no path");
	if (!x->typed && node_is_null(node_get(n, "equal")))
		node_problem(n, s->problems, "this rule has neither 'type' nor 'equal'");
}

static void set_rules(struct settings *s, void *target, const struct node *n)
{
	struct event_set *set = target;
	struct event_set_rule *rules;

	if (!setting_expect(s, n, NODE_LIST, "a list of rules"))
		return;
	if (n->n > EVENT_SET_RULES_MAX) {
		node_problem(n->items[EVENT_SET_RULES_MAX], s->problems, "more than %d rules", EVENT_SET_RULES_MAX);
		return;
	}
	rules = arena_array(s->arena, n->n, sizeof(*rules));
	s->no_memory |= !rules;
	for (size_t i = 0; rules && i < n->n; i++)
		read_rule(s, n->items[i], &rules[i]);
	set->rules = rules;
	set->n = rules ? n->n : 0;
}

/* ---- files ---- */

static void set_list_order(struct settings *s, void *target, const struct node *n)
{
	bool ordered = true;

	setting_truth(s, &ordered, n);
	*(bool *)target = !ordered;
}

static const struct setting set_settings[] = {
	{ .key = "list_order",
	  .set = set_list_order,
	  .offset = offsetof(struct event_set, lists_unordered),
	  .default_text = "true",
	  .help = "false: the order of elements in lists is no difference" },
	{ .key = "rules", .set = set_rules, .help = "the rules; required" },
};

void event_set_print_settings(struct buf *out)
{
	settings_print(out, "a file of event rules:", set_settings, ARRAY_LEN(set_settings));
	settings_print(out, "a rule of such a file:", rule_settings, ARRAY_LEN(rule_settings));
}

static void read_set(struct settings *s, const struct node *root, struct event_set *set)
{
	const struct node *rules = node_get(root, "rules");

	settings_read(s, root, set_settings, ARRAY_LEN(set_settings), set);
	if (root->kind == NODE_MAP && (node_is_null(rules) || (rules->kind == NODE_LIST && rules->n == 0)))
		node_problem(rules ? rules : root, s->problems, "this file has no rules");
}

static bool only_comments(str text)
{
	str line;

	while (str_next_part(&text, '\n', &line)) {
		line = str_trim(line);
		if (line.n && line.p[0] != '#')
			return false;
	}
	return true;
}

/* Report a second document, which would be ignored because only the first one is read. */
static void check_alone(str text, const char *path, struct problems *problems)
{
	struct yaml_part part;
	size_t line = 1, n = 0;

	while (n < 2 && yaml_next_part(&text, &line, &part))
		n += !only_comments(part.text);
	if (n == 2)
		problems_add(problems, "%s:%zu:1: a second document: a file of event rules is one", path, part.line);
}

void event_set_free(struct event_set *s)
{
	if (!s)
		return;
	arena_done(&s->arena);
	free(s);
}

int event_set_parse(str text, const char *path, const struct limits *limits, struct event_set **ret,
		    struct problems *problems, struct err *err)
{
	CLEANUP(event_set_freep) struct event_set *set = calloc(1, sizeof(*set));
	size_t before = problems->list.n + problems->dropped;
	struct settings s = { .problems = problems };
	struct node *root;
	int r;

	if (!set)
		return err_nomem(err);
	arena_init(&set->arena, 0, limits->arena_bytes);
	s.arena = &set->arena;
	set->path = path;
	set->content = hash_str(text, hash_seed());
	r = node_parse(text, path, limits, &set->arena, &root, problems, err);
	if (r == 0) {
		read_set(&s, root, set);
		check_alone(text, path, problems);
	}
	if (r == -ENOMEM || s.no_memory)
		return err_nomem(err);
	if (problems->list.n + problems->dropped != before)
		return err_set(err, EINVAL, "file of event rules '%s' has mistakes", path);
	*ret = TAKE(set);
	return 0;
}

int event_set_load(const char *path, const struct limits *limits, struct event_set **ret, struct problems *problems,
		   struct err *err)
{
	CLEANUP(freep) char *text = NULL;
	size_t n;
	int r = file_read(path, limits->file_bytes, &text, &n, err);

	if (r == -ENOMEM)
		return r;
	if (r < 0) {
		problems_add(problems, "%s", err->msg);
		return err_set(err, EINVAL, "file of event rules '%s' cannot be read", path);
	}
	return event_set_parse((str){ text, n }, path, limits, ret, problems, err);
}

/* ---- selectors ---- */

static bool any_matches(const struct event_patterns *patterns, str text)
{
	return patterns->n == 0 || pattern_any_matches(patterns->p, patterns->n, text);
}

/* Whether a pattern matches a kind: "kind" in any group, "kind.group" only in this group. */
static bool kind_matches(str pattern, const struct identity *id)
{
	ptrdiff_t dot = str_find_byte(pattern, '.');

	if (dot < 0)
		return pattern_matches(pattern, id->kind);
	return pattern_matches(str_sub(pattern, 0, (size_t)dot), id->kind) &&
	       pattern_matches(str_sub(pattern, (size_t)dot + 1, pattern.n), group_version_of(id->api_version).group);
}

static bool any_kind_matches(const struct event_patterns *patterns, const struct identity *id)
{
	for (size_t i = 0; i < patterns->n; i++) {
		if (kind_matches(patterns->p[i], id))
			return true;
	}
	return patterns->n == 0;
}

bool event_selector_matches(const struct event_selector *s, const struct identity *id, str template, val labels)
{
	return any_kind_matches(&s->kinds, id) && any_matches(&s->namespaces, id->namespace) &&
	       any_matches(&s->names, id->name) && any_matches(&s->templates, template) &&
	       label_selector_matches(&s->labels, labels);
}

bool event_selector_matches_manager(const struct event_selector *s, str manager)
{
	return any_matches(&s->managers, manager);
}
