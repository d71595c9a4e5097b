/* Parts that a build may leave out (cmake/DriftdParts.cmake). HAS_KUBEGEN and the like are 1 or 0: a table that offers
 * a part holds "HAS_KUBEGEN ? it : NULL", and its owner refuses a NULL entry with these words. */
#ifndef CONFIG_PART_H
#define CONFIG_PART_H

/* @option: the one that left it out. */
#define NOT_BUILT(what, option) what " is not part of this driftd, which was built with " option "=OFF"

/* Commands, as those of daemon/commands.h: the headers of rooms that are left out are not there. */
int cmd_kubegen(int argc, char **argv);

#endif
