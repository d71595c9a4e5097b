/* Writes the keys under which hosts share their state in etcd. */
#include "daemon/leader/etcd/etcd_keys.h"

#include "base/assert.h"

#include <stdio.h>

/* A prefix or a key that was cut would be that of another host, or of another item. */
static bool is_whole(int printed, size_t size)
{
	return printed > 0 && (size_t)printed < size;
}

void etcd_keys_init(struct etcd_keys *keys, str prefix, struct shard shard)
{
	char space[SHARD_TEXT_SIZE];
	const char *of_shard = shard_text(shard, space);
	int n;

	*keys = (struct etcd_keys){ .shared = prefix };
	n = snprintf(keys->prefix, sizeof(keys->prefix), "%.*s%s%s", STR_ARG(prefix), *of_shard ? "/shards/" : "",
		     of_shard);
	ASSERT(is_whole(n, sizeof(keys->prefix)));
}

str etcd_key_of(const struct etcd_keys *keys, const char *name, struct etcd_key *to)
{
	int n = snprintf(to->text, sizeof(to->text), "%s/%s", keys->prefix, name);

	ASSERT(is_whole(n, sizeof(to->text)));
	return str_from(to->text);
}

str etcd_key_of_finding(const struct etcd_keys *keys, const char *id, struct etcd_key *to)
{
	int n = snprintf(to->text, sizeof(to->text), "%s/findings/%s", keys->prefix, id);

	ASSERT(is_whole(n, sizeof(to->text)));
	return str_from(to->text);
}

str etcd_key_of_shards(const struct etcd_keys *keys, const char *name, struct etcd_key *to)
{
	int n = snprintf(to->text, sizeof(to->text), "%.*s/%s", STR_ARG(keys->shared), name);

	ASSERT(is_whole(n, sizeof(to->text)));
	return str_from(to->text);
}

/* An id is a uuid, or that of an acceptance. A longer one, which only a damaged database can have, is cut. */
str etcd_key_of_made(const struct etcd_keys *keys, enum made_kind kind, str id, struct etcd_key *to)
{
	(void)snprintf(to->text, sizeof(to->text), "%s/made/%s%.*s", keys->prefix,
		       kind == MADE_RULE ? ETCD_RULES_PATH : ETCD_ACCEPTED_PATH, STR_ARG(id));
	return str_from(to->text);
}
