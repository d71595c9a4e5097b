/* The word that is being written on a command line: an option, its value, or an argument. */
#ifndef DAEMON_COMPLETION_WORDS_H
#define DAEMON_COMPLETION_WORDS_H

#include "base/buf.h"
#include "config/command_line.h"

#define WORDS_OPTIONS_MAX 64   /* the most options of a command */
#define WORDS_ARGUMENTS_MAX 16 /* how many arguments are distinguished */

enum wanted_word { WANTED_OPTION, WANTED_VALUE, WANTED_ARGUMENT };

struct words_read {
	enum wanted_word wanted;
	const struct command_option *option; /* for WANTED_VALUE */
	/* the beginning of the last word before the completed part: "--cluster=", "-n" */
	str head;
	str begun;                          /* the completed part, as far as it is written */
	bool ended;                         /* "--" was given: all following words are arguments */
	str arguments[WORDS_ARGUMENTS_MAX]; /* the complete arguments */
	size_t n_arguments;                 /* the number of all arguments */
	/* values of complete options, by their row; {NULL, 0}: not given; empty: it takes none */
	str values[WORDS_OPTIONS_MAX];
};

/* Read @words, those after the command, the last of which is being written, like getopt_long(3) with the table of
 * @line, in which the group of an option does not matter. Texts are borrowed. Unknown options are skipped. */
void words_read(const struct command_line *line, char *const *words, size_t n, struct words_read *ret);

/* The value that was given to the option @name; {NULL, 0}: none. */
str words_value(const struct command_line *line, const struct words_read *w, const char *name);

/* Call @each with every word that may follow @arguments of @command ("drift") by the lines of a synopsis that name it:
 * "list" and "show". Words in capitals, brackets and options stand for others. */
void synopsis_next(const char *synopsis, str command, const str *arguments, size_t n, void (*each)(void *ctx, str word),
		   void *ctx);
/* Count how many of @arguments are verbs of the synopsis. */
size_t synopsis_verbs(const char *synopsis, str command, const str *arguments, size_t n);

/* Whether a shell may be given @word: all of it can be shown, and no part of it does anything on a terminal. */
bool word_is_shown(str word);
/* Whether @word, in addition, has no character that a shell acts on: letters, digits and _ - . / : @ % + = , only. */
bool word_is_plain(str word);

#endif
