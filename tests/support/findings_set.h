/* A set of findings for tests of what is made of it. Its records go nowhere (begin_findings), or to the captured
 * standard output (begin_captured_findings). */
#ifndef TESTS_SUPPORT_FINDINGS_SET_H
#define TESTS_SUPPORT_FINDINGS_SET_H

#include "daemon/findings/findings.h"
#include "support/capture.h"
#include "support/direct_sink.h"

struct findings_set {
	struct capture capture;
	bool is_captured;
	struct sink *sink;
	struct findings *findings;
};

static inline UNUSED void ignore_emission(void *ctx, const struct emission *t)
{
	(void)ctx;
	(void)t;
}

/* 0, or -1 as a set-up function of cmocka; end_findings is due in any case. */
static inline UNUSED int begin_findings(struct findings_set *s)
{
	struct sink_taker taker = { .take = ignore_emission };
	struct err err;

	s->sink = sink_new(&taker);
	return s->sink && findings_new(s->sink, &s->findings, &err) == 0 ? 0 : -1;
}

static inline UNUSED int begin_captured_findings(struct findings_set *s)
{
	struct err err;

	s->is_captured = capture_begin(&s->capture);
	s->sink = s->is_captured ? sink_new_direct(CFG_OUTPUT_JSON) : NULL;
	return s->sink && findings_new(s->sink, &s->findings, &err) == 0 ? 0 : -1;
}

static inline UNUSED void end_findings(struct findings_set *s)
{
	findings_free(s->findings);
	sink_free(s->sink);
	if (s->is_captured)
		capture_end(&s->capture);
}

/* A set of its own for each test. */
static inline UNUSED int setup_findings(void **state)
{
	struct findings_set *s = calloc(1, sizeof(*s));

	*state = s;
	return s ? begin_findings(s) : -1;
}

static inline UNUSED int setup_captured_findings(void **state)
{
	struct findings_set *s = calloc(1, sizeof(*s));

	*state = s;
	return s ? begin_captured_findings(s) : -1;
}

static inline UNUSED int teardown_findings(void **state)
{
	struct findings_set *s = *state;

	end_findings(s);
	free(s);
	return 0;
}
#endif
