/* driftd explain: shows why driftd has its verdict on an object. */
#include "base/limits.h"
#include "config/command_line.h"
#include "daemon/control/client.h"
#include "daemon/control/commands.h"
#include "daemon/control/control_internal.h"
#include "daemon/control/output.h"
#include "kubeclient/kc_url.h"
#include "value/json.h"

#include <stdio.h>

#define REQUEST_MAX ((size_t)64 << 10)

struct explain_command {
	const char *socket;
	enum control_form form;
	str cluster, kind, namespace, name;
	struct buf out;  /* the text for people */
	struct buf json; /* {"items":[{"object":…,"explanations":[…]}],"notes":[…]} */
};

#define AT(member) offsetof(struct explain_command, member)

static const struct command_option option_table[] = {
	{ "namespace", 'n', "NS", option_str, AT(namespace), .help = "of the object (default: any)" },
	{ "cluster", 0, "NAME", option_str, AT(cluster), .help = "(default: each)" },
	{ "output", 'o', "FORM", option_word_take, AT(form), .help = "json or yaml", .words = control_doc_words },
	CONTROL_SOCKET_OPTION(struct explain_command),
	OPTION_HELP,
};

static const struct command_line line = {
	.program = "driftd explain",
	.synopsis =
		"Usage: driftd explain KIND [NAMESPACE/]NAME [options]\n"
		"       driftd explain KIND/NAME [-n NAMESPACE] [options]\n"
		"       driftd explain ID [options]\n"
		"Why the driftd of this machine says of an object what it says: which templates are for it, how near "
		"each is,\n"
		"which one is chosen and why, what is not compared, what may not be shown, what it looks up.\n\n",
	.notes = "\nKIND is a kind, a resource or a short name (Deployment, deployments, deployments.apps, deploy). ID "
		 "is "
		 "that of a\nfinding, of which the beginning is enough: the object that it is about is explained.\n\n"
		 "Exit status: 0 it is explained, 1 no such object is watched, 2 driftd cannot be asked, or wrong "
		 "usage.\n",
	OPTIONS(option_table),
	.column = 23,
	.arguments_most = ARGUMENTS_ANY,
};

static int get_objects(const struct explain_command *c, struct doc **ret, struct err *err)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(REQUEST_MAX);

	buf_add_cstr(&path, "/api/v1/objects");
	kc_url_query(&path, "kind", c->kind);
	kc_url_query(&path, "name", c->name);
	kc_url_query(&path, "namespace", c->namespace);
	kc_url_query(&path, "cluster", c->cluster);
	return control_get_built(control_socket(c->socket), &path, ret, err);
}

static int get_explanation(const struct explain_command *c, val object, str reference, struct doc **ret,
			   struct err *err)
{
	static const char *const names[] = { "cluster", "apiVersion", "kind", "namespace", "name" };
	CLEANUP(buf_done) struct buf path = BUF_INIT(REQUEST_MAX);

	buf_add_cstr(&path, "/api/v1/explain");
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		kc_url_query(&path, names[i], control_text(object, names[i]));
	kc_url_query(&path, "reference", reference);
	return control_get_built(control_socket(c->socket), &path, ret, err);
}

/* Explain an object with one request for each reference, so that the daemon needs a turn of the loop for each. */
static int explain_one(struct explain_command *c, val object, struct err *err)
{
	val references = VAL_GET(object, "references");
	int r = json_encode(object, JSON_PLAIN, NULL, &c->json, err);

	buf_add_cstr(&c->json, ",\"explanations\":[");
	explain_object(object, &c->out);
	for (uint32_t i = 0; r == 0 && i < val_count(references); i++) {
		CLEANUP(doc_unrefp) struct doc *d = NULL;

		r = get_explanation(c, object, val_str(val_at(references, i)), &d, err);
		if (r < 0)
			return r;
		if (i)
			buf_add_byte(&c->json, ',');
		r = json_encode(d->root, JSON_PLAIN, NULL, &c->json, err);
		if (r == 0)
			r = explain_reference(d->root, &c->out, err);
	}
	buf_add_byte(&c->json, ']');
	return r;
}

static int explain_all(struct explain_command *c, val list, struct err *err)
{
	val items = VAL_GET(list, "items");
	int r = 0;

	buf_add_cstr(&c->json, "{\"apiVersion\":\"driftd/v1\",\"kind\":\"ExplanationList\",\"items\":[");
	for (uint32_t i = 0; r == 0 && i < val_count(items); i++) {
		buf_add_cstr(&c->json, i ? ",{\"object\":" : "{\"object\":");
		if (i)
			buf_add_byte(&c->out, '\n');
		r = explain_one(c, val_at(items, i), err);
		buf_add_byte(&c->json, '}');
	}
	buf_add_cstr(&c->json, "],\"notes\":");
	if (r == 0)
		r = json_encode(VAL_GET(list, "notes"), JSON_PLAIN, NULL, &c->json, err);
	buf_add_byte(&c->json, '}');
	return r;
}

static int print(struct explain_command *c, struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	int r;

	if (c->form != FORM_JSON && c->form != FORM_YAML)
		return control_print(&c->out, err);
	r = buf_error(&c->json, "output", err);
	if (r == 0)
		r = json_decode(buf_str(&c->json), JSON_DEFAULTS, &d, err);
	return r < 0 ? r : control_print_doc(d, c->form, err);
}

static int run(struct explain_command *c)
{
	CLEANUP(doc_unrefp) struct doc *list = NULL;
	struct err err;
	bool found;

	if (get_objects(c, &list, &err) < 0 || explain_all(c, list->root, &err) < 0 || print(c, &err) < 0)
		return command_line_failed(&line, &err);
	found = val_count(VAL_GET(list->root, "items")) > 0;
	if (!found)
		control_print_notes("driftd explain", list->root);
	return found ? 0 : 1;
}

/* Explain the object of the finding. */
static int explain_finding(struct explain_command *c, const char *id)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct err err;

	if (control_get_finding(c->socket, str_from(id), &d, &err) < 0)
		return command_line_failed(&line, &err);
	c->cluster = control_text(d->root, "cluster");
	c->kind = control_text(d->root, control_text(d->root, "resource").n ? "resource" : "kind");
	c->namespace = control_text(d->root, "namespace");
	c->name = control_text(d->root, "name");
	if (!c->name.n)
		return command_line_wrong(&line, "it is about no object that could be explained:", id);
	return run(c);
}

/* Take KIND NAME, KIND NAMESPACE/NAME or KIND/NAME. */
static bool take_object(struct explain_command *c, const struct arguments *about)
{
	str first = about->n ? str_from(about->p[0]) : STR("");

	if (about->n == 2) {
		c->kind = first;
		c->name = control_split_name(str_from(about->p[1]), &c->namespace);
	} else if (about->n == 1 && str_find_byte(first, '/') >= 0) {
		c->name = control_split_name(first, &c->kind);
	}
	return c->name.n > 0;
}

static void explain_command_done(struct explain_command *c)
{
	buf_done(&c->out);
	buf_done(&c->json);
}

int cmd_explain(int argc, char **argv)
{
	CLEANUP(explain_command_done)
	struct explain_command c = { .out = BUF_INIT(CONTROL_OUTPUT_MAX), .json = BUF_INIT(CONTROL_OUTPUT_MAX) };
	struct arguments about;
	int status = command_line_read(&line, argc, argv, &c, &about);

	if (status != COMMAND_GOES_ON)
		return status;
	if (about.n == 1 && control_is_id(str_from(about.p[0])))
		return explain_finding(&c, about.p[0]);
	if (!take_object(&c, &about))
		return command_line_wrong(&line, "a KIND and a NAME, or an ID, are expected behind", "explain");
	return run(&c);
}
