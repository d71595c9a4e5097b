/* A reference's files from a map of a YAML document. */
#ifndef TESTS_MEMORY_SOURCE_H
#define TESTS_MEMORY_SOURCE_H

#include "reference/ref.h"
#include "support/data_document.h"

#include <errno.h>
#include <stdio.h>

static inline int memory_read(void *ctx, str path, size_t max, char **ret, size_t *len, struct err *err)
{
	val file = val_get(*(const val *)ctx, path);

	(void)max;
	if (!val_is_string(file))
		return err_set(err, ENOENT, "open %.*s: no such file or directory", STR_ARG(path));
	*ret = str_dup(val_str(file));
	*len = file.n;
	return *ret ? 0 : err_nomem(err);
}

/* Names of the files in @dir, and of its folders once for each file in them. */
static inline int memory_list(void *ctx, str dir, int (*entry)(void *entry_ctx, str name, struct err *err),
			      void *entry_ctx, struct err *err)
{
	val files = *(const val *)ctx;
	bool root = str_eq(dir, STR("."));
	str last = { NULL, 0 };

	for (uint32_t i = 0; i < files.n; i++) {
		str path = key_str(files.members[i].key);
		ptrdiff_t slash;
		int r;

		if (!root) {
			if (!str_has_prefix(path, dir) || path.n <= dir.n || path.p[dir.n] != '/')
				continue;
			path = str_sub(path, dir.n + 1, path.n);
		}
		slash = str_find_byte(path, '/');
		path = slash < 0 ? path : str_sub(path, 0, (size_t)slash);
		if (last.p && str_eq(path, last))
			continue;
		last = path;
		r = entry(entry_ctx, path, err);
		if (r < 0)
			return r;
	}
	return 0;
}

static inline int memory_reference(const val *files, struct reference **ret, struct problems *problems, struct err *err)
{
	static const struct limits limits = { .file_bytes = 1 << 20,
					      .object_bytes = 1 << 20,
					      .depth = 200,
					      .document_nodes = 1 << 20,
					      .arena_bytes = 64 << 20,
					      .template_depth = 100,
					      .template_nesting = 100,
					      .template_output_bytes = 1 << 20,
					      .template_steps = 1000000,
					      .regex_match_limit = 100000,
					      .diff_bytes = 1 << 20 };
	struct ref_source source = { memory_read, (void *)(uintptr_t)files, memory_list };
	struct ref_options o = { .limits = &limits, .name = STR("test"), .metadata_path = STR("metadata.yaml") };

	return reference_load(&source, &o, ret, problems, err);
}

#endif
