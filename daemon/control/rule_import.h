/* Rules of a file, for the daemon one by one. */
#ifndef DAEMON_CONTROL_RULE_IMPORT_H
#define DAEMON_CONTROL_RULE_IMPORT_H

#include "base/buf.h"
#include "value/doc.h"

/* The rules in the YAML or JSON file @path ("-": standard input), which is one rule or a list: a list in any case.
 * Fails: the codes of open(2) and read(2); EINVAL with what is wrong, and where. */
CHECKED int rule_import_read(const char *path, struct doc **ret, struct err *err);

/* Send each of @rules by @send, in order, and stop at the first that fails: then err says which one it is. *n: how many
 * were sent. */
CHECKED int rule_import_each(val rules, int (*send)(void *ctx, str json, struct err *err), void *ctx, size_t *n,
			     struct err *err);

#endif
