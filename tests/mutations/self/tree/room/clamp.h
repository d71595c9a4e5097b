/* What self-test changes. */
#ifndef ROOM_CLAMP_H
#define ROOM_CLAMP_H

#include <stddef.h>

/* @v, or @low or @high if it is outside of them; each @v that is outside is counted in *outside. */
int clamp(int v, int low, int high, size_t *outside);

/* 0; -1 when @v is no digit. */
int check_digit(int v);

/* Where @v is among the @n of @all; @n when it is not. */
size_t place_of(int v, const int *all, size_t n);

#endif
