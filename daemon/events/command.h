/* The command "driftd events" (driftd-events(1)). */
#ifndef DAEMON_EVENTS_COMMAND_H
#define DAEMON_EVENTS_COMMAND_H

/* Gets the arguments from its own name on. Returns the exit status: 0 there were events, 1 there were none, 2 wrong
 * usage or a journal that cannot be read. */
int cmd_events(int argc, char **argv);

#endif
