/* "driftd compare", which is "kubectl cluster-compare" too. */
#ifndef DAEMON_COMPARE_COMMAND_H
#define DAEMON_COMPARE_COMMAND_H

/* Gets the arguments from its own name on. Returns the exit status: 0 no difference, 1 differences, 2 trouble. */
int cmd_compare(int argc, char **argv);

#endif
