/* The command line of "driftd kubegen". */
#ifndef DAEMON_KUBEGEN_OPTIONS_H
#define DAEMON_KUBEGEN_OPTIONS_H

#include "base/vec.h"
#include "kubegen/kg_output.h"

enum kubegen_command { KUBEGEN_BUNDLE, KUBEGEN_MODULE, KUBEGEN_REFERENCE };

struct kubegen_options {
	enum kubegen_command command;
	bool help;
	VEC(const char *) files;   /* bundles; the folder of the module; bundle and folder of the reference */
	VEC(const char *) modules; /* -m */
	VEC(const char *) parameters;
	const char *name, *namespace, *output_dir; /* NULL: not given */
	enum kg_format format;
	bool to_stdout;
};

/* @argv begins with the word "bundle", "module" or "reference"; its texts are borrowed. Fails: EINVAL, ENOMEM. *ret is
 * for kubegen_options_done() in any case. */
CHECKED int kubegen_options_parse(int argc, char **argv, struct kubegen_options *ret, struct err *err);
void kubegen_options_done(struct kubegen_options *o);

/* The help text of all commands. */
const char *kubegen_usage(void);

#endif
