/* The folder that a generated reference is written to: it appears whole, or not at all.
 *
 *   not there:  the files gather in a folder beside the first folder of the path that is missing, which takes its
 * place. there:      they gather below it and are moved to where nothing is, metadata.yaml last: until then it is the
 *               reference that it was, and what cannot be moved takes the others back. */
#ifndef DAEMON_COMPARE_GENERATE_OUTPUT_H
#define DAEMON_COMPARE_GENERATE_OUTPUT_H

#include "base/err.h"
#include "base/string_list.h"

#include <sys/types.h>

#define GENERATE_METADATA "metadata.yaml"

struct generate_output {
	const char *dir;            /* the caller's, which outlives this */
	char *missing;              /* the first folder on the way to @dir that does not exist; NULL: @dir exists */
	char *stage;                /* where files gather; removed in the end */
	char *root;                 /* in @stage: what becomes @missing */
	char *into;                 /* in @stage: what becomes, or is moved to, @dir */
	struct string_list written; /* paths below @dir */
};

/* Fails: what mkdir(2) and stat(2) fail with; ENOMEM. generate_output_done is due in any case. */
CHECKED int generate_output_begin(struct generate_output *o, const char *dir, struct err *err);
/* Remove whatever is not committed. */
void generate_output_done(struct generate_output *o);

enum generate_place { GENERATE_FREE, GENERATE_SAME, GENERATE_TAKEN };
/* Say what is at @path already: nothing, a file with this very text, or something else. */
enum generate_place generate_output_look(const struct generate_output *o, const char *path, str text);
/* Write a file; its folder is made where it is missing. Fails: what open(2) and write(2) fail with; ENOMEM. */
CHECKED int generate_output_write(struct generate_output *o, const char *path, mode_t mode, str text, struct err *err);
/* Let all written files appear, or none. Fails: what rename(2) fails with; ENOMEM. */
CHECKED int generate_output_commit(struct generate_output *o, struct err *err);

#endif
