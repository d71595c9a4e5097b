/* What all kinds of leaders have in common: batches of records as they are kept, and what a new leader has loaded. */
#include "daemon/leader/leader.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void names(void **state)
{
	(void)state;
	assert_string_equal(election_state_name(ELECTION_FOLLOWS), "follows");
	assert_string_equal(election_state_name(ELECTION_UNSURE), "unsure");
	assert_string_equal(election_state_name(ELECTION_LEADS), "leads");
}

/* The length of a record fills one, two or three of its bytes. */
static void a_batch_there_and_back(void **state)
{
	static const size_t lengths[] = { 0, 1, 3, 4, 255, 256, 257, 0, 65535, 65536, 70000, 5, (1u << 24) + 258, 0 };
	CLEANUP(buf_done) struct buf batch = BUF_INIT(1u << 26), record = BUF_INIT(1u << 25);
	str rest, got;
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
		buf_clear(&record);
		buf_fill(&record, (char)('a' + i), lengths[i]);
		leader_batch_add(&batch, buf_str(&record));
	}
	rest = buf_str(&batch);
	for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
		buf_clear(&record);
		buf_fill(&record, (char)('a' + i), lengths[i]);
		assert_int_equal(leader_batch_next(&rest, &got, &err), 1);
		assert_true(str_eq(got, buf_str(&record)));
	}
	assert_int_equal(rest.n, 0);
	assert_int_equal(leader_batch_next(&rest, &got, &err), 0);
}

/* As it stands in etcd, for whoever goes on with it. */
static void its_bytes(void **state)
{
	CLEANUP(buf_done) struct buf batch = BUF_INIT(1u << 20);

	(void)state;
	leader_batch_add(&batch, STR("ab"));
	leader_batch_add(&batch, STR(""));
	assert_true(str_eq(buf_str(&batch), STR("\2\0\0\0ab\0\0\0\0")));
	buf_clear(&batch);
	buf_fill(&batch, 'x', 0x010203);
	{
		CLEANUP(buf_done) struct buf large = BUF_INIT(1u << 20);

		leader_batch_add(&large, buf_str(&batch));
		assert_memory_equal(large.p, "\3\2\1\0x", 5);
	}
}

static void what_is_none(void **state)
{
	static const str batches[] = {
		{ "\0", 1 },
		{ "\0\0\0", 3 },
		{ "\1\0\0\0", 4 },
		{ "\3\0\0\0ab", 6 },
		{ "\xFF\xFF\xFF\xFF", 4 },
		{ "\0\0\0\x80"
		  "ab",
		  6 },
		{ "\0\1\0\0ab", 6 },
		{ "\2", 1 },
	};
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(batches); i++) {
		char *exact = malloc(batches[i].n); /* what is read behind it is noticed */
		str rest = { memcpy(exact, batches[i].p, batches[i].n), batches[i].n }, record;

		assert_int_equal(leader_batch_next(&rest, &record, &err), -EBADMSG);
		assert_string_equal(err.msg, "the last batch in etcd cannot be read");
		assert_int_equal(rest.n, batches[i].n);
		free(exact);
	}
}

static void what_was_loaded(void **state)
{
	struct leader_loaded *x = calloc(1, sizeof(*x));

	(void)state;
	assert_non_null(x);
	assert_true(vec_push(&x->states, arena_str(&x->arena, STR("{}"))));
	leader_loaded_free(x); /* all of it */
	leader_loaded_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),        cmocka_unit_test(a_batch_there_and_back), cmocka_unit_test(its_bytes),
		cmocka_unit_test(what_is_none), cmocka_unit_test(what_was_loaded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
