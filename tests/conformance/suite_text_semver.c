/* text/semver: versions and constraints of sprig. */
#include "suite_text.h"

#include "text/semver.h"

#include <stdio.h>

static void expect_field(val line, const char *name, str got, struct verdict *v)
{
	if (v->outcome == PASSED)
		verdict_text(v, val_str(val_get(line, str_from(name))), got);
}

static void expect_number(val line, const char *name, uint64_t got, struct verdict *v)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%llu", (unsigned long long)got);
	expect_field(line, name, str_from(text), v);
}

static void judge_parse(val line, struct verdict *v)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1u << 20);
	val error = VAL_GET(line, "error");
	struct semver ver;
	struct err err;
	int r = semver_parse(val_str(line_text(line, "version", v)), &ver, &err);

	if (r < 0 || val_exists(error)) {
		verdict_text(v, val_str(error), r < 0 ? str_from(err.msg) : STR("no error"));
		return;
	}
	semver_write(&ver, &out);
	expect_field(line, "string", buf_str(&out), v);
	expect_field(line, "original", ver.original, v);
	expect_number(line, "major", ver.major, v);
	expect_number(line, "minor", ver.minor, v);
	expect_number(line, "patch", ver.patch, v);
	expect_field(line, "prerelease", ver.pre, v);
	expect_field(line, "metadata", ver.metadata, v);
}

static void judge_compare(val line, struct verdict *v)
{
	val error = VAL_GET(line, "error"), want = VAL_GET(line, "result");
	bool got = false;
	struct err err;
	int r = semver_compare_constraint(val_str(line_text(line, "constraint", v)),
					  val_str(line_text(line, "version", v)), &got, &err);

	if (r < 0 || val_exists(error))
		verdict_text(v, val_str(error), r < 0 ? str_from(err.msg) : STR("no error"));
	else if (got != want.b)
		verdict_fail(v, want.b ? STR("true") : STR("false"), got ? STR("true") : STR("false"));
}

void judge_semver(val line, struct verdict *v)
{
	str op = val_str(VAL_GET(line, "op"));
	struct semver a, b;
	struct err err;

	if (str_eq(op, STR("parse"))) {
		judge_parse(line, v);
	} else if (str_eq(op, STR("compare"))) {
		judge_compare(line, v);
	} else if (semver_parse(val_str(VAL_GET(line, "a")), &a, &err) < 0 ||
		   semver_parse(val_str(VAL_GET(line, "b")), &b, &err) < 0) {
		verdict_fail(v, STR("two versions"), str_from(err.msg));
	} else {
		int cmp = semver_compare(&a, &b);

		if (cmp != VAL_GET(line, "cmp").i || (cmp == 0) != VAL_GET(line, "equal").b)
			verdict_failf(v, STR("cmp of the line"), "%d", cmp);
	}
}
