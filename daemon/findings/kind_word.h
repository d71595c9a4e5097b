/* Kinds as a user of kubectl names them. */
#ifndef DAEMON_FINDINGS_KIND_WORD_H
#define DAEMON_FINDINGS_KIND_WORD_H

#include "base/str.h"

/* Whether @word means the kind: "Deployment", "deployments" or "deployments.apps", in any case. @kind and @resource may
 * be empty. */
bool kind_word_means(str word, str kind, str resource);

#endif
