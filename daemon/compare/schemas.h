/* What definitions of custom resources say of the objects that "driftd compare" compares: of what its lists go by. */
#ifndef DAEMON_COMPARE_SCHEMAS_H
#define DAEMON_COMPARE_SCHEMAS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/strmap.h"
#include "value/val.h"

struct compare_schemas {
	struct arena arena;
	struct strmap kinds; /* identity_kind_key -> val, an openAPIV3Schema */
};

void compare_schemas_init(struct compare_schemas *s);
void compare_schemas_done(struct compare_schemas *s);

/* Take what @object says, where it is a definition; of several for one kind the first counts. It must live as long as
 * @s. Fails: ENOMEM. */
CHECKED int compare_schemas_add(struct compare_schemas *s, val object, struct err *err);
/* VAL_ABSENT: no definition of the kind is known. */
val compare_schemas_get(const struct compare_schemas *s, str api_version, str kind);

#endif
