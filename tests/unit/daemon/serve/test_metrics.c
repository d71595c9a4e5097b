/* All metrics of a cluster of which a story is told (support/story.h): tests/data/serve/metrics.txt. The program is the
 * name of a configuration of tests/data/watch/told, and what else there is: "openmetrics", "leader", "1/3" (processes),
 * "objects 2" (told one by one, so many at most), "namespaces 2" (counted by them, so many series at most). The result
 * has the lines that the case before does not have, and "-" before those that only that has. */
#include "daemon/serve/metrics.h"

#include "daemon/inspection/effects.h"
#include "support/story.h"

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker's names */
uint64_t __wrap_uv_hrtime(void);

/* No verdict takes any time. */
uint64_t __wrap_uv_hrtime(void)
{
	return 1000000000;
}
/* NOLINTEND(bugprone-reserved-identifier) */

/* Each number is another one. */
static struct writer_status status_of_writer(void)
{
	struct writer_status s = { .write_failures = 201,
				   .not_durable = 202,
				   .resent = 203,
				   .merged = 204,
				   .renewals = 205,
				   .waiting = 206,
				   .deferred = 207 };

	for (size_t i = 0; i < 8; i++)
		s.records[i] = 100 + i;
	for (size_t i = 0; i < STORE_STEPS; i++) {
		s.steps[i].failures = 300 + i;
		s.steps[i].progress_ns = i ? i : 0;
	}
	s.steps[STEP_SEND].phase = STEP_FAILING;
	s.steps[STEP_SEND].since_ns = 1;
	histogram_observe(&s.latency, 1500000);
	histogram_observe(&s.latency, 30000000000);
	return s;
}

static const struct leader_status leader = { .state = ELECTION_LEADS,
					     .reports = true,
					     .transitions = 401,
					     .request_failures = 402,
					     .renewal_age_ns = 1500000000 };

static bool has_line(str text, str wanted)
{
	str line;

	while (str_next_part(&text, '\n', &line)) {
		if (str_eq(line, wanted))
			return true;
	}
	return false;
}

/* What the kernel counts is another number each time, and so is the build. */
static void keep_known(str text, struct buf *out)
{
	str line;

	while (str_next_part(&text, '\n', &line)) {
		bool process = str_has_prefix(line, STR("process_")) && !str_has_prefix(line, STR("process_start"));

		if (process)
			line = str_sub(line, 0, (size_t)str_find_byte(line, ' '));
		if (line.n && !str_has_prefix(line, STR("driftd_build_info{")))
			buf_printf(out, "%.*s\n", STR_ARG(line));
	}
}

static void print_metrics(str text, struct buf *out)
{
	static char before[1u << 18];
	CLEANUP(buf_done) struct buf now = BUF_INIT(sizeof(before) - 1);
	str rest, line;

	keep_known(text, &now);
	for (rest = str_from(before); str_next_part(&rest, '\n', &line);) {
		if (line.n && !has_line(buf_str(&now), line))
			buf_printf(out, "-%.*s\n", STR_ARG(line));
	}
	for (rest = buf_str(&now); str_next_part(&rest, '\n', &line);) {
		if (line.n && !has_line(str_from(before), line))
			buf_printf(out, "%.*s\n", STR_ARG(line));
	}
	(void)snprintf(before, sizeof(before), "%.*s", STR_ARG(buf_str(&now)));
}

/* 0: they are not counted. */
static size_t limit_of_namespaces(str how)
{
	return str_has_prefix(how, STR("namespaces ")) ? (size_t)(how.p[11] - '0') : 0;
}

static void render(struct story *s, str how, struct buf *out)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(1u << 20);
	struct inspection_context inspection = { .counters = { 501, { 502, 503 }, { 504, 505 } } };
	struct writer_status status = status_of_writer();
	struct cfg cfg = *s->watched.cfg;
	struct histogram turns = { 0 };
	uint64_t dropped = 7;
	struct metrics_view view = {
		.cfg = &cfg,
		.clusters = &s->watched.cluster,
		.n_clusters = 1,
		.findings = s->watched.findings,
		.writer = &status,
		.inspection = str_eq(how, STR("openmetrics")) ? NULL : &inspection,
		.per_object_dropped = &dropped,
		.configuration = { .state = RELOAD_REHEARSING, .accepted = true, .at = 12.5 },
		.started_at = 11.5,
	};
	str number = how;

	if (str_eq(how, STR("leader"))) {
		view.leader = &leader;
		view.leader_phase = "loads";
		view.turns = &turns;
		histogram_observe(&turns, 1000);
	}
	if (str_eq(how, STR("1/3")))
		view.shard = (struct shard){ 1, 3 };
	if (str_has_prefix(how, STR("objects "))) {
		number = str_sub(how, 8, how.n);
		cfg.per_object = true;
		cfg.per_object_limit = (unsigned)(number.p[0] - '0');
	}
	cfg.by_namespace = limit_of_namespaces(how) > 0;
	clock_set(STORY_BEGINS_USEC + 3600000000, 1000000000000);
	metrics_render(&view, str_eq(how, STR("openmetrics")), &text);
	print_metrics(buf_str(&text), out);
}

static int run_metrics(const struct triple *t, struct arena *a, struct buf *out)
{
	str how = t->program, config;
	struct buf reported = BUF_INIT(4u << 20);
	struct story s;

	(void)a;
	if (!str_next_part(&how, ' ', &config))
		config = t->program;
	story_begin(&s, TEST_DATA "/watch/told", str_eq(how, STR("1/3")) ? t->program : config, &reported);
	findings_count_namespaces(s.watched.findings, limit_of_namespaces(how));
	story_happen_all(&s, t->input);
	render(&s, how, out);
	story_end(&s);
	buf_done(&reported);
	return 0;
}

static const struct triple_file files[] = {
	{ "metrics", run_metrics },
};

int main(void)
{
	return triples_main(TEST_DATA "/serve", files, ARRAY_LEN(files));
}
