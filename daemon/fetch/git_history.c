/* Reads the output of git log, fields with a NUL behind each. git cuts the texts of a commit at a NUL, so that no
 * commit can insert a field. */
#include "daemon/fetch/git_history.h"

#include "base/hex.h"
#include "base/number.h"
#include "mask/foreign.h"

#include <errno.h>
#include <stdio.h>

#define LOG_MAX ((size_t)16 << 20) /* a subject may be as long as its commit */
#define TEXT_SPACE (2 * SOURCE_TEXT_MAX)
#define DOTS 3 /* bytes of the dots behind a cut text */

static str take_text(struct arena *a, str text)
{
	CLEANUP(buf_done) struct buf b = BUF_INIT(TEXT_SPACE);

	foreign_quote(foreign_bytes(text), SOURCE_TEXT_MAX - DOTS, &b);
	return arena_str(a, buf_str(&b));
}

static bool next_field(str *rest, str *ret)
{
	return rest->n > 0 && str_next_part(rest, '\0', ret) && rest->p;
}

/* Read a commit. 1: there was one; 0: there are no more. */
static int read_commit(const struct git *g, str *rest, struct arena *a, struct source_commit *ret, struct err *err)
{
	str id, author, subject, seconds;

	if (rest->n == 0)
		return 0;
	if (!next_field(rest, &id) || !next_field(rest, &author) || !next_field(rest, &subject) ||
	    !next_field(rest, &seconds) || !hex_is(id) || id.n > GIT_OID_MAX)
		return git_fail(g, err, EUCLEAN, "git log says something that is not a commit");
	*ret = (struct source_commit){ .id = arena_str(a, id),
				       .author = take_text(a, author),
				       .subject = take_text(a, subject) };
	if (!int64_parse(seconds, &ret->time) || ret->time < 0)
		ret->time = 0;
	return ret->id.p && ret->author.p && ret->subject.p ? 1 : arena_error(a, err);
}

int git_log(const struct git *g, const char *oid, struct arena *a, const struct source_commit **ret, size_t *n,
	    struct err *err)
{
	char number[32];
	const char *const words[] = { "git",
				      "log",
				      "-z",
				      "--no-patch",
				      "--no-notes",
				      "--no-color",
				      "--no-mailmap",
				      "--no-show-signature",
				      number,
				      "--format=tformat:%H%x00%an%x00%s%x00%ct",
				      oid,
				      "--",
				      NULL };
	const struct git_command c = { .words = words, .reach = GIT_LOCAL };
	CLEANUP(buf_done) struct buf out = BUF_INIT(LOG_MAX);
	struct source_commit *log = arena_array(a, SOURCE_LOG_MAX, sizeof(*log));
	str rest;
	int r;

	(void)snprintf(number, sizeof(number), "--max-count=%d", SOURCE_LOG_MAX);
	if (!log)
		return arena_error(a, err);
	r = git_run(g, &c, &out, err);
	rest = buf_str(&out);
	*n = 0;
	for (size_t i = 0; r == 0 && i < SOURCE_LOG_MAX; i++) {
		r = read_commit(g, &rest, a, &log[i], err);
		if (r <= 0)
			break;
		(*n)++;
		r = 0;
	}
	*ret = log;
	return r;
}

int git_led_to(const struct git *g, str before, const char *oid, struct err *err)
{
	char known[GIT_OID_MAX + 1], name[GIT_OID_MAX + 16];
	const char *const has[] = { "git", "cat-file", "-e", name, NULL };
	const char *const led[] = { "git", "merge-base", "--is-ancestor", known, oid, NULL };
	struct git_command c = { .words = has, .reach = GIT_LOCAL, .one_is_an_answer = true };
	CLEANUP(buf_done) struct buf out = BUF_INIT(4096);
	struct err missing = { 0 };
	int r;

	if (!hex_is(before) || before.n > GIT_OID_MAX)
		return 0;
	(void)snprintf(known, sizeof(known), "%.*s", STR_ARG(before));
	(void)snprintf(name, sizeof(name), "%s^{commit}", known);
	r = git_run(g, &c, &out, &missing); /* git also fails in this way for an object that does not exist */
	if (r != 0)
		return r == 1 || r == -EUCLEAN ? 0 : git_fail(g, err, missing.code, "%s", missing.msg);
	c.words = led;
	r = git_run(g, &c, &out, err);
	return r < 0 ? r : r == 0;
}
