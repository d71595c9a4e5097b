/* Sixteen bytes at once, in vectors that all supported compilers know, for searches through long texts. */
#ifndef BASE_BYTES16_H
#define BASE_BYTES16_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef unsigned char bytes16 __attribute__((vector_size(16)));

static inline bytes16 bytes16_load(const void *p)
{
	bytes16 c;

	memcpy(&c, p, sizeof(c));
	return c;
}

/* A mask is the result of a comparison: in each byte all bits are set, or none. */

static inline bool bytes16_any(bytes16 mask)
{
	uint64_t halves[2];

	memcpy(halves, &mask, sizeof(halves));
	return halves[0] | halves[1];
}

/* Index of the first byte that is set in @mask; 16: none is set. */
static inline size_t bytes16_first(bytes16 mask)
{
	uint64_t halves[2];

	memcpy(halves, &mask, sizeof(halves));
	if (halves[0])
		return (size_t)__builtin_ctzll(le64toh(halves[0])) / 8;
	return halves[1] ? 8 + (size_t)__builtin_ctzll(le64toh(halves[1])) / 8 : 16;
}

#endif
