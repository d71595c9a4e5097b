/* driftd mask: shows files as records would show them. */
#include "daemon/mask/command.h"

#include "base/buf.h"
#include "config/command_line.h"
#include "config/exit_status.h"
#include "daemon/validate/files.h"
#include "mask/each.h"
#include "mask/shapes.h"
#include "value/json.h"
#include "value/yaml.h"

#include <stdio.h>
#include <stdlib.h>

#define OUTPUT_MAX (256u << 20)
#define NAMES_MAX 256

struct mask_command {
	enum output_form form;
	bool as_text;
	struct limits limits;
	struct key_table *keys;
	struct mask_fields fields;
	str sensitive[NAMES_MAX], shown[NAMES_MAX];
	struct arena arena; /* memory for one document */
	const char *path;   /* the path of the file, as given */
	str text;           /* the text that is being searched */
	str place;          /* the object that contains it */
	str path_in;        /* the path of the text in that object */
	size_t n_values, n_hidden;
};

static int take_name(const struct given *g, str *names, size_t *n)
{
	if (*n == NAMES_MAX) {
		fprintf(stderr, "driftd mask: more than %d names\n", NAMES_MAX);
		return EXIT_USAGE;
	}
	names[(*n)++] = str_from(g->value);
	return COMMAND_GOES_ON;
}

static int take_sensitive(const struct given *g, void *to)
{
	struct mask_command *c = to;

	return take_name(g, c->sensitive, &c->fields.n_sensitive);
}

static int take_shown(const struct given *g, void *to)
{
	struct mask_command *c = to;

	return take_name(g, c->shown, &c->fields.n_shown);
}

static const struct command_option option_table[] = {
	{ "text", 0, NULL, option_truth, offsetof(struct mask_command, as_text),
	  .help = "the files are texts, whatever they hold" },
	{ "sensitive", 0, "NAME", take_sensitive, 0,
	  .help = "a further name that hides, as one of sensitive_fields; may be repeated" },
	{ "shown", 0, "NAME", take_shown, 0, .help = "a name that does not, as one of shown_fields; may be repeated" },
	{ "output", 'o', "FORM", option_word_take, offsetof(struct mask_command, form),
	  .help = "text (default): each place and why it is hidden; yaml or json: what is shown",
	  .words = output_words },
	OPTION_HELP,
};

static const struct command_line line = {
	.program = "driftd mask",
	.synopsis = "Usage: driftd mask [options] FILE...\n"
		    "Print what of manifests would be hidden in records, and why. - is standard input.\n\n",
	.notes = "\nExit status: 0 printed, 1 a file cannot be read, 2 wrong usage.\n",
	OPTIONS(option_table),
	.column = 26,
	.arguments_most = ARGUMENTS_ANY,
};

/* ---- places ---- */

static size_t line_of(str text, size_t at)
{
	size_t n = 1;

	for (size_t i = 0; i < at && i < text.n; i++)
		n += text.p[i] == '\n';
	return n;
}

/* Print a hidden place. Its name may be shown unless it is a secret by itself; its value may not. */
static void print_found(void *ctx, const struct mask_found *found)
{
	struct mask_command *c = ctx;
	str name = found->named ? str_sub(c->text, found->at, found->at + found->n) : STR("");

	printf("%s:", c->path);
	if (!c->as_text)
		printf(" %.*s%.*s, line %zu:", STR_ARG(c->place), STR_ARG(c->path_in), line_of(c->text, found->at));
	else
		printf("%zu:", line_of(c->text, found->at));
	printf(" %s%s%.*s\n", found->rule, name.n ? ": " : "", STR_ARG(name));
}

static void print_place(void *ctx, str path, val v, const char *why)
{
	struct mask_command *c = ctx;
	struct mask_found found;

	c->n_values++;
	if (!why)
		return;
	c->n_hidden++;
	found = val_is_string(v) ? mask_shape_why(&c->fields, val_str(v)) : (struct mask_found){ 0 };
	if (found.rule != why) {
		printf("%s: %.*s%.*s: %s\n", c->path, STR_ARG(c->place), STR_ARG(path), why);
		return;
	}
	c->text = val_str(v);
	c->path_in = path;
	print_found(c, &found);
}

/* The name of an object, such as "Deployment a/b: ". */
static str object_name(struct arena *a, val root)
{
	str kind = val_str(VAL_GET(root, "kind")), name = val_str(val_dig(root, "metadata", "name", NULL));
	str namespace = val_str(val_dig(root, "metadata", "namespace", NULL));

	if (!kind.n)
		return (str){ "", 0 };
	return arena_printf(a, "%.*s %.*s%s%.*s: ", STR_ARG(kind), STR_ARG(namespace), namespace.n ? "/" : "",
			    STR_ARG(name));
}

/* ---- documents ---- */

static int print_masked(struct mask_command *c, val root, struct err *err)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(OUTPUT_MAX);
	val shown, none;
	int r;

	if (!mask_sides(&c->fields, root, (val){ 0 }, false, &c->arena, &shown, &none))
		return err_nomem(err);
	if (c->form == OUTPUT_YAML)
		buf_add_str(&out, STR("---\n"));
	r = c->form == OUTPUT_JSON ? json_encode(shown, JSON_PLAIN, NULL, &out, err) : yaml_encode(shown, &out, err);
	if (r < 0)
		return r;
	if (c->form == OUTPUT_JSON)
		buf_add_byte(&out, '\n');
	if (buf_error(&out, "the document", err) < 0)
		return -err->code;
	(void)fwrite(out.p, 1, out.n, stdout);
	return 0;
}

static int print_document(struct mask_command *c, val root, struct err *err)
{
	int r = 0;

	if (c->form != OUTPUT_TEXT) {
		r = print_masked(c, root, err);
	} else {
		c->place = object_name(&c->arena, root);
		if (!c->place.p || !mask_each(&c->fields, root, &c->arena, print_place, c))
			r = err_nomem(err);
	}
	arena_reset(&c->arena);
	return r;
}

static int mask_documents(struct mask_command *c, str text, struct err *err)
{
	CLEANUP(documents_done) struct documents found = { 0 };
	int r = documents_parse(text, c->path, &c->limits, c->keys, &found, err);

	for (size_t i = 0; r == 0 && i < found.list.n; i++)
		r = print_document(c, found.list.p[i].root, err);
	return r;
}

static void mask_text(struct mask_command *c, str text)
{
	c->text = text;
	if (c->form == OUTPUT_TEXT)
		mask_shape_each(&c->fields, text, print_found, c);
	else if (mask_shape(&c->fields, text) == SHAPE_PLAIN)
		(void)fwrite(text.p, 1, text.n, stdout);
	else
		puts("***");
}

static int mask_file(struct mask_command *c, const char *path, struct err *err)
{
	CLEANUP(freep) char *text = NULL;
	size_t n;
	int r = document_text(path, &c->limits, &text, &n, err);

	if (r < 0)
		return r;
	c->path = strcmp(path, "-") == 0 ? "standard input" : path;
	if (!c->as_text)
		return mask_documents(c, (str){ text, n }, err);
	mask_text(c, (str){ text, n });
	return 0;
}

/* Show the files. A mistake in one of them does not stop the others. */
static int run(struct mask_command *c, const struct arguments *files)
{
	struct err err;
	int status = 0;

	c->keys = key_table_new();
	if (!c->keys) {
		fputs("driftd mask: out of memory\n", stderr);
		return 1;
	}
	arena_init(&c->arena, 0, c->limits.arena_bytes);
	for (size_t i = 0; i < files->n; i++) {
		if (mask_file(c, files->p[i], &err) < 0) {
			fprintf(stderr, "driftd mask: %s\n", err.msg);
			status = 1;
		}
	}
	if (c->form == OUTPUT_TEXT && !c->as_text)
		printf("%zu of %zu values are hidden\n", c->n_hidden, c->n_values);
	arena_done(&c->arena);
	key_table_free(c->keys);
	return status;
}

int cmd_mask(int argc, char **argv)
{
	struct mask_command c = { .limits = LIMITS_DEFAULT };
	struct arguments files;
	int status;

	c.fields.sensitive = c.sensitive;
	c.fields.shown = c.shown;
	status = command_line_read(&line, argc, argv, &c, &files);
	if (status != COMMAND_GOES_ON)
		return status;
	if (files.n)
		return run(&c, &files);
	fputs("driftd mask: no file given\n", stderr);
	return EXIT_USAGE;
}
