/* The command line of "driftd kubegen". */
#include "daemon/kubegen/options.h"

#include <errno.h>
#include <getopt.h>

const char *kubegen_usage(void)
{
	return "Usage: driftd kubegen bundle FILE... [options]\n"
	       "       driftd kubegen module DIR [options]\n"
	       "       driftd kubegen reference FILE DIR\n"
	       "Generate Kubernetes objects: from the modules that bundles name, or from one module. Or write the "
	       "reference that\n"
	       "a bundle stands for, as files for kubectl cluster-compare.\n\n"
	       "  -o, --output FORMAT        yaml (default) or json\n"
	       "  -s, --stdout               print instead of writing files\n"
	       "  -h, --help                 this text\n\n"
	       "bundle:\n"
	       "  -m, --module NAME          only the instance of this name; may be given several times\n\n"
	       "module:\n"
	       "  -n, --name NAME            name of the instance (default: that of the folder)\n"
	       "  -N, --namespace NAMESPACE  namespace of its objects\n"
	       "  -O, --output-dir DIR       where the files go (default: ./NAME)\n"
	       "  -p, --parameters KEY=VALUE set a parameter; may be given several times (-v is the same). The value "
	       "is a text\n"
	       "                             for a String, JSON for all other types\n\n"
	       "Exit status: 0 done, 1 an error: then nothing is written.\n";
}

static int keep(bool pushed, struct err *err)
{
	return pushed ? 0 : err_nomem(err);
}

static int read_format(const char *name, enum kg_format *ret, struct err *err)
{
	for (enum kg_format f = KG_YAML; f <= KG_JSON; f++) {
		if (strcmp(name, kg_format_name(f)) == 0) {
			*ret = f;
			return 0;
		}
	}
	return err_set(err, EINVAL, "unknown output format '%s': expected yaml or json", name);
}

static int take_option(struct kubegen_options *o, int c, char *value, struct err *err)
{
	switch (c) {
	case 'o':
		return read_format(value, &o->format, err);
	case 's':
		o->to_stdout = true;
		return 0;
	case 'h':
		o->help = true;
		return 0;
	case 'm':
		return keep(vec_push(&o->modules, value), err);
	case 'n':
		o->name = value;
		return 0;
	case 'N':
		o->namespace = value;
		return 0;
	case 'O':
		o->output_dir = value;
		return 0;
	default:
		return keep(vec_push(&o->parameters, value), err);
	}
}

static const struct option bundle_options[] = {
	{ "module", required_argument, NULL, 'm' },
	{ "output", required_argument, NULL, 'o' },
	{ "stdout", no_argument, NULL, 's' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};
static const struct option module_options[] = {
	{ "name", required_argument, NULL, 'n' },
	{ "namespace", required_argument, NULL, 'N' },
	{ "output-dir", required_argument, NULL, 'O' },
	{ "parameters", required_argument, NULL, 'p' },
	{ "output", required_argument, NULL, 'o' },
	{ "stdout", no_argument, NULL, 's' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

static const struct option reference_options[] = {
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

static int parse_options(int argc, char **argv, struct kubegen_options *o, struct err *err)
{
	static const struct option *const options[] = { bundle_options, module_options, reference_options };
	static const char *const letters[] = { ":m:o:sh", ":n:N:O:p:v:o:sh", ":h" };
	int c, r = 0;

	opterr = 0;
	optind = 0; /* glibc: begin anew, also when another command was parsed in this process */
	while (r == 0 && (c = getopt_long(argc, argv, letters[o->command], options[o->command], NULL)) != -1) {
		if (c == ':')
			return err_set(err, EINVAL, "option '%s' needs a value", argv[optind - 1]);
		if (c == '?')
			return err_set(err, EINVAL, "unknown option '%s'", argv[optind - 1]);
		r = take_option(o, c, optarg, err);
	}
	for (int i = optind; r == 0 && i < argc; i++)
		r = keep(vec_push(&o->files, argv[i]), err);
	return r;
}

static int find_command(const char *name, enum kubegen_command *ret, struct err *err)
{
	static const char *const names[] = { "bundle", "module", "reference" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (strcmp(name, names[i]) == 0) {
			*ret = (enum kubegen_command)i;
			return 0;
		}
	}
	return err_set(err, EINVAL, "unknown command '%s': expected bundle, module or reference", name);
}

int kubegen_options_parse(int argc, char **argv, struct kubegen_options *ret, struct err *err)
{
	int r;

	*ret = (struct kubegen_options){ 0 };
	r = find_command(argv[0], &ret->command, err);
	if (r == 0)
		r = parse_options(argc, argv, ret, err);
	if (r < 0 || ret->help)
		return r;
	if (ret->command == KUBEGEN_MODULE && ret->files.n != 1)
		return err_set(err, EINVAL, "expected one folder of a module, got %zu", ret->files.n);
	if (ret->command == KUBEGEN_REFERENCE && ret->files.n != 2)
		return err_set(err, EINVAL, "expected a bundle and a folder, got %zu names", ret->files.n);
	return ret->files.n ? 0 : err_set(err, EINVAL, "expected at least one bundle");
}

void kubegen_options_done(struct kubegen_options *o)
{
	vec_done(&o->files);
	vec_done(&o->modules);
	vec_done(&o->parameters);
}
