/* The results of "driftd compare" as text. */
#ifndef DAEMON_COMPARE_REPORT_H
#define DAEMON_COMPARE_REPORT_H

#include "daemon/compare/options.h"
#include "daemon/compare/run.h"
#include "report/report.h"

struct compare_report_options {
	enum compare_format format;
	bool all;     /* list objects without a template */
	bool verbose; /* list objects without a difference; print what was done to standard error */
	bool colour;
	const char *overrides_file;
	const char *reason; /* the reason in generated overrides */
	int64_t now;
};

/* Append the report to @out and what went wrong with single objects to @errors. Warnings go to standard error.
 * Returns 1 when there are differences, validation issues or failed inspections, 0 when not. Fails: ENOMEM, E2BIG, EIO
 * (an error that ends the run). */
CHECKED int compare_report(const struct compare_run *run, const struct compare_report_options *o, struct buf *out,
			   struct buf *errors, struct err *err);

/* ---- parts of it ---- */

/* Say in @rep, with texts in @a, what of @in could not be read; what is wrong several times with one source once.
 * Fails: ENOMEM. */
CHECKED int compare_report_unread(const struct compare_input *in, struct arena *a, struct report *rep, struct err *err);
/* Colour the difference. Fails: ENOMEM. */
CHECKED int compare_report_colour(struct report_diff *d, struct arena *a, struct err *err);
/* Append @rep in any format but that of patches. Fails: ENOMEM, E2BIG. */
CHECKED int compare_report_write(const struct report *rep, const struct compare_report_options *o, struct buf *out,
				 struct err *err);
/* Whether something differs, is missing or failed: what the exit status says. */
bool compare_report_differs(const struct report *rep);
/* Append what went wrong with inputs and objects. */
void compare_report_errors(const struct report *rep, const struct compare_input *in, struct buf *out);

/* Whether standard output is a terminal that shows colours, and the differences are ours to colour. */
bool compare_wants_colour(const struct compare_run *run);

/* The functions of templates, as --show-template-functions prints them. */
void compare_functions_text(struct buf *out);

#endif
