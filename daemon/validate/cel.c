/* driftd cel: evaluate one expression, as a rule would be. */
#include "cel/cel.h"
#include "daemon/validate/commands.h"

#include "config/command_line.h"
#include "config/exit_status.h"
#include "daemon/validate/files.h"
#include "go/zoneinfo.h"
#include "rules/crd_schema.h"
#include "value/json.h"
#include "value/yaml.h"

#include <errno.h>
#include <stdio.h>

#define OUTPUT_MAX (256u << 20)

struct cel_command {
	const char *expression, *self, *old, *schema;
	enum output_form form;
	struct limits limits;
	struct key_table *keys;
	struct documents self_docs, old_docs, schema_docs;
	struct arena arena;
	const struct cel_schema *compiled;
};

#define AT(member) offsetof(struct cel_command, member)

static const struct command_option option_table[] = {
	{ "self", 0, "FILE", option_text, AT(self),
	  .help = "the object that the expression calls self (YAML or JSON, - for standard input)" },
	{ "old", 0, "FILE", option_text, AT(old), .help = "the object that it calls oldSelf" },
	{ "schema", 0, "FILE", option_text, AT(schema),
	  .help = "CustomResourceDefinition or OpenAPI schema that types both; without it they are typed as they "
		  "come" },
	{ "output", 'o', "FORM", option_word_take, AT(form), .help = "text (default), json or yaml",
	  .words = output_words },
	OPTION_HELP,
};

static const struct command_line line = {
	.program = "driftd cel",
	.synopsis = "Usage: driftd cel EXPR [options]\n"
		    "Evaluate a CEL expression as Kubernetes does, and print its value.\n\n",
	.notes = "\nExit status: 0 evaluated, 1 the evaluation failed, 2 wrong usage or an expression that does not "
		 "compile.\n",
	OPTIONS(option_table),
	.column = 21,
	.arguments_most = ARGUMENTS_ANY,
};

static int read_one(struct cel_command *c, const char *path, struct documents *to, struct err *err)
{
	int r = path ? documents_read(path, &c->limits, c->keys, to, err) : 0;

	if (r < 0 || !path)
		return r;
	if (to->list.n != 1)
		return err_set(err, EINVAL, "%s holds %zu documents; one is expected", path, to->list.n);
	return 0;
}

/* The schema of the version that the object names, else that of the stored version. */
static val pick_schema(const struct cel_command *c, val crd)
{
	val versions = val_dig(crd, "spec", "versions", NULL), schema;
	val self = c->self ? c->self_docs.list.p[0].root : (val){ 0 };

	if (!crd_is(crd))
		return crd;
	schema = crd_schema(crd, val_str(VAL_GET(self, "apiVersion")), val_str(VAL_GET(self, "kind")));
	for (uint32_t i = 0; !val_exists(schema) && i < val_count(versions); i++) {
		val v = val_at(versions, i), storage = VAL_GET(v, "storage");

		if (versions.n == 1 || val_is_true(storage))
			schema = val_dig(v, "schema", "openAPIV3Schema", NULL);
	}
	return schema;
}

static int build_schema(struct cel_command *c, struct err *err)
{
	val crd, schema;

	if (!c->schema)
		return 0;
	crd = c->schema_docs.list.p[0].root;
	schema = pick_schema(c, crd);
	if (!val_is_map(schema))
		return err_set(err, EINVAL, "%s holds no schema", c->schema);
	return cel_schema_build(schema, crd_is(crd), &c->limits, &c->arena, &c->compiled, err);
}

static int load(struct cel_command *c, struct err *err)
{
	int r = read_one(c, c->self, &c->self_docs, err);

	if (r == 0)
		r = read_one(c, c->old, &c->old_docs, err);
	if (r == 0)
		r = read_one(c, c->schema, &c->schema_docs, err);
	return r == 0 ? build_schema(c, err) : r;
}

/* Convert a result to JSON. A value without a JSON form (timestamps, types, …) becomes the text of its literal. */
static int as_json(struct cel_command *c, str printed, struct doc **ret, struct err *err)
{
	struct json_options o = { .limits = &c->limits, .keys = c->keys };

	if (json_decode(printed, &o, ret, err) == 0)
		return 0;
	*ret = doc_new(64, 0);
	if (!*ret)
		return err_nomem(err);
	(*ret)->root = val_string(printed);
	return 0;
}

static int print_result(struct cel_command *c, cv v, struct err *err)
{
	CLEANUP(buf_done) struct buf printed = BUF_INIT(OUTPUT_MAX), out = BUF_INIT(OUTPUT_MAX);
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	int r = 0;

	cel_print(v, &c->arena, &printed);
	if (c->form == OUTPUT_TEXT) {
		buf_add_str(&out, v.kind == CV_STRING ? cv_str(v) : buf_str(&printed));
	} else {
		r = as_json(c, buf_str(&printed), &doc, err);
		if (r == 0)
			r = c->form == OUTPUT_JSON ? json_encode(doc->root, JSON_PLAIN, NULL, &out, err)
						   : yaml_encode(doc->root, &out, err);
	}
	if (r < 0)
		return r;
	if (c->form != OUTPUT_YAML)
		buf_add_byte(&out, '\n');
	if (buf_error(&out, "the value", err) < 0)
		return -err->code;
	(void)fwrite(out.p, 1, out.n, stdout);
	return 0;
}

static int evaluate(struct cel_command *c, const struct cel_program *p, const cv vars[2])
{
	struct cel_run run = { .arena = &c->arena, .limits = &c->limits, .zones = &go_zoneinfo, .places = true };
	struct err err;
	cv v;

	if (cel_evaluate(p, vars, &run, &v, &err) < 0) {
		fprintf(stderr, "driftd cel: %s\n", err.msg);
		return 1;
	}
	if (cv_is_error(v)) {
		CLEANUP(buf_done) struct buf text = BUF_INIT(OUTPUT_MAX);

		cel_error_format(v.err, str_from(c->expression), &text);
		fprintf(stderr, "%s%.*s\n", v.err->placed ? "" : "driftd cel: ", STR_ARG(buf_str(&text)));
		return 1;
	}
	if (print_result(c, v, &err) < 0) {
		fprintf(stderr, "driftd cel: %s\n", err.msg);
		return 1;
	}
	return 0;
}

static int compile_and_run(struct cel_command *c)
{
	const struct cel_type *type = c->compiled && c->compiled->type ? c->compiled->type : &cel_type_dyn;
	struct cel_variable names[2] = { { STR("self"), type }, { STR("oldSelf"), type } };
	struct cel_env env = { .dialect = CEL_KUBERNETES, .variables = names };
	CLEANUP(cel_program_freep) struct cel_program *p = NULL;
	CLEANUP(buf_done) struct buf issues = BUF_INIT(1u << 20);
	cv vars[2] = { { .kind = CV_ERROR }, { .kind = CV_ERROR } };
	struct err err;

	/* A name without a value is not declared, so that its use is a mistake with a place. */
	env.n_variables = c->old ? 2 : c->self || c->schema ? 1 : 0;
	if (cel_compile(str_from(c->expression), &env, &c->limits, &p, &issues, &err) < 0) {
		fprintf(stderr, "%.*s\n", STR_ARG(issues.n ? buf_str(&issues) : str_from(err.msg)));
		return EXIT_USAGE;
	}
	if (c->self)
		vars[0] = cel_value(&c->arena, c->self_docs.list.p[0].root, c->compiled);
	if (c->old)
		vars[1] = cel_value(&c->arena, c->old_docs.list.p[0].root, c->compiled);
	if (!c->self && env.n_variables && cel_program_uses(p, 0)) {
		fputs("driftd cel: the expression needs --self\n", stderr);
		return EXIT_USAGE;
	}
	return evaluate(c, p, vars);
}

static int run(struct cel_command *c)
{
	struct err err;
	int status;

	c->keys = key_table_new();
	arena_init(&c->arena, 0, c->limits.arena_bytes);
	if (!c->keys) {
		fputs("driftd cel: out of memory\n", stderr);
		return 1;
	}
	if (load(c, &err) < 0) {
		fprintf(stderr, "driftd cel: %s\n", err.msg);
		status = EXIT_USAGE;
	} else {
		status = compile_and_run(c);
	}
	documents_done(&c->self_docs);
	documents_done(&c->old_docs);
	documents_done(&c->schema_docs);
	arena_done(&c->arena);
	key_table_free(c->keys);
	return status;
}

int cmd_cel(int argc, char **argv)
{
	struct cel_command c = { .limits = LIMITS_DEFAULT };
	struct arguments words;
	int status = command_line_read(&line, argc, argv, &c, &words);

	if (status != COMMAND_GOES_ON)
		return status;
	if (words.n != 1) {
		fputs(words.n == 0 ? "driftd cel: no expression given\n"
				   : "driftd cel: more than one expression; quote it\n",
		      stderr);
		return EXIT_USAGE;
	}
	c.expression = words.p[0];
	return run(&c);
}
