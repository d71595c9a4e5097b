/* What the tests of kubegen share: cases in files of tests/data/kubegen, and their results as text. */
#ifndef UNIT_KUBEGEN_CASES_H
#define UNIT_KUBEGEN_CASES_H

#include "base/file.h"
#include "support/memory_folder.h"
#include "value/json.h"
#include "value/yaml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static struct limits limits = LIMITS_DEFAULT;

/* The cases of a file; fails the test when it cannot be read. */
static inline struct doc *cases_read(const char *name)
{
	struct yaml_options o = { .limits = &limits, .strict = true };
	char path[4096], *text = NULL;
	struct doc *doc = NULL;
	struct err err;
	size_t n;

	(void)snprintf(path, sizeof(path), TEST_DATA "/kubegen/%s", name);
	if (file_read(path, 1u << 20, &text, &n, &err) < 0 || yaml_decode((str){ text, n }, &o, &doc, &err) < 0)
		fail_msg("%s: %s", name, err.msg);
	free(text);
	assert_true(doc && val_count(doc->root) > 0);
	return doc;
}

static int case_failures; /* a table is run to its end before it fails */
#define CASE_FAIL(...) (case_failures++, print_error(__VA_ARGS__))

/* Compare @got with the case's "out" or, when @failed, with its "error", the whole of it. */
static inline void case_check(val c, bool failed, const char *message, val got)
{
	CLEANUP(buf_done) struct buf want_text = BUF_INIT(1u << 20), got_text = BUF_INIT(1u << 20);
	str name = val_str(VAL_GET(c, "name"));
	val error = VAL_GET(c, "error");
	struct err err;

	if (failed || val_exists(error)) {
		str text = str_trim(val_str(error));

		if (!failed || !str_eq(text, str_from(message)))
			CASE_FAIL("%.*s: expected error %.*s\n got %s\n", STR_ARG(name), STR_ARG(text),
				  failed ? message : "none");
		return;
	}
	if (!val_exists(got)) {
		if (val_exists(VAL_GET(c, "out")))
			CASE_FAIL("%.*s: nothing came out\n", STR_ARG(name));
		return;
	}
	assert_int_equal(json_encode(VAL_GET(c, "out"), JSON_PLAIN, " ", &want_text, &err), 0);
	assert_int_equal(json_encode(got, JSON_PLAIN, " ", &got_text, &err), 0);
	if (!str_eq(buf_str(&want_text), buf_str(&got_text)))
		CASE_FAIL("%.*s: expected %s\ngot %s\n", STR_ARG(name), want_text.p, got_text.p);
}

#endif
