/* Scalars by what they spell: a quantity may be written as a text or as a number. */
#ifndef TEXT_SPELLED_H
#define TEXT_SPELLED_H

#include "base/arena.h"
#include "value/val.h"

/* The text of a string or a number, in @a or in @v; {NULL, 0}: it is none, or there is no memory. */
str spelled_text(val v, struct arena *a);
/* Whether both spell the same quantity: "1000m" and 1. What is none is the same as nothing. */
bool spelled_quantities_same(val x, val y, struct arena *a);

#endif
