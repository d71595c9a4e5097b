/* Guesses what a server calls the collection of a kind, until discovery has said it. */
#ifndef KUBECLIENT_KC_PLURAL_H
#define KUBECLIENT_KC_PLURAL_H

#include "base/buf.h"

/* "NetworkPolicy" gives "networkpolicies", as kubectl guesses (meta.UnsafeGuessKindToResource); right for every kind of
 * Kubernetes itself. */
void kc_plural_guess(str kind, struct buf *out);

#endif
