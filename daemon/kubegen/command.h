/* "driftd kubegen", which is "kubegen" too. */
#ifndef DAEMON_KUBEGEN_COMMAND_H
#define DAEMON_KUBEGEN_COMMAND_H

/* Gets the arguments from its own name on. Returns the exit status: 0 done, 1 an error, which is on standard error. */
int cmd_kubegen(int argc, char **argv);

#endif
