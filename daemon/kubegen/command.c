/* "driftd kubegen": generates files from bundles and modules. */
#include "config/cfg_bundle.h"
#include "config/cfg_bundle_ref.h"
#include "config/part.h"
#include "daemon/kubegen/options.h"
#include "daemon/kubegen/output.h"
#include "kubegen/kg_file.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

struct command {
	const struct kubegen_options *o;
	struct limits limits;
	struct key_table *keys;
	struct kubegen_output output;
	struct strmap instances; /* names of the generated instances */
};

/* ---- bundles ---- */

static int run_bundle(struct command *c, const char *path, struct err *err)
{
	CLEANUP(cfg_bundle_done) struct cfg_bundle b = { 0 };
	int r = kubegen_output_begin(&c->output, path, err);

	if (r == 0)
		r = cfg_bundle_load(path, c->o->modules.p, c->o->modules.n, &c->limits, c->keys, &b, err);
	for (size_t i = 0; r == 0 && i < b.bundle->n_modules; i++) {
		const struct kg_bundle_module *m = &b.bundle->modules[i];

		if (!b.modules[i])
			continue;
		r = kubegen_output_add(&c->output, &m->instance, b.modules[i], m->output_dir, err);
		if (r == 0 && !strmap_put(&c->instances, m->instance.name, c, NULL))
			r = err_nomem(err);
	}
	return r;
}

static int run_bundles(struct command *c, struct err *err)
{
	const struct kubegen_options *o = c->o;
	int r = 0;

	for (size_t i = 0; r == 0 && i < o->files.n; i++)
		r = run_bundle(c, o->files.p[i], err);
	for (size_t i = 0; r == 0 && i < o->modules.n; i++) {
		if (!strmap_has(&c->instances, str_from(o->modules.p[i])))
			r = err_set(err, EINVAL, "no bundle has a module called '%s'", o->modules.p[i]);
	}
	return r;
}

/* ---- one module ---- */

static int read_parameter(const char *text, struct arena *a, struct kg_given *ret, struct err *err)
{
	const char *sign = strchr(text, '=');
	str label;

	if (!sign || sign == text)
		return err_set(err, EINVAL, "invalid parameter declaration '%s': expected KEY=VALUE", text);
	if (!sign[1])
		return err_set(err, EINVAL, "invalid parameter value '%s': it is empty", text);
	*ret = (struct kg_given){ .name = { text, (size_t)(sign - text) },
				  .value = val_string(str_from(sign + 1)),
				  .text = true };
	label = arena_printf(a, "parameter '%.*s'", STR_ARG(ret->name));
	ret->at = label.p ? kg_place_root(a, label, STR("")) : NULL;
	return ret->at ? 0 : err_nomem(err);
}

static int make_instance(const struct kubegen_options *o, struct arena *a, struct kg_instance *ret, struct err *err)
{
	str dir = str_from(o->files.p[0]), path = kg_path_join(a, STR(""), dir);
	struct kg_given *given = arena_array(a, o->parameters.n, sizeof(*given));

	if (!path.p || !given)
		return err_nomem(err);
	for (size_t i = 0; i < o->parameters.n; i++) {
		int r = read_parameter(o->parameters.p[i], a, &given[i], err);

		if (r < 0)
			return r;
	}
	*ret = (struct kg_instance){ .name = o->name ? str_from(o->name) : kg_path_base(path),
				     .source_dir = dir,
				     .path = path,
				     .namespace = o->namespace ? str_from(o->namespace) : STR(""),
				     .given = given,
				     .n_given = o->parameters.n };
	return 0;
}

static int run_module(struct command *c, struct err *err)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	CLEANUP(kg_module_freep) struct kg_module *m = NULL;
	struct kg_instance instance;
	uint64_t content = 0;
	int r = make_instance(c->o, &a, &instance, err);

	if (r == 0)
		r = kubegen_output_begin(&c->output, NULL, err);
	if (r == 0)
		r = cfg_module_load(&instance, &c->limits, c->keys, &content, &m, err);
	if (r < 0)
		return r;
	return kubegen_output_add(&c->output, &instance, m,
				  c->o->output_dir ? str_from(c->o->output_dir) : instance.name, err);
}

/* ---- a reference ---- */

static int run_reference(struct command *c, struct err *err)
{
	const char *bundle = c->o->files.p[0], *dir = c->o->files.p[1];
	CLEANUP(kg_reference_done) struct kg_reference files;
	struct arena *a = &c->output.arena;
	uint64_t content;
	int r = cfg_bundle_reference(bundle, &c->limits, c->keys, &files, &content, err);

	if (r == 0)
		r = kubegen_output_begin(&c->output, bundle, err);
	for (size_t i = 0; r == 0 && i < files.files.n; i++) {
		const struct kg_reference_file *f = &files.files.p[i];

		r = kubegen_output_add_file(&c->output, kg_path_join(a, str_from(dir), f->path), arena_str(a, f->text),
					    err);
	}
	return r;
}

/* ---- all ---- */

static bool is_working_directory(const char *dir)
{
	struct stat a, b;

	return stat(dir, &a) == 0 && stat(".", &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static int run(const struct kubegen_options *o, struct err *err)
{
	static int (*const commands[])(struct command *, struct err *) = { run_bundles, run_module, run_reference };
	struct command c = { .o = o, .limits = LIMITS_DEFAULT };
	bool to_stdout =
		o->to_stdout || (o->command == KUBEGEN_MODULE && !o->name && is_working_directory(o->files.p[0]));
	int r;

	c.keys = key_table_new();
	if (!c.keys)
		return err_nomem(err);
	kubegen_output_init(&c.output, o->format, to_stdout);
	r = commands[o->command](&c, err);
	if (r == 0)
		r = kubegen_output_flush(&c.output, err);
	strmap_done(&c.instances);
	kubegen_output_done(&c.output);
	key_table_free(c.keys);
	return r;
}

int cmd_kubegen(int argc, char **argv)
{
	CLEANUP(kubegen_options_done) struct kubegen_options o = { 0 };
	struct err err;
	int status;

	if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		command_line_help(&kubegen_line, argc < 2 ? stderr : stdout);
		return argc < 2;
	}
	status = kubegen_options_read(argc - 1, argv + 1, &o);
	if (status == COMMAND_GOES_ON)
		status = run(&o, &err) < 0 ? command_line_failed(&kubegen_line, &err) : 0;
	return status != 0; /* the status of the original kubegen */
}
