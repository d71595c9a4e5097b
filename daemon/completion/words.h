/* What is being written on a command line: an option, the value of one, or an argument. */
#ifndef DAEMON_COMPLETION_WORDS_H
#define DAEMON_COMPLETION_WORDS_H

#include "base/buf.h"
#include "config/command_line.h"

#define WORDS_OPTIONS_MAX 64   /* of a command */
#define WORDS_ARGUMENTS_MAX 16 /* that are distinguished */

enum wanted_word { WANTED_OPTION, WANTED_VALUE, WANTED_ARGUMENT };

struct words_read {
	enum wanted_word wanted;
	const struct command_option *option; /* of a WANTED_VALUE */
	str head;                            /* what the last word has before what is completed: "--cluster=", "-n" */
	str begun;                           /* what is completed, as far as it is written */
	bool ended;                          /* by "--": all that follows are arguments */
	str arguments[WORDS_ARGUMENTS_MAX];  /* that are whole */
	size_t n_arguments;                  /* all of them */
	str values[WORDS_OPTIONS_MAX]; /* of options that are whole, by their row; {NULL, 0}: not given; empty: it takes
					  none */
};

/* Read @words, those behind the command, the last of which is being written, as getopt_long(3) would by the table of
 * @line, of whichever group an option is. Texts are borrowed. What nobody knows is passed over. */
void words_read(const struct command_line *line, char *const *words, size_t n, struct words_read *ret);

/* The value that was given to the option @name; {NULL, 0}: none. */
str words_value(const struct command_line *line, const struct words_read *w, const char *name);

/* Call @each with every word that may follow @arguments of @command ("drift") by the lines of a synopsis that name it:
 * "list" and "show". Words in capitals, brackets and options stand for others. */
void synopsis_next(const char *synopsis, str command, const str *arguments, size_t n, void (*each)(void *ctx, str word),
		   void *ctx);
/* How many of @arguments are such words. */
size_t synopsis_verbs(const char *synopsis, str command, const str *arguments, size_t n);

/* Whether a shell may be given @word: all of it can be shown, and no part of it does anything on a terminal. */
bool word_is_shown(str word);
/* The same of one that no shell does anything with either: letters, digits and _ - . / : @ % + = , */
bool word_is_plain(str word);

#endif
