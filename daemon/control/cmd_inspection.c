/* driftd inspection rule: manages the inspection rules of the running driftd.   spec/inspection-rules.md, section 13 */
#include "config/command_line.h"
#include "daemon/control/client.h"
#include "daemon/control/commands.h"
#include "daemon/control/control_internal.h"
#include "daemon/control/output.h"
#include "daemon/control/table.h"
#include "go/url.h"
#include "value/json.h"

#include <stdio.h>

#define RULES "/v1/inspection_rules"
#define PATH_MAX_BYTES ((size_t)64 << 10)
#define CELL_MAX ((size_t)1 << 20)

struct rule_command {
	const char *verb;
	const char *socket;
	enum control_form form;
	bool no_headers, longer, all;
	struct rule_request request;
	struct arguments about;
};

/* Take an option, which has the name of the rule's field. */
static int take_field(const struct given *g, void *to)
{
	struct err err;

	if (rule_request_add(to, g->option->name, g->value, &err) < 0)
		return command_line_failed(g->line, &err);
	return COMMAND_GOES_ON;
}

#define OF_RULE 1u   /* options of the rule, with values */
#define OF_FIELDS 2u /* options of the rule without values */
#define OF_LIST 4u
#define OF_ALL 8u
#define OF_FORM 16u
#define FIELD(name, value, of, text)                                                                                   \
	{                                                                                                              \
		name, 0, value, take_field, offsetof(struct rule_command, request), .help = (text), .group = (of)      \
	}
#define AT(member) offsetof(struct rule_command, member)

static const struct command_option option_table[] = {
	FIELD("actions", "JSON", OF_RULE, "a list; required to create one"),
	FIELD("conditions", "JSON", OF_RULE, "a list"),
	FIELD("sensitive", NULL, OF_RULE, "its conditions and actions are never shown"),
	FIELD("scope", "S", OF_RULE, "for objects of this scope"),
	FIELD("phase", "P", OF_RULE, "early, preprocess or main"),
	FIELD("priority", "N", OF_RULE, "0 to 9999, the highest first"),
	FIELD("uuid", "U", OF_RULE, "of a new one (default: random)"),
	FIELD("description", "D", OF_RULE, ""),
	FIELD("conditions", NULL, OF_FIELDS, NULL),
	FIELD("scope", NULL, OF_FIELDS, NULL),
	FIELD("description", NULL, OF_FIELDS, NULL),
	FIELD("priority", NULL, OF_FIELDS, NULL),
	FIELD("phase", NULL, OF_FIELDS, NULL),
	{ .help = "" },
	{ "long", 0, NULL, option_truth, AT(longer), .help = "of the list: conditions and actions too",
	  .group = OF_LIST },
	{ "all", 0, NULL, option_truth, AT(all), .help = "delete all but the built-in ones", .group = OF_ALL },
	{ "output", 'o', "FORM", option_word_take, AT(form), .help = "json or yaml", .words = control_doc_words,
	  .group = OF_FORM },
	{ "no-headers", 0, NULL, option_truth, AT(no_headers), .help = "of the list: no first line", .group = OF_LIST },
	CONTROL_SOCKET_OPTION(struct rule_command),
	OPTION_HELP,
};

static const struct command_line line = {
	.program = "driftd inspection rule",
	.synopsis =
		"Usage: driftd inspection rule import FILE\n"
		"       driftd inspection rule list [--long]\n"
		"       driftd inspection rule get UUID\n"
		"       driftd inspection rule create --actions JSON [--conditions JSON] [options of the rule]\n"
		"       driftd inspection rule set UUID [options of the rule]\n"
		"       driftd inspection rule unset UUID [--conditions] [--scope] [--description] [--priority] "
		"[--phase]\n"
		"       driftd inspection rule delete UUID... | --all\n"
		"Rules over the objects that the running driftd watches, in force from the next change of an object "
		"on.\n\n"
		"  FILE is JSON or YAML (- is standard input), one rule or a list; the first error ends the import.\n\n"
		"Options of the rule:\n",
	.notes = "\nExit status: 0 done, 1 not done, 2 wrong usage.\n",
	OPTIONS(option_table),
	.column = 28,
	.arguments_most = ARGUMENTS_ANY,
};

static int failed(const struct err *err)
{
	(void)command_line_failed(&line, err);
	return 1;
}

/* ---- requests ---- */

/* Make a request about the rule @uuid; NULL: about all rules. *ret: NULL where the answer has no body. */
static int ask(const struct rule_command *c, const char *method, const char *uuid, str body, struct doc **ret,
	       struct err *err)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(PATH_MAX_BYTES);
	int r;

	buf_add_cstr(&path, RULES);
	if (uuid) {
		buf_add_byte(&path, '/');
		go_url_escape(&path, str_from(uuid), GO_URL_PATH_SEGMENT);
	}
	buf_add_cstr(&path, c->longer ? "?detail=true" : "");
	r = buf_error(&path, "a request", err);
	if (r < 0)
		return r;
	if (!method)
		return control_get(control_socket(c->socket), path.p, ret, err);
	return control_send(control_socket(c->socket), method, path.p, body, ret, err);
}

static int print_rule(const struct rule_command *c, const struct doc *d, enum control_form form, struct err *err)
{
	return control_print_doc(d, c->form == FORM_TABLE ? form : c->form, err);
}

/* Report a rule that was made or changed. Its uuid is what people need, unless they ask for more. */
static int report_rule(const struct rule_command *c, const struct doc *d, struct err *err)
{
	if (c->form != FORM_TABLE)
		return print_rule(c, d, c->form, err);
	printf("%.*s\n", STR_ARG(control_text(d->root, "uuid")));
	return 0;
}

/* ---- the list ---- */

static void add_json(struct table *t, val v)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(CELL_MAX);
	struct err err;

	if (json_encode(v, JSON_TYPED, NULL, &text, &err) < 0)
		table_add(t, STR("(too long)"));
	else
		table_add(t, buf_str(&text));
}

static void add_row(const struct rule_command *c, val rule, struct table *t)
{
	table_add(t, control_text(rule, "uuid"));
	table_add(t, control_text(rule, "phase"));
	add_json(t, VAL_GET(rule, "priority"));
	table_add(t, control_text(rule, "scope"));
	table_add(t, val_is_true(VAL_GET(rule, "sensitive")) ? STR("yes") : STR("no"));
	table_add(t, val_is_true(VAL_GET(rule, "built_in")) ? STR("yes") : STR("no"));
	table_add(t, control_text(rule, "description"));
	if (!c->longer)
		return;
	add_json(t, VAL_GET(rule, "conditions"));
	add_json(t, VAL_GET(rule, "actions"));
}

static int print_table(const struct rule_command *c, val rules, struct err *err)
{
	static const char *const headings[] = { "UUID",     "PHASE",       "PRIORITY",   "SCOPE",  "SENSITIVE",
						"BUILT-IN", "DESCRIPTION", "CONDITIONS", "ACTIONS" };
	CLEANUP(buf_done) struct buf out = BUF_INIT(CONTROL_OUTPUT_MAX);
	struct table t;
	int r;

	if (!val_count(rules)) {
		fputs("there are no inspection rules\n", stderr);
		return 0;
	}
	table_init(&t, headings, ARRAY_LEN(headings) - (c->longer ? 0 : 2));
	for (uint32_t i = 0; i < val_count(rules); i++)
		add_row(c, val_at(rules, i), &t);
	r = table_print(&t, !c->no_headers, &out, err);
	table_done(&t);
	return r < 0 ? r : control_print(&out, err);
}

/* ---- the commands ---- */

static int run_list(struct rule_command *c)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct err err;
	int r = ask(c, NULL, NULL, STR(""), &d, &err);

	if (r == 0 && c->form == FORM_TABLE)
		r = print_table(c, VAL_GET(d->root, "inspection_rules"), &err);
	else if (r == 0)
		r = control_print_doc(d, c->form, &err);
	return r < 0 ? failed(&err) : 0;
}

static int run_get(struct rule_command *c)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct err err;

	if (ask(c, NULL, c->about.p[0], STR(""), &d, &err) < 0 || print_rule(c, d, FORM_YAML, &err) < 0)
		return failed(&err);
	return 0;
}

static int run_create(struct rule_command *c)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct err err;
	str body;

	if (rule_request_end(&c->request, &body, &err) < 0 || ask(c, "POST", NULL, body, &d, &err) < 0 ||
	    report_rule(c, d, &err) < 0)
		return failed(&err);
	return 0;
}

/* Run the verbs "set" and "unset". */
static int run_patch(struct rule_command *c)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct err err;
	str body;

	if (rule_request_end(&c->request, &body, &err) < 0 || ask(c, "PATCH", c->about.p[0], body, &d, &err) < 0)
		return failed(&err);
	if (c->form != FORM_TABLE && print_rule(c, d, c->form, &err) < 0)
		return failed(&err);
	return 0;
}

static int delete_one(const struct rule_command *c, const char *uuid, struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;

	return ask(c, "DELETE", uuid, STR(""), &d, err);
}

static int run_delete(struct rule_command *c)
{
	struct err err;

	if (c->all == (c->about.n > 0))
		return command_line_wrong(&line, "UUIDs or --all, and not both, are expected behind", "delete");
	if (c->all)
		return delete_one(c, NULL, &err) < 0 ? failed(&err) : 0;
	for (size_t i = 0; i < c->about.n; i++) {
		if (delete_one(c, c->about.p[i], &err) < 0) {
			(void)!err_wrap(&err, "%s", c->about.p[i]);
			return failed(&err);
		}
	}
	return 0;
}

static int send_rule(void *ctx, str json, struct err *err)
{
	const struct rule_command *c = ctx;
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	int r = ask(c, "POST", NULL, json, &d, err);

	return r < 0 ? r : report_rule(c, d, err);
}

static int run_import(struct rule_command *c)
{
	CLEANUP(doc_unrefp) struct doc *rules = NULL;
	struct err err;
	size_t n = 0;
	int r = rule_import_read(c->about.p[0], &rules, &err);

	if (r == 0)
		r = rule_import_each(rules->root, send_rule, c, &n, &err);
	if (r < 0) {
		if (rules)
			fprintf(stderr, "driftd inspection rule: %zu of %u rules are imported\n", n,
				val_count(rules->root));
		return failed(&err);
	}
	return 0;
}

/* ---- the command lines ---- */

static const struct verb {
	const char *name;
	int (*run)(struct rule_command *c);
	unsigned options;
	enum rule_request_kind request;
	unsigned least, most; /* how many arguments */
} verbs[] = {
	{ "import", run_import, OF_FORM, RULE_CREATE, 1, 1 },
	{ "list", run_list, OF_FORM | OF_LIST, RULE_CREATE, 0, 0 },
	{ "get", run_get, OF_FORM, RULE_CREATE, 1, 1 },
	{ "create", run_create, OF_FORM | OF_RULE, RULE_CREATE, 0, 0 },
	{ "set", run_patch, OF_FORM | OF_RULE, RULE_SET, 1, 1 },
	{ "unset", run_patch, OF_FORM | OF_FIELDS, RULE_UNSET, 1, 1 },
	{ "delete", run_delete, OF_ALL, RULE_CREATE, 0, ARGUMENTS_ANY },
};

static int run_verb(const struct verb *v, struct rule_command *c, int argc, char **argv)
{
	struct command_line own = line;
	int status;

	own.groups = v->options;
	own.arguments_most = v->most;
	status = command_line_read(&own, argc, argv, c, &c->about);
	if (status != COMMAND_GOES_ON)
		return status;
	if (c->about.n < v->least)
		return command_line_wrong(
			&line, v->run == run_import ? "a file is expected behind" : "a UUID is expected behind",
			v->name);
	if (v->options & OF_FIELDS && !c->request.fields)
		return command_line_wrong(&line, "what to take away is expected behind", v->name);
	return v->run(c);
}

static void rule_command_done(struct rule_command *c)
{
	rule_request_done(&c->request);
}

int cmd_inspection(int argc, char **argv)
{
	CLEANUP(rule_command_done) struct rule_command c = { 0 };
	bool rule = argc > 1 && strcmp(argv[1], "rule") == 0;
	const char *word = argc > 1 + rule ? argv[1 + rule] : NULL;

	if (word && (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0)) {
		command_line_help(&line, stdout);
		return 0;
	}
	for (size_t i = 0; rule && word && i < ARRAY_LEN(verbs); i++) {
		if (strcmp(word, verbs[i].name) != 0)
			continue;
		rule_request_init(&c.request, verbs[i].request);
		return run_verb(&verbs[i], &c, argc - 2, argv + 2);
	}
	if (word)
		return command_line_wrong(&line, "unknown command", word);
	fputs("driftd inspection rule: a command is expected\n", stderr);
	return command_line_see_help(&line);
}
