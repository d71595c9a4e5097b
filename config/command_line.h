/* Options of a command: getopt_long(3) with one form of mistakes for all commands. */
#ifndef CONFIG_COMMAND_LINE_H
#define CONFIG_COMMAND_LINE_H

#include <getopt.h>
#include <stdbool.h>

/* As getopt_long(argc, argv, letters, options, which), optind and optarg included, but that what is wrong is told on
 * standard error as "@program: unknown option '--nme'; did you mean '--name'?", and '?' is returned for all of it.
 * @letters begin with none of "+-:". */
int command_line_next(const char *program, int argc, char **argv, const char *letters, const struct option *options,
		      int *which);

/* Behind what was told of a mistake: where the options are explained. Returns EXIT_USAGE. */
int command_line_see_help(const char *program);
/* Tell that @argument is one too many. Returns EXIT_USAGE. */
int command_line_unexpected(const char *program, const char *argument);

/* What -o asks for of a command that prints documents. */
enum output_form { OUTPUT_TEXT, OUTPUT_JSON, OUTPUT_YAML };
/* Read its argument: "text", "json" or "yaml". False: it is none of them, which is told. */
bool command_line_form(const char *program, const char *name, enum output_form *ret);

#endif
