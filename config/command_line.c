/* Saying what is wrong with an option. */
#include "config/command_line.h"

#include "base/nearest.h"
#include "config/exit_status.h"

#include <stdio.h>
#include <string.h>

#define LETTERS_MAX 64
#define NAME_MAX_BYTES 64

/* "--name" of the option that "--name=value" names. */
static str long_name(const char *argument)
{
	str s = str_from(argument);
	ptrdiff_t equals = str_find_byte(s, '=');

	return equals < 0 ? s : str_sub(s, 0, (size_t)equals);
}

static bool is_start_of(str start, const char *name)
{
	return start.n > 2 && str_has_prefix(str_from(name), str_sub(start, 2, start.n));
}

/* Several begin so. */
static bool is_ambiguous(str start, const struct option *options)
{
	size_t n = 0;

	for (; options->name; options++)
		n += is_start_of(start, options->name);
	return n > 1;
}

static void tell_ambiguous(const char *program, str start, const struct option *options)
{
	const char *between = "";

	fprintf(stderr, "%s: option '%.*s' may be ", program, STR_ARG(start));
	for (; options->name; options++) {
		if (!is_start_of(start, options->name))
			continue;
		fprintf(stderr, "%s'--%s'", between, options->name);
		between = " or ";
	}
	fputc('\n', stderr);
}

static void tell_unknown(const char *program, str given, const struct option *options)
{
	char names[32][NAME_MAX_BYTES]; /* as long as the hint */
	struct nearest nearest = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(names) && options[i].name; i++) {
		(void)snprintf(names[i], sizeof(names[i]), "--%s", options[i].name);
		nearest_offer(&nearest, given, str_from(names[i]));
	}
	fprintf(stderr, "%s: unknown option '%.*s'%s\n", program, STR_ARG(given), nearest_hint(&nearest));
}

/* A letter that is no option; of letters that stand together, getopt_long does not say where. */
static bool is_letter(const char *letters)
{
	return optopt > 0 && optopt < 256 && !strchr(letters, optopt);
}

/* getopt_long has refused @argument; optopt: the letter, or what the option that is known stands for, else 0. */
static void tell_wrong(const char *program, const char *argument, const char *letters, const struct option *options)
{
	str given = long_name(argument);

	if (is_letter(letters))
		fprintf(stderr, "%s: unknown option '-%c'\n", program, optopt);
	else if (optopt)
		fprintf(stderr, "%s: option '%.*s' takes no value\n", program, STR_ARG(given));
	else if (is_ambiguous(given, options))
		tell_ambiguous(program, given, options);
	else
		tell_unknown(program, given, options);
}

int command_line_next(const char *program, int argc, char **argv, const char *letters, const struct option *options,
		      int *which)
{
	char quiet[LETTERS_MAX];
	int o;

	(void)snprintf(quiet, sizeof(quiet), ":%s", letters);
	o = getopt_long(argc, argv, quiet, options, which);
	if (o == ':')
		fprintf(stderr, "%s: option '%s' needs a value\n", program, argv[optind - 1]);
	if (o == '?')
		tell_wrong(program, argv[optind - 1], letters, options);
	return o == ':' ? '?' : o;
}

int command_line_see_help(const char *program)
{
	fprintf(stderr, "See '%s --help'.\n", program);
	return EXIT_USAGE;
}

int command_line_unexpected(const char *program, const char *argument)
{
	fprintf(stderr, "%s: unexpected argument '%s'\n", program, argument);
	return command_line_see_help(program);
}

bool command_line_form(const char *program, const char *name, enum output_form *ret)
{
	static const char *const names[] = { [OUTPUT_TEXT] = "text", [OUTPUT_JSON] = "json", [OUTPUT_YAML] = "yaml" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (strcmp(name, names[i]) == 0) {
			*ret = (enum output_form)i;
			return true;
		}
	}
	fprintf(stderr, "%s: '%s' is no output: text, json or yaml\n", program, name);
	return false;
}
