/* Parses the parameters, and holds the request while it waits. */
#include "daemon/history/history_request.h"

#include "base/number.h"
#include "daemon/view/kind_words.h"
#include "go/layout.h"
#include "kubeclient/kc_url.h"

#include <errno.h>
#include <inttypes.h>

#define KINDS_MAX ((size_t)64 << 10)
#define HOUR_USEC (3600 * INT64_C(1000000))
#define DAY_USEC (24 * HOUR_USEC)
#define LIMIT_DEFAULT 200
#define TIME_USEC_MAX (INT64_C(253402300799) * 1000000) /* the end of the year 9999 */

const char *const history_ranges[RANGES] = { "day", "week", "quarter" };
static const int64_t range_usec[RANGES] = { DAY_USEC, 7 * DAY_USEC, 91 * DAY_USEC };

/* ---- parameters ---- */

static int parse_time(const char *name, const char *value, int64_t *ret, struct err *err)
{
	struct go_stamp stamp;

	if (!go_rfc3339_parse(str_from(value), &stamp, NULL) || stamp.sec - stamp.offset < 0)
		return err_set(err, EINVAL, "%s '%.40s': a time as 2026-05-01T10:00:00Z is expected", name, value);
	*ret = (stamp.sec - stamp.offset) * 1000000 + stamp.nsec / 1000;
	return 0;
}

static int parse_number(const char *name, const char *value, size_t max, size_t *ret, struct err *err)
{
	int64_t n;

	if (!int64_parse(str_from(value), &n) || n < 0 || n > (int64_t)max)
		return err_set(err, EINVAL, "%s '%.40s': a number up to %zu is expected", name, value, max);
	*ret = (size_t)n;
	return 0;
}

/* Parse a place such as "1800000000000000.17". */
static int parse_before(const char *value, struct history_question *to, struct err *err)
{
	str all = str_from(value), usec;

	if (!str_next_part(&all, '.', &usec) || !int64_parse(usec, &to->before_usec) ||
	    !int64_parse(all, &to->before_seq) || to->before_usec < 1 || to->before_seq < 0)
		return err_set(err, EINVAL, "before '%.60s': what an answer has as next is expected", value);
	return 0;
}

static int parse_range(const char *value, struct history_request *r, struct err *err)
{
	size_t i = str_index(str_from(value), history_ranges, RANGES);

	if (i == RANGES)
		return err_set(err, EINVAL, "range '%.40s': day, week or quarter", value);
	r->range = (enum history_range)i;
	r->ranged = true;
	return 0;
}

/* Set a parameter of the filter. A value that no line of the history can have is an error. */
static int parse_filter(struct finding_filter *f, const char *name, const char *value, struct err *err)
{
	static const char *const names[] = { "cluster", "namespace", "name",     "kind",        "reference",
					     "manager", "type",      "severity", "severity_is", "cause" };

	if (str_index(str_from(name), names, ARRAY_LEN(names)) == ARRAY_LEN(names))
		return err_set(err, EINVAL, "unknown parameter '%.40s'", name);
	return finding_filter_add(f, name, value, err);
}

static int parse_one(struct history_request *r, const char *name, const char *value, struct err *err)
{
	struct history_question *to = &r->question;

	if (strcmp(name, "since") == 0)
		return parse_time(name, value, &to->since_usec, err);
	if (strcmp(name, "until") == 0)
		return parse_time(name, value, &to->until_usec, err);
	if (strcmp(name, "range") == 0)
		return parse_range(value, r, err);
	if (strcmp(name, "limit") == 0)
		return parse_number(name, value, HISTORY_ITEMS_MAX, &to->limit, err);
	if (strcmp(name, "buckets") == 0)
		return parse_number(name, value, TIMELINE_BUCKETS_MAX, &to->buckets, err);
	if (strcmp(name, "before") == 0)
		return parse_before(value, to, err);
	if (strcmp(name, "story") != 0)
		return parse_filter(&to->filter, name, value, err);
	to->story = strcmp(value, "true") == 0;
	return to->story ? 0 : err_set(err, EINVAL, "story '%.40s': true, or absent", value);
}

static int check(struct history_request *r, struct err *err)
{
	struct history_question *q = &r->question;

	if (r->ranged && (q->since_usec || q->until_usec))
		return err_set(err, EINVAL, "range excludes since and until");
	r->ranged |= !q->since_usec && !q->until_usec;
	if (!q->until_usec || q->until_usec > TIME_USEC_MAX)
		q->until_usec = r->now_usec;
	if (!q->since_usec)
		q->since_usec = q->until_usec - range_usec[r->range];
	if (q->since_usec < 0)
		q->since_usec = 0;
	if (q->since_usec >= q->until_usec)
		return err_set(err, EINVAL, "since is not before until");
	while (!r->ranged && r->range < RANGE_QUARTER && q->until_usec - q->since_usec > range_usec[r->range])
		r->range++;
	if (!q->story)
		return 0;
	if (!q->filter.kind.n || !q->filter.name.n)
		return err_set(err, EINVAL, "story is of one object: kind and name are missing");
	if (!q->filter.namespace.p)
		q->filter.namespace = STR("");
	return 0;
}

int history_request_parse(const struct http_request *q, int64_t now_usec, struct history_request *ret, struct err *err)
{
	struct history_request r = { .now_usec = now_usec, .question.limit = LIMIT_DEFAULT };
	const char *name, *value;
	size_t at = 0;
	int status = 0;

	while (status == 0 && http_query_each(q, &at, &name, &value))
		status = *value ? parse_one(&r, name, value, err) : 0;
	if (status == 0)
		status = check(&r, err);
	if (status == 0)
		*ret = r;
	return status;
}

void history_cursor(const struct history_answer *a, struct buf *out)
{
	buf_printf(out, "%" PRId64 ".%" PRId64, a->next_usec, a->next_seq);
}

static void add_time(struct buf *out, const char *name, int64_t usec)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(64);

	go_rfc3339_format(usec / 1000000, (int32_t)(usec % 1000000 * 1000), 0, &text);
	kc_url_query(out, name, buf_str(&text));
}

void history_request_address(const struct history_request *r, struct buf *out)
{
	if (r->ranged) {
		kc_url_query(out, "range", str_from(history_ranges[r->range]));
	} else {
		add_time(out, "since", r->question.since_usec);
		add_time(out, "until", r->question.until_usec);
	}
	kc_url_query(out, "story", str_from(r->question.story ? "true" : ""));
	finding_filter_address(&r->question.filter, out);
}

/* ---- asking ---- */

/* The state of a request for the history: its HTTP ticket owns it while the request waits, and the route once there is
 * an answer. */
struct asking {
	struct http_ticket *ticket;
	struct history_ticket *question; /* NULL: it has been answered */
	struct history_answer *answer;
	struct err err;
	int64_t since_usec, until_usec, now_usec;
};

static void forget(void *state)
{
	struct asking *a = state;

	if (a->question)
		history_forget(a->question);
	history_answer_free(a->answer);
	free(a);
}

static void on_answer(void *ctx, struct history_answer *answer, const struct err *err)
{
	struct asking *a = ctx;

	a->question = NULL;
	a->answer = answer;
	if (!answer)
		a->err = *err;
	http_go_on(a->ticket);
}

/* Ask the history. False: it cannot be asked. */
static bool ask(const struct metrics_view *view, const struct http_request *q, const struct history_request *r,
		struct err *err)
{
	CLEANUP(buf_done) struct buf kinds = BUF_INIT(KINDS_MAX);
	struct history_question question = r->question;
	struct asking *a;

	if (!view->history) {
		(void)!err_set(err, ENOENT, "there is no history");
		return false;
	}
	a = calloc(1, sizeof(*a));
	if (!a) {
		(void)!err_nomem(err);
		return false;
	}
	question.filter = kind_words_filter(view, &r->question.filter, &kinds);
	a->since_usec = question.since_usec;
	a->until_usec = question.until_usec;
	a->now_usec = r->now_usec;
	if (history_ask(view->history, &question, on_answer, a, &a->question, err) < 0) {
		free(a);
		return false;
	}
	a->ticket = http_later(q, a, forget);
	return true;
}

bool history_request_get(const struct metrics_view *view, const struct http_request *q, struct history_request *r,
			 struct history_answer **ret, struct err *err)
{
	struct asking *a = q->state;

	*ret = NULL;
	if (!a)
		return !ask(view, q, r, err);
	r->question.since_usec = a->since_usec;
	r->question.until_usec = a->until_usec;
	r->now_usec = a->now_usec;
	*ret = TAKE(a->answer);
	*err = a->err;
	forget(a);
	return true;
}

unsigned history_status(const struct err *err)
{
	switch (err->code) {
	case EINVAL:
	case E2BIG:
		return 400;
	case ENOENT:
		return 404;
	case EBUSY:
	case EAGAIN:
	case ETIMEDOUT:
		return 503;
	default:
		return 500;
	}
}
