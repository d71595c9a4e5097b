/* The names by which findings are shared out. */
#include "daemon/findings/finding_owner.h"

#include "base/number.h"
#include "daemon/findings/finding_record.h"

#define NAMES_MAX 5

/* The names that identify the subject. */
struct names {
	str p[NAMES_MAX];
	size_t n;
};

static struct names names_of_object(str uid, str namespace, str name)
{
	return uid.n ? (struct names){ { uid }, 1 } : (struct names){ { namespace, name }, 2 };
}

static struct names names_of_component(const struct finding_subject *x)
{
	return (struct names){ { x->cluster, x->reference, x->part, x->component }, 4 };
}

static struct names names_of_rule(const struct finding_subject *x)
{
	return (struct names){ { x->cluster, x->api_version, x->kind, x->rule_source, x->rule }, 5 };
}

static bool owns(struct shard s, const struct names *names)
{
	return shard_owns_names(s, names->p, names->n);
}

bool object_is_own(struct shard s, str uid, str namespace, str name)
{
	const struct names names = names_of_object(uid, namespace, name);

	return owns(s, &names);
}

bool component_is_own(struct shard s, const struct finding_subject *x)
{
	const struct names names = names_of_component(x);

	return owns(s, &names);
}

bool rule_is_own(struct shard s, const struct finding_subject *x)
{
	const struct names names = names_of_rule(x);

	return owns(s, &names);
}

/* The names by which the owner of a finding is chosen. A finding without any is about what one process cannot do. */
static struct names names_of(enum finding_kind kind, const struct finding_subject *x)
{
	if (kind == FINDING_GAP || x->shard.n)
		return (struct names){ 0 };
	if (finding_is_of_component(kind, x))
		return names_of_component(x);
	if (kind == FINDING_ERROR && x->rule.n)
		return names_of_rule(x);
	return names_of_object(x->uid, x->namespace, x->name);
}

/* Whether this process follows the one whose shard_text is @text, perhaps of another number of shards. */
static bool is_successor(struct shard s, str text)
{
	str rest = text, ordinal = { 0 };
	int64_t n;

	if (!rest.n || !str_next_part(&rest, '/', &ordinal) || !int64_parse(ordinal, &n) || n < 0 ||
	    n >= (int64_t)s.total)
		n = 0;
	return n == (int64_t)s.ordinal;
}

bool finding_is_own(struct shard s, enum finding_kind kind, const struct finding_subject *x)
{
	const struct names names = names_of(kind, x);

	return names.n ? owns(s, &names) : is_successor(s, x->shard);
}

bool finding_is_of_process(enum finding_kind kind, const struct finding_subject *x)
{
	bool is_cost = kind == FINDING_ERROR && x->rule.n && str_eq(x->rule_path, STR(FINDING_RULE_COST));

	return kind == FINDING_GAP || x->shard.n || is_cost;
}

void finding_owner_name(enum finding_kind kind, const struct finding_subject *x, struct buf *out)
{
	const struct names names = names_of(kind, x);

	for (size_t i = 0; i < names.n; i++) {
		if (i > 0)
			buf_add_byte(out, SHARD_SEPARATOR);
		buf_add_str(out, names.p[i]);
	}
}

bool finding_of_record(const struct record *r, enum finding_kind *kind, struct finding_subject *ret)
{
	if (!record_kind(r, kind))
		return false;
	*ret = (struct finding_subject){ .shard = record_get(r, "DRIFTD_SHARD") };
	for (size_t i = 0; i < SUBJECT_TEXTS; i++)
		*(str *)((char *)ret + subject_texts[i].at) = record_get(r, subject_texts[i].field);
	return true;
}

bool record_is_own(struct shard s, const struct record *r)
{
	struct finding_subject x;
	enum finding_kind kind;

	return finding_of_record(r, &kind, &x) ? finding_is_own(s, kind, &x) : s.total <= 1 || s.ordinal == 0;
}
