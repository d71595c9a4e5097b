/* Semantic versions and constraints as Masterminds/semver 3.3.0 (sprig's semver and semverCompare) reads them, and the
 * strict reading of blang/semver that the CEL library of Kubernetes uses.
 *
 * A version views the text it was read from, which must outlive it. */
#ifndef TEXT_SEMVER_H
#define TEXT_SEMVER_H

#include "base/buf.h"

struct semver {
	uint64_t major, minor, patch;
	str pre;      /* without '-'; empty: it is a release */
	str metadata; /* without '+' */
	str original;
};

/* NewVersion: a leading "v", missing minor and patch and leading zeros are accepted.
 * Fails: EBADMSG with the library's text ("Invalid Semantic Version"). */
CHECKED int semver_parse(str s, struct semver *ret, struct err *err);

/* blang/semver's Parse: exactly three numbers without leading zeros. Fails: EBADMSG with the library's text. */
CHECKED int semver_parse_strict(str s, struct semver *ret, struct err *err);
/* Convert a text to the form that semver_parse_strict reads, as the CEL function semver(s, true) does: without "v",
 * three parts, no leading zeros. Appends to @out. Fails: EBADMSG. */
CHECKED int semver_normalize(str s, struct buf *out, struct err *err);

/* Compare versions: less than, equal to or greater than 0. Metadata does not count. Numbers in pre-releases compare
 * as numbers, before words. */
int semver_compare(const struct semver *a, const struct semver *b);

/* Append "1.2.3-pre+metadata". */
void semver_write(const struct semver *v, struct buf *out);

/* The next release of each kind. The next patch of a pre-release is the release itself. */
struct semver semver_inc_major(const struct semver *v);
struct semver semver_inc_minor(const struct semver *v);
struct semver semver_inc_patch(const struct semver *v);

/* Whether @version satisfies @constraint ("^1.2", ">=1.2, <2 || 3.x", "1.2 - 1.4"), which is read first. A pre-release
 * satisfies only a constraint that names one. Fails: EBADMSG "improper constraint: …", ENOMEM. */
CHECKED int semver_compare_constraint(str constraint, str version, bool *ret, struct err *err);

#endif
