/* Prints the two texts that are compared, an object of the reference and one of the cluster, as kubectl diff prints
 * them.
 *
 * metadata.managedFields is left out unless the caller wants it. The data of a Secret is masked on both sides when
 * the live side says that it is a Secret (of version v1 of any group): "***" where both sides agree or only one has
 * the key, else "*** (before)" and "*** (after)". stringData is not masked. */
#ifndef TEXT_K8S_PRINT_H
#define TEXT_K8S_PRINT_H

#include "base/buf.h"
#include "value/val.h"

/* Whether the data of both sides is masked when @live is the live side. */
bool k8s_print_masks(val live);

/* Append both texts as YAML. Fails: EINVAL with kubectl's text when the data of a Secret is no map (the text masks a
 * value that is not empty), or has a map or a list under one key on both sides; ENOMEM; as yaml_encode. */
CHECKED int k8s_print(val merged, val live, bool show_managed_fields, struct arena *a, struct buf *merged_text,
		      struct buf *live_text, struct err *err);

/* Append the text of one side, as k8s_print prints it when the other side is not masked. */
CHECKED int k8s_print_side(val object, bool show_managed_fields, struct arena *a, struct buf *text, struct err *err);

/* As k8s_print, but does not fail for texts that kubectl cannot write: see yaml_encode_both. */
CHECKED int k8s_print_any(val merged, val live, bool show_managed_fields, struct arena *a, struct buf *merged_text,
			  struct buf *live_text, struct err *err);

#endif
