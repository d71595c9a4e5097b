/* What two Alertmanagers have of what is open, as findings come and go and posts succeed or fail. */
#include "daemon/alertmanager/alert_book.h"

#include "daemon/alertmanager/alert.h"
#include "support/capture.h"
#include "support/direct_sink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include <cmocka.h>

enum what {
	BEGIN,    /* or change: a drift of that name, with that severity */
	END,      /* of it */
	POSTED,   /* its news were taken by that Alertmanager */
	FAILED,   /* they were sent, and nobody knows */
	LOST,     /* it is away */
	STRANGER, /* it has an alert of ours that is not open here */
	KNOWN,    /* it has all that is open */
	FORGET,   /* another host tells */
};

static const struct {
	enum what what;
	unsigned i; /* which Alertmanager */
	const char *name;
	enum severity severity;
	size_t wanted, ended, undelivered[2];
} story[] = {
	{ BEGIN, 0, "a", SEVERITY_WARNING, 1, 0, { 1, 1 } },
	{ POSTED, 0, "", 0, 1, 0, { 0, 1 } },
	{ POSTED, 1, "", 0, 1, 0, { 0, 0 } },
	{ BEGIN, 0, "a", SEVERITY_WARNING, 1, 0, { 0, 0 } },
	{ BEGIN, 0, "b", SEVERITY_WARNING, 2, 0, { 1, 1 } },
	{ END, 0, "b", 0, 1, 0, { 0, 0 } }, /* nobody was ever told of it */
	{ BEGIN, 0, "b", SEVERITY_WARNING, 2, 0, { 1, 1 } },
	{ FAILED, 1, "", 0, 2, 0, { 1, 1 } },
	{ POSTED, 0, "", 0, 2, 0, { 0, 1 } },
	{ END, 0, "b", 0, 1, 1, { 1, 1 } }, /* the second may have it */
	{ POSTED, 1, "", 0, 1, 1, { 1, 0 } },
	{ POSTED, 0, "", 0, 1, 0, { 0, 0 } },
	{ BEGIN, 0, "a", SEVERITY_ERROR, 1, 1, { 2, 2 } }, /* other labels: one ends, one begins */
	{ POSTED, 0, "", 0, 1, 1, { 0, 2 } },
	{ LOST, 0, "", 0, 1, 1, { 1, 2 } },
	{ POSTED, 1, "", 0, 1, 0, { 1, 0 } },
	{ KNOWN, 0, "", 0, 1, 0, { 1, 0 } }, /* its texts may be old */
	{ STRANGER, 0, "", 0, 1, 1, { 2, 0 } },
	{ STRANGER, 0, "", 0, 1, 1, { 2, 0 } },
	{ POSTED, 0, "", 0, 1, 0, { 0, 0 } },
	{ END, 0, "a", 0, 0, 1, { 1, 1 } },
	{ FORGET, 0, "", 0, 0, 0, { 0, 0 } },
};

struct fixture {
	struct capture capture;
	struct sink *sink;
	struct findings *findings;
	struct alert_book book;
};

static const struct cfg_alertmanager settings = { .min_severity = SEVERITY_INFO };

static struct finding_subject subject(const char *name)
{
	return (struct finding_subject){ .cluster = STR("c"),
					 .reference = STR("base"),
					 .api_version = STR("v1"),
					 .kind = STR("ConfigMap"),
					 .namespace = STR("prod"),
					 .name = str_from(name) };
}

static void look(struct fixture *x)
{
	if (alert_book_is_stale(&x->book))
		while (alert_book_look(&x->book, 0))
			;
	assert_false(alert_book_is_stale(&x->book));
}

static void post(struct fixture *x, unsigned i, bool taken)
{
	struct known_alert *a;

	alert_book_walk(&x->book, i);
	while ((a = alert_book_step(&x->book, i))) {
		bool wanted = a->wanted;

		if (!alert_book_is_news(a, i))
			continue;
		assert_true(!wanted || alert_book_finding(&x->book, a));
		(void)alert_book_hold(a, i);
		alert_book_release(&x->book, a, i, taken, wanted, a->facts);
	}
}

static void know(struct fixture *x, unsigned i)
{
	struct known_alert *a;

	TAILQ_FOREACH(a, &x->book.all, link)
	assert_true(alert_book_found(&x->book, i, a->print, known_alert_labels(a)));
}

static void happen(struct fixture *x, size_t i)
{
	struct finding_subject s = subject(story[i].name);
	struct err err;

	switch (story[i].what) {
	case BEGIN:
		assert_int_equal(findings_report(x->findings,
						 &(struct finding_report){ .kind = FINDING_DRIFT,
									   .severity = story[i].severity,
									   .subject = s,
									   .what = STR("w"),
									   .summary = STR("data.a 1 -> 2"),
									   .state = STR("s") },
						 &err),
				 0);
		break;
	case END:
		findings_clear(x->findings, FINDING_DRIFT, &s, END_REPAIRED);
		break;
	case POSTED:
	case FAILED:
		post(x, story[i].i, story[i].what == POSTED);
		break;
	case LOST:
		alert_book_lost(&x->book, story[i].i);
		break;
	case STRANGER:
		assert_true(alert_book_found(&x->book, story[i].i, 12345, STR("{}")));
		break;
	case KNOWN:
		know(x, story[i].i);
		break;
	case FORGET:
		alert_book_forget(&x->book);
		break;
	}
}

static void test_story(void **state)
{
	struct fixture x = { 0 };
	struct err err;

	(void)state;
	assert_true(capture_begin(&x.capture));
	x.sink = sink_new_direct(CFG_OUTPUT_JSON);
	assert_int_equal(findings_new(x.sink, &x.findings, &err), 0);
	alert_book_init(&x.book, &settings, x.findings);
	for (size_t i = 0; i < ARRAY_LEN(story); i++) {
		happen(&x, i);
		if (story[i].what <= END)
			look(&x);
		if (x.book.n_wanted != story[i].wanted || x.book.n_ended != story[i].ended ||
		    alert_book_undelivered(&x.book, 0) != story[i].undelivered[0] ||
		    alert_book_undelivered(&x.book, 1) != story[i].undelivered[1])
			fail_msg("line %zu: wanted %zu, ended %zu, undelivered %zu and %zu", i, x.book.n_wanted,
				 x.book.n_ended, alert_book_undelivered(&x.book, 0),
				 alert_book_undelivered(&x.book, 1));
	}
	alert_book_done(&x.book);
	findings_free(x.findings);
	sink_free(x.sink);
	capture_end(&x.capture);
}

static void report(struct fixture *x, const char *name)
{
	struct err err;

	assert_int_equal(findings_report(x->findings,
					 &(struct finding_report){ .kind = FINDING_DRIFT,
								   .severity = SEVERITY_ERROR,
								   .subject = subject(name),
								   .what = STR("w"),
								   .state = STR("s") },
					 &err),
			 0);
}

/* The names of what the walk of an Alertmanager comes to, from where it is. */
static void assert_steps(struct fixture *x, unsigned i, const char *names)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1024);
	struct known_alert *a;

	while ((a = alert_book_step(&x->book, i))) {
		const struct finding *f = alert_book_finding(&x->book, a);

		buf_add_str(&out, f ? f->subject.name : STR("?"));
	}
	assert_true(str_eq(buf_str(&out), str_from(names)));
}

/* What is removed is not walked to, and who stands at another one stays there. */
static void test_walks(void **state)
{
	struct finding_subject b = subject("b");
	struct fixture x = { 0 };
	struct err err;

	(void)state;
	assert_true(capture_begin(&x.capture));
	x.sink = sink_new_direct(CFG_OUTPUT_JSON);
	assert_int_equal(findings_new(x.sink, &x.findings, &err), 0);
	alert_book_init(&x.book, &settings, x.findings);
	report(&x, "a");
	report(&x, "b");
	report(&x, "c");
	look(&x);
	for (unsigned i = 0; i < 4; i++)
		alert_book_walk(&x.book, i);
	(void)alert_book_step(&x.book, 1); /* the next is b */
	(void)alert_book_step(&x.book, 2);
	(void)alert_book_step(&x.book, 2); /* the next is c */
	assert_steps(&x, 3, "abc");
	findings_clear(x.findings, FINDING_DRIFT, &b, END_REPAIRED);
	look(&x);
	assert_steps(&x, 0, "ac");
	assert_steps(&x, 1, "c");
	assert_steps(&x, 2, "c");
	assert_steps(&x, 3, "");
	alert_book_done(&x.book);
	findings_free(x.findings);
	sink_free(x.sink);
	capture_end(&x.capture);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_story), cmocka_unit_test(test_walks) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
