/* tests/data/alertmanager/chat_text.jsonl: a list in each line, what is written and what is made of it, with 64 bytes
 * that are looked at. */
#include "daemon/alertmanager/chat_text.h"

#include "base/file.h"
#include "mask/credentials.h"
#include "value/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define LOOKED_AT 64

static void check_line(str line)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1u << 16);
	struct doc *doc;
	struct err err;

	if (json_decode(line, JSON_DEFAULTS, &doc, &err) < 0)
		fail_msg("%.*s: %s", STR_ARG(line), err.msg);
	chat_text_add(&out, val_str(val_at(doc->root, 0)), LOOKED_AT);
	assert_int_equal(out.error, 0);
	if (!str_eq(buf_str(&out), val_str(val_at(doc->root, 1))))
		fail_msg("%.*s: became %s", STR_ARG(line), out.p);
	doc_unref(doc);
}

static void test_table(void **state)
{
	CLEANUP(freep) char *text = NULL;
	struct err err;
	str rest, line;
	size_t n;

	(void)state;
	assert_int_equal(file_read(TEST_DATA "/alertmanager/chat_text.jsonl", 1u << 20, &text, &n, &err), 0);
	rest = (str){ text, n };
	while (rest.n && str_next_part(&rest, '\n', &line)) {
		if (line.n)
			check_line(line);
	}
}

static void test_credential(void **state)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1u << 16);

	(void)state;
	credentials_add(STR("a-token-of-ours-1234567890"));
	chat_text_add(&out, STR("it is a-token-of-ours-1234567890!"), LOOKED_AT);
	assert_string_equal(out.p, "it is ***!");
	credentials_forget();
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_table), cmocka_unit_test(test_credential) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
