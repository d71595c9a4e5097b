/* Reads rule files, and reports every mistake with its place. */
#include "rules/rule_file.h"

#include "base/hash.h"
#include "base/nearest.h"
#include "base/severity.h"
#include "value/settings.h"
#include "value/yaml.h"

#include <errno.h>

#define SETS_MAX 4096

struct reader {
	struct rule_file *file;
	const struct limits *limits;
	struct key_table *keys;
	struct problems *problems;
	struct err *err;
	struct settings settings; /* the reader is their context */
};

/* ---- rules ---- */

static const struct {
	const char *name;
	enum val_kind kind;
	const char *help;
} rule_fields[] = {
	{ "rule", VAL_STRING,
	  "what must hold, in CEL: self is the object, or what at names; oldSelf what it was; required" },
	{ "message", VAL_STRING, "what is said when it does not hold" },
	{ "messageExpression", VAL_STRING, "the same as a CEL expression" },
	{ "reason", VAL_STRING, "FieldValueInvalid, FieldValueForbidden, FieldValueRequired or FieldValueDuplicate" },
	{ "fieldPath", VAL_STRING, "the field that is to blame, such as .spec.replicas" },
	{ "optionalOldSelf", VAL_BOOL, "true: oldSelf is an optional, and the rule holds for new objects too" },
	{ "severity", VAL_STRING, "critical, error, warning, notice or info" },
};

static void check_field(struct reader *r, const struct node *key, val v)
{
	struct nearest nearest = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(rule_fields); i++) {
		if (!str_eq(key->text, str_from(rule_fields[i].name)))
			continue;
		if (v.kind != rule_fields[i].kind && !val_is_null(v))
			node_problem(key, r->problems, "%s must be a %s", rule_fields[i].name,
				     rule_fields[i].kind == VAL_STRING ? "text" : "boolean");
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(rule_fields); i++)
		nearest_offer(&nearest, key->text, str_from(rule_fields[i].name));
	node_problem(key, r->problems, "unknown key '%.*s' of a rule%s", STR_ARG(key->text), nearest_hint(&nearest));
}

static void check_rule(struct reader *r, const struct node *n, val v, int *severity)
{
	enum severity s;
	str name = val_str(VAL_GET(v, "severity"));

	if (n->kind != NODE_MAP) {
		node_problem(n, r->problems, "expected a rule: a map with 'rule'");
		return;
	}
	for (size_t i = 0; i < n->n; i++)
		check_field(r, n->keys[i], val_get(v, n->keys[i]->text));
	if (str_trim(val_str(VAL_GET(v, "rule"))).n == 0 && (!node_get(n, "rule") || val_is_string(VAL_GET(v, "rule"))))
		node_problem(n, r->problems, "this entry has no rule");
	if (name.n && severity_parse(name, &s))
		*severity = (int)s;
	else if (name.n)
		node_problem(node_get(n, "severity"), r->problems,
			     "'%.*s' is not a severity: critical, error, warning, notice or info", STR_ARG(name));
}

static void report_refused(struct reader *r, const struct node *rules, const struct cel_rules *compiled)
{
	for (size_t i = 0; i < cel_rules_count(compiled) && i < rules->n; i++) {
		const struct cel_rule *rule = cel_rules_at(compiled, i);
		const struct node *at = rules->items[i];

		if (rule->error.p && node_get(at, "rule"))
			at = node_get(at, "rule");
		else if (rule->message_error.p && node_get(at, "messageExpression"))
			at = node_get(at, "messageExpression");
		if (rule->error.p)
			problems_add(r->problems, "%s:%zu:%zu: rule: %.*s", at->file, at->line, at->column,
				     STR_ARG(rule->error));
		else if (rule->message_error.p)
			problems_add(r->problems, "%s:%zu:%zu: %.*s", at->file, at->line, at->column,
				     STR_ARG(rule->message_error));
	}
}

static int read_rules(struct reader *r, const struct node *n, struct rule_set *s)
{
	size_t before = r->problems->list.n;
	int *severities;
	int status;

	if (n->kind != NODE_LIST || n->n == 0) {
		node_problem(n, r->problems, "expected a list of rules");
		return 0;
	}
	severities = arena_zalloc(&r->file->arena, n->n * sizeof(*severities));
	if (!severities)
		return err_nomem(r->err);
	for (size_t i = 0; i < n->n; i++)
		check_rule(r, n->items[i], val_at(s->list, (uint32_t)i), &severities[i]);
	s->severities = severities;
	if (r->problems->list.n != before)
		return 0;
	status = cel_rules_compile((val){ 0 }, s->list, false, r->limits, &s->rules, r->err);
	if (status == -ENOMEM)
		return status;
	if (status < 0)
		node_problem(n, r->problems, "%s", r->err->msg);
	else
		report_refused(r, n, s->rules);
	return 0;
}

/* ---- entries ---- */

static void set_at(struct settings *s, void *target, const struct node *n)
{
	struct err err;

	if (!setting_expect(s, n, NODE_SCALAR, "a path such as .spec.containers[*]"))
		return;
	if (cel_at_parse(n->text, &((struct rule_set *)target)->at, &err) < 0)
		node_problem(n, s->problems, "%s", err.msg);
}

static void set_hold(struct settings *s, void *target, const struct node *n)
{
	if (n->kind != NODE_SCALAR || !rule_hold_parse(n->text, target))
		node_problem(n, s->problems, "expected a duration from 0s to 24h, such as 30s or 5m");
}

static void set_rules(struct settings *s, void *target, const struct node *n)
{
	s->no_memory |= read_rules(s->ctx, n, target) < 0;
}

static void set_labels(struct settings *s, void *target, const struct node *n)
{
	s->no_memory |= !label_selector_read(n, s->arena, &((struct rule_set *)target)->labels, s->problems);
}

static const struct setting entry_settings[] = {
	{ "apiVersion", setting_text, offsetof(struct rule_set, api_version), NULL,
	  "of the objects, such as apps/v1; \"*\" stands for any text; required" },
	{ "kind", setting_text, offsetof(struct rule_set, kind), NULL,
	  "of the objects; \"*\" stands for any text; required" },
	{ "namespace", setting_text, offsetof(struct rule_set, namespace), NULL,
	  "only those in it; \"*\" stands for any text" },
	{ "name", setting_text, offsetof(struct rule_set, name), NULL,
	  "only those called so; \"*\" stands for any text" },
	{ "labelSelector", set_labels, 0, NULL,
	  "only those with these labels: app=web,tier in (front,back), or matchLabels and matchExpressions" },
	{ "at", set_at, 0, "the object", "where self is, such as .spec.containers[*]" },
	{ "for", set_hold, offsetof(struct rule_set, hold_ns), "0s",
	  "how long a failure must last before it is reported, such as 30s" },
	{ "rules", set_rules, 0, NULL, "the rules; required" },
};

void rule_file_print_settings(struct buf *out)
{
	struct setting rule[ARRAY_LEN(rule_fields)] = { 0 };

	settings_print(out, "an entry of a file of validation rules:", entry_settings, ARRAY_LEN(entry_settings));
	for (size_t i = 0; i < ARRAY_LEN(rule_fields); i++)
		rule[i] = (struct setting){ .key = rule_fields[i].name, .help = rule_fields[i].help };
	settings_print(out, "a rule of such an entry:", rule, ARRAY_LEN(rule));
}

static int read_set(struct reader *r, const struct node *n, val v)
{
	struct rule_set s = { .list = VAL_GET(v, "rules"), .where = node_where(n, &r->file->arena) };
	int status = s.where.p ? 0 : err_nomem(r->err);

	if (n->kind != NODE_MAP) {
		node_problem(n, r->problems, "expected apiVersion, kind and rules");
		return 0;
	}
	if (status == 0)
		settings_read(&r->settings, n, entry_settings, ARRAY_LEN(entry_settings), &s);
	if (r->settings.no_memory)
		status = err_nomem(r->err);
	if (s.api_version.n == 0 || s.kind.n == 0)
		node_problem(n, r->problems, "apiVersion and kind are required; '*' means any");
	/* rules that are not null have been compiled, or reported as a mistake */
	if (node_is_null(node_get(n, "rules")))
		node_problem(n, r->problems, "this entry has no rules");
	if (status == 0 && r->file->sets.n == SETS_MAX)
		node_problem(n, r->problems, "more than %d entries", SETS_MAX);
	else if (status == 0 && vec_push(&r->file->sets, s))
		return 0;
	cel_rules_free(s.rules);
	return status < 0 || r->file->sets.n == SETS_MAX ? status : err_nomem(r->err);
}

static int read_document(struct reader *r, const struct node *n, val v)
{
	int status = 0;

	if (n->kind != NODE_LIST)
		return read_set(r, n, v);
	for (size_t i = 0; status == 0 && i < n->n; i++)
		status = read_set(r, n->items[i], val_at(v, (uint32_t)i));
	return status;
}

/* Read one document of the file. Empty lines in front of it keep its places right. */
static int read_part(struct reader *r, const struct yaml_part *part, const char *path)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(r->limits->file_bytes + part->line);
	struct yaml_options o = { .limits = r->limits, .keys = r->keys };
	struct doc *doc = NULL;
	struct node *root;
	int status;

	for (size_t i = 1; i < part->line; i++)
		buf_add_byte(&text, '\n');
	buf_add_str(&text, part->text);
	if (buf_error(&text, path, r->err) < 0)
		return -r->err->code;
	status = node_parse(buf_str(&text), path, r->limits, &r->file->arena, &root, r->problems, r->err);
	if (status < 0)
		return status == -ENOMEM ? status : 0;
	status = yaml_decode(part->text, &o, &doc, r->err);
	if (status < 0) {
		problems_add(r->problems, "%s:%zu: %s", path, part->line, r->err->msg);
		return status == -ENOMEM ? status : 0;
	}
	if (!vec_push(&r->file->docs, doc)) {
		doc_unref(doc);
		return err_nomem(r->err);
	}
	return val_is_null(doc->root) ? 0 : read_document(r, root, doc->root);
}

void rule_file_free(struct rule_file *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->sets.n; i++)
		cel_rules_free(f->sets.p[i].rules);
	for (size_t i = 0; i < f->docs.n; i++)
		doc_unref(f->docs.p[i]);
	vec_done(&f->sets);
	vec_done(&f->docs);
	arena_done(&f->arena);
	free(f);
}

int rule_file_parse(str text, const char *path, const struct limits *limits, struct key_table *keys,
		    struct rule_file **ret, struct problems *problems, struct err *err)
{
	CLEANUP(rule_file_freep) struct rule_file *f = calloc(1, sizeof(*f));
	struct reader r = { .file = f, .limits = limits, .keys = keys, .problems = problems, .err = err };
	size_t before = problems->list.n + problems->dropped, line = 1;
	struct yaml_part part;
	int status = 0;

	if (!f)
		return err_nomem(err);
	arena_init(&f->arena, 0, limits->arena_bytes);
	r.settings = (struct settings){ .arena = &f->arena, .problems = problems, .ctx = &r };
	f->path = path;
	f->content = hash_str(text, hash_seed());
	while (status == 0 && yaml_next_part(&text, &line, &part)) {
		if (str_trim(part.text).n)
			status = read_part(&r, &part, path);
	}
	if (status < 0)
		return status;
	if (f->sets.n == 0 && problems->list.n + problems->dropped == before)
		problems_add(problems, "%s: holds no rules", path);
	if (problems->list.n + problems->dropped != before)
		return err_set(err, EINVAL, "rule file '%s' has mistakes", path);
	*ret = TAKE(f);
	return 0;
}
