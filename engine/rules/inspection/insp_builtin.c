/* Reads the file of built-in rules. */
#include "rules/inspection/insp_builtin.h"

#include "base/ascii.h"
#include "base/hash.h"
#include "base/strmap.h"
#include "value/settings.h"
#include "value/yaml.h"

#include <inttypes.h>
#include <stdio.h>

struct reader {
	const struct limits *limits;
	struct insp_builtins *made;
	struct strmap uuids; /* uuids in lower case -> any pointer */
	struct problems *problems;
	struct err *err;
	/* about the rule that is read: */
	const struct node *node; /* NULL: there are no places */
	uint32_t index;
};

void insp_builtins_print_settings(struct buf *out)
{
	static const struct setting rule[] = {
		{ .key = "uuid", .help = "its name, for log entries and the API", .default_text = "by its place" },
		{ .key = "description", .help = "what it is for" },
		{ .key = "priority", .help = "0 to 9999: the highest first", .default_text = "0" },
		{ .key = "scope", .help = "only objects of this inspection scope", .default_text = "all" },
		{ .key = "sensitive",
		  .help = "true: conditions and actions are shown to nobody",
		  .default_text = "false" },
		{ .key = "phase", .help = "early, preprocess or main", .default_text = "main" },
		{ .key = "conditions", .help = "what must hold, each with op and args", .default_text = "none" },
		{ .key = "actions", .help = "what is done then, each with op and args; required" },
	};

	settings_print(out, "a rule of a file of built-in inspection rules:", rule, ARRAY_LEN(rule));
}

/* ---- places ---- */

static const struct node *item_of(const struct node *n, int64_t index)
{
	return n && n->kind == NODE_LIST && index >= 0 && (uint64_t)index < n->n ? n->items[index] : NULL;
}

static const struct node *member_of(const struct node *n, const char *key)
{
	return n && n->kind == NODE_MAP && key ? node_get(n, key) : NULL;
}

static const struct node *deepest(const struct node *a, const struct node *b)
{
	return b ? b : a;
}

static void report(void *ctx, const char *field, int64_t index, const char *key, const char *text)
{
	struct reader *r = ctx;
	char where[64] = "";
	const struct node *at = r->node, *below = member_of(at, field);

	at = deepest(at, below);
	below = item_of(below, index);
	at = deepest(deepest(at, below), member_of(below, key));
	if (index >= 0)
		(void)snprintf(where, sizeof(where), "%s[%" PRId64 "]: ", field, index);
	if (at)
		node_problem(at, r->problems, "%s%s", where, text);
	else
		problems_add(r->problems, "[%" PRIu32 "]: %s%s", r->index, where, text);
}

/* ---- rules ---- */

static bool note_uuid(struct reader *r, str uuid, bool *repeated)
{
	char lower[INSP_UUID_MAX * 4 + 1];
	size_t n = uuid.n < sizeof(lower) ? uuid.n : sizeof(lower);

	for (size_t i = 0; i < n; i++)
		lower[i] = ascii_to_lower(uuid.p[i]);
	*repeated = strmap_has(&r->uuids, (str){ lower, n });
	return strmap_put(&r->uuids, (str){ lower, n }, r, NULL);
}

/* Give a rule a uuid that is made of its number, from 0, among the rules that have none. */
static int number_rule(struct insp_builtins *in, struct insp_rule *rule, struct err *err)
{
	char uuid[64];

	(void)snprintf(uuid, sizeof(uuid), "00000000-0000-0000-0000-%012" PRIx64, in->n_numbered++);
	rule->numbered = true;
	return insp_rule_name(rule, str_from(uuid), err);
}

static int name_rule(struct reader *r, struct insp_rule *rule)
{
	bool repeated;
	int status = rule->uuid.n == 0 ? number_rule(r->made, rule, r->err) : 0;

	if (status < 0)
		return status;
	if (!note_uuid(r, rule->uuid, &repeated))
		return err_nomem(r->err);
	if (repeated)
		report(r, "uuid", -1, NULL, "another rule has the same uuid");
	return 0;
}

static int read_rule(struct reader *r, val v)
{
	CLEANUP(insp_rule_freep) struct insp_rule *rule = NULL;
	const struct insp_report to = { report, r };
	size_t mistakes;
	int status = insp_rule_new(v, true, r->limits, &to, &mistakes, &rule, r->err);

	if (status == 0)
		status = name_rule(r, rule);
	if (status == -E2BIG) {
		report(r, NULL, -1, NULL, r->err->msg);
		return 0;
	}
	if (status < 0)
		return status;
	if (!vec_push(&r->made->rules, rule))
		return err_nomem(r->err);
	rule = NULL;
	return 0;
}

static int read_list(struct reader *r, const struct node *root, val list)
{
	int status = 0;

	if (!val_is_list(list)) {
		if (root)
			node_problem(root, r->problems, "should contain a list of rules");
		else
			problems_add(r->problems, "should contain a list of rules");
		return 0;
	}
	if (list.n > INSP_BUILTINS_MAX) {
		problems_add(r->problems, "more than %d built-in rules", INSP_BUILTINS_MAX);
		return 0;
	}
	for (r->index = 0; status == 0 && r->index < list.n; r->index++) {
		r->node = item_of(root, r->index);
		status = read_rule(r, list.items[r->index]);
	}
	return status;
}

static int read_all(const struct node *root, val list, const struct limits *limits, struct insp_builtins *ret,
		    struct problems *problems, struct err *err)
{
	struct insp_builtins made = { 0 };
	struct reader r = { .limits = limits, .made = &made, .problems = problems, .err = err };
	int status = read_list(&r, root, list);

	strmap_done(&r.uuids);
	if (status == 0 && problems_any(problems))
		status = err_set(err, EINVAL, "the built-in rules have mistakes");
	if (status < 0)
		insp_builtins_done(&made);
	else
		*ret = made;
	return status;
}

int insp_builtins_read(val list, const struct limits *limits, struct insp_builtins *ret, struct problems *problems,
		       struct err *err)
{
	return read_all(NULL, list, limits, ret, problems, err);
}

/* ---- files ---- */

/* Find the only document of the file; any other document is a mistake. */
static int the_document(str text, const char *path, struct yaml_part *ret, struct problems *problems, struct err *err)
{
	struct yaml_part part;
	size_t line = 1, n = 0;

	*ret = (struct yaml_part){ .text = STR(""), .line = 1 };
	while (yaml_next_part(&text, &line, &part)) {
		if (str_trim(part.text).n == 0)
			continue;
		if (n++ == 0)
			*ret = part;
	}
	if (n <= 1)
		return 0;
	problems_add(problems, "%s: more than one document; it should contain a list of rules", path);
	return err_set(err, EINVAL, "the built-in rules have mistakes");
}

int insp_builtins_parse(str text, const char *path, const struct limits *limits, struct insp_builtins *ret,
			struct problems *problems, struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	CLEANUP(buf_done) struct buf padded = BUF_INIT(limits->file_bytes);
	struct arena arena = ARENA_INIT(limits->arena_bytes);
	struct yaml_options o = { .limits = limits };
	struct yaml_part part;
	struct node *root = NULL;
	int r = the_document(text, path, &part, problems, err);

	buf_fill(&padded, '\n', part.line - 1); /* the empty lines keep places right */
	buf_add_str(&padded, part.text);
	if (r == 0)
		r = buf_error(&padded, path, err);
	if (r == 0)
		r = node_parse(buf_str(&padded), path, limits, &arena, &root, problems, err);
	if (r == 0) {
		r = yaml_decode(buf_str(&padded), &o, &doc, err);
		if (r < 0 && r != -ENOMEM)
			problems_add(problems, "%s: %s", path, err->msg);
	}
	if (r == 0)
		r = read_all(root, doc->root, limits, ret, problems, err);
	if (r == 0)
		ret->content = hash_str(text, hash_seed());
	arena_done(&arena);
	if (r == 0 || r == -ENOMEM)
		return r;
	if (!problems_any(problems))
		problems_add(problems, "%s: %s", path, err->msg);
	return err_set(err, EINVAL, "the built-in rules in '%s' have mistakes", path);
}

void insp_builtins_done(struct insp_builtins *b)
{
	for (size_t i = 0; i < b->rules.n; i++)
		insp_rule_free(b->rules.p[i]);
	vec_done(&b->rules);
}

/* ---- several files ---- */

static bool has_uuid(const struct insp_builtins *in, size_t n, str uuid)
{
	for (size_t i = 0; i < n; i++) {
		if (str_eq_nocase(in->rules.p[i]->uuid, uuid))
			return true;
	}
	return false;
}

int insp_builtins_add(struct insp_builtins *to, struct insp_builtins *more, struct err *err)
{
	size_t known = to->rules.n;
	int r = 0;

	for (size_t i = 0; r == 0 && i < more->rules.n; i++) {
		struct insp_rule **rule = &more->rules.p[i];

		if (!(*rule)->numbered && has_uuid(to, known, (*rule)->uuid))
			continue;
		for (bool taken = (*rule)->numbered; r == 0 && taken; taken = has_uuid(to, known, (*rule)->uuid))
			r = number_rule(to, *rule, err);
		if (r == 0 && !vec_push(&to->rules, *rule))
			r = err_nomem(err);
		else if (r == 0)
			*rule = NULL;
	}
	insp_builtins_done(more);
	return r;
}
