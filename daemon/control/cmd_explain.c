/* driftd explain: why driftd says of an object what it says. */
#include "base/limits.h"
#include "base/printable.h"
#include "config/command_line.h"
#include "config/exit_status.h"
#include "daemon/control/client.h"
#include "daemon/control/commands.h"
#include "daemon/control/explain_text.h"
#include "daemon/control/output.h"
#include "kubeclient/kc_url.h"
#include "value/json.h"

#include <stdio.h>

#define REQUEST_MAX ((size_t)64 << 10)

static void usage(FILE *to)
{
	fputs("Usage: driftd explain KIND [NAMESPACE/]NAME [options]\n"
	      "Why the driftd of this machine says of an object what it says: which templates are for it, how near "
	      "each is,\n"
	      "which one is chosen and why, what is not compared, what may not be shown, what it looks up.\n\n"
	      "  -n, --namespace NS   of the object (default: any)\n"
	      "      --cluster NAME   (default: each)\n"
	      "  -o, --output FORM    json or yaml\n"
	      "      --socket PATH    of the control socket (default $DRIFTD_SOCKET, else " CONTROL_SOCKET_DEFAULT ")\n"
	      "  -h, --help           this text\n\n"
	      "KIND is a kind or a resource (Deployment, deployments, deployments.apps).\n\n"
	      "Exit status: 0 it is explained, 1 no such object is watched, 2 driftd cannot be asked, or wrong "
	      "usage.\n",
	      to);
}

struct explain_command {
	const char *socket;
	enum control_form form;
	str cluster, kind, namespace, name;
	struct buf out;  /* for people */
	struct buf json; /* {"items":[{"object":…,"explanations":[…]}],"notes":[…]} */
};

static int get(const struct explain_command *c, const struct buf *path, struct doc **ret, struct err *err)
{
	int r = buf_error((struct buf *)(uintptr_t)path, "request", err);

	return r < 0 ? r : control_get(control_socket(c->socket), path->p, ret, err);
}

static int get_objects(const struct explain_command *c, struct doc **ret, struct err *err)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(REQUEST_MAX);

	buf_add_cstr(&path, "/api/v1/objects");
	kc_url_query(&path, "kind", c->kind);
	kc_url_query(&path, "name", c->name);
	kc_url_query(&path, "namespace", c->namespace);
	kc_url_query(&path, "cluster", c->cluster);
	return get(c, &path, ret, err);
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
	return get(c, &path, ret, err);
}

/* One request for each reference, so that the daemon judges on a turn of its own each time. */
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
	struct limits limits = LIMITS_DEFAULT;
	struct json_options o = { .limits = &limits };
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	int r;

	if (c->form != FORM_JSON && c->form != FORM_YAML)
		return buf_error(&c->out, "output", err) < 0 ? -err->code : control_print(&c->out, err);
	r = buf_error(&c->json, "output", err);
	if (r == 0)
		r = json_decode(buf_str(&c->json), &o, &d, err);
	return r < 0 ? r : control_print_doc(d, c->form, err);
}

/* Why there is none. */
static void print_notes(val list)
{
	val notes = VAL_GET(list, "notes");

	for (uint32_t i = 0; i < val_count(notes); i++) {
		CLEANUP(buf_done) struct buf text = BUF_INIT(1u << 16);

		printable_add(&text, val_str(val_at(notes, i)), "\\n");
		fprintf(stderr, "driftd explain: %.*s\n", STR_ARG(buf_str(&text)));
	}
}

static int run(struct explain_command *c)
{
	CLEANUP(doc_unrefp) struct doc *list = NULL;
	struct err err;
	bool found;

	if (get_objects(c, &list, &err) < 0 || explain_all(c, list->root, &err) < 0 || print(c, &err) < 0) {
		fprintf(stderr, "driftd explain: %s\n", err.msg);
		return EXIT_USAGE;
	}
	found = val_count(VAL_GET(list->root, "items")) > 0;
	if (!found)
		print_notes(list->root);
	return found ? 0 : 1;
}

static int wrong(const char *what, const char *argument)
{
	fprintf(stderr, "driftd explain: %s '%s'\n", what, argument);
	return command_line_see_help("driftd explain");
}

/* "shop/web" or "web". */
static void take_name(struct explain_command *c, str name)
{
	ptrdiff_t slash = str_find_byte(name, '/');

	if (slash >= 0)
		c->namespace = str_sub(name, 0, (size_t)slash);
	c->name = slash < 0 ? name : str_sub(name, (size_t)slash + 1, name.n);
}

static void explain_command_done(struct explain_command *c)
{
	buf_done(&c->out);
	buf_done(&c->json);
}

int cmd_explain(int argc, char **argv)
{
	enum { SOCKET = 256, CLUSTER };
	static const struct option options[] = {
		{ "namespace", required_argument, NULL, 'n' },
		{ "cluster", required_argument, NULL, CLUSTER },
		{ "output", required_argument, NULL, 'o' },
		{ "socket", required_argument, NULL, SOCKET },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	CLEANUP(explain_command_done)
	struct explain_command c = { .out = BUF_INIT(CONTROL_OUTPUT_MAX), .json = BUF_INIT(CONTROL_OUTPUT_MAX) };
	int o;

	while ((o = command_line_next("driftd explain", argc, argv, "n:o:h", options, NULL)) != -1) {
		switch (o) {
		case 'n':
			c.namespace = str_from(optarg);
			break;
		case CLUSTER:
			c.cluster = str_from(optarg);
			break;
		case 'o':
			if (!control_form_parse_doc(optarg, &c.form))
				return wrong("unknown form of output", optarg);
			break;
		case SOCKET:
			c.socket = optarg;
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			return command_line_see_help("driftd explain");
		}
	}
	if (argc - optind != 2)
		return wrong("a KIND and a NAME are expected behind", "explain");
	c.kind = str_from(argv[optind]);
	take_name(&c, str_from(argv[optind + 1]));
	return run(&c);
}
