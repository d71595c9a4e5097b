/* Shows the records that the journal has, and then those that come. */
#include "daemon/events/command.h"

#include "base/file.h"
#include "config/exit_status.h"
#include "daemon/events/event_groups.h"
#include "daemon/events/options.h"
#include "daemon/events/seen.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* bytes of one event; the text is written before the next event when it is long */
#define OUTPUT_MAX ((size_t)64 << 20)
#define OUTPUT_FLUSH ((size_t)64 << 10)

struct show {
	const struct events_options *o;
	struct event_groups *groups; /* NULL: each record is shown */
	struct journal *journal;
	struct seen *seen;
	struct event event;
	struct buf out;
	uint64_t shown;
	uint64_t strange; /* records that match the filter, but whose writers are not believed */
};

static volatile sig_atomic_t ended; /* a signal came */

static void on_signal(int number)
{
	(void)number;
	ended = 1;
}

static int64_t now_usec(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000;
}

static int flush(struct show *s, struct err *err)
{
	int r = buf_error(&s->out, "output", err);

	if (r == 0)
		r = file_write_all(STDOUT_FILENO, buf_str(&s->out));
	buf_clear(&s->out);
	return r < 0 ? err_set(err, -r, "standard output: %s", strerror(-r)) : 0;
}

/* ---- one record ---- */

/* Whether the record at which the journal stands is to be shown. It is in s->event then. 1, 0, negative. */
static int is_wanted(struct show *s, struct err *err)
{
	const struct event_filter *f = &s->o->filter;
	int r = journal_read(s->journal, &s->event, err);

	if (r < 0)
		return r == -EBADMSG ? 0 : r; /* the record is damaged; the journal has others */
	if (!event_filter_wants(f, &s->event))
		return 0;
	if (!event_filter_believes(f, &s->event)) {
		s->strange++;
		return 0;
	}
	return !seen_before(s->seen, event_get(&s->event, "DRIFTD_RECORD_ID"));
}

static int print_event(struct show *s, const struct event *e, struct err *err)
{
	event_print(e, &s->o->style, &s->out);
	return s->out.n < OUTPUT_FLUSH && !s->out.error ? 0 : flush(s, err);
}

static int print_groups(struct show *s, struct err *err)
{
	const struct event *e;

	while (s->groups && (e = event_groups_take(s->groups))) {
		if (print_event(s, e, err) < 0)
			return -err->code;
	}
	return 0;
}

static int print(struct show *s, struct err *err)
{
	s->shown++;
	if (!s->groups)
		return print_event(s, &s->event, err);
	if (event_groups_are_due(s->groups, s->event.usec) && print_groups(s, err) < 0)
		return -err->code;
	return event_groups_add(s->groups, &s->event, err);
}

/* Whether the record is beyond the time at which reading in this direction ends. */
static int is_beyond(struct show *s, bool back, struct err *err)
{
	const struct event_filter *f = &s->o->filter;
	int64_t usec;
	int r = journal_usec(s->journal, &usec, err);

	if (r < 0)
		return r == -EBADMSG ? 0 : r;
	return back ? usec < f->since_usec : f->until_usec && usec > f->until_usec;
}

/* ---- all that there are ---- */

/* Go to where reading in this direction begins. */
static int go_to_start(struct show *s, bool back, struct err *err)
{
	const struct event_filter *f = &s->o->filter;

	if (back)
		return f->until_usec ? journal_to_time(s->journal, f->until_usec + 1, err)
				     : journal_to_tail(s->journal, err);
	if (s->o->after)
		return journal_to_cursor(s->journal, s->o->after, err);
	return f->since_usec ? journal_to_time(s->journal, f->since_usec, err) : journal_to_head(s->journal, err);
}

/* Step to the next record to be shown. 1; 0: there is none yet, or no other within the times. */
static int step(struct show *s, bool back, struct err *err)
{
	int r;

	while (!ended && (r = journal_step(s->journal, back, err)) != 0) {
		if (r < 0)
			return r;
		r = is_beyond(s, back, err);
		if (r != 0)
			return r < 0 ? r : 0;
		r = is_wanted(s, err);
		if (r != 0)
			return r;
	}
	return 0;
}

/* Show the next @limit records (below 0: all). */
static int show_on(struct show *s, bool back, int64_t limit, struct err *err)
{
	int r = 1;

	for (int64_t n = 0; n != limit && r > 0; n++) {
		r = step(s, back, err);
		if (r > 0 && print(s, err) < 0)
			return -err->code;
	}
	return r < 0 ? r : flush(s, err);
}

/* Go back over the last @n records, and show the first of them, at which the journal then stands. */
static int show_first_of_last(struct show *s, int64_t n, struct err *err)
{
	int64_t found = 0;
	int r = go_to_start(s, true, err);

	while (r >= 0 && found < n && (r = step(s, true, err)) > 0)
		found++;
	s->strange = 0; /* the strange records are met again */
	seen_clear(s->seen);
	if (r < 0)
		return r;
	if (found < n) /* there are fewer: all are shown */
		return go_to_start(s, false, err);
	r = n > 0 ? is_wanted(s, err) : journal_step(s->journal, true, err);
	if (r < 0)
		return r;
	if (n == 0)
		return r > 0 ? 0 : journal_to_head(s->journal, err);
	return r > 0 ? print(s, err) : 0;
}

static int show_all(struct show *s, struct err *err)
{
	int64_t lines = s->o->lines;
	int r;

	if (s->o->reverse || lines < 0) {
		r = go_to_start(s, s->o->reverse, err);
		return r < 0 ? r : show_on(s, s->o->reverse, lines, err);
	}
	r = show_first_of_last(s, lines, err);
	if (r < 0)
		return r;
	return lines > 0 || s->o->place.follow ? show_on(s, false, -1, err) : 0;
}

/* ---- what comes ---- */

/* Wait for records. Signals are let through only during the wait, so that none is missed between the look at "ended"
 * and the wait. */
static int await(struct show *s, const sigset_t *ends, struct err *err)
{
	int64_t until = s->o->filter.until_usec, due = s->groups ? event_groups_until(s->groups) : 0;
	sigset_t before;
	int r = 0;

	(void)sigprocmask(SIG_BLOCK, ends, &before);
	if (!ended)
		r = journal_await(s->journal, due && (!until || due < until) ? due : until, &before, err);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	return r;
}

static int follow(struct show *s, const sigset_t *ends, struct err *err)
{
	int64_t until = s->o->filter.until_usec;
	int r = 0;

	while (r == 0 && !ended && (!until || now_usec() <= until)) {
		r = await(s, ends, err);
		if (r == 0)
			r = show_on(s, false, -1, err);
		if (r == 0 && s->groups && event_groups_are_due(s->groups, now_usec()) && print_groups(s, err) < 0)
			r = -err->code;
		if (r == 0)
			r = flush(s, err);
	}
	return r;
}

/* Print the records that there are, then follow. The first signal ends this between two records, a second one ends
 * the process at once. */
static int show_and_follow(struct show *s, struct err *err)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND };
	sigset_t ends;
	int r;

	sigemptyset(&ends);
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		(void)sigaction(numbers[i], &action, NULL);
		(void)sigaddset(&ends, numbers[i]);
	}
	r = show_all(s, err);
	return r < 0 ? r : follow(s, &ends, err);
}

/* ---- the command ---- */

/* Choose the exit status, and report what was not shown. */
static int conclude(const struct show *s)
{
	bool partial = journal_is_partial(s->journal);

	if (s->strange)
		fprintf(stderr, "driftd events: %llu records that others wrote are not shown (--any-user)\n",
			(unsigned long long)s->strange);
	if (partial)
		fputs("driftd events: a part of the journal may not be read; members of the group systemd-journal "
		      "may\n",
		      stderr);
	if (s->shown || ended)
		return 0;
	if (!partial)
		fputs("no events\n", stderr);
	return partial ? EXIT_USAGE : 1;
}

static int run(struct show *s, struct err *err)
{
	int r;

	s->seen = seen_new();
	s->groups = s->o->group_usec ? event_groups_new(s->o->group_usec, s->o->after) : NULL;
	if (!s->seen || (s->o->group_usec && !s->groups))
		return err_nomem(err);
	r = journal_open_place(&s->o->place, &s->o->filter, &s->journal, err);
	if (r < 0)
		return r;
	r = s->o->place.follow ? show_and_follow(s, err) : show_all(s, err);
	if (r == 0 && (print_groups(s, err) < 0 || flush(s, err) < 0))
		r = -err->code;
	return r == -EPIPE ? 0 : r; /* the reader of the output has gone */
}

int cmd_events(int argc, char **argv)
{
	struct events_options o;
	struct show s = { .o = &o, .out = BUF_INIT(OUTPUT_MAX) };
	struct err err;
	int status;

	(void)signal(SIGPIPE, SIG_IGN);
	event_init(&s.event);
	status = events_options_read(argc, argv, &o);
	if (status == COMMAND_GOES_ON && run(&s, &err) == 0) {
		status = conclude(&s);
	} else if (status == COMMAND_GOES_ON) {
		fprintf(stderr, "driftd events: %s\n", err.msg);
		status = EXIT_USAGE;
	}
	events_options_done(&o);
	event_groups_free(s.groups);
	journal_free(s.journal);
	seen_free(s.seen);
	event_done(&s.event);
	buf_done(&s.out);
	return status;
}
