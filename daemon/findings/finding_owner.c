/* Names of owners. */
#include "daemon/findings/finding_owner.h"

#include "daemon/findings/finding_record.h"

#define NAME_MAX_BYTES ((size_t)1 << 20)

static bool is_of_component(enum finding_kind kind, const struct finding_subject *s)
{
	return kind == FINDING_COMPONENT || (kind == FINDING_ACCEPTED && !s->kind.n);
}

void finding_owner_name(enum finding_kind kind, const struct finding_subject *s, struct buf *out)
{
	const str *const parts[] = { &s->cluster, &s->reference, &s->part, &s->component };

	if (!is_of_component(kind, s)) {
		buf_add_str(out, s->uid);
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		if (i > 0)
			buf_add_byte(out, '\x1f');
		buf_add_str(out, *parts[i]);
	}
}

bool finding_is_of_shard(const struct finding_subject *s, enum finding_kind kind, struct shard shard)
{
	CLEANUP(buf_done) struct buf name = BUF_INIT(NAME_MAX_BYTES);

	if (shard.total <= 1)
		return true;
	if (!is_of_component(kind, s))
		return s->uid.n ? shard_owns(shard, s->uid) : shard.ordinal == 0;
	finding_owner_name(kind, s, &name);
	return name.error || shard_owns(shard, buf_str(&name));
}

bool finding_of_record(const struct record *r, enum finding_kind *kind, struct finding_subject *ret)
{
	if (!record_kind(r, kind))
		return false;
	*ret = (struct finding_subject){
		.cluster = record_get(r, "DRIFTD_CLUSTER"),
		.reference = record_get(r, "DRIFTD_REFERENCE"),
		.part = record_get(r, "DRIFTD_PART"),
		.component = record_get(r, "DRIFTD_COMPONENT"),
		.kind = record_get(r, "DRIFTD_KIND"),
		.uid = record_get(r, "DRIFTD_UID"),
	};
	return true;
}

bool record_is_of_shard(const struct record *r, struct shard shard)
{
	struct finding_subject s;
	enum finding_kind kind;

	if (finding_of_record(r, &kind, &s))
		return finding_is_of_shard(&s, kind, shard);
	return shard.total <= 1 || shard.ordinal == 0;
}
