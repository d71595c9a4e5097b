/* The subcommands. Each gets the arguments from its own name on and returns the exit status. */
#ifndef DAEMON_COMMANDS_COMMANDS_H
#define DAEMON_COMMANDS_COMMANDS_H

#include "config/command_line.h"
#include "config/exit_status.h"
#include "daemon/compare/command.h"
#include "daemon/control/commands.h"
#include "daemon/events/command.h"
#include "daemon/mask/command.h"
#include "daemon/validate/commands.h"

#define CONFIG_PATH_DEFAULT "/etc/driftd/driftd.yaml"

/* The option --config, stored in the const char
 *
 * at @at; @more ends its help. */
#define CONFIG_OPTION(at, more)                                                                                        \
	{                                                                                                              \
		"config", 'c', "FILE", option_text, at, .help = "configuration (default " CONFIG_PATH_DEFAULT ")" more \
	}

int cmd_run(int argc, char **argv);
int cmd_check_config(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_rbac(int argc, char **argv);
int cmd_state(int argc, char **argv);

#endif
