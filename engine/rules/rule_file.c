/* Reading rule files: every mistake with its place. */
#include "rules/rule_file.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/severity.h"
#include "value/yaml.h"

#include <errno.h>

#define SETS_MAX 4096

struct reader {
	struct rule_file *file;
	const struct limits *limits;
	struct key_table *keys;
	struct problems *problems;
	struct err *err;
};

/* ---- rules ---- */

static const struct {
	const char *name;
	enum val_kind kind;
} rule_fields[] = {
	{ "rule", VAL_STRING },     { "message", VAL_STRING },   { "messageExpression", VAL_STRING },
	{ "reason", VAL_STRING },   { "fieldPath", VAL_STRING }, { "optionalOldSelf", VAL_BOOL },
	{ "severity", VAL_STRING },
};

static void check_field(struct reader *r, const struct node *key, val v)
{
	for (size_t i = 0; i < ARRAY_LEN(rule_fields); i++) {
		if (!str_eq(key->text, str_from(rule_fields[i].name)))
			continue;
		if (v.kind != rule_fields[i].kind && !val_is_null(v))
			node_problem(key, r->problems, "%s must be a %s", rule_fields[i].name,
				     rule_fields[i].kind == VAL_STRING ? "text" : "boolean");
		return;
	}
	node_problem(key, r->problems, "unknown key '%.*s' of a rule", STR_ARG(key->text));
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
			     "'%.*s' is no severity: critical, error, warning, notice or info", STR_ARG(name));
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

static int set_text(struct reader *r, const struct node *n, str *ret)
{
	if (n->kind == NODE_SCALAR)
		*ret = n->text;
	else
		node_problem(n, r->problems, "expected a text");
	return 0;
}

static int set_at(struct reader *r, const struct node *n, struct rule_set *s)
{
	struct err err;

	if (n->kind != NODE_SCALAR)
		node_problem(n, r->problems, "expected a path such as .spec.containers[*]");
	else if (cel_at_parse(n->text, &s->at, &err) < 0)
		node_problem(n, r->problems, "%s", err.msg);
	return 0;
}

static int set_hold(struct reader *r, const struct node *n, int64_t *ret)
{
	if (n->kind != NODE_SCALAR || !rule_hold_parse(n->text, ret))
		node_problem(n, r->problems, "expected a duration from 0s to 24h, such as 30s or 5m");
	return 0;
}

static int set_field(struct reader *r, const struct node *key, const struct node *value, struct rule_set *s)
{
	str name = key->text;

	if (str_eq(name, STR("apiVersion")))
		return set_text(r, value, &s->api_version);
	if (str_eq(name, STR("kind")))
		return set_text(r, value, &s->kind);
	if (str_eq(name, STR("namespace")))
		return set_text(r, value, &s->namespace);
	if (str_eq(name, STR("name")))
		return set_text(r, value, &s->name);
	if (str_eq(name, STR("at")))
		return set_at(r, value, s);
	if (str_eq(name, STR("for")))
		return set_hold(r, value, &s->hold_ns);
	if (str_eq(name, STR("rules")))
		return read_rules(r, value, s);
	if (str_eq(name, STR("labelSelector")))
		return label_selector_read(value, &r->file->arena, &s->labels, r->problems) ? 0 : err_nomem(r->err);
	node_problem(key, r->problems,
		     "unknown key '%.*s'; known are apiVersion, kind, namespace, name, labelSelector, at, for, rules",
		     STR_ARG(name));
	return 0;
}

static int read_set(struct reader *r, const struct node *n, val v)
{
	struct rule_set s = { .list = VAL_GET(v, "rules"), .where = node_where(n, &r->file->arena) };
	int status = s.where.p ? 0 : err_nomem(r->err);

	if (n->kind != NODE_MAP) {
		node_problem(n, r->problems, "expected apiVersion, kind and rules");
		return 0;
	}
	for (size_t i = 0; status == 0 && i < n->n; i++) {
		if (!node_is_null(n->values[i]))
			status = set_field(r, n->keys[i], n->values[i], &s);
	}
	if (s.api_version.n == 0 || s.kind.n == 0)
		node_problem(n, r->problems, "apiVersion and kind are required; '*' means any");
	if (node_is_null(node_get(n, "rules"))) /* else they are compiled, or a mistake */
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

/* Empty lines before a part keep its places right. */
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
	struct reader r = { f, limits, keys, problems, err };
	size_t before = problems->list.n + problems->dropped, line = 1;
	struct yaml_part part;
	int status = 0;

	if (!f)
		return err_nomem(err);
	arena_init(&f->arena, 0, limits->arena_bytes);
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

int rule_file_load(const char *path, const struct limits *limits, struct key_table *keys, struct rule_file **ret,
		   struct problems *problems, struct err *err)
{
	CLEANUP(freep) char *text = NULL;
	size_t n;
	int r = file_read(path, limits->file_bytes, &text, &n, err);

	if (r == -ENOMEM)
		return r;
	if (r < 0) {
		problems_add(problems, "%s", err->msg);
		return err_set(err, EINVAL, "rule file '%s' cannot be read", path);
	}
	return rule_file_parse((str){ text, n }, path, limits, keys, ret, problems, err);
}
