/* What gets into a page of a text of somebody else, and that elements are closed. */
#include "daemon/pages/html_out.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_escapes(void **state)
{
	static const struct {
		str text;
		const char *expected;
	} cases[] = {
		{ { "", 0 }, "" },
		{ { "shop/web", 8 }, "shop/web" },
		{ { "<b>&amp;\"'", 10 }, "&lt;b&gt;&amp;amp;&quot;&#39;" },
		{ { "</title><script>", 16 }, "&lt;/title&gt;&lt;script&gt;" },
		{ { "--><!--", 7 }, "--&gt;&lt;!--" },
		{ { "a\nb\r\t\0", 6 }, "a\\nb\\x0d\\x09\\x00" },
		{ { "\0", 1 }, "\\x00" },
		{ { "\xE2\x80\xAE<", 4 }, "\\u202e&lt;" },         /* right-to-left override */
		{ { "a\xE2\x80\x8B", 4 }, "a\\u200b" },            /* zero width space */
		{ { "\xE2\x80\x8D", 3 }, "\\u200d" },              /* zero width joiner */
		{ { "\xF3\xA0\x81\xA1", 4 }, "\\U000e0061" },      /* a tag */
		{ { "\xF0\x9F\x9A\x80", 4 }, "\xF0\x9F\x9A\x80" }, /* a rocket */
		{ { "\xE2<\x80>", 4 }, "\\xe2&lt;\\x80&gt;" },     /* markup within a broken character */
		{ { "\xFF", 1 }, "\\xff" },
		{ { "\xC0\xBC", 2 }, "\\xc0\\xbc" }, /* "<", overlong */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(1000);

		html_escape(&out, cases[i].text);
		assert_string_equal(buf_str(&out).p, cases[i].expected);
	}
}

/* Whatever the bytes are, no markup is left and nothing is lost. */
static void test_every_byte(void **state)
{
	(void)state;
	for (int first = 0; first < 256; first++) {
		for (int second = 0; second < 256; second++) {
			CLEANUP(buf_done) struct buf out = BUF_INIT(1000);
			const char text[] = { (char)first, (char)second };

			html_escape(&out, (str){ text, 2 });
			assert_true(out.n >= 2);
			assert_true(strcspn(out.p, "<>\"'") == out.n);
			assert_true(first != '&' || str_has_prefix(buf_str(&out), STR("&amp;")));
		}
	}
}

static void test_elements(void **state)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1000);
	struct html h = HTML_INIT(&out);

	(void)state;
	html_open(&h, "p");
	html_class(&h, "x");
	html_attr(&h, "title", STR("\"><b>"));
	html_say(&h, "a");
	html_void(&h, "br");
	html_open(&h, "b");
	html_close(&h, "b");
	html_void(&h, "input");
	html_flag(&h, "disabled");
	html_close(&h, "p");
	assert_int_equal(h.depth, 0);
	assert_string_equal(out.p, "<p class=\"x\" title=\"&quot;&gt;&lt;b&gt;\">a<br><b></b><input disabled></p>");
}

static void test_close_to(void **state)
{
	CLEANUP(buf_done) struct buf first = BUF_INIT(1000), second = BUF_INIT(1000);
	struct html h = HTML_INIT(&first);

	(void)state;
	html_open(&h, "main");
	html_open(&h, "table");
	html_open(&h, "tr");
	h.out = &second; /* the next part of a stream */
	html_close_to(&h, 1);
	html_close(&h, "main");
	assert_string_equal(first.p, "<main><table><tr");
	assert_string_equal(second.p, "></tr></table></main>");
}

static void test_cut(void **state)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1000);
	struct html h = HTML_INIT(&out);

	(void)state;
	html_cut(&h, STR("\xC3\xA9\xC3\xA9"), 3);
	html_cut(&h, STR("ab"), 2);
	assert_string_equal(out.p, "\xC3\xA9…ab");
}

static void test_append(void **state)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1000), text = BUF_INIT(4);
	struct html h = HTML_INIT(&out), part = HTML_INIT(&text);

	(void)state;
	html_open(&h, "p");
	html_say(&part, "<");
	html_append(&h, &part);
	html_close(&h, "p");
	assert_string_equal(out.p, "<p>&lt;</p>");
	html_say(&part, "too much");
	html_append(&h, &part);
	assert_true(out.error);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_escapes),  cmocka_unit_test(test_every_byte), cmocka_unit_test(test_elements),
		cmocka_unit_test(test_close_to), cmocka_unit_test(test_cut),        cmocka_unit_test(test_append),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
