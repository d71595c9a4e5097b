/* Two hosts and an etcd that is slow, away, forgetful or does not answer, on a clock of the test's own. */
#include "daemon/leader/etcd/election.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>

#define MS UINT64_C(1000000)
#define LEASE_MS 9000

struct etcd_state {
	int holder, last; /* 1, 2; 0: nobody */
	bool known;
	int64_t revision, created, last_created;
	uint64_t ends_ns; /* the lease */
};

struct world {
	uint64_t now_ns;
	uint64_t before_ns, after_ns; /* that a request takes, before it is carried out and after */
	bool away, deaf;              /* no request comes through; no answer does */
	struct etcd_state etcd, saved;
	unsigned restored; /* so many times */
};

struct host {
	struct world *w;
	int number;
	int64_t claimed;     /* the last claim that it knows of */
	bool former;         /* that was before it was restarted */
	bool loses_claim;    /* it does not hear of its next one */
	uint64_t stopped_ns; /* for so long, in the middle of its next request */
	unsigned restored;   /* as it knows */
	struct election election;
};

static uint64_t now_ns(void *ctx)
{
	const struct host *h = ctx;

	return h->w->now_ns;
}

static void expire(struct world *w)
{
	if (w->etcd.holder && w->now_ns >= w->etcd.ends_ns)
		w->etcd.holder = 0;
}

static int arrive(struct host *h, struct err *err)
{
	h->w->now_ns += h->w->before_ns;
	expire(h->w);
	return h->w->away ? err_set(err, EHOSTUNREACH, "away") : 0;
}

static int answer(struct host *h, struct err *err)
{
	h->w->now_ns += h->w->after_ns + h->stopped_ns;
	h->stopped_ns = 0;
	return h->w->deaf ? err_set(err, EHOSTUNREACH, "no answer") : 0;
}

static bool notices(struct host *h)
{
	bool news = h->restored != h->w->restored;

	h->restored = h->w->restored;
	return news;
}

static int look(void *ctx, struct election_record *v, struct err *err)
{
	struct host *h = ctx;
	const struct world *w = h->w;
	int r = arrive(h, err);

	if (r < 0)
		return r;
	v->has_holder = w->etcd.holder != 0;
	v->own = w->etcd.holder == h->number && w->etcd.created == h->claimed;
	v->former = v->own && h->former;
	v->known = w->etcd.known;
	v->led_last = w->etcd.last == h->number && w->etcd.last_created == h->claimed;
	v->older = notices(h);
	if (w->etcd.holder && !v->own)
		h->claimed = 0;
	if (w->etcd.holder)
		(void)snprintf(v->holder, sizeof(v->holder), "%d", w->etcd.holder);
	return answer(h, err);
}

static int claim(void *ctx, bool anew, struct election_claim *c, struct err *err)
{
	struct host *h = ctx;
	struct world *w = h->w;
	int r = arrive(h, err);

	(void)anew; /* what is forgotten is put there again as soon as it leads */
	if (r < 0)
		return r;
	if (!w->etcd.holder) {
		c->known = w->etcd.known;
		c->led_last = w->etcd.last == h->number && w->etcd.last_created == h->claimed;
		w->etcd.holder = w->etcd.last = h->number;
		w->etcd.last_created = w->etcd.created = ++w->etcd.revision;
		w->etcd.ends_ns = w->now_ns + LEASE_MS * MS;
		w->etcd.known = true; /* as soon as it leads */
		c->term = w->etcd.created;
	}
	r = h->loses_claim ? err_set(err, EHOSTUNREACH, "no answer") : answer(h, err);
	h->loses_claim = false;
	if (r == 0 && c->term) {
		h->claimed = c->term;
		h->former = false;
	}
	return r;
}

static int keep(void *ctx, struct err *err)
{
	struct host *h = ctx;
	int r = arrive(h, err);

	if (r < 0)
		return r;
	if (notices(h))
		return err_set(err, ESTALE, "restored");
	if (h->w->etcd.holder != h->number)
		return err_set(err, ENOENT, "expired");
	h->w->etcd.ends_ns = h->w->now_ns + LEASE_MS * MS;
	return answer(h, err);
}

static int release(void *ctx, struct err *err)
{
	struct host *h = ctx;
	int r = arrive(h, err);

	if (r == 0)
		h->w->etcd.holder = 0;
	return r < 0 ? r : answer(h, err);
}

static const struct election_ops ops = { now_ns, look, claim, keep, release };

static bool reports(const struct host *h)
{
	return election_may_report(&h->election, h->w->now_ns);
}

/* Whoever tells holds the key, and nobody else does or will for a while. */
static void check(const struct host *a, const struct host *b)
{
	const struct host *both[] = { a, b };

	assert_false(reports(a) && reports(b));
	expire(a->w);
	for (size_t i = 0; i < 2; i++) {
		bool noticed = both[i]->restored == a->w->restored;

		if (reports(both[i]) && a->w->etcd.last && noticed) { /* else etcd has lost what it knew */
			assert_int_equal(a->w->etcd.holder, both[i]->number);
			assert_int_equal(a->w->etcd.created, both[i]->election.term);
		}
	}
}

static void lose_all(struct world *w)
{
	w->etcd.holder = w->etcd.last = 0;
	w->etcd.known = false;
}

static void restart(struct host *h)
{
	h->claimed = 0;
	h->restored = h->w->restored;
	election_init(&h->election, &ops, h, LEASE_MS * MS);
}

/* It knows what it put there last; nothing of its own where another one led since. */
static void restart_remembering(struct host *h)
{
	election_init(&h->election, &ops, h, LEASE_MS * MS);
	h->former = h->claimed != 0;
	if (h->former)
		election_led_before(&h->election);
	else
		h->restored = h->w->restored;
}

/* A lease that was there begins anew. */
static void restore(struct world *w)
{
	w->etcd = w->saved;
	w->etcd.ends_ns = w->now_ns + LEASE_MS * MS;
	w->restored++;
}

/* "A", "B": a step; "+N": so many milliseconds pass; "A~N": the host is stopped for so long in its next request;
 * "A!": it does not hear of its next claim;
 * "before=N", "after=N"; "away", "back", "deaf", "hears", "loses" (everything), "saves", "restores" (what it saved);
 * "a:restarts", "a:remembers" (restarts with what it has on its disk); "a:leads"; "a:tells", "a:silent";
 * "a:resumes", "a:anew", "a:published", "a:unpublished". */
static void play(const char *script)
{
	struct world w = { .now_ns = 10000 * MS };
	struct host a = { .w = &w, .number = 1 }, b = { .w = &w, .number = 2 };
	char word[64];
	int used;

	election_init(&a.election, &ops, &a, LEASE_MS * MS);
	election_init(&b.election, &ops, &b, LEASE_MS * MS);
	a.election.free_since_ns = b.election.free_since_ns = 1; /* nobody has led for long */
	for (; sscanf(script, "%63s%n", word, &used) == 1; script += used) {
		struct host *h = word[0] == 'A' || word[0] == 'a' ? &a : &b;
		bool ok = true;

		if (strcmp(word, "A") == 0 || strcmp(word, "B") == 0)
			(void)election_step(&h->election);
		else if (word[0] == '+')
			w.now_ns += strtoull(word + 1, NULL, 10) * MS;
		else if (strcmp(word + 1, "!") == 0)
			h->loses_claim = true;
		else if (strcmp(word + 1, ":restarts") == 0)
			restart(h);
		else if (strcmp(word + 1, ":remembers") == 0)
			restart_remembering(h);
		else if (word[1] == '~')
			h->stopped_ns = strtoull(word + 2, NULL, 10) * MS;
		else if (strncmp(word, "before=", 7) == 0)
			w.before_ns = strtoull(word + 7, NULL, 10) * MS;
		else if (strncmp(word, "after=", 6) == 0)
			w.after_ns = strtoull(word + 6, NULL, 10) * MS;
		else if (strcmp(word, "away") == 0 || strcmp(word, "back") == 0)
			w.away = word[0] == 'a';
		else if (strcmp(word, "deaf") == 0 || strcmp(word, "hears") == 0)
			w.deaf = word[0] == 'd';
		else if (strcmp(word, "loses") == 0)
			lose_all(&w);
		else if (strcmp(word, "saves") == 0)
			w.saved = w.etcd;
		else if (strcmp(word, "restores") == 0)
			restore(&w);
		else if (strcmp(word + 1, ":tells") == 0)
			ok = reports(h);
		else if (strcmp(word + 1, ":silent") == 0)
			ok = !reports(h);
		else if (strcmp(word + 1, ":resumes") == 0)
			ok = h->election.resumes;
		else if (strcmp(word + 1, ":anew") == 0)
			ok = !h->election.resumes;
		else if (strcmp(word + 1, ":published") == 0)
			ok = h->election.published;
		else if (strcmp(word + 1, ":unpublished") == 0)
			ok = !h->election.published;
		else
			ok = strcmp(word + 2, election_state_name(h->election.state)) == 0;
		if (!ok)
			fail_msg("%s is not so, before: %s", word, script + used);
		check(&a, &b);
	}
}

static const char *const cases[] = {
	/* the first is in no hurry to wait, and whoever comes later follows */
	"A a:leads a:tells a:anew a:unpublished B b:follows b:silent",
	/* renewed for a long time */
	"A +1300 A +1300 A +1300 A +1300 A +1300 A +1300 A +1300 A +1300 A +1300 a:tells B b:follows",
	/* the leader dies: nobody before the end of its lease, then the other, a moment later */
	"A B +8900 B b:follows a:silent +200 B b:follows +1300 B b:leads b:tells b:anew b:published",
	/* whoever cannot renew stops by itself, before another may begin */
	"A away +5900 A a:tells +200 A a:unsure a:silent +2500 back B b:follows",
	/* etcd was away: nobody else led, and it goes on where it was */
	"A B away +6100 A a:unsure B +20000 A B back A a:leads a:resumes a:tells B b:follows",
	/* and where another one led meanwhile it does not */
	"A B away +6100 A a:unsure +4000 back B +1300 B b:leads A a:follows a:silent",
	"A B +12000 B +1300 B b:leads a:silent A a:unsure A a:follows +12000 A +1300 A a:leads a:anew a:published",
	/* stopped for longer than its lease, in the middle of a renewal that was granted before */
	"A B +1300 A~20000 A a:unsure a:silent B +1300 B b:leads A a:follows",
	/* for less than that: the grant is as old as its request */
	"A B +1300 A~5000 A a:leads a:tells +900 a:tells +200 a:silent",
	"A B +1300 A~7000 A a:unsure a:silent A a:leads a:resumes a:tells",
	/* an answer that comes after the deadline gives nothing */
	"after=7000 A a:follows a:silent after=0 A a:leads a:tells",
	/* nor of a claim: what another one told meanwhile is to be read all the same */
	"A B +12000 B +1300 B b:leads A A a:follows +12000 A after=7000 A A a:follows after=0 A a:leads a:anew",
	"A B +12000 B +1300 B b:leads A a:unsure +12000 after=7000 A A a:unsure after=0 A a:leads a:anew",
	"A B +12000 A a:unsure after=7000 A a:unsure after=0 A a:leads a:resumes",
	/* a request that waits and is carried out late is counted from when it was sent */
	"before=5000 after=0 A a:leads a:tells +900 a:tells before=0 +200 a:silent",
	/* two candidates at once: one is first, whatever both have seen */
	"A~100 A B b:follows",
	"away A B back B +6500 B b:leads A a:follows a:silent",
	/* an answer that is lost: the next look says whose it is */
	"deaf A a:follows a:silent hears A +6500 A a:leads a:tells",
	"A! A a:follows a:silent B b:follows A a:follows +8900 B b:follows +200 A B +1300 A a:leads a:tells a:anew",
	"A B away +6100 A back +4000 A! A a:unsure A a:follows a:silent +9100 A +1300 A a:leads a:anew",
	"A +1300 deaf A a:leads +5000 A a:unsure hears A a:leads a:resumes a:tells",
	/* etcd has lost everything: whoever led tells it anew, the other leaves it the time */
	"A B loses +1300 A a:unsure B b:follows A a:leads a:unpublished",
	"A B loses +1300 B b:follows +1300 B b:follows A A a:leads B b:follows",
	"A B loses +1300 B +17000 B b:follows +1300 B b:leads b:unpublished",
	/* and so does one whose lease is over: the other may have led meanwhile */
	"A B +1300 A~20000 A a:unsure B +1300 B b:leads loses A a:unsure +1300 B b:unsure B b:leads A a:follows",
	"A B +1300 away +12000 A a:unsure loses back A a:unsure +6400 A a:unsure +100 A a:leads a:unpublished",
	/* whoever was started anew leaves it a shorter one: it may know less, and need not know that another one led */
	"A B b:restarts loses B b:follows +1300 B b:follows A a:unsure A a:leads a:unpublished B b:follows",
	"A B a:restarts b:restarts loses B +6400 B b:follows +100 B b:leads b:unpublished",
	/* it was put back to what it had in this term: whoever leads knows better */
	"A B saves +1300 A restores +1300 A a:unsure A a:silent A a:leads a:anew a:unpublished B b:follows",
	"A B saves +1300 A restores away +6100 A a:unsure back A A a:leads a:anew a:unpublished",
	/* in another's: what holds the key there has to end first, and gives nothing to whom it names */
	"A B saves +1300 A~20000 A B +1300 B b:leads A a:follows restores +1300 A a:follows B b:unsure B b:unsure"
	" +7000 A a:follows B b:unsure +1000 A a:follows B b:unsure +6500 A a:follows B b:leads b:anew b:unpublished A "
	"a:follows",
	/* before anybody led: others leave the one that led last the time */
	"saves A B restores B b:follows +1300 B b:follows +1300 A a:unsure A a:leads a:anew a:unpublished B b:follows",
	"saves A B restores +9000 B +17000 B b:follows +1300 B b:leads",
	/* restarted, it goes on as soon as its former lease is over, and reads what it reported */
	"A B a:remembers A a:unsure a:silent B b:follows +8900 A a:unsure +200 A a:leads a:anew a:published B "
	"b:follows",
	"A B a:remembers +9100 B +1300 B b:leads A a:follows +12000 A +1300 A a:leads a:anew a:published",
	"A B a:remembers loses B A a:unsure +6400 B A a:unsure +100 A a:leads a:unpublished B b:follows",
	/* put back while it was away: it knows better, whoever holds the key there */
	"A B saves +1300 A a:remembers restores A a:unsure B b:follows +8900 A a:unsure B b:follows +200 A a:leads "
	"a:anew"
	" a:unpublished B b:follows",
	"saves A B a:remembers restores B A a:unsure +6400 B b:follows A a:unsure +100 A a:leads a:unpublished B "
	"b:follows",
	/* but not where the other one led last */
	"A B saves +1300 A~20000 A B +1300 B b:leads A a:follows a:remembers restores A a:follows +1300 B b:unsure"
	" A a:follows",
	/* whoever led meanwhile after all is believed in the end */
	"A B saves +1300 A~20000 A a:unsure B +1300 B b:leads saves restores +1300 B b:unsure B B b:leads"
	" A a:unsure +5000 B A +5000 B A +5000 B A a:unsure +5000 B A a:follows b:leads",
};

static void plays_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		play(cases[i]);
}

static void never_are_two(void **state)
{
	struct world w = { .now_ns = 10000 * MS };
	struct host a = { .w = &w, .number = 1 }, b = { .w = &w, .number = 2 };
	size_t reported = 0;

	(void)state;
	srand(1);
	election_init(&a.election, &ops, &a, LEASE_MS * MS);
	election_init(&b.election, &ops, &b, LEASE_MS * MS);
	for (size_t i = 0; i < 400000; i++) {
		struct host *h = rand() % 2 ? &a : &b;

		w.now_ns += (uint64_t)(rand() % 1500) * MS;
		w.before_ns = rand() % 20 ? 0 : (uint64_t)(rand() % 8000) * MS;
		w.after_ns = rand() % 20 ? 0 : (uint64_t)(rand() % 8000) * MS;
		h->stopped_ns = rand() % 100 ? 0 : (uint64_t)(rand() % 30000) * MS;
		w.away = rand() % 50 ? w.away && rand() % 10 : !w.away;
		w.deaf = rand() % 50 == 0;
		h->loses_claim = rand() % 20 == 0;
		if (rand() % 500 == 0)
			w.saved = w.etcd;
		if (rand() % 2000 == 0)
			restore(&w);
		if (rand() % 1000 == 0)
			restart(h);
		if (rand() % 1000 == 0)
			restart_remembering(h);
		if (rand() % 2000 == 0)
			lose_all(&w);
		check(&a, &b);
		(void)election_step(&h->election);
		check(&a, &b);
		reported += reports(&a) || reports(&b);
	}
	assert_true(reported > 100000); /* it was no test of silence */
}

/* A refused transaction ends it at once. */
static void is_refused(void **state)
{
	struct world w = { .now_ns = 10000 * MS };
	struct host a = { .w = &w, .number = 1 };

	(void)state;
	election_init(&a.election, &ops, &a, LEASE_MS * MS);
	a.election.free_since_ns = 1; /* for long */
	(void)election_step(&a.election);
	assert_true(reports(&a));
	election_refused(&a.election);
	assert_false(reports(&a));
	assert_int_equal(a.election.state, ELECTION_UNSURE);
	assert_int_equal(a.election.transitions, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plays_cases),
		cmocka_unit_test(never_are_two),
		cmocka_unit_test(is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
