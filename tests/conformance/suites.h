/* The suites of driftd-vectors, and what a judge of one case has at hand. */
#ifndef CONFORMANCE_SUITES_H
#define CONFORMANCE_SUITES_H

#include "base/buf.h"
#include "base/limits.h"
#include "value/doc.h"

enum outcome { PASSED, FAILED, SKIPPED };

/* Handed to a judge for each line, emptied before. A judge that calls none of the functions below passes the case. */
struct verdict {
	enum outcome outcome;
	struct buf expected, got;         /* text for the failure line */
	char reason[64];                  /* of a skip */
	unsigned texts_same, texts_other; /* error texts compared */
	struct arena *arena;              /* scratch, emptied after the line */
	struct key_table *keys;
	const struct limits *limits;
};

/* One case: @line is the decoded object. Files that are no JSON Lines have judges of another kind (run_dir). */
typedef void (*judge_fn)(val line, struct verdict *v);

struct suite {
	const char *name;
	judge_fn judge;
	/* For a suite whose cases are directories: called with each path instead of reading lines. NULL otherwise. */
	void (*judge_dir)(const char *path, struct verdict *v);
};

extern const struct suite suites[];
extern const size_t n_suites;

/* ---- helpers for judges (vectors.c) ---- */

/* The case fails; the texts are shown on its line. */
void verdict_fail(struct verdict *v, str expected, str got);
void verdict_failf(struct verdict *v, str expected, const char *got_fmt, ...) PRINTF(3, 4);
void verdict_skip(struct verdict *v, const char *reason);
/* Fails unless the bytes are the same. */
void verdict_text(struct verdict *v, str expected, str got);
/* Both are errors: count whether the texts agree; never fails the case. */
void verdict_error_text(struct verdict *v, str expected, str got);
/* Member @name of the line as text, or <name>_b64 decoded into the arena; VAL_ABSENT when neither is there. */
val line_text(val line, const char *name, struct verdict *v);
bool base64_decode(str s, struct arena *a, str *ret);

/* ---- judges ---- */

void judge_gotmpl(val line, struct verdict *v);
void judge_yaml_parse(val line, struct verdict *v);
void judge_yaml_emit(val line, struct verdict *v);
void judge_cel(val line, struct verdict *v);

#endif
