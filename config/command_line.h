/* Reads the command line of a command by a table of its options: their types, and their lines in --help. */
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
	void *command;     /* the struct that command_line_read fills */
};

#define COMMAND_GOES_ON (-1) /* the command goes on; other values are exit statuses */

/* Stores the given value in @to. Returns COMMAND_GOES_ON, or the exit status after the mistake was printed. */
typedef int option_fn(const struct given *g, void *to);

/* A word for a value of an enum. */
struct option_word {
	const char *name; /* NULL: the end */
	unsigned value;
};

struct command_option {
	const char *name;  /* NULL: the option has only a letter, or is a line of --help between options */
	char letter;       /* 0: none */
	const char *value; /* the name of its value in --help; NULL: it takes none */
	option_fn *take;
	size_t at; /* the offset in the command of what @take writes to */
	/* with a further line after each '\n'; NULL: --help does not list the option */
	const char *help;
	const struct option_word *words; /* the words that option_word_take accepts */
	/* a bit of the groups in struct command_line; 0: the option is always there */
	unsigned group;
	/* for a line between options: the column of the options that follow, as in struct command_line */
	int column;
};

struct command_line {
	const char *program;  /* "driftd drift" */
	const char *prefix;   /* the beginning of messages; NULL: the program */
	const char *synopsis; /* the text of --help before the options */
	const char *notes;    /* the text after the options */
	const struct command_option *options;
	size_t n;
	int column;              /* the column of the options' help in --help */
	unsigned arguments_most; /* how many words may stand beside the options; one more is a mistake */
	unsigned groups;         /* the groups of options that the verb at hand has */
};

#define ARGUMENTS_ANY (~0u)
#define OPTIONS(table) .options = (table), .n = ARRAY_LEN(table)

/* The words beside the options, borrowed from argv. */
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
/* From now on a command of this process that is asked for --help prints nothing, but copies its table to *@to. The
 * completion of command lines uses it. */
void command_line_reveal(struct command_line *to);
/* For a command that prints its own help: copy @line if command_line_reveal was called. False: print the help. */
bool command_line_revealed(const struct command_line *line);

/* Find the value of the word @text. False: it is none of them. */
bool option_word_find(const struct option_word *words, const char *text, unsigned *ret);

/* ---- takers ---- */

/* Setters for a const char
 *
 * and a str, which borrow from argv, for a bool, and for the enum of the option's words. */
option_fn option_text, option_str, option_truth, option_word_take;
/* Print --help, and end with 0. */
option_fn option_help;
/* A setter that changes nothing, for options that users of another command are used to, such as one for all
 * namespaces where that is the default. */
option_fn option_habit;

#define OPTION_HELP                                                                                                    \
	{                                                                                                              \
		.name = "help", .letter = 'h', .take = option_help, .help = "this text"                                \
	}

/* The form in which a command prints documents, and the words for it. */
enum output_form { OUTPUT_TEXT, OUTPUT_JSON, OUTPUT_YAML };
extern const struct option_word output_words[];

/* ---- mistakes; each returns EXIT_USAGE ---- */

/* Print "driftd drift: @what '@argument'", and where the options are explained. */
int command_line_wrong(const struct command_line *line, const char *what, const char *argument);
/* Prints where the options are explained, after a message that was printed already. */
int command_line_see_help(const struct command_line *line);
/* Print "driftd drift: " and the text of @err. */
int command_line_failed(const struct command_line *line, const struct err *err);

#endif
