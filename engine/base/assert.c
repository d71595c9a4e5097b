/* Ends a process whose own code is wrong. */
#include "base/assert.h"

#include <stdio.h>
#include <stdlib.h>

void assert_failed(const char *cond, const char *file, int line)
{
	(void)fprintf(stderr, "%s:%d: assertion '%s' is false\n", file, line, cond);
	abort();
}
