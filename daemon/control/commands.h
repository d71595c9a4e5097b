/* The commands that ask the running daemon. Each gets the arguments from its own name on and returns the exit status.
 */
#ifndef DAEMON_CONTROL_COMMANDS_H
#define DAEMON_CONTROL_COMMANDS_H

int cmd_status(int argc, char **argv);
int cmd_history(int argc, char **argv);
int cmd_drift(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_helm(int argc, char **argv);
int cmd_reference(int argc, char **argv);
int cmd_accept(int argc, char **argv);
int cmd_unaccept(int argc, char **argv);
int cmd_inspection(int argc, char **argv);
int cmd_reload(int argc, char **argv);

#endif
