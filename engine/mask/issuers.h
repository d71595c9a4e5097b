/* The table of issuers, which recognizes credentials by their shape. Only for files in this folder. */
#ifndef MASK_ISSUERS_H
#define MASK_ISSUERS_H

#include "base/str.h"

/* What begins at @at of @text, which is the begin of a word or one of "$*{-", such as "GitHub personal access
 * token"; NULL: nothing in the table. Takes a constant number of steps. */
const char *mask_issuer(str text, size_t at);
/* As mask_issuer, for the word [@at, @end), and also for the shapes that begin with any character. */
const char *mask_issuer_of_word(str text, size_t at, size_t end);

/* The number of shapes in the table. */
size_t mask_issuers(void);

#endif
