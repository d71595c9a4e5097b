/* driftd accept, driftd unaccept: deviations that are wanted. */
#include "base/utf8.h"
#include "config/command_line.h"
#include "daemon/control/client.h"
#include "daemon/control/commands.h"
#include "daemon/control/output.h"
#include "daemon/control/table.h"
#include "daemon/events/event_time.h"
#include "go/layout.h"
#include "go/url.h"
#include "rules/acceptance.h"
#include "value/json.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

#define ACCEPTED "/api/v1/accepted"
#define REQUEST_MAX ((size_t)60 << 10)
#define SHORT_ID 8

struct accept_command {
	const char *socket;
	enum control_form form;
	bool no_headers;
	struct buf body; /* the body of the request */
};

static void add_text(struct buf *body, const char *name, str text)
{
	buf_printf(body, "%s\"%s\":", body->n ? "," : "{", name);
	json_encode_string(text, JSON_PLAIN, body);
}

/* The option is called as the member of the request. */
static int take_member(const struct given *g, void *to)
{
	add_text(to, g->option->name, str_from(g->value));
	return COMMAND_GOES_ON;
}

/* As long as systemd.time(7) says it: "30d" is a time from now. */
static int take_span(const struct given *g, void *to)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(256), until = BUF_INIT(64);
	int64_t now = (int64_t)time(NULL) * 1000000, usec;
	struct err err;

	buf_printf(&text, "+%s", g->value);
	if (buf_error(&text, "a span", &err) < 0 || event_time_parse(buf_str(&text), now, &usec, &err) < 0 ||
	    usec <= now)
		return command_line_wrong(g->line, "a span such as 30d or 12h is expected behind --for, not", g->value);
	go_rfc3339_format(usec / 1000000, 0, 0, &until);
	add_text(to, "until", buf_str(&until));
	return COMMAND_GOES_ON;
}

#define ACCEPT 1u /* what unaccept has not */

#define AT(member) offsetof(struct accept_command, member)

static const struct command_option option_table[] = {
	{ "path", 0, "PATH", take_member, AT(body),
	  .help = "of the field, as records print it, with all below it (default: everything)", .group = ACCEPT },
	{ "value", 0, "V", take_member, AT(body),
	  .help = "what it has, as a text or JSON: any other value is drift again", .group = ACCEPT },
	{ "rule", 0, "TEXT", take_member, AT(body),
	  .help = "of a validation rule that they violate: accept that, not drift", .group = ACCEPT },
	{ "component", 0, "PART/COMPONENT", take_member, AT(body), .help = NULL, .group = ACCEPT },
	{ "template", 0, "FILE", take_member, AT(body), .help = "of the component: of this template only",
	  .group = ACCEPT },
	{ "cluster", 0, "NAME", take_member, AT(body), .help = "(default: all)", .group = ACCEPT },
	{ "reference", 0, "NAME", take_member, AT(body), .help = "(default: all)", .group = ACCEPT },
	{ "reason", 0, "TEXT", take_member, AT(body), .help = "why", .group = ACCEPT },
	{ "owner", 0, "WHO", take_member, AT(body), .help = "answers for it", .group = ACCEPT },
	{ "until", 0, "TIME", take_member, AT(body),
	  .help = "2027-01-31, which is the last day, or 2027-01-31T12:00:00Z (default: for ever)", .group = ACCEPT },
	{ "for", 0, "SPAN", take_span, AT(body), .help = "30d, 12h: from now on, in place of --until",
	  .group = ACCEPT },
	{ "output", 'o', "FORM", option_word_take, AT(form), .help = "json or yaml", .words = control_doc_words,
	  .group = ACCEPT },
	{ "no-headers", 0, NULL, option_truth, AT(no_headers), .help = "of the list: no first line", .group = ACCEPT },
	CONTROL_SOCKET_OPTION(struct accept_command),
	OPTION_HELP,
};

static const struct command_line line = {
	.program = "driftd accept",
	.synopsis =
		"Usage: driftd accept KIND[.GROUP] [NAMESPACE/]NAME --reason R --owner O [options]\n"
		"       driftd accept ID --reason R --owner O [options]\n"
		"       driftd accept --component PART/COMPONENT [KIND[.GROUP] [NAMESPACE/]NAME] --reason R --owner O "
		"[options]\n"
		"       driftd accept list [options]\n"
		"       driftd unaccept ID [--socket PATH]\n"
		"Accept that objects, or a component of a reference, deviate, that a component has objects that it "
		"should not\nhave, or that objects violate a rule: it is shown as accepted, and is no drift.\n"
		"Names may have '*' for any text. ID is that of a finding, of which the beginning is enough: what it "
		"says is\naccepted, of an object that differs in one field that field.\n\n",
	.notes = "\nThe same again replaces reason, owner and end. What driftd.yaml accepts is changed there.\n"
		 "Exit status: 0 done, 2 not done.\n",
	OPTIONS(option_table),
	.column = 25,
	.arguments_most = 2,
	.groups = ACCEPT,
};

/* ---- making one ---- */

static void add_object(struct buf *body, const char *kind, const char *object)
{
	str name = str_from(object);
	ptrdiff_t slash = str_find_byte(name, '/');

	add_text(body, "kind", str_from(kind));
	if (slash >= 0)
		add_text(body, "namespace", str_sub(name, 0, (size_t)slash));
	add_text(body, "name", str_sub(name, (size_t)(slash + 1), name.n));
}

static void add_own(struct buf *body, const char *name, str text)
{
	if (text.n)
		add_text(body, name, text);
}

static void add_component_of(struct buf *body, val x)
{
	CLEANUP(buf_done) struct buf name = BUF_INIT(REQUEST_MAX);

	buf_printf(&name, "%.*s/%.*s", STR_ARG(control_text(x, "part")), STR_ARG(control_text(x, "component")));
	add_text(body, "component", buf_str(&name));
}

static void add_object_of(struct buf *body, val x)
{
	static const char *const names[] = { "apiVersion", "kind", "namespace", "name" };
	val paths = VAL_GET(x, "paths");

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		add_own(body, names[i], control_text(x, names[i]));
	if (val_count(paths) == 1 && !str_eq(val_str(val_at(paths, 0)), STR(".")))
		add_text(body, "path", val_str(val_at(paths, 0)));
}

/* The text of the rule as one line: for the ends of its lines, and for what is too long, stands a "*". */
static void add_rule_of(struct buf *body, val x)
{
	CLEANUP(buf_done) struct buf line_of = BUF_INIT(ACCEPTANCE_TEXT_MAX + 1);
	str rule = str_trim(control_text(x, "rule")), start = utf8_cut(rule, ACCEPTANCE_TEXT_MAX - 1);

	for (size_t i = 0; i < start.n; i++) {
		unsigned char byte = (unsigned char)start.p[i];

		buf_add_byte(&line_of, byte < 0x20 || byte == 0x7f ? '*' : (char)byte);
	}
	if (start.n < rule.n)
		buf_add_byte(&line_of, '*');
	add_text(body, "rule", buf_str(&line_of));
}

/* What the finding with this id is about. */
static int add_finding(struct accept_command *c, str id, struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	int r = control_get_finding(c->socket, id, &d, err);
	str type;

	if (r < 0)
		return r;
	type = control_text(d->root, "type");
	add_own(&c->body, "cluster", control_text(d->root, "cluster"));
	add_own(&c->body, "reference", control_text(d->root, "reference"));
	if (str_eq(type, STR("component")))
		add_component_of(&c->body, d->root);
	else if (str_eq(type, STR("drift")) || str_eq(type, STR("validation")))
		add_object_of(&c->body, d->root);
	else
		return err_set(err, EINVAL,
			       "only drift, components and rule violations can be accepted; this is of type %.*s",
			       STR_ARG(type));
	if (str_eq(type, STR("validation")))
		add_rule_of(&c->body, d->root);
	return 0;
}

static int make(struct accept_command *c)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct err err;

	buf_add_byte(&c->body, '}');
	if (buf_error(&c->body, "request", &err) < 0 ||
	    control_send(control_socket(c->socket), "POST", ACCEPTED, buf_str(&c->body), &d, &err) < 0)
		return command_line_failed(&line, &err);
	if (c->form == FORM_JSON || c->form == FORM_YAML)
		return control_print_doc(d, c->form, &err) < 0 ? command_line_failed(&line, &err) : 0;
	printf("%.*s\n", STR_ARG(control_text(d->root, "id")));
	return 0;
}

/* ---- the list ---- */

static void add_about(val a, struct table *t)
{
	str namespace = control_text(a, "namespace"), component = control_text(a, "component");
	str kind = control_text(a, "kind"), template = control_text(a, "template");
	CLEANUP(buf_done) struct buf what = BUF_INIT(CONTROL_OUTPUT_MAX);

	if (component.n)
		buf_printf(&what, "component %.*s %.*s%s", STR_ARG(component), STR_ARG(template),
			   kind.n && template.n ? " " : "");
	if (kind.n)
		buf_printf(&what, "%.*s %.*s%s%.*s", STR_ARG(kind), STR_ARG(namespace), namespace.n ? "/" : "",
			   STR_ARG(control_text(a, "name")));
	table_add(t, buf_str(&what));
}

static void add_row(val x, struct table *t)
{
	val a = VAL_GET(x, "accepted");
	str value = control_text(a, "value"), path = control_text(a, "path"), rule = control_text(a, "rule");

	table_add(t, control_text(x, "state"));
	table_add(t, control_text(a, "cluster").n ? control_text(a, "cluster") : STR("*"));
	add_about(a, t);
	table_addf(t, "%.*s%s%.*s%s%.*s", STR_ARG(path), value.n ? "=" : "", STR_ARG(value),
		   !rule.n  ? ""
		   : path.n ? " rule "
			    : "rule ",
		   STR_ARG(rule));
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
		return command_line_failed(&line, &err);
	return 0;
}

/* ---- the command lines ---- */

static int run(struct accept_command *c, const struct arguments *about)
{
	const char *first = about->n ? about->p[0] : "";
	struct err err;

	if (strcmp(first, "list") == 0) {
		if (about->n > 1)
			return command_line_wrong(&line, "unexpected argument", about->p[1]);
		if (c->body.n)
			return command_line_wrong(&line, "only -o, --no-headers and --socket are of use to", first);
		return list(c);
	}
	if (about->n == 1 && control_is_id(str_from(first))) {
		if (add_finding(c, str_from(first), &err) < 0)
			return command_line_failed(&line, &err);
	} else if (about->n == 1) {
		return command_line_wrong(&line, "a name is expected behind", first);
	}
	if (about->n == 2)
		add_object(&c->body, first, about->p[1]);
	if (!c->body.n)
		return command_line_wrong(&line, "an object or --component is expected behind", "accept");
	return make(c);
}

static void accept_command_done(struct accept_command *c)
{
	buf_done(&c->body);
}

int cmd_accept(int argc, char **argv)
{
	CLEANUP(accept_command_done) struct accept_command c = { .body = BUF_INIT(REQUEST_MAX) };
	struct arguments about;
	int status = command_line_read(&line, argc, argv, &c, &about);

	return status == COMMAND_GOES_ON ? run(&c, &about) : status;
}

int cmd_unaccept(int argc, char **argv)
{
	CLEANUP(accept_command_done) struct accept_command c = { .body = BUF_INIT(REQUEST_MAX) };
	CLEANUP(buf_done) struct buf path = BUF_INIT(REQUEST_MAX);
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct command_line own = line;
	struct arguments ids;
	struct err err;
	int status;

	own.program = "driftd unaccept";
	own.groups = 0;
	status = command_line_read(&own, argc, argv, &c, &ids);
	if (status != COMMAND_GOES_ON)
		return status;
	if (ids.n != 1)
		return command_line_wrong(&own, "one ID is expected behind", "unaccept");
	buf_add_cstr(&path, ACCEPTED "/");
	go_url_escape(&path, str_from(ids.p[0]), GO_URL_PATH_SEGMENT);
	if (buf_error(&path, "request", &err) < 0 ||
	    control_send(control_socket(c.socket), "DELETE", path.p, STR(""), &d, &err) < 0)
		return command_line_failed(&own, &err);
	return 0;
}
