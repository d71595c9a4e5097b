/* driftd: watches Kubernetes clusters and says when an object leaves its reference configuration. */
#include "base/nearest.h"
#include "config/part.h"
#include "daemon/app/app.h"
#include "daemon/commands/commands.h"
#include "daemon/completion/complete.h"
#include "daemon/last_exit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define POOL_MAX 4 /* threads */

/* Open files: what libuv, TLS, a database and a connection take, with some to spare. */
#define FILES_DAEMON 64
#define FILES_COMMAND 24
#define FILES_USUAL 1024 /* what systems give */

static bool asks_for_help(const char *argument)
{
	return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0;
}

static int cmd_version(int argc, char **argv)
{
	if (argc > 1 && asks_for_help(argv[1]))
		puts("Usage: driftd version\nPrint the version, and of which sources it was made.");
	else
		printf("driftd %s (%s)\n", DRIFTD_VERSION, DRIFTD_REVISION);
	return 0;
}

static int cmd_help(int argc, char **argv);
static int cmd_complete(int argc, char **argv);

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv); /* NULL: the build left it out */
	const char *help;                  /* NULL: it is for programs */
	unsigned files;                    /* the number of descriptors that may be open at once, at least */
} commands[] = {
	{ "run", cmd_run, "watch clusters and report drift", FILES_DAEMON },
	{ "status", cmd_status, "say how the running driftd and what it watches are", FILES_COMMAND },
	{ "drift", cmd_drift, "list what is wrong now, as the running driftd knows it", FILES_COMMAND },
	{ "history", cmd_history, "what began and ended, when, by whom, for how long", FILES_COMMAND },
	{ "reload", cmd_reload, "read the configuration again; --dry-run: say what that would change", FILES_COMMAND },
	{ "explain", cmd_explain, "why the running driftd says of an object what it says", FILES_COMMAND },
	{ "helm", cmd_helm, "list the releases of Helm that the running driftd holds objects against", FILES_COMMAND },
	{ "reference", cmd_reference, "list and change which revisions of published references are in force",
	  FILES_COMMAND },
	{ "accept", cmd_accept, "accept a deviation, for a reason and a time; list: those that are accepted",
	  FILES_COMMAND },
	{ "unaccept", cmd_unaccept, "accept a deviation no longer", FILES_COMMAND },
	{ "inspection", HAS_INSPECTION ? cmd_inspection : NULL,
	  "list, make and delete inspection rules of the running driftd", FILES_COMMAND },
	{ "compare", cmd_compare, "compare files or a live cluster with a reference, once", FILES_COMMAND },
	{ "validate", cmd_validate, "validate files against CEL rules", FILES_COMMAND },
	{ "cel", cmd_cel, "evaluate a CEL expression", FILES_COMMAND },
	{ "mask", cmd_mask, "print what of files records would hide, and why", FILES_COMMAND },
	{ "kubegen", HAS_KUBEGEN ? cmd_kubegen : NULL, "generate Kubernetes objects from modules and bundles",
	  FILES_COMMAND },
	{ "events", cmd_events, "what driftd wrote to the journal", FILES_COMMAND },
	{ "state", cmd_state, "export what driftd knows, and import it elsewhere", FILES_COMMAND },
	{ "record", HAS_RECORDING ? cmd_record : NULL, "write down what API servers say, for replay", FILES_COMMAND },
	{ "replay", HAS_RECORDING ? cmd_replay : NULL, "try references and rules on a recording", FILES_COMMAND },
	{ "rbac", cmd_rbac, "print the roles that watching a cluster needs", FILES_COMMAND },
	{ "check-config", cmd_check_config, "check a configuration and everything it names", FILES_COMMAND },
	{ "version", cmd_version, "print the version", 0 },
	{ "help", cmd_help, "this text; 'driftd help COMMAND' or 'driftd COMMAND --help' for one command", 0 },
	{ "complete", cmd_complete, NULL, FILES_COMMAND },
};

static void usage(FILE *to)
{
	fputs("Usage: driftd COMMAND [options]\nKubernetes configuration drift watcher.\n\nCommands:\n", to);
	for (size_t i = 0; i < COUNT(commands); i++) {
		if (commands[i].run && commands[i].help)
			fprintf(to, "  %-14s %s\n", commands[i].name, commands[i].help);
	}
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < COUNT(commands); i++) {
		if (strcmp(name, commands[i].name) == 0)
			return &commands[i];
	}
	return NULL;
}

static int unknown_command(const char *name)
{
	struct nearest nearest = { 0 };

	for (size_t i = 0; i < COUNT(commands); i++) {
		if (commands[i].help)
			nearest_offer(&nearest, str_from(name), str_from(commands[i].name));
	}
	fprintf(stderr, "driftd: unknown command '%s'%s\n", name, nearest_hint(&nearest));
	fputs("See 'driftd help'.\n", stderr);
	return EXIT_USAGE;
}

static int not_built(const struct command *c)
{
	static const struct {
		const char *name, *option;
	} parts[] = {
		{ "inspection", "DRIFTD_INSPECTION" },
		{ "kubegen", "DRIFTD_KUBEGEN" },
		{ "record", "DRIFTD_RECORDING" },
		{ "replay", "DRIFTD_RECORDING" },
	};

	for (size_t i = 0; i < COUNT(parts); i++) {
		if (strcmp(parts[i].name, c->name) == 0)
			fprintf(stderr, NOT_BUILT("driftd %s", "%s") "\n", c->name, parts[i].option);
	}
	return EXIT_USAGE;
}

/* "help COMMAND" is "COMMAND --help". */
static int cmd_help(int argc, char **argv)
{
	const char *asked = argc > 1 && !asks_for_help(argv[1]) ? argv[1] : NULL;
	const struct command *c = asked ? find_command(argv[1]) : NULL;
	char help[] = "--help", *arguments[] = { asked ? argv[1] : NULL, help, NULL };

	if (asked && !c)
		return unknown_command(argv[1]);
	if (c && !c->run)
		return not_built(c);
	if (c && c->run != cmd_help)
		return c->run(2, arguments);
	usage(stdout);
	return 0;
}

static int cmd_complete(int argc, char **argv)
{
	struct completed_command all[COUNT(commands)];

	for (size_t i = 0; i < COUNT(commands); i++)
		all[i] = (struct completed_command){ commands[i].name, commands[i].run, commands[i].help };
	return complete_run(all, COUNT(all), argc, argv);
}

/* Under another name the program is one of its commands: as a plugin of kubectl or oc, and as the original kubegen. */
static const struct command *command_of_name(const char *program)
{
	static const struct {
		const char *name, *command;
	} names[] = {
		{ "kubectl-cluster_compare", "compare" },
		{ "kubectl-driftd", "compare" },
		{ "oc-cluster_compare", "compare" },
		{ "oc-driftd", "compare" },
		{ "kubegen", "kubegen" },
	};
	const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;

	for (size_t i = 0; i < COUNT(names); i++) {
		if (strcmp(name, names[i].name) == 0)
			return find_command(names[i].command);
	}
	return NULL;
}

/* ---- what a program may count on, whoever starts it ---- */

/* The daemon's signals are blocked until its loop can take them (daemon/app/app.c). Signals that mean nothing to it
 * are ignored, because they would end it. Programs that it starts have all signals as usual (uv_spawn). */
static void block_signals(void)
{
	static const int ignored[] = { SIGPIPE, SIGUSR1, SIGUSR2 };
	sigset_t blocked;

	for (size_t i = 0; i < COUNT(ignored); i++)
		(void)signal(ignored[i], SIG_IGN);
	app_signals(&blocked);
	(void)pthread_sigmask(SIG_BLOCK, &blocked, NULL);
}

/* A descriptor that is closed would be given to the next file that is opened, and what is printed would go there. In
 * its place is one that cannot be used: writing fails as if it were closed. */
static bool open_standard_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			return false;
	}
	return true;
}

/* What is too few for libraries ends the program without a word. */
static bool have_files(const struct command *c)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) < 0)
		return true;
	if (files.rlim_cur < FILES_USUAL) {
		files.rlim_cur = files.rlim_max < FILES_USUAL ? files.rlim_max : FILES_USUAL;
		(void)setrlimit(RLIMIT_NOFILE, &files);
	}
	if (files.rlim_cur >= c->files)
		return true;
	fprintf(stderr, "driftd %s: %llu open files are too few (RLIMIT_NOFILE, ulimit -n): it needs %u\n", c->name,
		(unsigned long long)files.rlim_cur, c->files);
	return false;
}

/* Threads of libuv's pool look at first lists while the loop receives them (kubeclient/kc_ahead.h): on two processors
 * one of them takes less time than more, which keep the loop from its own. */
static void size_thread_pool(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN) - 1;
	char text[8];

	(void)snprintf(text, sizeof(text), "%ld", n < 1 ? 1 : n > POOL_MAX ? POOL_MAX : n);
	(void)setenv("UV_THREADPOOL_SIZE", text, 0);
}

/* What was said and could not be written was not said. */
static int flushed(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	if (status == 0)
		fprintf(stderr, "driftd: standard output: %s\n", strerror(errno));
	return status == 0 ? EXIT_USAGE : status;
}

static int run_command(const struct command *c, int argc, char **argv)
{
	if (!c->run)
		return not_built(c);
	if (!have_files(c))
		return EXIT_USAGE;
	size_thread_pool();
	return c->run(argc, argv);
}

static int run_named(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2) {
		usage(stderr);
		return EXIT_USAGE;
	}
	if (asks_for_help(argv[1]))
		return cmd_help(argc - 1, argv + 1);
	if (strcmp(argv[1], "--version") == 0)
		return cmd_version(argc, argv);
	command = find_command(argv[1]);
	return command ? run_command(command, argc - 1, argv + 1) : unknown_command(argv[1]);
}

int main(int argc, char **argv)
{
	const struct command *alias;

	if (argc > 1 && strcmp(argv[1], "run") == 0)
		block_signals();
	(void)signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error of the write (ulimit -f) */
	if (!open_standard_descriptors())
		return EXIT_USAGE;
	last_exit_install();
	alias = argc > 0 ? command_of_name(argv[0]) : NULL;
	return flushed(alias ? run_command(alias, argc, argv) : run_named(argc, argv));
}
