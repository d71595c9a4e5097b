/* What of an unfinished command line is being written. */
#include "daemon/completion/words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct command_option options[] = {
	{ "namespace", 'n', "NS", option_text, 0, .help = "" }, { .help = "a line between" },
	{ "name", 0, "NAME", option_text, 0, .help = "" },      { "all", 'A', NULL, option_truth, 0, .help = "" },
	{ "socket", 0, "PATH", option_text, 0, .help = "" },
};
static const struct command_line line = { .synopsis = "", OPTIONS(options) };

#define WORDS_MAX 8

static const struct reading {
	const char *words[WORDS_MAX]; /* the last one is being written */
	enum wanted_word wanted;
	const char *option, *head, *begun; /* NULL: none */
	const char *namespace;             /* that was given; NULL: none */
	size_t arguments;
} readings[] = {
	{ { "" }, WANTED_ARGUMENT, NULL, "", "", NULL, 0 },
	{ { "list", "x" }, WANTED_ARGUMENT, NULL, "", "x", NULL, 1 },
	{ { "list", "-" }, WANTED_OPTION, NULL, "", "-", NULL, 1 },
	{ { "--na" }, WANTED_OPTION, NULL, "", "--na", NULL, 0 },
	{ { "--namespace", "sh" }, WANTED_VALUE, "namespace", "", "sh", NULL, 0 },
	{ { "--namespace", "--x" }, WANTED_VALUE, "namespace", "", "--x", NULL, 0 },
	{ { "--namespace=sh" }, WANTED_VALUE, "namespace", "--namespace=", "sh", NULL, 0 },
	{ { "--namesp=" }, WANTED_VALUE, "namespace", "--namesp=", "", NULL, 0 },
	{ { "--nam=x" }, WANTED_OPTION, NULL, "", "--nam=x", NULL, 0 }, /* two begin so */
	{ { "--name", "x" }, WANTED_VALUE, "name", "", "x", NULL, 0 },  /* it is one of them */
	{ { "--all=x" }, WANTED_OPTION, NULL, "", "--all=x", NULL, 0 }, /* it takes none */
	{ { "-n", "shop", "x" }, WANTED_ARGUMENT, NULL, "", "x", "shop", 0 },
	{ { "-nshop", "x" }, WANTED_ARGUMENT, NULL, "", "x", "shop", 0 },
	{ { "-Anshop", "x", "" }, WANTED_ARGUMENT, NULL, "", "", "shop", 1 },
	{ { "-Ansh" }, WANTED_VALUE, "namespace", "-An", "sh", NULL, 0 },
	{ { "-n" }, WANTED_OPTION, NULL, "", "-n", NULL, 0 },
	{ { "-A", "x" }, WANTED_ARGUMENT, NULL, "", "x", NULL, 0 },
	{ { "--namespace=a", "--namespace=b", "-" }, WANTED_OPTION, NULL, "", "-", "b", 0 },
	{ { "--", "-x" }, WANTED_ARGUMENT, NULL, "", "-x", NULL, 0 },
	{ { "--", "-n", "x" }, WANTED_ARGUMENT, NULL, "", "x", NULL, 1 },
	{ { "-n", "--", "x" }, WANTED_ARGUMENT, NULL, "", "x", "--", 0 },
	{ { "--unknown", "-z", "x" }, WANTED_ARGUMENT, NULL, "", "x", NULL, 0 },
	{ { "-", "x" }, WANTED_ARGUMENT, NULL, "", "x", NULL, 1 },
};

static void assert_text(str is, const char *wanted)
{
	assert_int_equal(is.n, strlen(wanted));
	assert_memory_equal(is.p ? is.p : "", wanted, is.n);
}

static void reads_words(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(readings); i++) {
		const struct reading *r = &readings[i];
		char *words[WORDS_MAX];
		struct words_read w;
		size_t n = 0;

		for (; n < WORDS_MAX && r->words[n]; n++)
			words[n] = (char *)(uintptr_t)r->words[n];
		words_read(&line, words, n, &w);
		print_message("%s\n", words[n - 1]);
		assert_int_equal(w.wanted, r->wanted);
		assert_int_equal(!w.option, !r->option);
		if (r->option)
			assert_string_equal(w.option->name, r->option);
		assert_text(w.head, r->head);
		assert_text(w.begun, r->begun);
		assert_int_equal(w.n_arguments, r->arguments);
		assert_text(words_value(&line, &w, "namespace"), r->namespace ? r->namespace : "");
	}
}

static void has_limits(void **state)
{
	char word[] = "x", *words[WORDS_ARGUMENTS_MAX + 8];
	struct words_read w;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		words[i] = word;
	words_read(&line, words, ARRAY_LEN(words), &w);
	assert_int_equal(w.n_arguments, ARRAY_LEN(words) - 1);
	words_read(&line, words, 0, &w);
	assert_int_equal(w.n_arguments, 0);
	assert_int_equal(w.begun.n, 0);
}

/* ---- the synopsis ---- */

static const char synopsis[] = "Usage: driftd rule list [--long]\n"
			       "       driftd rule export|import NAME FILE\n"
			       "       driftd rule set UUID [options]\n"
			       "       driftd rules other\n"
			       "       driftd rule deep down ID\n"
			       "driftd rules over all.\n";

static const struct following {
	const char *arguments[4];
	const char *next; /* with a blank behind each */
	size_t verbs;
} followings[] = {
	{ { NULL }, "list export import set deep ", 0 },
	{ { "deep" }, "down ", 1 },
	{ { "deep", "down" }, "", 2 },
	{ { "import" }, "", 1 },
	{ { "import", "x" }, "", 1 },
	{ { "export|import" }, "", 0 },
	{ { "UUID" }, "", 0 },
	{ { "other" }, "", 0 },
	{ { "" }, "", 0 },
};

static void add_word(void *ctx, str word)
{
	buf_add_str(ctx, word);
	buf_add_byte(ctx, ' ');
}

static void knows_verbs(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(followings); i++) {
		CLEANUP(buf_done) struct buf next = BUF_INIT(1024);
		const struct following *f = &followings[i];
		str arguments[4];
		size_t n = 0;

		for (; n < ARRAY_LEN(arguments) && f->arguments[n]; n++)
			arguments[n] = str_from(f->arguments[n]);
		synopsis_next(synopsis, STR("rule"), arguments, n, add_word, &next);
		assert_text(buf_str(&next), f->next);
		assert_int_equal(synopsis_verbs(synopsis, STR("rule"), arguments, n), f->verbs);
	}
}

/* ---- what a shell may be given ---- */

static const struct {
	str word;
	bool shown, plain;
} texts[] = {
	{ STR("web"), true, true },         { STR("deployments.apps/a:b@c=d,e+f%_-"), true, true },
	{ STR("$(touch x)"), true, false }, { STR("a b"), true, false },
	{ STR("c\xc3\xa9"), true, false },  { STR("a\nb"), false, false },
	{ STR("a\tb"), false, false },      { STR("a\x1b[2J"), false, false },
	{ STR("a\x7f"), false, false },     { STR("a\xc2\x9b"), false, false },
	{ STR("a\xff"), false, false },     { STR("a\xe2\x80\xae"), false, false },
	{ { "a\0b", 3 }, false, false },    { STR(""), false, false },
};

static void knows_what_may_be_shown(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		assert_int_equal(word_is_shown(texts[i].word), texts[i].shown);
		assert_int_equal(word_is_plain(texts[i].word), texts[i].plain);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_words),
		cmocka_unit_test(has_limits),
		cmocka_unit_test(knows_verbs),
		cmocka_unit_test(knows_what_may_be_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
