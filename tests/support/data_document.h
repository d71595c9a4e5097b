/* A test's table: a YAML document, with numbers as objects have them. */
#ifndef TESTS_DATA_DOCUMENT_H
#define TESTS_DATA_DOCUMENT_H

#include "base/file.h"
#include "value/yaml.h"

#include <stdio.h>

static inline struct doc *data_document(const char *path)
{
	struct limits limits = LIMITS_DEFAULT;
	struct yaml_options o = { .limits = &limits, .uints_as_double = true };
	struct doc *doc = NULL;
	char *text = NULL;
	size_t len = 0;
	struct err err;

	if (file_read(path, 1 << 20, &text, &len, &err) < 0 || yaml_decode((str){ text, len }, &o, &doc, &err) < 0)
		fprintf(stderr, "%s: %s\n", path, err.msg);
	free(text);
	return doc;
}

#endif
