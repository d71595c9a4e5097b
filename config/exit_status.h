/* Exit statuses of commands, besides 0 and 1. */
#ifndef CONFIG_EXIT_STATUS_H
#define CONFIG_EXIT_STATUS_H

#define EXIT_USAGE 2   /* the command line is wrong, or the command could not be done, or had nothing to do */
#define EXIT_CONFIG 78 /* EX_CONFIG of sysexits(3), with which the unit does not restart the daemon */

#endif
