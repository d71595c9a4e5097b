/* Records: fields, cuts, and how each output writes them. */
#include "daemon/findings/notice.h"
#include "daemon/findings/record.h"

#include "base/utf8.h"
#include "support/capture.h"
#include "support/direct_sink.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_values_are_cut_on_a_character(void **state)
{
	static const char *const characters[] = { "x", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80" };
	char text[RECORD_VALUE_MAX + 32];

	(void)state;
	for (size_t c = 0; c < ARRAY_LEN(characters); c++) {
		size_t width = strlen(characters[c]);

		for (size_t from = RECORD_VALUE_MAX - 5; from <= RECORD_VALUE_MAX; from++) {
			struct record r;
			str value;

			memset(text, 'a', from);
			for (size_t i = 0; i < 3; i++)
				memcpy(text + from + i * width, characters[c], width + 1);
			record_init(&r, MESSAGE_NOTICE, 5);
			record_add(&r, "A", str_from(text));
			record_addf(&r, "B", "%s", text);
			value = record_get(&r, "A");
			assert_true(value.n <= RECORD_VALUE_MAX &&
				    value.n + width >
					    (strlen(text) < RECORD_VALUE_MAX ? strlen(text) : RECORD_VALUE_MAX));
			assert_true(utf8_valid(value));
			assert_true(str_eq(value, record_get(&r, "B")));
			record_done(&r);
		}
	}
}

static void test_fields(void **state)
{
	struct record r;

	(void)state;
	record_init(&r, MESSAGE_STARTED, 6);
	record_add(&r, "EMPTY", STR(""));
	assert_null(record_get(&r, "EMPTY").p);
	record_add(&r, "A", STR("1"));
	record_add(&r, "A", STR("2"));
	assert_true(str_eq(record_get(&r, "A"), STR("1")));
	for (int i = 0; i < 2 * RECORD_FIELDS_MAX; i++)
		record_addf(&r, "N", "%d", i);
	assert_int_equal(r.n_fields, RECORD_FIELDS_MAX);
	record_done(&r);
	assert_int_equal(r.n_fields, 0);
}

static void test_notices(void **state)
{
	struct capture c;
	struct sink *sink = NULL;
	struct doc *notice, *started;
	char text[3 * RECORD_VALUE_MAX];

	(void)state;
	memset(text, 0, sizeof(text));
	for (size_t i = 0; i + 3 < sizeof(text); i += 3)
		memcpy(text + i, "\xE2\x82\xAC", 3);
	assert_true(capture_begin(&c));
	assert_non_null(sink = sink_new_direct(CFG_OUTPUT_JSON));
	record_notice(sink, STR("prod"), SEVERITY_WARNING, "pods", "say \"no\"");
	record_lifecycle(sink, MESSAGE_STARTED, SEVERITY_INFO, "%s", text);
	record_notice(sink, STR("prod"), SEVERITY_WARNING, NULL, "x");
	notice = capture_next(&c);
	started = capture_next(&c);
	assert_int_equal(capture_count(&c), 1);
	capture_end(&c);
	sink_free(sink);
	assert_true(str_eq(val_str(VAL_GET(notice->root, "MESSAGE")), STR("prod (pods): say \"no\"")));
	assert_true(str_eq(val_str(VAL_GET(notice->root, "DRIFTD_RESOURCE")), STR("pods")));
	assert_true(str_has_suffix(val_str(VAL_GET(started->root, "MESSAGE")),
				   STR("\xE2\x82\xAC"))); /* cut on a character */
	doc_unref(notice);
	doc_unref(started);
}

static void test_bytes_and_back(void **state)
{
	CLEANUP(buf_done) struct buf bytes = BUF_INIT(1u << 20);
	struct record r, again;
	struct err err;

	(void)state;
	record_init(&r, MESSAGE_DRIFT_END, 3);
	r.text = STR("a text\n");
	r.details = STR("d\0e");
	record_add(&r, "DRIFTD_PATH", STR("a.b"));
	record_add(&r, "DRIFTD_PATH", STR("c=\n"));
	record_encode(&r, &bytes);
	assert_int_equal(record_decode(buf_str(&bytes), &again, &err), 0);
	assert_string_equal(again.id, r.id);
	assert_int_equal(again.message, r.message);
	assert_int_equal(again.priority, 3);
	assert_true(str_eq(again.text, r.text) && str_eq(again.details, r.details));
	assert_int_equal(again.n_fields, 2);
	assert_string_equal(again.fields[1].name, "DRIFTD_PATH");
	assert_true(str_eq(again.fields[1].value, STR("c=\n")));
	record_done(&again);
	for (size_t n = 0; n < bytes.n; n++) { /* whatever is missing: refused, or fewer fields */
		int status = record_decode(str_sub(buf_str(&bytes), 0, n), &again, &err);

		assert_true(status == -EBADMSG || (status == 0 && again.n_fields < 2));
		if (status == 0) /* a failure leaves nothing to free */
			record_done(&again);
	}
	bytes.p[RECORD_ID_SIZE] ^= 1; /* a message that nobody knows */
	assert_int_equal(record_decode(buf_str(&bytes), &again, &err), -EBADMSG);
	record_done(&again);
	record_done(&r);
}

/* What ends within its message is no record, whatever the rest could be taken for. */
static void test_ends_within_the_message(void **state)
{
	static const char zeros[9] = "\1"; /* as a priority and two texts */
	CLEANUP(buf_done) struct buf bytes = BUF_INIT(1u << 20);
	struct record r, again;
	struct err err;

	(void)state;
	record_init(&r, MESSAGE_DRIFT_END, 3);
	buf_add_cstr(&bytes, r.id);
	buf_add(&bytes, zeros, sizeof(zeros));
	assert_int_equal(record_decode(buf_str(&bytes), &again, &err), -EBADMSG);
	record_done(&r);
}

/* What the journal would not take as the name of a field is not a name in what is stored either. */
static void test_names_of_fields(void **state)
{
	static const struct {
		str name;
		int status;
	} rows[] = {
		{ STR("A_B"), 0 },        { STR("A__"), 0 },        { STR("Z09"), 0 },
		{ STR("_AB"), -EBADMSG }, { STR("0AB"), -EBADMSG }, { STR("9AB"), -EBADMSG },
		{ STR("AaB"), -EBADMSG }, { STR("AB-"), -EBADMSG }, { STR("=AB"), -EBADMSG },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CLEANUP(buf_done) struct buf bytes = BUF_INIT(1u << 20);
		struct record r, again;
		struct err err;
		int status;

		record_init(&r, MESSAGE_DRIFT_END, 3);
		record_add(&r, "ABC", STR("v"));
		record_encode(&r, &bytes);
		memcpy(bytes.p + bytes.n - 8, rows[i].name.p, 3); /* before a length and "v" */
		status = record_decode(buf_str(&bytes), &again, &err);
		if (status != rows[i].status)
			fail_msg("%.*s: %d", STR_ARG(rows[i].name), status);
		if (status == 0)
			record_done(&again);
		record_done(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values_are_cut_on_a_character),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_notices),
		cmocka_unit_test(test_bytes_and_back),
		cmocka_unit_test(test_ends_within_the_message),
		cmocka_unit_test(test_names_of_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
