/* Slabs: pieces keep what is written to them, whatever comes and goes beside them. */
#include "base/slab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PIECES 4000

struct piece {
	unsigned char *p;
	size_t n;
};

static size_t size_of(size_t i)
{
	return 16 + i * 37 % (SLAB_PIECE_MAX - 16) + 1;
}

static void fill(struct slabs *s, struct piece *x, size_t i)
{
	x->n = size_of(i);
	x->p = slab_take(s, x->n);
	assert_non_null(x->p);
	assert_int_equal((uintptr_t)x->p % 16, 0);
	memset(x->p, (int)(i & 0xFF), x->n);
}

static void check(const struct piece *x, size_t i)
{
	assert_int_equal(x->p[0], i & 0xFF);
	assert_int_equal(x->p[x->n - 1], i & 0xFF);
}

static void test_pieces_come_and_go(void **state)
{
	static struct piece pieces[PIECES];
	struct slabs *s = slabs_new();

	(void)state;
	assert_non_null(s);
	for (size_t i = 0; i < PIECES; i++)
		fill(s, &pieces[i], i);
	for (size_t round = 2; round < 5; round++) {
		for (size_t i = 0; i < PIECES; i += round)
			slab_give(pieces[i].p);
		for (size_t i = 0; i < PIECES; i += round)
			fill(s, &pieces[i], i);
		for (size_t i = 0; i < PIECES; i++)
			check(&pieces[i], i);
	}
	for (size_t i = 0; i < PIECES; i++)
		slab_give(pieces[i].p);
	slabs_close(s);
}

/* They are closed while a set that took its pieces over still has some. */
static void test_a_piece_outlives_its_owner(void **state)
{
	struct slabs *s = slabs_new();
	char *p = slab_take(s, 100);

	(void)state;
	assert_non_null(p);
	slabs_close(s);
	memset(p, 1, 100);
	slab_give(p);
	slabs_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces_come_and_go),
		cmocka_unit_test(test_a_piece_outlives_its_owner),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
