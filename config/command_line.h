/* The command line of a command: a table says which options there are, how each is read, and what --help says of it. */
#ifndef CONFIG_COMMAND_LINE_H
#define CONFIG_COMMAND_LINE_H

#include "base/err.h"
#include "base/str.h"

#include <stdio.h>

/* An option that was given. */
struct given {
	const struct command_line *line;
	const struct command_option *option;
	const char *value; /* NULL: it takes none */
	void *command;     /* that command_line_read fills */
};

#define COMMAND_GOES_ON (-1) /* where a command may end: it does not */

/* Stores the given value in @to. Returns COMMAND_GOES_ON, or the exit status after the mistake was printed. */
typedef int option_fn(const struct given *g, void *to);

/* A word that stands for a value of an enum. */
struct option_word {
	const char *name; /* NULL: the end */
	unsigned value;
};

struct command_option {
	const char *name;  /* NULL: there is a letter alone, or it is a line of --help between options */
	char letter;       /* 0: none */
	const char *value; /* what --help calls its value; NULL: it takes none */
	option_fn *take;
	size_t at;                       /* of @take's @to in the command */
	const char *help;                /* a further line behind each '\n'; NULL: --help does not list it */
	const struct option_word *words; /* of option_word_take */
	unsigned group;                  /* a bit of the groups that struct command_line has; 0: it is always there */
	int column;                      /* of a line between options: as of struct command_line, for what follows */
};

struct command_line {
	const char *program;  /* "driftd drift" */
	const char *prefix;   /* what messages begin with; NULL: the program */
	const char *synopsis; /* what --help says before the options, */
	const char *notes;    /* and after them */
	const struct command_option *options;
	size_t n;
	int column;              /* of --help: where the help of an option stands */
	unsigned arguments_most; /* words that are no options; one more is a mistake */
	unsigned groups;         /* those that the verb at hand has */
};

#define ARGUMENTS_ANY (~0u)
#define OPTIONS(table) .options = (table), .n = ARRAY_LEN(table)

/* Words that are no options, borrowed from argv. */
struct arguments {
	char **p;
	size_t n;
};

/* Read argv[1..] into @command by the table of @line, as getopt_long(3) does. Returns COMMAND_GOES_ON, and *ret is set;
 * else the exit status: --help was printed, or a message on standard error, such as "driftd drift: unknown option
 * '--nme'; did you mean '--name'?". */
CHECKED int command_line_read(const struct command_line *line, int argc, char **argv, void *command,
			      struct arguments *ret);

void command_line_help(const struct command_line *line, FILE *to);
/* From now on a command of this process that is asked for --help prints nothing, but copies its line to *@to. The
 * completion of command lines uses it. */
void command_line_reveal(struct command_line *to);
/* For a command that prints its own help: copies @line as command_line_reveal says. False: the help is to be
 * printed. */
bool command_line_revealed(const struct command_line *line);

/* What the word @text stands for. False: it is none of them. */
bool option_word_find(const struct option_word *words, const char *text, unsigned *ret);

/* ---- takers ---- */

/* To a const char * and to a str, which are borrowed from argv; to a bool; to the enum of the option's words. */
option_fn option_text, option_str, option_truth, option_word_take;
/* Print --help, and end with 0. */
option_fn option_help;
/* Changes nothing: a habit of those who use another command, such as to ask for all namespaces where none is named. */
option_fn option_habit;

#define OPTION_HELP                                                                                                    \
	{                                                                                                              \
		.name = "help", .letter = 'h', .take = option_help, .help = "this text"                                \
	}

/* What a command that prints documents makes of them, and the words for it. */
enum output_form { OUTPUT_TEXT, OUTPUT_JSON, OUTPUT_YAML };
extern const struct option_word output_words[];

/* ---- mistakes; each returns EXIT_USAGE ---- */

/* "driftd drift: @what '@argument'", and where the options are explained. */
int command_line_wrong(const struct command_line *line, const char *what, const char *argument);
/* Prints where the options are explained, after a message that was printed already. */
int command_line_see_help(const struct command_line *line);
/* "driftd drift: " and what @err says. */
int command_line_failed(const struct command_line *line, const struct err *err);

#endif
