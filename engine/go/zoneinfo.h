/* The system's zone database as a struct go_zones. It reads files: for commands, tests and loaders, which hand it to
 * the engine; evaluation itself never comes here. */
#ifndef GO_ZONEINFO_H
#define GO_ZONEINFO_H

#include "go/zone.h"

/* Looks where Go looks, /usr/share/zoneinfo first. */
extern const struct go_zones go_zoneinfo;

#endif
