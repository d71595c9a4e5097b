/* Finds driftd-fetch, for commands that run it. */
#ifndef CONFIG_SOURCE_PROGRAM_H
#define CONFIG_SOURCE_PROGRAM_H

#include "base/buf.h"

/* Append the path of the program "driftd-fetch" beside the one that runs, or its name where that is not known. */
void source_program(struct buf *out);
#define SOURCES_DIR_DEFAULT "/var/lib/driftd-fetch"
/* The default store of driftd-fetch: $DRIFTD_SOURCES_DIR, else /var/lib/driftd-fetch. */
const char *source_store_usual(void);

#endif
