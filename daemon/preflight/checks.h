/* What was looked at before a start, and what came of it: rows for people and for programs. */
#ifndef DAEMON_PREFLIGHT_CHECKS_H
#define DAEMON_PREFLIGHT_CHECKS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"

enum check_result {
	CHECK_OK,
	CHECK_WARNING, /* driftd would start and watch, but perhaps not what is meant, or not for long */
	CHECK_FAILED,
};

struct check_row {
	str cluster; /* empty: of none */
	str what;
	enum check_result result;
	str detail;
	size_t number;
};

struct checks {
	struct arena arena; /* of all texts */
	VEC(struct check_row) rows;
	size_t n_failed;
	size_t n_denied; /* of these, that more rights would mend */
	bool no_memory;  /* a row is missing */
};

void checks_done(struct checks *c);
/* Texts are copied. */
void checks_add(struct checks *c, str cluster, enum check_result result, str what, const char *detail, ...)
	PRINTF(5, 6);

/* What belongs to no cluster first, then cluster by cluster, by name; else as they came. */
void checks_sort(struct checks *c);

/* A table, or one JSON document: {"checks": [{"cluster", "check", "result", "detail"}]}. Texts of servers are escaped.
 * Fails: ENOMEM. */
CHECKED int checks_print_table(const struct checks *c, struct buf *out, struct err *err);
CHECKED int checks_print_json(const struct checks *c, struct buf *out, struct err *err);

#endif
