/* bench_open [COUNT]: what driftd costs while COUNT (50,000) findings are open, beside what it costs with 50: an update
 * that changes nothing, judged; a scrape; a transaction of the store that opens and ends one finding. The ratios are
 * the figures: none of it may grow with what is open.
 *
 * One thread, the best of several rounds. */
#include "support/watched.h"

#include "daemon/findings/finding_json.h"
#include "daemon/serve/metrics.h"
#include "daemon/store/database/database.h"

#include <time.h>
#include <unistd.h>

#define FEW 50
#define ROUNDS 7
#define REPEAT 200

enum what { UPDATE, SCRAPE, STORE, WHATS };
static const char *const names[WHATS] = { "no-op update", "scrape", "store" };

static double cpu_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void update(struct watched *w)
{
	watched_event(w, KC_MODIFIED,
		      "{\"apiVersion\":\"e.x/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"w-1\",\"uid\":\"1\"},"
		      "\"spec\":{\"size\":2},\"status\":{\"x\":1}}");
	watched_work(w);
}

static void scrape(struct watched *w)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(16u << 20);
	struct writer_status status = { 0 };
	struct metrics_view view = {
		.cfg = w->cfg, .clusters = &w->cluster, .n_clusters = 1, .findings = w->findings, .writer = &status
	};

	metrics_render(&view, true, &out);
	watched_must(buf_error(&out, "metrics", &(struct err){ 0 }), &(struct err){ 0 });
}

static void put(struct database *d, const struct finding *x, bool over)
{
	CLEANUP(buf_done) struct buf json = BUF_INIT(1u << 20);
	struct err err;

	finding_to_json(x, &json);
	watched_must(over ? database_remove_finding(d, x->id, &err)
			  : database_put_finding(d, x->id, buf_str(&json), &err),
		     &err);
}

static struct database *fill(struct watched *w)
{
	struct database *d;
	struct err err, reported;
	const struct finding *x;
	size_t at = 0;

	watched_must(database_open("", &d, &reported, &err), &err);
	watched_must(database_begin(d, &err), &err);
	while ((x = findings_each(w->findings, &at)))
		put(d, x, false);
	watched_must(database_end(d, 0, &err), &err);
	return d;
}

static void store(struct watched *w, struct database *d)
{
	size_t at = 0;
	const struct finding *x = findings_each(w->findings, &at);
	struct err err;

	for (int over = 1; over >= 0; over--) {
		watched_must(database_begin(d, &err), &err);
		put(d, x, over);
		watched_must(database_end(d, 0, &err), &err);
	}
}

static void step(enum what what, struct watched *w, struct database *d)
{
	switch (what) {
	case UPDATE:
		update(w);
		break;
	case SCRAPE:
		scrape(w);
		break;
	default:
		store(w, d);
	}
}

static void bench(size_t n, double best[WHATS], FILE *report)
{
	struct watched w;
	struct database *d;

	watched_start(&w, TEST_DATA "/watch/any.yaml");
	watched_add_widgets(&w, n);
	d = fill(&w);
	fprintf(report, "%6zu open:", watched_count(&w, FINDING_DRIFT));
	for (int what = 0; what < WHATS; what++) {
		best[what] = 1e9;
		for (int round = 0; round < ROUNDS; round++) {
			double from = cpu_s(), took;

			for (int i = 0; i < REPEAT; i++)
				step((enum what)what, &w, d);
			took = (cpu_s() - from) / REPEAT;
			best[what] = took < best[what] ? took : best[what];
		}
		fprintf(report, "  %s %.1f us", names[what], best[what] * 1e6);
	}
	fputc('\n', report);
	database_close(d);
	watched_stop(&w);
}

int main(int argc, char **argv)
{
	size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 50000;
	FILE *report = fdopen(dup(STDOUT_FILENO), "w");
	double few[WHATS], many[WHATS];

	if (n == 0 || !report || !freopen("/dev/null", "w", stdout)) { /* records go there */
		fprintf(stderr, "usage: bench_open [COUNT]\n");
		return 2;
	}
	bench(FEW, few, report);
	bench(n, many, report);
	fputs(" ratio:", report);
	for (int what = 0; what < WHATS; what++)
		fprintf(report, "  %s %.2f", names[what], many[what] / few[what]);
	fputc('\n', report);
	return fclose(report) == 0 ? 0 : 1;
}
