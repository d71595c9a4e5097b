/* driftd complete: the words that may follow in an unfinished command line, for the completions of shells. */
#ifndef DAEMON_COMPLETION_COMPLETE_H
#define DAEMON_COMPLETION_COMPLETE_H

#include <stddef.h>

struct completed_command {
	const char *name;
	int (*run)(int argc, char **argv); /* prints its help when it is asked to */
	const char *help;                  /* NULL: the command is not offered */
};

/* "driftd complete [--plain] -- driftd WORD...", the last of which is being written: candidates on standard output, a
 * line each, with a tab and what they are about, and at the end ":files", when names of files may stand there too, or
 * ":end". Of clusters the running driftd is asked, for less than a second: after that nothing is printed. Whatever goes
 * wrong, nothing is printed on standard error. No candidate has a character that a terminal acts on, none that is an
 * argument begins with '-' unless it may; with --plain also none that a shell acts on, and nothing is said about
 * them. */
int complete_run(const struct completed_command *commands, size_t n, int argc, char **argv);

#endif
