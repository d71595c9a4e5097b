/* The command line of "driftd kubegen". */
#ifndef DAEMON_KUBEGEN_OPTIONS_H
#define DAEMON_KUBEGEN_OPTIONS_H

#include "base/vec.h"
#include "kubegen/kg_output.h"

struct kubegen_options {
	bool is_module; /* kubegen module, else kubegen bundle */
	bool help;
	VEC(const char *) files;   /* bundles, or the folder of the module */
	VEC(const char *) modules; /* -m */
	VEC(const char *) parameters;
	const char *name, *namespace, *output_dir; /* NULL: not given */
	enum kg_format format;
	bool to_stdout;
};

/* @argv begins with the word "bundle" or "module"; its texts are borrowed. Fails: EINVAL, ENOMEM. *ret is for
 * kubegen_options_done() in any case. */
CHECKED int kubegen_options_parse(int argc, char **argv, struct kubegen_options *ret, struct err *err);
void kubegen_options_done(struct kubegen_options *o);

/* The help text of "kubegen", of "kubegen bundle", of "kubegen module". */
const char *kubegen_usage(void);

#endif
