/* driftd accept, driftd unaccept: deviations that are wanted. */
#include "config/command_line.h"
#include "config/exit_status.h"
#include "daemon/control/client.h"
#include "daemon/control/commands.h"
#include "daemon/control/output.h"
#include "daemon/control/table.h"
#include "go/url.h"
#include "value/json.h"

#include <errno.h>
#include <stdio.h>

#define ACCEPTED "/api/v1/accepted"
#define REQUEST_MAX ((size_t)60 << 10)
#define SHORT_ID 8

static void usage(FILE *to)
{
	fputs("Usage: driftd accept KIND[.GROUP] [NAMESPACE/]NAME --reason R --owner O [options]\n"
	      "       driftd accept --component PART/COMPONENT --reason R --owner O [options]\n"
	      "       driftd accept list [options]\n"
	      "       driftd unaccept ID [--socket PATH]\n"
	      "Accept that objects, or a component of a reference, deviate: it is shown as accepted, and is no drift.\n"
	      "Names may have '*' for any text.\n\n"
	      "      --path PATH        of the field, as records print it, with all below it (default: everything)\n"
	      "      --value V          what it has, as a text or JSON: any other value is drift again\n"
	      "      --template FILE    of the component: of this template only\n"
	      "      --cluster NAME     (default: all)\n"
	      "      --reference NAME   (default: all)\n"
	      "      --reason TEXT      why\n"
	      "      --owner WHO        answers for it\n"
	      "      --until TIME       2027-01-31, which is the last day, or 2027-01-31T12:00:00Z (default: for "
	      "ever)\n"
	      "  -o, --output FORM      json or yaml\n"
	      "      --no-headers       of the list: no first line\n"
	      "      --socket PATH      of the control socket (default $DRIFTD_SOCKET, else " CONTROL_SOCKET_DEFAULT
	      ")\n"
	      "  -h, --help             this text\n\n"
	      "The same again replaces reason, owner and end. What driftd.yaml accepts is changed there.\n"
	      "Exit status: 0 done, 2 not done.\n",
	      to);
}

struct accept_command {
	const char *socket;
	enum control_form form;
	bool no_headers;
	struct buf body; /* of the request */
};

static int wrong(const char *what, const char *argument)
{
	fprintf(stderr, "driftd accept: %s '%s'\n", what, argument);
	return command_line_see_help("driftd accept");
}

static int failed(const struct err *err)
{
	fprintf(stderr, "driftd accept: %s\n", err->msg);
	return EXIT_USAGE;
}

/* ---- making one ---- */

static void add_text(struct buf *body, const char *name, str text)
{
	buf_printf(body, "%s\"%s\":", body->n ? "," : "{", name);
	json_encode_string(text, JSON_PLAIN, body);
}

static void add_object(struct buf *body, const char *kind, const char *object)
{
	str name = str_from(object);
	ptrdiff_t slash = str_find_byte(name, '/');

	add_text(body, "kind", str_from(kind));
	if (slash >= 0)
		add_text(body, "namespace", str_sub(name, 0, (size_t)slash));
	add_text(body, "name", str_sub(name, (size_t)(slash + 1), name.n));
}

static int make(struct accept_command *c)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct err err;

	buf_add_byte(&c->body, '}');
	if (buf_error(&c->body, "request", &err) < 0 ||
	    control_send(control_socket(c->socket), "POST", ACCEPTED, buf_str(&c->body), &d, &err) < 0)
		return failed(&err);
	if (c->form == FORM_JSON || c->form == FORM_YAML)
		return control_print_doc(d, c->form, &err) < 0 ? failed(&err) : 0;
	printf("%.*s\n", STR_ARG(control_text(d->root, "id")));
	return 0;
}

/* ---- the list ---- */

static void add_about(val a, struct table *t)
{
	str namespace = control_text(a, "namespace");

	if (control_text(a, "component").n)
		table_addf(t, "component %.*s %.*s", STR_ARG(control_text(a, "component")),
			   STR_ARG(control_text(a, "template")));
	else
		table_addf(t, "%.*s %.*s%s%.*s", STR_ARG(control_text(a, "kind")), STR_ARG(namespace),
			   namespace.n ? "/" : "", STR_ARG(control_text(a, "name")));
}

static void add_row(val x, struct table *t)
{
	val a = VAL_GET(x, "accepted");
	str value = control_text(a, "value");

	table_add(t, control_text(x, "state"));
	table_add(t, control_text(a, "cluster").n ? control_text(a, "cluster") : STR("*"));
	add_about(a, t);
	table_addf(t, "%.*s%s%.*s", STR_ARG(control_text(a, "path")), value.n ? "=" : "", STR_ARG(value));
	table_add(t, control_text(a, "reason"));
	table_add(t, control_text(a, "owner"));
	table_add(t, control_text(a, "until"));
	table_add(t, control_text(x, "source"));
	table_add(t, str_sub(control_text(x, "id"), 0, SHORT_ID));
}

static int print_list(const struct accept_command *c, const struct doc *d, struct err *err)
{
	static const char *const headings[] = { "STATE", "CLUSTER", "WHAT",   "FIELD", "REASON",
						"OWNER", "UNTIL",   "SOURCE", "ID" };
	CLEANUP(buf_done) struct buf out = BUF_INIT(CONTROL_OUTPUT_MAX);
	val items = VAL_GET(d->root, "items");
	struct table t;
	int r;

	if (c->form == FORM_JSON || c->form == FORM_YAML)
		return control_print_doc(d, c->form, err);
	if (!val_count(items)) {
		fputs("nothing is accepted\n", stderr);
		return 0;
	}
	table_init(&t, headings, ARRAY_LEN(headings));
	for (uint32_t i = 0; i < val_count(items); i++)
		add_row(val_at(items, i), &t);
	r = table_print(&t, !c->no_headers, &out, err);
	table_done(&t);
	return r < 0 ? r : control_print(&out, err);
}

static int list(const struct accept_command *c)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct err err;

	if (control_get(control_socket(c->socket), ACCEPTED, &d, &err) < 0 || print_list(c, d, &err) < 0)
		return failed(&err);
	return 0;
}

/* ---- the command lines ---- */

static int run(struct accept_command *c, char **arguments, int n)
{
	bool lists = n > 0 && strcmp(arguments[0], "list") == 0;

	if (lists && n > 1)
		return wrong("unexpected argument", arguments[1]);
	if (lists && c->body.n)
		return wrong("only -o, --no-headers and --socket are of use to", "list");
	if (lists)
		return list(c);
	if (n > 2)
		return wrong("unexpected argument", arguments[2]);
	if (n == 1)
		return wrong("a name is expected behind", arguments[0]);
	if (n == 2)
		add_object(&c->body, arguments[0], arguments[1]);
	if (!c->body.n)
		return wrong("an object or --component is expected behind", "accept");
	return make(c);
}

static void accept_command_done(struct accept_command *c)
{
	buf_done(&c->body);
}

int cmd_accept(int argc, char **argv)
{
	enum { SOCKET = 256, NO_HEADERS, TEXT }; /* TEXT: the option is called as the member */
	static const struct option options[] = {
		{ "path", required_argument, NULL, TEXT },
		{ "value", required_argument, NULL, TEXT },
		{ "component", required_argument, NULL, TEXT },
		{ "template", required_argument, NULL, TEXT },
		{ "cluster", required_argument, NULL, TEXT },
		{ "reference", required_argument, NULL, TEXT },
		{ "reason", required_argument, NULL, TEXT },
		{ "owner", required_argument, NULL, TEXT },
		{ "until", required_argument, NULL, TEXT },
		{ "output", required_argument, NULL, 'o' },
		{ "no-headers", no_argument, NULL, NO_HEADERS },
		{ "socket", required_argument, NULL, SOCKET },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	CLEANUP(accept_command_done) struct accept_command c = { .body = BUF_INIT(REQUEST_MAX) };
	int o, which = 0;

	while ((o = command_line_next("driftd accept", argc, argv, "o:h", options, &which)) != -1) {
		switch (o) {
		case TEXT:
			add_text(&c.body, options[which].name, str_from(optarg));
			break;
		case 'o':
			if (!control_form_parse_doc(optarg, &c.form))
				return wrong("unknown form of output", optarg);
			break;
		case NO_HEADERS:
			c.no_headers = true;
			break;
		case SOCKET:
			c.socket = optarg;
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			return command_line_see_help("driftd accept");
		}
	}
	return run(&c, argv + optind, argc - optind);
}

static int unaccept(const char *socket, const char *id)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(REQUEST_MAX);
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct err err;

	buf_add_cstr(&path, ACCEPTED "/");
	go_url_escape(&path, str_from(id), GO_URL_PATH_SEGMENT);
	if (buf_error(&path, "request", &err) < 0 ||
	    control_send(control_socket(socket), "DELETE", path.p, STR(""), &d, &err) < 0)
		return failed(&err);
	return 0;
}

int cmd_unaccept(int argc, char **argv)
{
	enum { SOCKET = 256 };
	static const struct option options[] = {
		{ "socket", required_argument, NULL, SOCKET },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	const char *socket = NULL;
	int o;

	while ((o = command_line_next("driftd unaccept", argc, argv, "h", options, NULL)) != -1) {
		switch (o) {
		case SOCKET:
			socket = optarg;
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			return command_line_see_help("driftd accept");
		}
	}
	if (optind != argc - 1)
		return wrong("one ID is expected behind", "unaccept");
	return unaccept(socket, argv[optind]);
}
