/* The checks before a start and their results: rows for people and for programs. */
#ifndef DAEMON_PREFLIGHT_CHECKS_H
#define DAEMON_PREFLIGHT_CHECKS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"

enum check_result {
	CHECK_OK,
	CHECK_WARNING, /* driftd would start and watch, but perhaps not as intended, or not for long */
	CHECK_FAILED,
};

struct check_row {
	str cluster; /* empty: no cluster */
	str what;
	enum check_result result;
	str detail;
	size_t number;
};

struct checks {
	struct arena arena; /* memory of all texts */
	VEC(struct check_row) rows;
	size_t n_failed;
	size_t n_denied; /* how many rows more rights would mend */
	bool no_memory;  /* a row is missing */
};

void checks_done(struct checks *c);
/* Add a row. Texts are copied. */
void checks_add(struct checks *c, str cluster, enum check_result result, str what, const char *detail, ...)
	PRINTF(5, 6);

/* Sort the rows: first those without a cluster, then by name of the cluster; otherwise in the order of their
 * addition. */
void checks_sort(struct checks *c);

/* Print a table, or one JSON document: {"checks": [{"cluster", "check", "result", "detail"}]}. Texts of servers are
 * escaped. Fails: ENOMEM. */
CHECKED int checks_print_table(const struct checks *c, struct buf *out, struct err *err);
CHECKED int checks_print_json(const struct checks *c, struct buf *out, struct err *err);

#endif
