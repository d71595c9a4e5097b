/* Scans text by masks of 64 bytes, a bit for each; 16 bytes at once with SSE2, which every x86-64 processor has. */
#include "value/json_scan.h"

#include "base/defs.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define BLOCK 64

/* ---- strings ---- */

#ifdef __SSE2__
/* As signed numbers, bytes from 0x80 are below 0x20, as control characters are. */
static const char *skip_plain(const char *p, const char *end)
{
	const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\'), space = _mm_set1_epi8(0x20);

	for (; end - p >= 16; p += 16) {
		__m128i c = _mm_loadu_si128((const __m128i *)(const void *)p);
		__m128i stop = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(c, quote), _mm_cmpeq_epi8(c, backslash)),
					    _mm_cmplt_epi8(c, space));
		unsigned mask = (unsigned)_mm_movemask_epi8(stop);

		if (mask)
			return p + __builtin_ctz(mask);
	}
	return p;
}
#else
#define ONES 0x0101010101010101u
#define HIGHS 0x8080808080808080u
/* High bit set in (at least) the first byte of w that equals c; bytes behind it may be marked falsely. */
#define HAS_BYTE(w, c) ((((w) ^ (ONES * (c))) - ONES) & ~((w) ^ (ONES * (c))) & HIGHS)

/* Skip whole words without such a byte; the caller finds the place of one. */
static const char *skip_plain(const char *p, const char *end)
{
	for (; end - p >= 8; p += 8) {
		uint64_t w;

		memcpy(&w, p, 8);
		if (HAS_BYTE(w, '"') | HAS_BYTE(w, '\\') | ((w - ONES * 0x20) & ~w & HIGHS) | (w & HIGHS))
			break;
	}
	return p;
}
#endif

const char *json_plain_end(const char *p, const char *end)
{
	p = skip_plain(p, end);
	while (p < end && *p != '"' && *p != '\\' && (unsigned char)*p >= 0x20 && (unsigned char)*p < 0x80)
		p++;
	return p;
}

/* ---- brackets ---- */

struct marks {
	uint64_t quotes, backslashes, opening, closing;
	uint64_t unplain; /* control characters and bytes from 0x80, which as signed numbers are below 0x20 */
};

#ifdef __SSE2__
static inline __attribute__((always_inline)) void mark(struct marks *m, const char *p, unsigned at)
{
	const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\'), bit = _mm_set1_epi8(0x20),
		      opening = _mm_set1_epi8('{'), closing = _mm_set1_epi8('}');
	__m128i c = _mm_loadu_si128((const __m128i *)(const void *)(p + at)), folded = _mm_or_si128(c, bit);

	m->quotes |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(c, quote)) << at;
	m->backslashes |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(c, backslash)) << at;
	m->opening |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(folded, opening)) << at;
	m->closing |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(folded, closing)) << at;
	m->unplain |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmplt_epi8(c, bit)) << at;
}
#endif

/* Compute the masks of a block. The brackets of both kinds differ in one bit. The function is inlined, so that masks
 * which the caller does not use cost nothing. */
static inline __attribute__((always_inline)) struct marks marks_of(const char *p)
{
	struct marks m = { 0 };

#ifdef __SSE2__
	mark(&m, p, 0);
	mark(&m, p, 16);
	mark(&m, p, 32);
	mark(&m, p, 48);
#else
	for (unsigned i = 0; i < BLOCK; i++) {
		m.quotes |= (uint64_t)(p[i] == '"') << i;
		m.backslashes |= (uint64_t)(p[i] == '\\') << i;
		m.opening |= (uint64_t)((p[i] | 0x20) == '{') << i;
		m.closing |= (uint64_t)((p[i] | 0x20) == '}') << i;
		m.unplain |= (uint64_t)((unsigned char)p[i] < 0x20 || (unsigned char)p[i] >= 0x80) << i;
	}
#endif
	return m;
}

struct walk {
	bool escaped; /* whether the last byte of the block before escapes the first byte of the next one */
	bool in_string;
	size_t depth;
};

/* The bytes behind an odd number of backslashes in a row. */
static uint64_t escaped_by(struct walk *w, uint64_t backslashes)
{
	uint64_t escaped = w->escaped;

	backslashes &= ~escaped;
	w->escaped = false;
	while (backslashes) {
		unsigned from = (unsigned)__builtin_ctzll(backslashes);
		uint64_t rest = ~(backslashes >> from);
		unsigned n = rest ? (unsigned)__builtin_ctzll(rest) : BLOCK - from;

		if (from + n >= BLOCK) {
			w->escaped = n % 2;
			return escaped;
		}
		escaped |= (uint64_t)(n % 2) << (from + n);
		backslashes = backslashes >> (from + n) << (from + n);
	}
	return escaped;
}

/* Bits from each odd quote up to the next even one. */
static uint64_t strings_of(struct walk *w, uint64_t quotes)
{
	uint64_t in = quotes;

	for (unsigned i = 1; i < BLOCK; i *= 2)
		in ^= in << i;
	if (w->in_string)
		in = ~in;
	w->in_string = in >> (BLOCK - 1);
	return in;
}

/* Count bits. The compiler's builtin calls a library when it may not use the instruction of the processor. */
static size_t count(uint64_t bits)
{
	bits -= bits >> 1 & 0x5555555555555555u;
	bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
	bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
	return (size_t)(bits * 0x0101010101010101u >> 56);
}

/* The place of the bracket that closes the first one; BLOCK: it is not in this block. */
static unsigned close_among(struct walk *w, uint64_t opening, uint64_t closing)
{
	/* Most pairs of brackets are empty: within other brackets they close nothing. */
	uint64_t empty = w->depth ? opening & closing >> 1 : 0;

	opening ^= empty;
	closing ^= empty << 1;
	if (count(closing) < w->depth) {
		w->depth += count(opening) - count(closing);
		return BLOCK;
	}
	for (uint64_t both = opening | closing; both; both &= both - 1) {
		unsigned at = (unsigned)__builtin_ctzll(both);

		if (opening >> at & 1)
			w->depth++;
		else if (--w->depth == 0)
			return at;
	}
	return BLOCK;
}

static unsigned close_in_block(struct walk *w, const char *p)
{
	struct marks m = marks_of(p);
	uint64_t escaped = m.backslashes || w->escaped ? escaped_by(w, m.backslashes) : 0;
	uint64_t in = strings_of(w, m.quotes & ~escaped);

	return close_among(w, m.opening & ~in, m.closing & ~in);
}

/* All bits below @n, which is at most the number of bits. */
static uint64_t below(unsigned n)
{
	return n < BLOCK ? ((uint64_t)1 << n) - 1 : ~(uint64_t)0;
}

/* Whether the block is plain as far as the close at *at, and no deeper than @depth. */
static bool plain_block(struct walk *w, const char *p, size_t depth, unsigned *at)
{
	struct marks m = marks_of(p);
	uint64_t in = strings_of(w, m.quotes);
	size_t deepest = w->depth + count(m.opening & ~in);

	*at = close_among(w, m.opening & ~in, m.closing & ~in);
	return !((m.unplain | m.backslashes) & below(*at)) && deepest <= depth;
}

const char *json_plain_brackets_end(const char *p, const char *end, size_t depth)
{
	struct walk w = { 0 };
	char last[BLOCK] = { 0 };
	unsigned at = BLOCK;

	for (; end - p >= BLOCK; p += BLOCK) {
		if (!plain_block(&w, p, depth, &at))
			return NULL;
		if (at < BLOCK)
			return p + at + 1;
	}
	if (end > p)
		memcpy(last, p, (size_t)(end - p));
	return plain_block(&w, last, depth, &at) && at < BLOCK ? p + at + 1 : NULL;
}

const char *json_brackets_end(const char *p, const char *end)
{
	struct walk w = { 0 };
	char last[BLOCK] = { 0 };
	unsigned at;

	for (; end - p >= BLOCK; p += BLOCK) {
		at = close_in_block(&w, p);
		if (at < BLOCK)
			return p + at + 1;
	}
	if (end > p)
		memcpy(last, p, (size_t)(end - p));
	at = close_in_block(&w, last);
	return at < BLOCK ? p + at + 1 : NULL;
}
