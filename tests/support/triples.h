/* Test cases as text: a program, its input, and the result or the error that they must give. tests/data/README.md
 * describes the format.
 *
 * A test program lists what runs the cases of each file of a folder, and hands the list to triples_main. */
#ifndef TESTS_TRIPLES_H
#define TESTS_TRIPLES_H

#include "base/arena.h"
#include "base/file.h"

#include <dirent.h>
#include <stdio.h>

#define TRIPLES_FILE_MAX (1u << 20)
#define TRIPLES_OUT_MAX (1u << 20)

struct triple {
	unsigned line; /* on which it begins */
	str program, input, expected;
	bool has_input; /* its own, or that of the file */
	bool fails;     /* @expected is the text of the error */
};

/* Run one case. 0: the result is in @out; negative: the text of the error is. */
typedef int (*triple_fn)(const struct triple *t, struct arena *a, struct buf *out);

struct triple_file {
	const char *name; /* in the folder, without ".txt" */
	triple_fn run;
};

enum triple_mark { TRIPLE_PROGRAM, TRIPLE_INPUT, TRIPLE_RESULT, TRIPLE_FAIL, TRIPLE_COMMENT, TRIPLE_END, TRIPLE_BAD };

/* One mark of a file with its text. */
struct triple_section {
	enum triple_mark mark;
	unsigned line;
	bool block; /* the text is the lines below the mark */
	str text;
};

struct triple_reader {
	str rest;
	unsigned line; /* that *rest begins on */
	struct arena *arena;
};

/* Take a line off the front. */
static inline str triple_line(struct triple_reader *r)
{
	ptrdiff_t end = str_find_byte(r->rest, '\n');
	size_t n = end < 0 ? r->rest.n : (size_t)end;
	str line = str_sub(r->rest, 0, n);

	r->rest = str_sub(r->rest, n + 1, r->rest.n);
	r->line++;
	return line;
}

static inline int triple_hex(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* @s with \n, \r, \t, \\ and \xHH read. False for any other escape. */
static inline bool triple_unescape(str s, struct arena *a, str *ret)
{
	static const char letters[] = "nrt\\", bytes[] = "\n\r\t\\";
	char *out = arena_alloc(a, s.n + 1);
	size_t n = 0;

	for (size_t i = 0; out && i < s.n; i++) {
		const char *at;

		if (s.p[i] != '\\') {
			out[n++] = s.p[i];
		} else if (i + 3 < s.n && s.p[i + 1] == 'x' && triple_hex(s.p[i + 2]) >= 0 &&
			   triple_hex(s.p[i + 3]) >= 0) {
			out[n++] = (char)(triple_hex(s.p[i + 2]) << 4 | triple_hex(s.p[i + 3]));
			i += 3;
		} else {
			at = ++i < s.n && s.p[i] ? strchr(letters, s.p[i]) : NULL;
			if (!at)
				return false;
			out[n++] = bytes[at - letters];
		}
	}
	*ret = (str){ out, n };
	return out != NULL;
}

/* The lines up to the next mark, without the empty ones before it, which only separate. */
static inline str triple_block(struct triple_reader *r)
{
	str all = r->rest;
	size_t n;

	while (r->rest.n && !str_has_prefix(r->rest, STR("%%")))
		(void)triple_line(r);
	n = (size_t)(r->rest.p - all.p);
	while (n && all.p[n - 1] == '\n' && (n == 1 || all.p[n - 2] == '\n'))
		n--;
	return str_sub(all, 0, n);
}

/* What @line begins with, and is cut off from it. */
static inline enum triple_mark triple_mark(str *line)
{
	static const struct {
		str text;
		enum triple_mark mark;
	} marks[] = { { { "%%#", 3 }, TRIPLE_COMMENT },
		      { { "%%<", 3 }, TRIPLE_INPUT },
		      { { "%%=", 3 }, TRIPLE_RESULT },
		      { { "%%FAIL", 6 }, TRIPLE_FAIL },
		      { { "%%", 2 }, TRIPLE_PROGRAM } };

	for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
		if (str_has_prefix(*line, marks[i].text)) {
			*line = str_sub(*line, marks[i].text.n, line->n);
			return marks[i].mark;
		}
	}
	return TRIPLE_BAD;
}

/* The next mark with its text. */
static inline struct triple_section triple_section(struct triple_reader *r)
{
	struct triple_section s = { .mark = TRIPLE_END };
	bool escaped;
	str line;

	do {
		s.line = r->line;
		if (r->rest.n == 0)
			return s;
		line = triple_line(r);
	} while (line.n == 0);
	s.mark = triple_mark(&line);
	if (s.mark == TRIPLE_COMMENT || s.mark == TRIPLE_BAD)
		return s;
	escaped = str_has_prefix(line, STR("\\"));
	line = str_sub(line, escaped, line.n);
	s.block = line.n == 0;
	s.text = s.block ? triple_block(r) : str_sub(line, 1, line.n);
	if ((!s.block && line.p[0] != ' ') || (escaped && !triple_unescape(s.text, r->arena, &s.text)))
		s.mark = TRIPLE_BAD;
	return s;
}

enum triple_next { TRIPLES_DONE, TRIPLES_CASE, TRIPLES_MALFORMED };

/* The next case in *t, which holds the file's own input before the first call. The text of a message ends without a
 * newline. Malformed: *t is where. */
static inline enum triple_next triple_next(struct triple_reader *r, struct triple *t, struct triple_section *s)
{
	*t = (struct triple){ .line = s->line, .program = s->text, .input = t->input, .has_input = t->has_input };
	if (s->mark == TRIPLE_END)
		return TRIPLES_DONE;
	if (s->mark != TRIPLE_PROGRAM)
		return TRIPLES_MALFORMED;
	*s = triple_section(r);
	if (s->mark == TRIPLE_INPUT) {
		t->input = s->text;
		t->has_input = true;
		*s = triple_section(r);
	}
	if (s->mark != TRIPLE_RESULT && s->mark != TRIPLE_FAIL)
		return TRIPLES_MALFORMED;
	t->fails = s->mark == TRIPLE_FAIL;
	t->expected = s->text;
	if (t->fails && s->block && t->expected.n)
		t->expected.n--;
	do {
		*s = triple_section(r);
	} while (s->mark == TRIPLE_COMMENT);
	return TRIPLES_CASE;
}

static inline bool triple_passes(const struct triple *t, const char *path, triple_fn run)
{
	struct arena a = ARENA_INIT(0);
	struct buf out = BUF_INIT(TRIPLES_OUT_MAX);
	bool fails = run(t, &a, &out) < 0, passes = fails == t->fails && str_eq(buf_str(&out), t->expected);

	if (!passes)
		fprintf(stderr, "%s:%u: expected %s\n%.*s\ngot %s\n%.*s\n", path, t->line, t->fails ? "the error" : "",
			STR_ARG(t->expected), fails ? "the error" : "", STR_ARG(buf_str(&out)));
	buf_done(&out);
	arena_done(&a);
	return passes;
}

/* How many cases of the text failed; a mistake in its form, or that it has no case, counts as one. */
static inline size_t triples_run_text(const char *path, str text, triple_fn run, struct arena *a, size_t *cases)
{
	struct triple_reader r = { text, 1, a };
	struct triple_section s = triple_section(&r);
	struct triple t = { 0 }, own = { 0 };
	enum triple_next next;
	size_t failed = 0, before = *cases;

	while (s.mark == TRIPLE_COMMENT)
		s = triple_section(&r);
	if (s.mark == TRIPLE_INPUT) {
		own = (struct triple){ .input = s.text, .has_input = true };
		do {
			s = triple_section(&r);
		} while (s.mark == TRIPLE_COMMENT);
	}
	while (t = own, (next = triple_next(&r, &t, &s)) == TRIPLES_CASE) {
		failed += !triple_passes(&t, path, run);
		++*cases;
	}
	if (next == TRIPLES_DONE && *cases > before)
		return failed;
	fprintf(stderr, "%s:%u: %s\n", path, s.line, next == TRIPLES_DONE ? "no case" : "no mark that may stand here");
	return failed + 1;
}

static inline size_t triples_run_file(const char *folder, const struct triple_file *f, size_t *cases)
{
	struct arena a = ARENA_INIT(0);
	str path = arena_printf(&a, "%s/%s.txt", folder, f->name);
	CLEANUP(freep) char *text = NULL;
	struct err err;
	size_t n, failed = 1;

	if (!path.p || file_read(path.p, TRIPLES_FILE_MAX, &text, &n, &err) < 0)
		fprintf(stderr, "%s\n", path.p ? err.msg : "no memory");
	else
		failed = triples_run_text(path.p, (str){ text, n }, f->run, &a, cases);
	arena_done(&a);
	return failed;
}

/* How many files there are that nothing runs. */
static inline size_t triples_forgotten(const char *folder, const struct triple_file *files, size_t n)
{
	DIR *dir = opendir(folder);
	const struct dirent *e;
	size_t forgotten = 0;

	while (dir && (e = readdir(dir))) {
		str name = str_from(e->d_name);
		size_t i = 0;

		if (!str_has_suffix(name, STR(".txt")))
			continue;
		name.n -= 4;
		while (i < n && !str_eq(name, str_from(files[i].name)))
			i++;
		if (i == n) {
			fprintf(stderr, "%s/%s: no test runs this file\n", folder, e->d_name);
			forgotten++;
		}
	}
	if (dir)
		closedir(dir);
	return forgotten;
}

/* Run all cases of @files in @folder. What main returns: 0 when each passes. */
static inline int triples_main(const char *folder, const struct triple_file *files, size_t n)
{
	size_t failed = triples_forgotten(folder, files, n), cases = 0;

	for (size_t i = 0; i < n; i++)
		failed += triples_run_file(folder, &files[i], &cases);
	printf("%zu cases, %zu failed\n", cases, failed);
	return failed > 0;
}

/* For runners: the text of an error as the result of a case. */
static inline int triple_error(int r, const struct err *err, struct buf *out)
{
	buf_clear(out);
	buf_add_cstr(out, err->msg);
	return r;
}

#endif
