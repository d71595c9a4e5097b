/* driftd inspection rule: the inspection rules of the running driftd.   spec/inspection-rules.md, section 13 */
#include "config/command_line.h"
#include "config/exit_status.h"
#include "daemon/control/client.h"
#include "daemon/control/commands.h"
#include "daemon/control/output.h"
#include "daemon/control/rule_import.h"
#include "daemon/control/rule_request.h"
#include "daemon/control/table.h"
#include "go/url.h"
#include "value/json.h"

#include <stdio.h>

#define RULES "/v1/inspection_rules"
#define PATH_MAX_BYTES ((size_t)64 << 10)
#define CELL_MAX ((size_t)1 << 20)

static void usage(FILE *to)
{
	fputs("Usage: driftd inspection rule import FILE\n"
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
	      "Options of the rule:\n"
	      "      --actions JSON        a list; required to create one\n"
	      "      --conditions JSON     a list\n"
	      "      --sensitive           its conditions and actions are never shown\n"
	      "      --scope S             for objects of this scope\n"
	      "      --phase P             early, preprocess or main\n"
	      "      --priority N          0 to 9999, the highest first\n"
	      "      --uuid U              of a new one (default: random)\n"
	      "      --description D\n\n"
	      "      --long                of the list: conditions and actions too\n"
	      "      --all                 delete all but the built-in ones\n"
	      "  -o, --output FORM         json or yaml\n"
	      "      --no-headers          of the list: no first line\n"
	      "      --socket PATH         of the control socket (default $DRIFTD_SOCKET, else " CONTROL_SOCKET_DEFAULT
	      ")\n"
	      "  -h, --help                this text\n\n"
	      "Exit status: 0 done, 1 not done, 2 wrong usage.\n",
	      to);
}

struct rule_command {
	const char *verb;
	const char *socket;
	enum control_form form;
	bool no_headers, longer, all;
	struct rule_request request;
	char **arguments;
	int n;
};

static int wrong(const char *what, const char *argument)
{
	fprintf(stderr, "driftd inspection rule: %s '%s'\n", what, argument);
	return command_line_see_help("driftd inspection rule");
}

static int failed(const struct err *err)
{
	fprintf(stderr, "driftd inspection rule: %s\n", err->msg);
	return 1;
}

/* ---- requests ---- */

/* About the rule @uuid; NULL: about all. *ret: NULL where the answer has no body. */
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

/* A rule that was made or changed: its uuid is what people need, unless they ask for more. */
static int tell_rule(const struct rule_command *c, const struct doc *d, struct err *err)
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

static bool is_true(val v)
{
	return v.kind == VAL_BOOL && v.b;
}

static void add_row(const struct rule_command *c, val rule, struct table *t)
{
	table_add(t, control_text(rule, "uuid"));
	table_add(t, control_text(rule, "phase"));
	add_json(t, VAL_GET(rule, "priority"));
	table_add(t, control_text(rule, "scope"));
	table_add(t, is_true(VAL_GET(rule, "sensitive")) ? STR("yes") : STR("no"));
	table_add(t, is_true(VAL_GET(rule, "built_in")) ? STR("yes") : STR("no"));
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

	if (ask(c, NULL, c->arguments[0], STR(""), &d, &err) < 0 || print_rule(c, d, FORM_YAML, &err) < 0)
		return failed(&err);
	return 0;
}

static int run_create(struct rule_command *c)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct err err;
	str body;

	if (rule_request_end(&c->request, &body, &err) < 0 || ask(c, "POST", NULL, body, &d, &err) < 0 ||
	    tell_rule(c, d, &err) < 0)
		return failed(&err);
	return 0;
}

/* set, unset */
static int run_patch(struct rule_command *c)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct err err;
	str body;

	if (rule_request_end(&c->request, &body, &err) < 0 || ask(c, "PATCH", c->arguments[0], body, &d, &err) < 0)
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

	if (c->all == (c->n > 0))
		return wrong("UUIDs or --all, and not both, are expected behind", "delete");
	if (c->all)
		return delete_one(c, NULL, &err) < 0 ? failed(&err) : 0;
	for (int i = 0; i < c->n; i++) {
		if (delete_one(c, c->arguments[i], &err) < 0) {
			(void)!err_wrap(&err, "%s", c->arguments[i]);
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

	return r < 0 ? r : tell_rule(c, d, err);
}

static int run_import(struct rule_command *c)
{
	CLEANUP(doc_unrefp) struct doc *rules = NULL;
	struct err err;
	size_t n = 0;
	int r = rule_import_read(c->arguments[0], &rules, &err);

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

#define OF_RULE 1u   /* options of the rule, with values */
#define OF_FIELDS 2u /* the same without */
#define OF_LIST 4u
#define OF_ALL 8u
#define OF_FORM 16u

static const struct verb {
	const char *name;
	int (*run)(struct rule_command *c);
	unsigned options;
	enum rule_request_kind request;
	int arguments; /* -1: any number */
} verbs[] = {
	{ "import", run_import, OF_FORM, RULE_CREATE, 1 },
	{ "list", run_list, OF_FORM | OF_LIST, RULE_CREATE, 0 },
	{ "get", run_get, OF_FORM, RULE_CREATE, 1 },
	{ "create", run_create, OF_FORM | OF_RULE, RULE_CREATE, 0 },
	{ "set", run_patch, OF_FORM | OF_RULE, RULE_SET, 1 },
	{ "unset", run_patch, OF_FORM | OF_FIELDS, RULE_UNSET, 1 },
	{ "delete", run_delete, OF_ALL, RULE_CREATE, -1 },
};

/* FIELD: the option is called as the field of the rule. */
enum { FIELD = 256, LONG, ALL, NO_HEADERS, SOCKET };

static const struct option rule_options[] = {
	{ "actions", required_argument, NULL, FIELD },
	{ "conditions", required_argument, NULL, FIELD },
	{ "sensitive", no_argument, NULL, FIELD },
	{ "scope", required_argument, NULL, FIELD },
	{ "phase", required_argument, NULL, FIELD },
	{ "priority", required_argument, NULL, FIELD },
	{ "uuid", required_argument, NULL, FIELD },
	{ "description", required_argument, NULL, FIELD },
	{ 0 },
};

static const struct option field_options[] = {
	{ "conditions", no_argument, NULL, FIELD },  { "scope", no_argument, NULL, FIELD },
	{ "description", no_argument, NULL, FIELD }, { "priority", no_argument, NULL, FIELD },
	{ "phase", no_argument, NULL, FIELD },       { 0 },
};

static const struct option list_options[] = {
	{ "long", no_argument, NULL, LONG },
	{ "no-headers", no_argument, NULL, NO_HEADERS },
	{ 0 },
};

static const struct option all_options[] = { { "all", no_argument, NULL, ALL }, { 0 } };
static const struct option form_options[] = { { "output", required_argument, NULL, 'o' }, { 0 } };

static const struct option usual_options[] = {
	{ "socket", required_argument, NULL, SOCKET },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

#define OPTIONS_MAX 16

static size_t add_options(struct option *to, size_t n, const struct option *from)
{
	for (; from->name; from++)
		to[n++] = *from;
	return n;
}

/* Those that the verb has. */
static void options_of(const struct verb *v, struct option to[OPTIONS_MAX])
{
	const struct {
		unsigned of;
		const struct option *options;
	} groups[] = { { OF_RULE, rule_options },
		       { OF_FIELDS, field_options },
		       { OF_LIST, list_options },
		       { OF_ALL, all_options },
		       { OF_FORM, form_options } };
	size_t n = add_options(to, 0, usual_options);

	for (size_t i = 0; i < ARRAY_LEN(groups); i++) {
		if (v->options & groups[i].of)
			n = add_options(to, n, groups[i].options);
	}
	to[n] = (struct option){ 0 };
}

/* Of one option. -1: go on; else the exit status. */
static int take_option(struct rule_command *c, int o, const struct option *option)
{
	struct err err;

	switch (o) {
	case FIELD:
		if (rule_request_add(&c->request, option->name, optarg, &err) == 0)
			return -1;
		fprintf(stderr, "driftd inspection rule: %s\n", err.msg);
		return EXIT_USAGE;
	case LONG:
		c->longer = true;
		return -1;
	case ALL:
		c->all = true;
		return -1;
	case NO_HEADERS:
		c->no_headers = true;
		return -1;
	case SOCKET:
		c->socket = optarg;
		return -1;
	case 'o':
		if (control_form_parse_doc(optarg, &c->form))
			return -1;
		return wrong("unknown form of output", optarg);
	case 'h':
		usage(stdout);
		return 0;
	default:
		return command_line_see_help("driftd inspection rule");
	}
}

static int run_verb(const struct verb *v, struct rule_command *c, int argc, char **argv)
{
	struct option options[OPTIONS_MAX];
	int o, status, which = 0;

	options_of(v, options);
	while ((o = command_line_next("driftd inspection rule", argc, argv, v->options & OF_FORM ? "o:h" : "h", options,
				      &which)) != -1) {
		status = take_option(c, o, &options[which]);
		if (status >= 0)
			return status;
	}
	c->arguments = argv + optind;
	c->n = argc - optind;
	if (v->arguments >= 0 && c->n > v->arguments)
		return wrong("unexpected argument", c->arguments[v->arguments]);
	if (c->n < v->arguments)
		return wrong(v->run == run_import ? "a file is expected behind" : "a UUID is expected behind", v->name);
	if (v->options & OF_FIELDS && !c->request.fields)
		return wrong("what to take away is expected behind", v->name);
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
		usage(stdout);
		return 0;
	}
	for (size_t i = 0; rule && word && i < ARRAY_LEN(verbs); i++) {
		if (strcmp(word, verbs[i].name) != 0)
			continue;
		rule_request_init(&c.request, verbs[i].request);
		return run_verb(&verbs[i], &c, argc - 2, argv + 2);
	}
	if (word)
		return wrong("unknown command", word);
	fputs("driftd inspection rule: a command is expected\n", stderr);
	return command_line_see_help("driftd inspection rule");
}
