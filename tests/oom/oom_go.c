/* What of engine/go allocates: base64, numbers, quoting, URLs, zones and times. */
#include "oom.h"

#include "go/base64.h"
#include "go/layout.h"
#include "go/quote.h"
#include "go/strconv.h"
#include "go/url.h"

#include <errno.h>

/* What a case returns for a call that returned @r and has touched its output or not: a failure leaves it alone. */
static int judged(int r, bool touched, struct err *err)
{
	if ((r == 0) != touched)
		return OOM_WRONG;
	return r == -ENOMEM ? err_nomem(err) : r;
}

static int run_base64(struct err *err)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	str out = { NULL, 0 };
	int r;

	oom_arm();
	r = go_base64_decode(&go_base64_std, STR("aGVsbG8="), &a, &out, NULL);
	oom_disarm();
	return judged(r, out.p != NULL, err);
}

static int run_parse_float(struct err *err)
{
	double d = -1;
	int r;

	oom_arm();
	r = go_parse_float(STR("0.00000000000000000000000000000000000000000000000000000000000000000000000000001"), &d);
	oom_disarm();
	return judged(r, d > 0, err);
}

static int run_unquote(struct err *err)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	str out = { NULL, 0 };
	int r;

	oom_arm();
	r = go_unquote(STR("\"a\\tb\""), &a, &out);
	oom_disarm();
	return judged(r, out.p != NULL, err);
}

/* The parts that have to be unescaped come from blocks of their own. */
static int run_url(struct err *err)
{
	static char text[6000] = "http://u%20ser:pass%20@[fe80::1%25eth0]:80/";
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct go_url u = { 0 };
	str path = { NULL, 0 };
	int r;

	for (size_t n = strlen(text); n < sizeof(text) - 4; n++)
		text[n] = n % 2 ? 'a' : '"';
	memcpy(text + sizeof(text) - 4, "%41", 4);
	oom_arm();
	r = go_url_parse(str_from(text), &a, &u, NULL);
	if (r == 0)
		r = go_url_escaped_path(&u, &a, &path);
	oom_disarm();
	return judged(r, path.p != NULL, err);
}

static int run_url_error(struct err *err)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	CLEANUP(buf_done) struct buf why = BUF_INIT(1000);
	struct go_url u;
	int r;

	oom_arm();
	r = go_url_parse(STR("http://h/%zz"), &a, &u, &why);
	oom_disarm();
	return r == -ENOMEM || why.error ? err_nomem(err) : r == -EBADMSG ? 0 : r;
}

static int run_time(struct err *err)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	CLEANUP(buf_done) struct buf out = BUF_INIT(100);
	struct go_time t = { 0 };
	int r;

	oom_arm();
	r = go_time_parse(GO_RFC3339, STR("2020-01-01T00:00:00+01:00"), &a, &t, NULL);
	if (r == 0)
		go_time_string(&t, &out);
	oom_disarm();
	if (r == 0 && out.error)
		return err_nomem(err);
	return judged(r, t.sec != 0, err);
}

int main(int argc, char **argv)
{
	static const struct oom_case cases[] = {
		{ "go_base64", run_base64, false },       { "go_parse_float", run_parse_float, false },
		{ "go_unquote", run_unquote, false },     { "go_url", run_url, false },
		{ "go_url_error", run_url_error, false }, { "go_time", run_time, false },
	};

	return oom_main(argc, argv, cases, ARRAY_LEN(cases));
}
