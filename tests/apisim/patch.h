/* Patches of a JSON document. Each returns a new document in *ret and leaves its arguments alone. */
#ifndef APISIM_PATCH_H
#define APISIM_PATCH_H

#include "status.h"

CHECKED int patch_merge(json_t *doc, json_t *patch, json_t **ret, struct refusal *refusal); /* RFC 7386 */
CHECKED int patch_json(json_t *doc, json_t *patch, json_t **ret, struct refusal *refusal);  /* RFC 6902 */
/* Merge patch, but lists of objects with a merge key (list_key.h) merge by it; $patch, $deleteFromPrimitiveList,
 * $retainKeys and $setElementOrder are understood, the last without ordering. */
CHECKED int patch_strategic(json_t *doc, json_t *patch, json_t **ret, struct refusal *refusal);

#endif
