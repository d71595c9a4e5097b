/* The folder of a kubegen module from a map of texts: path -> content. */
#ifndef TESTS_MEMORY_FOLDER_H
#define TESTS_MEMORY_FOLDER_H

#include "kubegen/kg_eval.h"

#include <errno.h>

static inline int memory_folder_read(void *ctx, str path, size_t max, char **ret, size_t *len, struct err *err)
{
	val file = val_get(*(const val *)ctx, path);

	if (!val_is_string(file))
		return err_set(err, ENOENT, "no such file");
	if (file.n > max)
		return err_set(err, E2BIG, "too large");
	*ret = str_dup(val_str(file));
	if (!*ret)
		return err_nomem(err);
	*len = file.n;
	return 0;
}

static inline int memory_folder_list(void *ctx, int (*entry)(void *entry_ctx, str name, struct err *err),
				     void *entry_ctx, struct err *err)
{
	val files = *(const val *)ctx;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < val_count(files); i++) {
		str path = key_str(files.members[i].key);

		if (str_find_byte(path, '/') < 0)
			r = entry(entry_ctx, path, err);
	}
	return r;
}

/* @files must outlive the folder. */
static inline struct kg_folder memory_folder(const val *files)
{
	return (struct kg_folder){ memory_folder_read, memory_folder_list, (void *)(uintptr_t)files };
}

#endif
