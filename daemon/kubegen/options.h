/* The command line of "driftd kubegen". */
#ifndef DAEMON_KUBEGEN_OPTIONS_H
#define DAEMON_KUBEGEN_OPTIONS_H

#include "base/vec.h"
#include "config/command_line.h"
#include "kubegen/kg_output.h"

enum kubegen_command { KUBEGEN_BUNDLE, KUBEGEN_MODULE, KUBEGEN_REFERENCE };

struct kubegen_texts {
	const char **p;
	size_t n, cap;
};

struct kubegen_options {
	enum kubegen_command command;
	struct arguments files;       /* bundles; the folder of the module; bundle and folder of the reference */
	struct kubegen_texts modules; /* -m */
	struct kubegen_texts parameters;
	const char *name, *namespace, *output_dir; /* NULL: not given */
	enum kg_format format;
	bool to_stdout;
};

/* @argv begins with the word "bundle", "module" or "reference"; its texts are borrowed. As command_line_read():
 * COMMAND_GOES_ON, or the exit status. *ret is for kubegen_options_done() in any case. */
CHECKED int kubegen_options_read(int argc, char **argv, struct kubegen_options *ret);
void kubegen_options_done(struct kubegen_options *o);

/* The command line of all commands of kubegen. */
extern const struct command_line kubegen_line;

#endif
