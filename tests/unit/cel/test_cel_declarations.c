/* What can be called, out of the tables that the checker and the parser use, against tests/data/cel/declarations.txt,
 * which was written down from the documents of the language and the libraries. --print prints ours. */
#include "cel/cel.h"
#include "cel/cel_func.h"

#include "base/file.h"
#include "base/vec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

struct names {
	VEC(str) list;
};

static struct arena arena;

static void add_name(struct names *names, struct buf *b)
{
	str s = arena_str(&arena, buf_str(b));

	assert_true(s.p != NULL && !b->error && vec_push(&names->list, s));
	buf_truncate(b, 0);
}

static int compare(const void *x, const void *y)
{
	return str_cmp(*(const str *)x, *(const str *)y);
}

/* Every overload, macro and name of a type that a rule of Kubernetes can use, sorted. */
static void collect(struct names *ret)
{
	CLEANUP(buf_done) struct buf b = BUF_INIT(4096);
	const struct cel_overload *o;
	const char *name;

	for (size_t i = 0; (o = cel_function_at(i)) != NULL; i++) {
		if (!cel_function_enabled(o, CEL_KUBERNETES) || o->undeclared)
			continue;
		cel_signature_format(o, &arena, &b);
		add_name(ret, &b);
	}
	for (size_t i = 0; cel_macro_at(CEL_KUBERNETES, i, &b); i++) {
		CLEANUP(buf_done) struct buf line = BUF_INIT(4096);

		buf_printf(&line, "macro %.*s", STR_ARG(buf_str(&b)));
		buf_truncate(&b, 0);
		add_name(ret, &line);
	}
	for (size_t i = 0; (name = cel_type_name_at(CEL_KUBERNETES, i)) != NULL; i++) {
		buf_printf(&b, "type %s", name);
		add_name(ret, &b);
	}
	qsort(ret->list.p, ret->list.n, sizeof(str), compare);
}

/* The lines of a file of the test data, without comments. The arena keeps its text. */
static void read_lines(const char *path, struct names *ret)
{
	char *text = NULL;
	size_t len;
	struct err err;
	str rest, line;

	assert_int_equal(file_read(path, 1u << 20, &text, &len, &err), 0);
	rest = arena_str(&arena, (str){ text, len });
	free(text);
	assert_non_null(rest.p);
	while (str_next_part(&rest, '\n', &line)) {
		if (line.n && line.p[0] != '#')
			assert_true(vec_push(&ret->list, line));
	}
	qsort(ret->list.p, ret->list.n, sizeof(str), compare);
}

static bool has(const struct names *names, str s)
{
	return names->list.n && bsearch(&s, names->list.p, names->list.n, sizeof(str), compare);
}

/* A line of the differences: "+" or "-", the declaration, a tab, the reason. */
static size_t find_difference(const struct names *listed, char sign, str declaration)
{
	for (size_t i = 0; i < listed->list.n; i++) {
		str line = listed->list.p[i], rest = str_sub(line, 1, line.n), what;

		if (line.p[0] == sign && str_next_part(&rest, '\t', &what) && str_eq(str_trim(what), declaration)) {
			assert_true(str_trim(rest).n > 0);
			return i;
		}
	}
	return SIZE_MAX;
}

static size_t count_missing(const struct names *from, const struct names *in, const struct names *listed, char sign,
			    const char *what, size_t *excused)
{
	size_t wrong = 0;

	for (size_t i = 0; i < from->list.n; i++) {
		str s = from->list.p[i];

		if (i && str_eq(s, from->list.p[i - 1])) {
			fprintf(stderr, "twice: %.*s\n", STR_ARG(s));
			wrong++;
		}
		if (has(in, s))
			continue;
		if (find_difference(listed, sign, s) != SIZE_MAX) {
			++*excused;
			continue;
		}
		fprintf(stderr, "%s: %.*s\n", what, STR_ARG(s));
		wrong++;
	}
	return wrong;
}

static void test_declarations(void **state)
{
	struct names ours = { 0 }, documents = { 0 }, listed = { 0 };
	size_t wrong, excused = 0;

	(void)state;
	collect(&ours);
	read_lines(TEST_DATA "/cel/declarations.txt", &documents);
	read_lines(TEST_DATA "/cel/declarations_differences.txt", &listed);
	assert_true(ours.list.n > 300 && documents.list.n > 300);
	wrong = count_missing(&ours, &documents, &listed, '+', "in no document", &excused);
	wrong += count_missing(&documents, &ours, &listed, '-', "not declared by us", &excused);
	assert_int_equal(wrong, 0);
	assert_int_equal(excused, listed.list.n); /* what is listed differs */
	vec_done(&ours.list);
	vec_done(&documents.list);
	vec_done(&listed.list);
}

/* docs/cel.md shows the table as it is. */
static void test_page(void **state)
{
	struct names ours = { 0 }, page = { 0 };
	size_t n = 0;

	(void)state;
	collect(&ours);
	read_lines(TEST_DATA "/../../docs/cel.md", &page);
	for (size_t i = 0; i < ours.list.n; i++) {
		if (!has(&page, ours.list.p[i])) {
			fprintf(stderr, "not in docs/cel.md: %.*s\n", STR_ARG(ours.list.p[i]));
			n++;
		}
	}
	for (size_t i = 0; i < page.list.n; i++) {
		if (str_find(page.list.p[i], STR(") -> ")) > 0 && !has(&ours, page.list.p[i])) {
			fprintf(stderr, "only in docs/cel.md: %.*s\n", STR_ARG(page.list.p[i]));
			n++;
		}
	}
	assert_int_equal(n, 0);
	vec_done(&ours.list);
	vec_done(&page.list);
}

static int print_table(void)
{
	struct names ours = { 0 };

	collect(&ours);
	for (size_t i = 0; i < ours.list.n; i++)
		printf("%.*s\n", STR_ARG(ours.list.p[i]));
	vec_done(&ours.list);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_declarations),
		cmocka_unit_test(test_page),
	};
	int r;

	arena_init(&arena, 4096, 1u << 24);
	if (argc == 2 && strcmp(argv[1], "--print") == 0)
		r = print_table();
	else
		r = cmocka_run_group_tests(tests, NULL, NULL);
	arena_done(&arena);
	return r;
}
