/* Makes the system's zone database a struct go_zones. It reads files: for commands, tests and loaders, which hand it
 * to the engine; evaluation itself does not use it. */
#ifndef GO_ZONEINFO_H
#define GO_ZONEINFO_H

#include "go/zone.h"

/* The database where Go looks for it, /usr/share/zoneinfo first. */
extern const struct go_zones go_zoneinfo;

#endif
