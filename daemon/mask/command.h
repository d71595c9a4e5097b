/* driftd mask: shows what would be hidden, and why. The function gets the arguments from its own name on and returns
 * the exit status. */
#ifndef DAEMON_MASK_COMMAND_H
#define DAEMON_MASK_COMMAND_H

int cmd_mask(int argc, char **argv);

#endif
