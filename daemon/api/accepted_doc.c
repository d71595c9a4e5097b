/* Writes acceptances as documents of the API. There may be thousands of them, which cover any number of findings:
 * first the findings are counted, some on each turn of the loop, and then the acceptances are written, some on each
 * turn. */
#include "daemon/api/api.h"

#include "base/strmap.h"
#include "value/json_out.h"

#define PART_BYTES ((size_t)32 << 10)
#define COUNTED_AT_ONCE 256

static void add_members(const struct accepted *x, size_t holds, struct buf *out)
{
	json_text(out, "id", str_from(x->is.id));
	json_text(out, "source", x->configured ? STR("configuration") : STR("command"));
	json_text(out, "state", !x->in_force ? STR("expired") : holds ? STR("holds") : STR("not needed"));
	json_number(out, "count", holds);
	json_key(out, "accepted");
	acceptance_to_json(&x->is.says, out);
}

void accepted_doc(const struct accepted *x, size_t holds, struct buf *out)
{
	buf_add_cstr(out, "{\"apiVersion\":\"driftd/v1\",\"kind\":\"Acceptance\"");
	add_members(x, holds, out);
	buf_add_cstr(out, "}\n");
}

/* ---- all of them ---- */

struct accepted_answer {
	const struct acceptances *set;
	struct findings *findings;
	struct findings_scan scan;
	struct strmap counts;      /* the ID of an acceptance -> how many open findings it covers, as a number */
	bool no_memory;            /* not all findings were counted */
	const struct accepted *at; /* the last written acceptance; NULL: none yet */
	uint64_t number, change;   /* the number of the answer, and the last change of the set at that time */
};

static void end_answer(void *state)
{
	struct accepted_answer *a = state;

	findings_scan_end(&a->scan);
	strmap_done(&a->counts);
	free(a);
}

static size_t count_of(const struct accepted_answer *a, str id)
{
	return (size_t)(uintptr_t)strmap_get(&a->counts, id);
}

/* Begin to count; also again, when another set of findings has replaced this one. */
static void begin_to_count(struct accepted_answer *a)
{
	strmap_done(&a->counts);
	findings_scan_begin(a->findings, &a->scan);
}

static bool count_some(void *state, uint64_t until_ns)
{
	struct accepted_answer *a = state;
	const struct finding *x;

	if (!a->scan.begun)
		begin_to_count(a);
	for (size_t n = 1; (x = findings_scan_next(&a->scan)); n++) {
		str id = x->subject.acceptance;

		if (x->kind == FINDING_ACCEPTED &&
		    !strmap_put(&a->counts, id, (void *)(uintptr_t)(count_of(a, id) + 1), NULL))
			a->no_memory = true;
		if (n % COUNTED_AT_ONCE == 0 && uv_hrtime() >= until_ns)
			return true;
	}
	findings_scan_end(&a->scan);
	return false;
}

/* The next acceptance. If none was put or removed since, the last one still exists. */
static const struct accepted *next_of(const struct accepted_answer *a)
{
	const struct accepted *x = NULL;

	if (a->at && a->change == acceptances_last_change(a->set))
		return acceptances_next(a->set, a->at);
	do
		x = acceptances_next(a->set, x);
	while (x && x->number <= a->number);
	return x;
}

static int next_part(void *state, struct buf *out)
{
	struct accepted_answer *a = state;
	const struct accepted *x = NULL;

	while (out->n < PART_BYTES && (x = next_of(a))) {
		buf_add_cstr(out, a->number ? ",{" : "{");
		add_members(x, count_of(a, str_from(x->is.id)), out);
		buf_add_byte(out, '}');
		a->at = x;
		a->number = x->number;
		a->change = acceptances_last_change(a->set);
	}
	if (!x)
		buf_add_cstr(out, "]}\n");
	return out->error ? -1 : x != NULL;
}

static void write_answer(struct accepted_answer *a, struct http_response *r)
{
	if (a->no_memory) {
		api_fail(r, 500, "out of memory");
		end_answer(a);
		return;
	}
	r->content_type = "application/json";
	buf_add_cstr(&r->body, "{\"apiVersion\":\"driftd/v1\",\"kind\":\"AcceptanceList\",\"items\":[");
	r->stream = (struct http_stream){ .next = next_part, .done = end_answer, .state = a };
}

void accepted_list_answer(const struct acceptances *s, struct findings *f, const struct http_request *q,
			  struct http_response *r)
{
	struct accepted_answer *a = q->state;

	if (a) {
		write_answer(a, r);
		return;
	}
	a = calloc(1, sizeof(*a));
	if (!a) {
		api_fail(r, 500, "out of memory");
		return;
	}
	*a = (struct accepted_answer){ .set = s, .findings = f };
	http_work(q, a, count_some, end_answer);
}
