/* Findings by examples: tests/data/findings/triples. */
#include "support/capture.h"
#include "support/triples.h"

#include "base/assert.h"
#include "base/number.h"
#include "daemon/findings/clock.h"
#include "daemon/findings/finding.h"
#include "daemon/findings/finding_record.h"
#include "daemon/findings/histogram.h"
#include "daemon/findings/output.h"
#include "value/json.h"

#include <math.h>

static const struct limits limits = LIMITS_DEFAULT;

static val decode(str text, struct arena *a)
{
	struct json_options o = { .limits = &limits };
	size_t used;
	struct err err;
	val v = val_null();

	if (text.n && json_decode_value(text, &o, a, &v, &used, &err) < 0) {
		fprintf(stderr, "%s\n", err.msg);
		abort();
	}
	return v;
}

static str text_of(val v, const char *name)
{
	return val_str(val_get(v, str_from(name)));
}

/* 0: it has none. */
static int64_t number_of(val v, const char *name)
{
	val x = val_get(v, str_from(name));

	return x.kind == VAL_INT ? x.i : 0;
}

/* ---- records ---- */

static void read_subject(val v, struct finding_subject *s)
{
	const struct {
		const char *name;
		str *to;
	} members[] = {
		{ "cluster", &s->cluster },
		{ "reference", &s->reference },
		{ "referenceHash", &s->reference_hash },
		{ "part", &s->part },
		{ "component", &s->component },
		{ "template", &s->template_path },
		{ "apiVersion", &s->api_version },
		{ "kind", &s->kind },
		{ "namespace", &s->namespace },
		{ "name", &s->name },
		{ "uid", &s->uid },
		{ "resourceVersion", &s->resource_version },
		{ "resource", &s->resource },
		{ "rule", &s->rule },
		{ "rulePath", &s->rule_path },
		{ "ruleSource", &s->rule_source },
		{ "reason", &s->reason },
		{ "acceptance", &s->acceptance },
		{ "owner", &s->owner },
		{ "until", &s->until },
		{ "phase", &s->phase },
		{ "shard", &s->shard },
	};

	for (size_t i = 0; i < ARRAY_LEN(members); i++)
		*members[i].to = text_of(v, members[i].name);
}

static struct blame read_blame(val v)
{
	return (struct blame){ .manager = text_of(v, "manager"),
			       .operation = text_of(v, "operation"),
			       .subresource = text_of(v, "subresource"),
			       .time = text_of(v, "time") };
}

static size_t read_paths(val v, struct finding_path *paths)
{
	size_t n = val_count(v);

	ASSERT(n <= FINDING_PATHS_MAX);
	for (size_t i = 0; i < n; i++)
		paths[i] = (struct finding_path){ .path = text_of(val_at(v, (uint32_t)i), "path"),
						  .expected = text_of(val_at(v, (uint32_t)i), "expected"),
						  .actual = text_of(val_at(v, (uint32_t)i), "actual") };
	return n;
}

static size_t read_rules(val v, struct finding_rule *rules)
{
	size_t n = val_count(v);

	ASSERT(n <= FINDING_RULES_MAX);
	for (size_t i = 0; i < n; i++)
		rules[i] = (struct finding_rule){ .type = "warn",
						  .severity = SEVERITY_WARNING,
						  .path = text_of(val_at(v, (uint32_t)i), "path"),
						  .message = text_of(val_at(v, (uint32_t)i), "message"),
						  .action = text_of(val_at(v, (uint32_t)i), "action") };
	return n;
}

static void print_record(const struct record *r, struct buf *out)
{
	buf_printf(out, "%s %d: %.*s\n", message_id(r->message), r->priority, STR_ARG(r->text));
	if (r->details.n)
		buf_printf(out, "details %.*s\n", STR_ARG(r->details));
	for (size_t i = 0; i < r->n_fields; i++)
		buf_printf(out, "%s=%.*s\n", r->fields[i].name, STR_ARG(r->fields[i].value));
}

/* The begin and the end in one. */
static void merge(const struct finding *x, const struct finding_report *report, const struct record_terms *terms,
		  struct record *begun, struct record *ret)
{
	record_report(begun, x, TRANSITION_BEGIN, report, terms);
	record_end(ret, x, NULL, NULL, &(struct blame){ 0 }, terms);
	record_merge(ret, begun);
}

/* The program is a kind, "begin", "change", "end", "merged" or "state" (a change of which the report is not known), and
 * why it ends; the input is what the finding is about, how many microseconds it is open ("open"), and what is reported.
 */
static int run_records(const struct triple *t, struct arena *a, struct buf *out)
{
	struct finding_path paths[FINDING_PATHS_MAX];
	struct finding_rule rules[FINDING_RULES_MAX];
	val v = decode(t->input, a);
	struct record_terms terms = { .cluster_named = number_of(v, "named") != 0,
				      .span = { number_of(v, "from"), number_of(v, "to") } };
	struct finding_report report = { .what = text_of(v, "what"),
					 .details = text_of(v, "details"),
					 .paths = paths,
					 .n_paths = read_paths(VAL_GET(v, "paths"), paths),
					 .n_paths_total = (size_t)number_of(v, "pathCount"),
					 .rules = rules,
					 .n_rules = read_rules(VAL_GET(v, "rules"), rules),
					 .diff = text_of(v, "diff"),
					 .rule_message = text_of(v, "ruleMessage"),
					 .old = text_of(v, "old"),
					 .blame = read_blame(v) };
	struct finding x = { .severity = SEVERITY_ERROR,
			     .id = "0123456789abcdef0123456789abcdef",
			     .first_seen_usec = 5,
			     .paths = text_of(v, "known") };
	struct finding_subject now = { .resource_version = text_of(v, "nowVersion") };
	str rest = t->program, kind = { 0 }, event = { 0 };
	enum transition transition;
	struct record r, begun;

	record_init(&begun, MESSAGE_NOTICE, 0);
	(void)str_next_part(&rest, ' ', &kind);
	(void)str_next_part(&rest, ' ', &event);
	ASSERT(finding_type_parse(kind, &x.kind));
	read_subject(v, &x.subject);
	report.kind = x.kind;
	report.severity = x.severity;
	report.subject = x.subject;
	clock_set(1, UINT64_C(1000000000000000));
	x.open_from_usec = 1000000000000 - number_of(v, "open");
	if (str_eq(event, STR("state")))
		record_state(&r, &x, TRANSITION_CHANGE, &terms);
	else if (str_eq(event, STR("merged")))
		merge(&x, &report, &terms, &begun, &r);
	else if (!transition_parse(event, &transition))
		abort();
	else if (transition == TRANSITION_END)
		record_end(&r, &x, now.resource_version.n ? &now : NULL, rest.n ? arena_str(a, rest).p : NULL,
			   &report.blame, &terms);
	else
		record_report(&r, &x, transition, &report, &terms);
	print_record(&r, out);
	record_done(&r);
	record_done(&begun);
	return 0;
}

/* ---- outputs ---- */

/* What is written to standard output while @o writes. */
static void written(struct output *o, const struct record *r, struct buf *out)
{
	static char line[65536];
	struct capture c;
	size_t n;

	ASSERT(capture_begin(&c));
	ASSERT(output_write(o, r) == 0);
	fflush(stdout);
	rewind(c.file);
	n = fread(line, 1, sizeof(line), c.file);
	capture_end(&c);
	buf_add(out, line, n);
}

/* The program is a form, and the shard of which it is; the input the text, the details and the fields of a record. */
static int run_outputs(const struct triple *t, struct arena *a, struct buf *out)
{
	str shard = t->program, form = { 0 };
	val v = decode(t->input, a), fields = VAL_GET(v, "fields");
	int64_t ordinal;
	struct output *o;
	struct record r;

	(void)str_next_part(&shard, ' ', &form);
	clock_set(INT64_C(1800000000000000), 1);
	o = output_new(str_eq(form, STR("json")) ? CFG_OUTPUT_JSON : CFG_OUTPUT_TEXT);
	ASSERT(o && !output_is_the_journal(o) && output_await(o) == 0);
	if (int64_parse(shard, &ordinal))
		output_set_shard(o, (struct shard){ (uint32_t)ordinal, 3 });
	record_init(&r, MESSAGE_NOTICE, SEVERITY_WARNING);
	(void)snprintf(r.id, sizeof(r.id), "%s", "0123456789abcdef0123456789abcdef");
	r.text = text_of(v, "text");
	r.details = text_of(v, "details");
	for (size_t i = 0; i < val_count(fields); i++)
		record_add(&r, arena_str(a, text_of(val_at(fields, (uint32_t)i), "name")).p,
			   text_of(val_at(fields, (uint32_t)i), "is"));
	written(o, &r, out);
	record_done(&r);
	output_free(o);
	return 0;
}

/* ---- small things ---- */

/* A word, a kind and a resource. */
static int run_kind_words(const struct triple *t, struct arena *a, struct buf *out)
{
	str rest = t->program, word = { 0 }, kind = { 0 };

	(void)a;
	(void)str_next_part(&rest, ' ', &word);
	(void)str_next_part(&rest, ' ', &kind);
	buf_add_cstr(out, kind_word_means(word, kind, rest) ? "yes" : "no");
	return 0;
}

/* The program is nanoseconds; which bucket they are counted in, and up to how many seconds that is. */
static int run_histogram(const struct triple *t, struct arena *a, struct buf *out)
{
	struct histogram h = { 0 };
	int64_t ns;

	(void)a;
	ASSERT(int64_parse(t->program, &ns));
	histogram_observe(&h, (uint64_t)ns);
	ASSERT(h.sum_ns == (uint64_t)ns);
	for (int i = 0; i <= HISTOGRAM_BUCKETS; i++) {
		if (h.buckets[i])
			buf_printf(out, "%llu up to %g", (unsigned long long)h.buckets[i],
				   i < HISTOGRAM_BUCKETS ? histogram_bounds[i] : HUGE_VAL);
	}
	return 0;
}

static const struct triple_file files[] = {
	{ "records", run_records },
	{ "outputs", run_outputs },
	{ "kind_words", run_kind_words },
	{ "histogram", run_histogram },
};

int main(void)
{
	(void)setenv("TZ", "UTC", 1);
	return triples_main(TEST_DATA "/findings/triples", files, ARRAY_LEN(files));
}
