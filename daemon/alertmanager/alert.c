/* Makes labels, and texts for people. */
#include "daemon/alertmanager/alert.h"

#include "base/assert.h"
#include "base/hash.h"
#include "daemon/alertmanager/chat_text.h"
#include "daemon/findings/runbook.h"
#include "go/layout.h"
#include "value/json.h"
#include "value/json_out.h"

#include <stdio.h>

#define LABEL_MAX 512  /* bytes of a label's value that are used; names in Kubernetes have at most 253 */
#define TEXT_MAX 1024  /* bytes of an annotation's value that are used */
#define FIELDS_SHOWN 8 /* differing fields that a text names */

bool alert_is_wanted(const struct cfg_alertmanager *from, const struct finding *x, uint64_t now_ns)
{
	return x->kind != FINDING_ACCEPTED && x->severity <= from->min_severity && now_ns >= x->reported_from_ns &&
	       !x->dormant;
}

uint64_t alert_facts(const struct finding *x)
{
	const str texts[] = { x->summary, x->paths, x->manager, x->actions };
	uint64_t h = hash_bytes(x->id, sizeof(x->id), hash_seed());

	h = hash_mix(h, (uint64_t)x->severity);
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		h = hash_str(texts[i], h);
	return h;
}

/* ---- labels ---- */

uint64_t alert_print_label(uint64_t print, str name, str value)
{
	return print + hash_mix(hash_str(name, hash_seed()), hash_str(value, hash_seed() + 1));
}

static const char *alert_name(enum finding_kind kind)
{
	static const char *const names[FINDING_KINDS] = {
		[FINDING_DRIFT] = "DriftdDrift",           [FINDING_COMPONENT] = "DriftdComponent",
		[FINDING_ERROR] = "DriftdError",           [FINDING_GAP] = "DriftdGap",
		[FINDING_VALIDATION] = "DriftdValidation", [FINDING_ACCEPTED] = "DriftdAccepted",
		[FINDING_INSPECTION] = "DriftdInspection",
	};

	ASSERT(kind < FINDING_KINDS);
	return names[kind];
}

/* Append a member, but nothing when the value is empty: Alertmanager ignores empty labels. */
static void add_text(struct buf *out, const char *name, str value, size_t max)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(max * 16);

	chat_text_add(&text, value, max);
	if (text.error)
		out->error = text.error;
	json_text(out, name, buf_str(&text));
}

/* Labels while they are written, and the hash so far, which identifies them. */
struct labels {
	struct buf *out;
	uint64_t print;
};

static void add_label(struct labels *l, const char *name, str value)
{
	if (value.n)
		l->print = alert_print_label(l->print, str_from(name), value);
	json_text(l->out, name, value);
}

/* Add a label whose value comes from a cluster. */
static void add_foreign_label(struct labels *l, const char *name, str value)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(LABEL_MAX * 16);

	chat_text_add(&text, value, LABEL_MAX);
	if (text.error)
		l->out->error = text.error;
	add_label(l, name, buf_str(&text));
}

static void add_static_labels(struct labels *l, const struct cfg_alertmanager *from)
{
	bool has_job = false;

	for (size_t i = 0; i < from->n_labels; i++) {
		char name[CFG_LABEL_NAME_MAX + 1];

		(void)snprintf(name, sizeof(name), "%.*s", STR_ARG(from->labels[i].name));
		add_label(l, name, from->labels[i].value);
		has_job |= strcmp(name, "job") == 0;
	}
	if (!has_job)
		add_label(l, "job", STR("driftd"));
}

/* The kind that the finding is about. A gap names it by its resource. */
static str kind_of(const struct finding *x)
{
	return x->subject.kind.n ? x->subject.kind : x->subject.resource;
}

uint64_t alert_add_labels(const struct cfg_alertmanager *from, const struct finding *x, const char *cause,
			  struct buf *out)
{
	const struct finding_subject *s = &x->subject;
	struct labels l = { .out = out };

	buf_add_byte(out, '{');
	add_label(&l, "alertname", str_from(alert_name(x->kind)));
	add_static_labels(&l, from);
	add_foreign_label(&l, "cluster", s->cluster);
	add_foreign_label(&l, "namespace", s->namespace);
	add_foreign_label(&l, "kind", kind_of(x));
	add_foreign_label(&l, "name", s->name);
	add_foreign_label(&l, "reference", s->reference);
	add_foreign_label(&l, "component", s->component);
	add_label(&l, "severity", str_from(severity_name(x->severity)));
	add_label(&l, "type", str_from(finding_type(x->kind)));
	add_label(&l, "drift_id", str_from(x->id));
	add_label(&l, "cause", str_from(cause));
	buf_add_byte(out, '}');
	return l.print;
}

/* ---- what people read ---- */

/* Append the place, such as "Deployment prod/web", "component web of ztp" or "cluster prod". */
static void add_place(const struct finding *x, struct buf *out)
{
	const struct finding_subject *s = &x->subject;
	str kind = kind_of(x);

	if (finding_is_of_component(x->kind, s) && s->component.n)
		buf_printf(out, "component %.*s of %.*s", STR_ARG(s->component), STR_ARG(s->reference));
	else if (kind.n && s->name.n)
		buf_printf(out, "%.*s %.*s%s%.*s", STR_ARG(kind), STR_ARG(s->namespace), s->namespace.n ? "/" : "",
			   STR_ARG(s->name));
	else if (s->rule.n)
		buf_printf(out, "rule at %.*s", STR_ARG(s->rule_path));
	else if (kind.n)
		buf_printf(out, "%.*s of cluster %.*s", STR_ARG(kind), STR_ARG(s->cluster));
	else
		buf_printf(out, "cluster %.*s", STR_ARG(s->cluster));
}

static const char *what_is_wrong(enum finding_kind kind)
{
	static const char *const words[FINDING_KINDS] = {
		[FINDING_DRIFT] = "differs from its reference",
		[FINDING_COMPONENT] = "is not satisfied",
		[FINDING_ERROR] = "cannot be judged",
		[FINDING_GAP] = "cannot be watched",
		[FINDING_VALIDATION] = "does not pass a rule",
		[FINDING_ACCEPTED] = "deviates, which is accepted",
		[FINDING_INSPECTION] = "does not pass an inspection",
	};

	ASSERT(kind < FINDING_KINDS);
	return words[kind];
}

/* Append the first paths, separated by commas. */
static void add_fields(str paths, struct buf *out)
{
	size_t n = 0;
	str line;

	while (paths.n && str_next_part(&paths, '\n', &line)) {
		if (line.n && n < FIELDS_SHOWN)
			buf_printf(out, "%s%.*s", n ? ", " : "", STR_ARG(line));
		n += line.n > 0;
	}
	if (n > FIELDS_SHOWN)
		buf_printf(out, " and %zu more", n - FIELDS_SHOWN);
}

/* Whether the summary may be shown. Summaries of most types quote values of objects, which only trusted receivers
 * see. */
static bool summary_is_shown(const struct cfg_alertmanager *from, const struct finding *x)
{
	return x->summary.n && (from->values || x->kind == FINDING_COMPONENT || x->kind == FINDING_GAP);
}

static void add_message(const struct cfg_alertmanager *from, const struct finding *x, struct buf *out)
{
	add_place(x, out);
	if (x->subject.cluster.n && kind_of(x).n && x->subject.name.n)
		buf_printf(out, " of cluster %.*s", STR_ARG(x->subject.cluster));
	buf_printf(out, " %s", what_is_wrong(x->kind));
	if (summary_is_shown(from, x)) {
		buf_printf(out, ": %.*s", STR_ARG(x->summary));
	} else if (x->paths.n) {
		buf_add_cstr(out, " in ");
		add_fields(x->paths, out);
	}
}

static void add_lines(struct buf *out, const char *name, void (*write)(str lines, struct buf *out), str lines)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT((size_t)1 << 20);

	write(lines, &text);
	add_text(out, name, buf_str(&text), TEXT_MAX);
}

static void add_url(struct buf *out, const char *name, str page_url, const char *path, const char *id)
{
	CLEANUP(buf_done) struct buf url = BUF_INIT(8192);

	if (!page_url.n)
		return;
	buf_add_str(&url, page_url);
	buf_add_cstr(&url, path);
	buf_add_cstr(&url, id);
	json_text(out, name, buf_str(&url));
}

static void add_runbook_url(struct buf *out, str page_url, const struct finding *x)
{
	CLEANUP(buf_done) struct buf address = BUF_INIT(256);
	const char *section = runbook_section(x);

	if (section)
		runbook_address(section, &address);
	add_url(out, "runbook_url", page_url, section && !address.error ? address.p : "/runbook", "");
}

static void add_texts(const struct cfg_alertmanager *from, const struct finding *x, struct buf *out)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT((size_t)1 << 20);

	add_place(x, &text);
	buf_printf(&text, " %s", what_is_wrong(x->kind));
	add_text(out, "summary", buf_str(&text), TEXT_MAX);
	buf_clear(&text);
	add_message(from, x, &text);
	add_text(out, "message", buf_str(&text), TEXT_MAX);
}

void alert_add_annotations(const struct cfg_alertmanager *from, const struct finding *x, const char *origin,
			   struct buf *out)
{
	json_open(out, "annotations", '{');
	add_texts(from, x, out);
	add_lines(out, "fields", add_fields, x->paths);
	add_text(out, "writer", x->manager, TEXT_MAX);
	add_lines(out, "actions", add_fields, x->actions);
	json_time(out, "since", x->first_seen_usec);
	add_url(out, "link", from->page_url, "/findings/", x->id);
	add_runbook_url(out, from->page_url, x);
	json_text(out, ALERT_ORIGIN, str_from(origin));
	buf_add_byte(out, '}');
	add_url(out, "generatorURL", from->page_url, "/findings/", x->id);
}

static void add_time(struct buf *out, const char *name, int64_t usec)
{
	json_key(out, name);
	buf_add_byte(out, '"');
	go_rfc3339_format(usec / 1000000, (int32_t)(usec % 1000000 * 1000), 0, out);
	buf_add_byte(out, '"');
}

void alert_add_times(int64_t starts_usec, int64_t ends_usec, struct buf *out)
{
	add_time(out, "startsAt", starts_usec < ends_usec ? starts_usec : ends_usec);
	add_time(out, "endsAt", ends_usec);
}
