/* "driftd compare -g": write a reference from objects of a cluster or of a must-gather folder. */
#ifndef DAEMON_COMPARE_GENERATE_H
#define DAEMON_COMPARE_GENERATE_H

#include "base/key.h"
#include "base/limits.h"
#include "daemon/compare/options.h"

/* Returns the exit status; says what went wrong on standard error. */
int compare_generate(const struct compare_options *o, const struct limits *limits, struct key_table *keys);

#endif
