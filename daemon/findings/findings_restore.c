/* Findings that an earlier process has left: restored, left to another shard, or kept without what was lost. */
#include "daemon/findings/clock.h"
#include "daemon/findings/finding_owner.h"
#include "daemon/findings/findings_internal.h"

static void drop(struct findings *f, struct finding *x)
{
	bool dormant = x->dormant;

	if (x->flap)
		findings_end_to_flap(f, x);
	sink_emit(f->sink, &(struct emission){ .finding = x, .over = true });
	if (dormant) {
		findings_free_dormant(f, x);
		return;
	}
	(void)index_remove(&f->by_key, x->key);
	findings_scan_remove(f, x);
	findings_untally(f, x);
	finding_free(x);
}

static bool is_own(struct shard shard, const struct finding *x)
{
	return finding_is_own(shard, x->kind, &x->subject);
}

/* The table may not change while it is walked. False: there may be more. */
static bool drop_some(struct findings *f, const struct index *set, struct shard shard)
{
	struct finding *x, *foreign[FINDINGS_AT_ONCE];
	size_t at = 0, n = 0;

	while (n < ARRAY_LEN(foreign) && (x = index_each(set, &at))) {
		if (!is_own(shard, x))
			foreign[n++] = x;
	}
	for (size_t i = 0; i < n; i++)
		drop(f, foreign[i]);
	return n < ARRAY_LEN(foreign);
}

void findings_drop_foreign(struct findings *f, struct shard shard)
{
	while (!drop_some(f, &f->by_key, shard) || !drop_some(f, &f->dormant, shard)) {
	}
}

/* Forget which fields were removed. Without memory it is not even known that some were. */
static void forget_removals(struct findings *f, struct finding *x)
{
	CLEANUP(arena_done) struct arena scratch = ARENA_INIT(0);
	str text = findings_forget_removals(x->removals, &scratch);
	str removals = text.p ? shared_text_take(f->texts, text) : text;

	shared_text_drop(x->removals);
	x->removals = removals.p ? removals : STR("");
}

/* Store all findings, open and dormant ones, again. */
static void keep_each(struct findings *f, const char *state_hash)
{
	const struct index *sets[] = { &f->by_key, &f->dormant };

	for (size_t i = 0; i < ARRAY_LEN(sets); i++) {
		struct finding *x;
		size_t at = 0;

		while ((x = index_each(sets[i], &at))) {
			if (state_hash)
				forget_removals(f, x);
			finding_hash_anew(f, x, state_hash ? state_hash : x->state_hash);
		}
	}
}

void findings_forget_states(struct findings *f)
{
	keep_each(f, FINDING_STATE_UNKNOWN);
}

void findings_keep_all(struct findings *f)
{
	keep_each(f, NULL);
}

static int restore_flap(struct findings *f, struct finding *x, bool dormant, struct err *err)
{
	if (!findings_add_flap(f, x))
		return err_nomem(err);
	(void)flap_is_news(x->flap, x->severity, x->paths);
	return !dormant || findings_become_dormant(f, x) ? 0 : err_nomem(err);
}

int findings_restore(struct findings *f, const struct finding *from, struct err *err)
{
	CLEANUP(arena_done) struct arena scratch = ARENA_INIT(0);
	struct finding copy = *from, *x;

	if (findings_lookup(f, from->kind, &from->subject))
		return 0;
	copy.removals = findings_read_removals(f, from->removals, &scratch);
	copy.open_from_usec = clock_boot_usec() - (clock_usec() - from->first_seen_usec);
	copy.confirmed = copy.dormant = false;
	copy.flap = NULL;
	x = findings_insert_near(f, &copy, NULL);
	if (!x)
		return err_nomem(err);
	return x->flaps ? restore_flap(f, x, from->dormant, err) : 0;
}
