/* The command line of "driftd kubegen". */
#include "daemon/kubegen/options.h"

#include <errno.h>

static int take_one_more(const struct given *g, void *to)
{
	struct err err;

	if (vec_push((struct kubegen_texts *)to, g->value))
		return COMMAND_GOES_ON;
	(void)err_nomem(&err);
	return command_line_failed(g->line, &err);
}

#define OF_BUNDLE 1u
#define OF_MODULE 2u
#define AT(member) offsetof(struct kubegen_options, member)

static const struct option_word forms[] = { { "yaml", KG_YAML }, { "json", KG_JSON }, { 0 } };

static const struct command_option option_table[] = {
	{ "output", 'o', "FORMAT", option_word_take, AT(format), .help = "yaml (default) or json", .words = forms,
	  .group = OF_BUNDLE | OF_MODULE },
	{ "stdout", 's', NULL, option_truth, AT(to_stdout), .help = "print instead of writing files",
	  .group = OF_BUNDLE | OF_MODULE },
	OPTION_HELP,
	{ .help = "\nbundle:" },
	{ "module", 'm', "NAME", take_one_more, AT(modules),
	  .help = "only the instance of this name; may be given several times", .group = OF_BUNDLE },
	{ .help = "\nmodule:" },
	{ "name", 'n', "NAME", option_text, AT(name), .help = "name of the instance (default: that of the folder)",
	  .group = OF_MODULE },
	{ "namespace", 'N', "NAMESPACE", option_text, AT(namespace), .help = "namespace of its objects",
	  .group = OF_MODULE },
	{ "output-dir", 'O', "DIR", option_text, AT(output_dir), .help = "where the files go (default: ./NAME)",
	  .group = OF_MODULE },
	{ "parameters", 'p', "KEY=VALUE", take_one_more, AT(parameters),
	  .help = "set a parameter; may be given several times (-v is the same). The value is a text\n"
		  "for a String, JSON for all other types",
	  .group = OF_MODULE },
	{ NULL, 'v', "KEY=VALUE", take_one_more, AT(parameters), .group = OF_MODULE },
};

const struct command_line kubegen_line = {
	.program = "driftd kubegen",
	.prefix = "Error",
	.synopsis = "Usage: driftd kubegen bundle FILE... [options]\n"
		    "       driftd kubegen module DIR [options]\n"
		    "       driftd kubegen reference FILE DIR\n"
		    "Generate Kubernetes objects: from the modules that bundles name, or from one module. Or write the "
		    "reference that\n"
		    "a bundle stands for, as files for kubectl cluster-compare.\n\n",
	.notes = "\nExit status: 0 done, 1 an error: then nothing is written.\n",
	OPTIONS(option_table),
	.column = 29,
	.arguments_most = ARGUMENTS_ANY,
};

static int find_command(const char *name, enum kubegen_command *ret, struct err *err)
{
	static const char *const names[] = { "bundle", "module", "reference" };

	*ret = (enum kubegen_command)str_index(str_from(name), names, ARRAY_LEN(names));
	if (*ret < ARRAY_LEN(names))
		return 0;
	return err_set(err, EINVAL, "unknown command '%s': expected bundle, module or reference", name);
}

static int check(const struct kubegen_options *o, struct err *err)
{
	if (o->command == KUBEGEN_MODULE && o->files.n != 1)
		return err_set(err, EINVAL, "expected one folder of a module, got %zu", o->files.n);
	if (o->command == KUBEGEN_REFERENCE && o->files.n != 2)
		return err_set(err, EINVAL, "expected a bundle and a folder, got %zu names", o->files.n);
	return o->files.n ? 0 : err_set(err, EINVAL, "expected at least one bundle");
}

int kubegen_options_read(int argc, char **argv, struct kubegen_options *ret)
{
	static const unsigned groups[] = { OF_BUNDLE, OF_MODULE, 0 };
	struct command_line line = kubegen_line;
	struct err err;
	int status;

	*ret = (struct kubegen_options){ 0 };
	if (find_command(argv[0], &ret->command, &err) < 0)
		return command_line_failed(&line, &err);
	line.groups = groups[ret->command];
	status = command_line_read(&line, argc, argv, ret, &ret->files);
	if (status == COMMAND_GOES_ON && check(ret, &err) < 0)
		return command_line_failed(&line, &err);
	return status;
}

void kubegen_options_done(struct kubegen_options *o)
{
	vec_done(&o->modules);
	vec_done(&o->parameters);
}
