/* Parses, prints and applies a filter. */
#include "daemon/view/finding_filter.h"

#include "base/assert.h"
#include "base/number.h"
#include "base/pattern.h"
#include "go/layout.h"
#include "kubeclient/kc_url.h"

#include <errno.h>

/* ---- parameters ---- */

/* The parameters that are texts, in the order in which an address has them. */
static const struct text_parameter {
	const char *name;
	size_t at;
} texts[] = {
	{ "cluster", offsetof(struct finding_filter, cluster) },
	{ "namespace", offsetof(struct finding_filter, namespace) },
	{ "name", offsetof(struct finding_filter, name) },
	{ "reference", offsetof(struct finding_filter, reference) },
	{ "component", offsetof(struct finding_filter, component) },
	{ "kind", offsetof(struct finding_filter, kind) },
	{ "labels", offsetof(struct finding_filter, labels) },
	{ "action", offsetof(struct finding_filter, action) },
	{ "field", offsetof(struct finding_filter, field) },
	{ "manager", offsetof(struct finding_filter, manager) },
	{ "cause", offsetof(struct finding_filter, cause) },
};

/* ORDER enum findings_order */
static const char *const orders[] = { "severity", "since", "cluster", "namespace", "kind",
				      "name",     "field", "manager", "reference" };
_Static_assert(ARRAY_LEN(orders) == FINDINGS_ORDERS, "a name for each order");

const char *findings_order_name(enum findings_order order)
{
	ASSERT(order < ARRAY_LEN(orders));
	return orders[order];
}

static int parse_type(const char *value, struct finding_filter *f, struct err *err)
{
	enum finding_kind kind;

	if (!finding_type_parse(str_from(value), &kind))
		return err_set(err, EINVAL,
			       "type '%.40s': drift, component, error, gap, validation, accepted or inspection", value);
	f->types |= 1u << kind;
	return 0;
}

static int read_severity(const char *name, const char *value, enum severity *ret, struct err *err)
{
	if (!severity_parse(str_from(value), ret))
		return err_set(err, EINVAL, "%s '%.40s': critical, error, warning, notice or info", name, value);
	return 0;
}

static int parse_severity(const char *value, struct finding_filter *f, struct err *err)
{
	return read_severity("severity", value, &f->worst, err);
}

static int parse_severity_is(const char *value, struct finding_filter *f, struct err *err)
{
	enum severity s = SEVERITY_INFO;
	int r = read_severity("severity_is", value, &s, err);

	if (r == 0)
		f->severities |= 1u << s;
	return r;
}

static int parse_since(const char *value, struct finding_filter *f, struct err *err)
{
	struct go_stamp stamp;

	if (!go_rfc3339_parse(str_from(value), &stamp, NULL) || stamp.sec < 0)
		return err_set(err, EINVAL, "since '%.40s': a time as 2026-05-01T10:00:00Z is expected", value);
	f->since_usec = stamp.sec * 1000000 + stamp.nsec / 1000;
	return 0;
}

static int parse_sort(const char *value, struct finding_filter *f, struct err *err)
{
	size_t i = str_index(str_from(value), orders, ARRAY_LEN(orders));

	if (i == ARRAY_LEN(orders))
		return err_set(err, EINVAL,
			       "sort '%.40s': severity, since, cluster, namespace, kind, name, field, manager or "
			       "reference",
			       value);
	f->order = (enum findings_order)i;
	return 0;
}

static int parse_group(const char *value, struct finding_filter *f, struct err *err)
{
	if (strcmp(value, "cause") != 0)
		return err_set(err, EINVAL, "group '%.40s': cause is expected", value);
	f->grouped = true;
	return 0;
}

static int parse_after(const char *value, struct finding_filter *f, struct err *err)
{
	int64_t n;

	if (!int64_parse(str_from(value), &n) || n < 1)
		return err_set(err, EINVAL, "after '%.40s': the generation of a list is expected", value);
	f->known = (uint64_t)n;
	return 0;
}

static const struct {
	const char *name;
	int (*parse)(const char *value, struct finding_filter *f, struct err *err);
} others[] = {
	{ "type", parse_type },   { "severity", parse_severity }, { "severity_is", parse_severity_is },
	{ "since", parse_since }, { "sort", parse_sort },         { "group", parse_group },
	{ "after", parse_after },
};

int finding_filter_add(struct finding_filter *f, const char *name, const char *value, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		if (strcmp(name, texts[i].name) == 0) {
			*(str *)((char *)f + texts[i].at) = str_from(value);
			return 0;
		}
	}
	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		if (strcmp(name, others[i].name) == 0)
			return others[i].parse(value, f, err);
	}
	return err_set(err, EINVAL, "unknown parameter '%.40s'", name);
}

int finding_filter_parse(const struct http_request *q, struct finding_filter *ret, struct err *err)
{
	struct finding_filter f = { 0 };
	const char *name, *value;
	size_t at = 0;

	while (http_query_each(q, &at, &name, &value)) {
		int r = finding_filter_add(&f, name, value, err);

		if (r < 0)
			return r;
	}
	*ret = f;
	return 0;
}

bool finding_filter_copy(const struct finding_filter *from, struct arena *a, struct finding_filter *ret)
{
	*ret = *from;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		str *text = (str *)((char *)ret + texts[i].at);

		if (text->p)
			*text = arena_str(a, *text);
		if (!text->p && ((const str *)((const char *)from + texts[i].at))->p)
			return false;
	}
	return true;
}

bool finding_filter_is_set(const struct finding_filter *f)
{
	bool any = f->types || f->worst || f->severities || f->since_usec;

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		any |= ((const str *)((const char *)f + texts[i].at))->n > 0;
	return any;
}

/* ---- the other way ---- */

static void add_since(struct buf *out, int64_t usec)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(64);

	if (!usec)
		return;
	go_rfc3339_format(usec / 1000000, (int32_t)(usec % 1000000 * 1000), 0, &text);
	kc_url_query(out, "since", buf_str(&text));
}

void finding_filter_address(const struct finding_filter *f, struct buf *out)
{
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		kc_url_query(out, texts[i].name, *(const str *)((const char *)f + texts[i].at));
	for (int kind = 0; kind < FINDING_KINDS; kind++) {
		if (f->types & 1u << kind)
			kc_url_query(out, "type", str_from(finding_type((enum finding_kind)kind)));
	}
	kc_url_query(out, "severity", str_from(f->worst ? severity_name(f->worst) : ""));
	for (int s = SEVERITY_CRITICAL; s <= SEVERITY_INFO; s++) {
		if (f->severities & 1u << s)
			kc_url_query(out, "severity_is", str_from(severity_name((enum severity)s)));
	}
	add_since(out, f->since_usec);
	kc_url_query(out, "group", str_from(f->grouped ? "cause" : ""));
	kc_url_query(out, "sort", str_from(f->order ? orders[f->order] : ""));
}

/* ---- what passes ---- */

static bool is_wanted(str wanted, str is)
{
	return !wanted.p || str_eq(wanted, is);
}

static bool is_like(str pattern, str is)
{
	return !pattern.p || pattern_matches(pattern, is);
}

static bool has_field(str field, const struct finding *x)
{
	str rest = x->paths, path;

	if (!field.p)
		return true;
	while (rest.n && str_next_part(&rest, '\n', &path)) {
		if (finding_path_is_in(path, field))
			return true;
	}
	return x->subject.rule_path.n && finding_path_is_in(x->subject.rule_path, field);
}

bool finding_filter_passes(const struct finding_filter *f, const struct finding *x)
{
	const struct finding_subject *s = &x->subject;

	return (!f->types || f->types & 1u << x->kind) && (!f->worst || x->severity <= f->worst) &&
	       (!f->severities || f->severities & 1u << x->severity) && x->first_seen_usec >= f->since_usec &&
	       is_wanted(f->cluster, s->cluster) && is_wanted(f->namespace, s->namespace) &&
	       is_like(f->name, s->name) && is_wanted(f->reference, s->reference) &&
	       is_wanted(f->component, s->component) && (!f->action.p || finding_has_action(x, f->action)) &&
	       (!f->kind.p || kind_words_mean(f->kind, s->kind, s->resource)) && is_like(f->manager, x->manager) &&
	       has_field(f->field, x);
}

static str first_line(str lines)
{
	ptrdiff_t line = str_find_byte(lines, '\n');

	return line < 0 ? lines : str_sub(lines, 0, (size_t)line);
}

str findings_order_text(enum findings_order order, const struct finding *x)
{
	switch (order) {
	case ORDER_CLUSTER:
		return x->subject.cluster;
	case ORDER_NAMESPACE:
		return x->subject.namespace;
	case ORDER_KIND:
		return x->subject.resource.n ? x->subject.resource : x->subject.kind;
	case ORDER_NAME:
		return x->subject.name;
	case ORDER_FIELD:
		return first_line(x->paths);
	case ORDER_MANAGER:
		return x->manager;
	case ORDER_REFERENCE:
		return x->subject.reference;
	default:
		return STR("");
	}
}
