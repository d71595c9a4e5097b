/* Reads options by a table, and explains a wrong one. */
#include "config/command_line.h"

#include "base/assert.h"
#include "base/nearest.h"
#include "config/exit_status.h"

#include <getopt.h>

#define OPTIONS_MAX 64
#define NAME_MAX_BYTES 64
#define LONG 256 /* beyond all letters, and the base of the numbers of options without a letter */

const struct option_word output_words[] = {
	{ "text", OUTPUT_TEXT }, { "json", OUTPUT_JSON }, { "yaml", OUTPUT_YAML }, { 0 }
};

/* ---- mistakes ---- */

static const char *prefix(const struct command_line *line)
{
	return line->prefix ? line->prefix : line->program;
}

int command_line_see_help(const struct command_line *line)
{
	fprintf(stderr, "See '%s --help'.\n", line->program);
	return EXIT_USAGE;
}

int command_line_wrong(const struct command_line *line, const char *what, const char *argument)
{
	fprintf(stderr, "%s: %s '%s'\n", prefix(line), what, argument);
	return command_line_see_help(line);
}

int command_line_failed(const struct command_line *line, const struct err *err)
{
	fprintf(stderr, "%s: %s\n", prefix(line), err->msg);
	return EXIT_USAGE;
}

/* The "--name" in "--name=value". */
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

/* Whether several options begin with @start. */
static bool is_ambiguous(str start, const struct option *options)
{
	size_t n = 0;

	for (; options->name; options++)
		n += is_start_of(start, options->name);
	return n > 1;
}

static void report_ambiguous(const char *program, str start, const struct option *options)
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

static void report_unknown(const char *program, str given, const struct option *options)
{
	char names[OPTIONS_MAX][NAME_MAX_BYTES]; /* must live as long as the hint */
	struct nearest nearest = { 0 };

	for (size_t i = 0; options[i].name; i++) {
		(void)snprintf(names[i], sizeof(names[i]), "--%s", options[i].name);
		nearest_offer(&nearest, given, str_from(names[i]));
	}
	fprintf(stderr, "%s: unknown option '%.*s'%s\n", program, STR_ARG(given), nearest_hint(&nearest));
}

/* Whether the letter is an option. Of several letters in one argument, getopt_long does not say which one is wrong. */
static bool is_letter(const char *letters)
{
	return optopt > 0 && optopt < LONG && !strchr(letters, optopt);
}

/* Report that getopt_long has refused @argument. optopt is the letter, or the value of a known option, else 0. */
static void report_wrong(const char *program, const char *argument, const char *letters, const struct option *options)
{
	str given = long_name(argument);

	if (is_letter(letters))
		fprintf(stderr, "%s: unknown option '-%c'\n", program, optopt);
	else if (optopt)
		fprintf(stderr, "%s: option '%.*s' takes no value\n", program, STR_ARG(given));
	else if (is_ambiguous(given, options))
		report_ambiguous(program, given, options);
	else
		report_unknown(program, given, options);
}

/* ---- reading ---- */

/* The arguments for getopt_long. */
struct table {
	struct option options[OPTIONS_MAX + 1];
	char letters[2 * OPTIONS_MAX + 2]; /* begin with ':', so that getopt_long prints nothing */
};

static bool has(const struct command_line *line, const struct command_option *o)
{
	return o->take && (!o->group || o->group & line->groups);
}

static void make_table(const struct command_line *line, struct table *t)
{
	struct option *to = t->options;
	char *letters = t->letters;

	ASSERT(line->n <= OPTIONS_MAX);
	*letters++ = ':';
	for (size_t i = 0; i < line->n; i++) {
		const struct command_option *o = &line->options[i];

		if (!has(line, o))
			continue;
		if (o->name)
			*to++ = (struct option){ o->name, o->value ? required_argument : no_argument, NULL,
						 LONG + (int)i };
		if (o->letter)
			*letters++ = o->letter;
		if (o->letter && o->value)
			*letters++ = ':';
	}
	*to = (struct option){ 0 };
	*letters = '\0';
}

static const struct command_option *find(const struct command_line *line, int c)
{
	const struct command_option *o = line->options;

	if (c >= LONG)
		return &o[c - LONG];
	while (o->letter != c || !has(line, o))
		o++;
	return o;
}

int command_line_read(const struct command_line *line, int argc, char **argv, void *command, struct arguments *ret)
{
	struct table t;
	int c, status = COMMAND_GOES_ON;

	make_table(line, &t);
	optind = 0; /* makes glibc begin again, also after another command line in this process */
	while (status == COMMAND_GOES_ON && (c = getopt_long(argc, argv, t.letters, t.options, NULL)) != -1) {
		const struct command_option *o;

		if (c == ':')
			fprintf(stderr, "%s: option '%s' needs a value\n", prefix(line), argv[optind - 1]);
		if (c == '?')
			report_wrong(prefix(line), argv[optind - 1], t.letters, t.options);
		if (c == ':' || c == '?')
			return command_line_see_help(line);
		o = find(line, c);
		status = o->take(&(struct given){ line, o, optarg, command }, (char *)command + o->at);
	}
	if (status != COMMAND_GOES_ON)
		return status;
	*ret = (struct arguments){ argv + optind, (size_t)(argc - optind) };
	if (ret->n > line->arguments_most)
		return command_line_wrong(line, "unexpected argument", ret->p[line->arguments_most]);
	return COMMAND_GOES_ON;
}

/* ---- takers ---- */

int option_text(const struct given *g, void *to)
{
	*(const char **)to = g->value;
	return COMMAND_GOES_ON;
}

int option_str(const struct given *g, void *to)
{
	*(str *)to = str_from(g->value);
	return COMMAND_GOES_ON;
}

int option_truth(const struct given *g, void *to)
{
	(void)g;
	*(bool *)to = true;
	return COMMAND_GOES_ON;
}

bool option_word_find(const struct option_word *words, const char *text, unsigned *ret)
{
	for (; words->name; words++) {
		if (strcmp(words->name, text) == 0) {
			*ret = words->value;
			return true;
		}
	}
	return false;
}

int option_word_take(const struct given *g, void *to)
{
	const struct option_word *first = g->option->words, *w = first;

	if (option_word_find(first, g->value, to))
		return COMMAND_GOES_ON;
	fprintf(stderr, "%s: '%s' is not a valid %s: ", prefix(g->line), g->value, g->option->name);
	for (; w->name; w++)
		fprintf(stderr, "%s%s", w == first ? "" : w[1].name ? ", " : " or ", w->name);
	fputc('\n', stderr);
	return EXIT_USAGE;
}

int option_habit(const struct given *g, void *to)
{
	(void)g;
	(void)to;
	return COMMAND_GOES_ON;
}

int option_help(const struct given *g, void *to)
{
	(void)to;
	command_line_help(g->line, stdout);
	return 0;
}

/* ---- --help ---- */

/* Print an option, such as "  -c, --config FILE   what it is"; a name that does not fit before the column has a line
 * of its own. */
static void print_option(const struct command_option *o, int column, FILE *to)
{
	const char *text = o->help;
	int at = o->letter ? fprintf(to, "  -%c, ", o->letter) : fprintf(to, "      ");

	at += fprintf(to, "--%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
	if (!*text || at >= column) {
		fputc('\n', to);
		at = 0;
	}
	while (*text) {
		size_t n = strcspn(text, "\n");

		fprintf(to, "%*s%.*s\n", column - at, "", (int)n, text);
		text += n + (text[n] == '\n');
		at = 0;
	}
}

static struct command_line *revealed; /* NULL: nobody has asked for it */

void command_line_reveal(struct command_line *to)
{
	revealed = to;
}

bool command_line_revealed(const struct command_line *line)
{
	if (revealed)
		*revealed = *line;
	return revealed;
}

void command_line_help(const struct command_line *line, FILE *to)
{
	int column = line->column;

	if (command_line_revealed(line))
		return;
	fputs(line->synopsis, to);
	for (size_t i = 0; i < line->n; i++) {
		const struct command_option *o = &line->options[i];

		if (o->take && o->help) {
			print_option(o, column, to);
		} else if (!o->take) {
			fprintf(to, "%s\n", o->help);
			column = o->column ? o->column : column;
		}
	}
	fputs(line->notes, to);
}
