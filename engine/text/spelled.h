/* Compares scalars by their texts: a quantity may be written as a text or as a number. */
#ifndef TEXT_SPELLED_H
#define TEXT_SPELLED_H

#include "base/arena.h"
#include "value/val.h"

/* The text of a string or a number, in @a or in @v; {NULL, 0}: @v is neither, or there is no memory. */
str spelled_text(val v, struct arena *a);
/* Whether both values spell the same quantity, such as "1000m" and 1. A value that spells no quantity equals none. */
bool spelled_quantities_same(val x, val y, struct arena *a);

#endif
