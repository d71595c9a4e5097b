/* driftd: watches Kubernetes clusters and says when an object leaves its reference configuration. */
#include "base/nearest.h"
#include "daemon/commands.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define POOL_MAX 4 /* threads */

static int cmd_version(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	printf("driftd %s (%s)\n", DRIFTD_VERSION, DRIFTD_REVISION);
	return 0;
}

static int cmd_help(int argc, char **argv);

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
} commands[] = {
	{ "run", cmd_run, "watch clusters and report drift" },
	{ "status", cmd_status, "say how the running driftd and what it watches are" },
	{ "drift", cmd_drift, "list what is wrong now, as the running driftd knows it" },
	{ "reload", cmd_reload, "read the configuration again; --dry-run: say what that would change" },
	{ "explain", cmd_explain, "why the running driftd says of an object what it says" },
	{ "accept", cmd_accept, "accept a deviation, for a reason and a time; list: those that are accepted" },
	{ "unaccept", cmd_unaccept, "accept a deviation no longer" },
	{ "inspection", cmd_inspection, "list, make and delete inspection rules of the running driftd" },
	{ "compare", cmd_compare, "compare files or a live cluster with a reference, once" },
	{ "validate", cmd_validate, "validate files against CEL rules" },
	{ "cel", cmd_cel, "evaluate a CEL expression" },
	{ "kubegen", cmd_kubegen, "generate Kubernetes objects from modules and bundles" },
	{ "events", cmd_events, "what driftd told the journal" },
	{ "state", cmd_state, "export what driftd knows, and import it elsewhere" },
	{ "record", cmd_record, "write down what API servers say, for replay" },
	{ "replay", cmd_replay, "try references and rules on a recording" },
	{ "rbac", cmd_rbac, "print the roles that watching a cluster needs" },
	{ "check-config", cmd_check_config, "check a configuration and everything it names" },
	{ "version", cmd_version, "print the version" },
	{ "help", cmd_help, "this text; 'driftd help COMMAND' or 'driftd COMMAND --help' for one command" },
};

static void usage(FILE *to)
{
	fputs("Usage: driftd COMMAND [options]\nKubernetes configuration drift watcher.\n\nCommands:\n", to);
	for (size_t i = 0; i < COUNT(commands); i++)
		fprintf(to, "  %-14s %s\n", commands[i].name, commands[i].help);
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

	for (size_t i = 0; i < COUNT(commands); i++)
		nearest_offer(&nearest, str_from(name), str_from(commands[i].name));
	fprintf(stderr, "driftd: unknown command '%s'%s\n", name, nearest_hint(&nearest));
	fputs("See 'driftd help'.\n", stderr);
	return EXIT_USAGE;
}

/* "help COMMAND" is "COMMAND --help". */
static int cmd_help(int argc, char **argv)
{
	const struct command *c = argc > 1 ? find_command(argv[1]) : NULL;
	char help[] = "--help", *arguments[] = { argc > 1 ? argv[1] : NULL, help, NULL };

	if (argc > 1 && !c)
		return unknown_command(argv[1]);
	if (c && c->run != cmd_help)
		return c->run(2, arguments);
	usage(stdout);
	return 0;
}

/* Under another name the program is one of its commands: as a plugin of kubectl or oc, and as the original kubegen. */
static int (*command_of_name(const char *program))(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(int argc, char **argv);
	} names[] = {
		{ "kubectl-cluster_compare", cmd_compare },
		{ "kubectl-driftd", cmd_compare },
		{ "oc-cluster_compare", cmd_compare },
		{ "oc-driftd", cmd_compare },
		{ "kubegen", cmd_kubegen },
	};
	const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;

	for (size_t i = 0; i < COUNT(names); i++) {
		if (strcmp(name, names[i].name) == 0)
			return names[i].run;
	}
	return NULL;
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

int main(int argc, char **argv)
{
	int (*named)(int, char **) = argc > 0 ? command_of_name(argv[0]) : NULL;
	const struct command *command;

	size_thread_pool();
	if (named)
		return named(argc, argv);
	if (argc < 2) {
		usage(stderr);
		return EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return cmd_help(argc, argv);
	if (strcmp(argv[1], "--version") == 0)
		return cmd_version(argc, argv);
	command = find_command(argv[1]);
	return command ? command->run(argc - 1, argv + 1) : unknown_command(argv[1]);
}
