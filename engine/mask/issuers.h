/* Credentials that are recognized by their shape: the table of issuers. For siblings only. */
#ifndef MASK_ISSUERS_H
#define MASK_ISSUERS_H

#include "base/str.h"

/* What begins at @at of @text, which is the begin of a word or one of "$*{-": "GitHub personal access token"; NULL:
 * none of the table. A constant number of steps. */
const char *mask_issuer(str text, size_t at);
/* As mask_issuer, for the word [@at, @end), and also for the shapes that begin with any character. */
const char *mask_issuer_of_word(str text, size_t at, size_t end);

/* How many shapes there are. */
size_t mask_issuers(void);

#endif
