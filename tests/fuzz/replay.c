/* fuzz_<name> FILE_OR_FOLDER...: run the fuzz target on each file, folders recursively, and on the empty input.
 *
 * With -v in front the name of each file is printed before it runs: the last one is the culprit. Fails when it is given
 * no file or folder, or one with nothing in it: a corpus that went missing is no test. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <unistd.h>

#define INPUT_MAX ((size_t)16 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool verbose;
static size_t n_files;

/* The input in memory of exactly its size, so that a read behind its end is seen. */
static int run(const char *text, size_t n)
{
	CLEANUP(freep) uint8_t *exact = malloc(n ? n : 1);

	if (!exact)
		return -ENOMEM;
	memcpy(exact, text, n);
	(void)LLVMFuzzerTestOneInput(exact, n);
	n_files++;
	return 0;
}

static int visit(const char *path, const struct stat *st, int type, struct FTW *at)
{
	CLEANUP(freep) char *text = NULL;
	struct err err;
	size_t n;

	(void)st;
	(void)at;
	if (type != FTW_F)
		return 0;
	if (verbose)
		fprintf(stderr, "%s\n", path);
	if (file_read(path, INPUT_MAX, &text, &n, &err) < 0) {
		fprintf(stderr, "%s\n", err.msg);
		return 1;
	}
	return run(text, n) < 0;
}

/* Whether there were inputs at @path and all of them could be read. */
static bool replay(const char *path)
{
	size_t before = n_files;

	if (nftw(path, visit, 16, FTW_PHYS) == 0 && n_files > before)
		return true;
	fprintf(stderr, "%s: no input\n", path);
	return false;
}

int main(int argc, char **argv)
{
	int at = 1;
	bool failed;

	verbose = argc > at && strcmp(argv[at], "-v") == 0;
	at += verbose;
	if (at == argc) {
		fprintf(stderr, "usage: %s [-v] FILE_OR_FOLDER...\n", argv[0]);
		return 2;
	}
	failed = run("", 0) < 0;
	for (; at < argc; at++)
		failed |= !replay(argv[at]);
	printf("%zu inputs\n", n_files);
	return failed;
}
