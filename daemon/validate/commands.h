/* The tools to write validation rules with. Each gets the arguments from its own name on and returns the
 * exit status. */
#ifndef DAEMON_VALIDATE_COMMANDS_H
#define DAEMON_VALIDATE_COMMANDS_H

int cmd_cel(int argc, char **argv);
int cmd_validate(int argc, char **argv);

#endif
