/* What the judge by validation rules, and its parts, are given. */
#ifndef DAEMON_WATCH_RULE_JUDGE_OPTIONS_H
#define DAEMON_WATCH_RULE_JUDGE_OPTIONS_H

#include "base/shard.h"
#include "config/cfg.h"
#include "daemon/findings/findings.h"
#include "daemon/watch/snapshot/snapshot.h"
#include "daemon/watch/verdict/acceptances.h"

struct rule_judge_options {
	const struct cfg *cfg;
	str cluster;
	struct shard shard; /* which objects this process reports */
	struct findings *findings;
	const struct acceptances *acceptances; /* NULL: nothing is accepted */
	struct key_table *keys;
	const struct limits *limits;
	void (*again)(void *ctx, struct kind *k); /* validate all objects of the kind again */
	/* Whether the definition has to be kept, because its kind may be watched later. */
	bool (*awaits)(void *ctx, val crd);
	void *ctx;
};

#endif
