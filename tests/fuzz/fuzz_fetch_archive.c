/* Archives that somebody else published. The first byte says how: bit 0, it is a layer, and what is there already is
 * from another one; bit 1, what is below "d" is taken; bit 2, the sums of headers are set right before, without which
 * few changed ones are looked at.
 *
 * What is in the tree is good by its own rules, whatever was in the archive; failures are those that the header names,
 * and say so in one printable line. */
#include "base/utf8.h"
#include "daemon/fetch/archive.h"

#include <errno.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BLOCK 512
#define SUM_AT 148
#define MAGIC_AT 257

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void set_sums(char *p, size_t n)
{
	for (; n >= BLOCK; p += BLOCK, n -= BLOCK) {
		unsigned sum = 0;

		if (memcmp(p + MAGIC_AT, "ustar", 5) != 0)
			continue;
		memset(p + SUM_AT, ' ', 8);
		for (size_t i = 0; i < BLOCK; i++)
			sum += (unsigned char)p[i];
		(void)snprintf(p + SUM_AT, 8, "%06o", sum);
	}
}

static void check_tree(struct tree *t)
{
	size_t n, bytes = 0;
	const struct tree_file *files = tree_files(t, &n);

	check(n <= TREE_FILES_MAX);
	for (size_t i = 0; i < n; i++) {
		str rest = files[i].path, part;

		check(utf8_valid(rest) && rest.n <= TREE_PATH_MAX && files[i].text.n <= TREE_FILE_MAX);
		while (str_next_part(&rest, '/', &part))
			check(part.n > 0 && !str_eq(part, STR(".")) && !str_eq(part, STR("..")));
		bytes += files[i].text.n;
	}
	check(bytes == tree_bytes(t) && bytes <= TREE_BYTES_MAX);
}

static void check_failure(int r, const struct err *err)
{
	check(r == -EBADMSG || r == -EINVAL || r == -E2BIG || r == -ENOMEM);
	check(err->code == -r && utf8_valid(str_from(err->msg)));
	for (const char *p = err->msg; *p; p++)
		check((unsigned char)*p >= ' ');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(tree_freep) struct tree *t = NULL;
	CLEANUP(freep) char *copy = malloc(size + 1);
	struct err err = { 0 };
	int r;

	if (size < 1)
		return 0;
	memcpy(copy, data, size);
	if (*data & 4)
		set_sums(copy + 1, size - 1);
	check(copy && tree_new(&t, &err) == 0);
	if (*data & 1)
		check(tree_add(t, STR("d/lower"), STR("1"), &err) == 0 && tree_add(t, STR("e"), STR("2"), &err) == 0);
	r = archive_unpack((str){ copy + 1, size - 1 }, *data & 2 ? STR("d") : STR(""), *data & 1, t, &err);
	if (r < 0)
		check_failure(r, &err);
	else
		check(err.code == 0);
	check_tree(t);
	return 0;
}
