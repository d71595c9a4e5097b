/* What an answer must be to be a list of a collection.
 *
 * A Status of 200, a Table, another kind's list, a single object, an object without items: each of them would be "a
 * complete list without objects", and everything that is known of the kind would end as deleted. */
#ifndef KUBECLIENT_KC_LIST_ANSWER_H
#define KUBECLIENT_KC_LIST_ANSWER_H

#include "kubeclient/kc_collection.h"
#include "value/val.h"

/* Whether @text begins as every API server writes a list of built-in objects: with the right kind and apiVersion. */
bool kc_list_answer_begins(const struct kc_collection *what, str text);

/* Whether it is a list of @what by kind and apiVersion. @list_kind: what lists of the kind are called (a definition
 * says that); NULL: not known, then it is the kind's name with "List" behind it, or "List" alone. Fails: EPROTO when
 * all that is wrong is that the kind is called differently, which a definition may explain; else EBADMSG. */
CHECKED int kc_list_answer_check(const struct kc_collection *what, const char *list_kind, val answer, struct err *err);

/* Whether it is complete: has its items (@items: an array of them was seen), a version to go on from (@one_shot: of a
 * kind that cannot be watched it may be empty), and lacks no rest. Fails: EBADMSG. */
CHECKED int kc_list_answer_whole(const struct kc_collection *what, bool one_shot, bool items, val answer,
				 struct err *err);

#endif
