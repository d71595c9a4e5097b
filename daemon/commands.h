/* The subcommands. Each gets the arguments from its own name on and returns the exit status. */
#ifndef DAEMON_COMMANDS_H
#define DAEMON_COMMANDS_H

#define EXIT_USAGE 2
#define CONFIG_PATH_DEFAULT "/etc/driftd/driftd.yaml"

int cmd_run(int argc, char **argv);
int cmd_check_config(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_cel(int argc, char **argv);
int cmd_validate(int argc, char **argv);

#endif
