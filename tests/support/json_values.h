/* A test's values, from JSON that is right. */
#ifndef TESTS_JSON_VALUES_H
#define TESTS_JSON_VALUES_H

#include "value/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* In @a. */
static inline val value_of_json(const char *text, struct arena *a)
{
	const struct limits limits = LIMITS_DEFAULT;
	struct json_options o = { .limits = &limits };
	struct err err;
	size_t used;
	val v;

	if (json_decode_value(str_from(text), &o, a, &v, &used, &err) < 0)
		fail_msg("%s: %s", text, err.msg);
	return v;
}

static inline struct doc *document_of_json(str text)
{
	const struct limits limits = LIMITS_DEFAULT;
	struct json_options o = { .limits = &limits };
	struct doc *doc = NULL;
	struct err err;

	if (json_decode(text, &o, &doc, &err) < 0)
		fail_msg("%.*s: %s", STR_ARG(text), err.msg);
	return doc;
}

#endif
