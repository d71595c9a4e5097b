/* The names by which findings are shared out. */
#include "daemon/findings/finding_owner.h"

#include "base/number.h"

bool object_is_own(struct shard s, str uid, str namespace, str name)
{
	const str names[] = { namespace, name };

	return uid.n ? shard_owns(s, uid) : shard_owns_names(s, names, ARRAY_LEN(names));
}

bool component_is_own(struct shard s, const struct finding_subject *x)
{
	const str names[] = { x->cluster, x->reference, x->part, x->component };

	return shard_owns_names(s, names, ARRAY_LEN(names));
}

bool rule_is_own(struct shard s, const struct finding_subject *x)
{
	const str names[] = { x->cluster, x->api_version, x->kind, x->rule_source, x->rule_path, x->rule };

	return shard_owns_names(s, names, ARRAY_LEN(names));
}

/* @text: that of a shard, perhaps among others than those of today. */
static bool is_successor(struct shard s, str text)
{
	str rest = text, ordinal = { 0 };
	int64_t n;

	if (s.total <= 1)
		return true;
	if (!rest.n || !str_next_part(&rest, '/', &ordinal) || !int64_parse(ordinal, &n) || n < 0 ||
	    n >= (int64_t)s.total)
		n = 0;
	return n == (int64_t)s.ordinal;
}

bool finding_is_own(struct shard s, const struct finding *x)
{
	const struct finding_subject *about = &x->subject;

	if (x->kind == FINDING_GAP || about->shard.n)
		return is_successor(s, about->shard);
	if (x->kind == FINDING_COMPONENT || (x->kind == FINDING_ACCEPTED && !about->kind.n))
		return component_is_own(s, about);
	if (x->kind == FINDING_ERROR && about->rule.n)
		return rule_is_own(s, about);
	return object_is_own(s, about->uid, about->namespace, about->name);
}
