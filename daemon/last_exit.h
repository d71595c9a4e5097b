/* Standard output and standard error, looked through for credentials of ours.   mask/credentials.h */
#ifndef DAEMON_LAST_EXIT_H
#define DAEMON_LAST_EXIT_H

/* From here on what is written to stdout and stderr has "***" for each. Before anything is written to them. Without
 * memory they stay as they are: nothing is known yet that could be shown, and little will be said after that. */
void last_exit_install(void);

#endif
