/* bench_vanish [COUNT]: processor time until a kind that vanishes is gone, with COUNT (10,000) objects that all drift,
 * and with ten times as many. The ratio of the two is the figure: 10 when the time is linear, and half as much again
 * where ten times the objects do not fit into the caches any more; 100 when it is quadratic. The turn of the loop that
 * hears of it stands beside: it is not cut into slices.
 *
 * One thread, the best of several rounds. */
#include "support/watched.h"

#include <time.h>
#include <unistd.h>

#define ROUNDS 3
#define FACTOR 10

static double cpu_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

struct measure {
	double turn, total;
};

static struct measure vanish(size_t n)
{
	struct measure m;
	struct watched w;
	double from;

	watched_start(&w, TEST_DATA "/watch/any.yaml");
	watched_add_widgets(&w, n);
	from = cpu_s();
	fake_state(fake_watch("Widget"), KC_ABSENT);
	m.turn = cpu_s() - from;
	watched_work(&w);
	m.total = cpu_s() - from;
	if (watched_count(&w, FINDING_DRIFT)) {
		fputs("not all findings ended\n", stderr);
		exit(1);
	}
	watched_stop(&w);
	return m;
}

static struct measure bench(size_t n, FILE *report)
{
	struct measure best = { 1e9, 1e9 };

	for (int i = 0; i < ROUNDS; i++) {
		struct measure m = vanish(n);

		best = m.total < best.total ? m : best;
	}
	fprintf(report, "%7zu objects: %.2f ms until all is gone, %.2f ms of it in the first turn\n", n,
		best.total * 1e3, best.turn * 1e3);
	return best;
}

int main(int argc, char **argv)
{
	size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 10000;
	FILE *report = fdopen(dup(STDOUT_FILENO), "w");
	struct measure few, many;

	if (n == 0 || !report || !freopen("/dev/null", "w", stdout)) { /* records go there */
		fprintf(stderr, "usage: bench_vanish [COUNT]\n");
		return 2;
	}
	few = bench(n, report);
	many = bench(n * FACTOR, report);
	fprintf(report, "ratio %.1f for %d times the objects (quadratic: %d)\n", many.total / few.total, FACTOR,
		FACTOR * FACTOR);
	return fclose(report) == 0 ? 0 : 1;
}
