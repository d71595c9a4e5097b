/* Inspection: the rules of users, and what was inspected when driftd stopped. */
#include "daemon/store/database/database_internal.h"

#include <errno.h>

/* ---- rules ---- */

static struct kept_rule rule_of(sqlite3_stmt *s)
{
	struct kept_rule rule = {
		.uuid = database_column(s, 0),
		.json = database_column(s, 1),
		.created_at = database_column(s, 2),
	};

	if (sqlite3_column_type(s, 3) != SQLITE_NULL)
		rule.updated_at = database_column(s, 3);
	return rule;
}

int database_rules(struct database *d, int (*each)(void *ctx, const struct kept_rule *rule, struct err *err), void *ctx,
		   size_t *malformed, struct err *err)
{
	int r = database_prepare(d, RULES, err), step = SQLITE_DONE;
	sqlite3_stmt *s = d->statements[RULES];
	struct malformed bad = { 0 };

	while (r == 0 && (step = sqlite3_step(s)) == SQLITE_ROW) {
		struct kept_rule rule = rule_of(s);

		r = each(ctx, &rule, err);
		if (r == -EBADMSG && malformed)
			r = malformed_note(&bad, s, err);
	}
	if (r == 0 && step != SQLITE_DONE)
		r = database_failed(d, err);
	(void)sqlite3_reset(s);
	if (malformed)
		*malformed = bad.keys.n;
	return malformed_remove(d, &bad, REMOVE_RULE, r, err);
}

int database_run_rule(struct database *d, enum statement which, const struct kept_rule *rule, struct err *err)
{
	int r = database_prepare(d, which, err);

	if (r < 0)
		return r;
	database_bind(d, which, 1, rule->uuid);
	database_bind(d, which, 2, rule->json);
	database_bind(d, which, 3, rule->created_at);
	if (rule->updated_at.p)
		database_bind(d, which, 4, rule->updated_at);
	return database_run(d, which, err);
}

int database_put_rule(struct database *d, const struct kept_rule *rule, struct err *err)
{
	return database_run_rule(d, PUT_RULE, rule, err);
}

int database_remove_rule(struct database *d, str uuid, struct err *err)
{
	int r = database_prepare(d, REMOVE_RULE, err);

	if (r < 0)
		return r;
	database_bind(d, REMOVE_RULE, 1, uuid);
	return database_run(d, REMOVE_RULE, err);
}

int database_clear_rules(struct database *d, struct err *err)
{
	return database_run_plain(d, CLEAR_RULES, err);
}

/* ---- what was inspected ---- */

struct inspected {
	str cluster, versions;
};

/* Copies, which outlive the rows. */
struct inspected_list {
	struct arena arena;
	VEC(struct inspected) of;
};

static int note(struct inspected_list *all, sqlite3_stmt *s, struct err *err)
{
	struct inspected x = {
		.cluster = arena_str(&all->arena, database_column(s, 0)),
		.versions = arena_str(&all->arena, database_column(s, 1)),
	};

	return x.cluster.p && x.versions.p && vec_push(&all->of, x) ? 0 : err_nomem(err);
}

static int read_inspected(struct database *d, struct inspected_list *all, struct err *err)
{
	int r = database_prepare(d, INSPECTED, err), step = SQLITE_DONE;
	sqlite3_stmt *s = d->statements[INSPECTED];

	while (r == 0 && (step = sqlite3_step(s)) == SQLITE_ROW)
		r = note(all, s, err);
	if (r == 0 && step != SQLITE_DONE)
		r = database_failed(d, err);
	(void)sqlite3_reset(s);
	return r;
}

int database_take_inspected(struct database *d, int (*each)(void *ctx, str cluster, str versions, struct err *err),
			    void *ctx, struct err *err)
{
	struct inspected_list all = { .arena = ARENA_INIT(0) };
	int r = database_begin(d, err);

	if (r < 0)
		return r;
	r = read_inspected(d, &all, err);
	if (r == 0)
		r = database_run_plain(d, CLEAR_INSPECTED, err);
	r = database_end(d, r, err);
	for (size_t i = 0; r == 0 && i < all.of.n; i++)
		r = each(ctx, all.of.p[i].cluster, all.of.p[i].versions, err);
	vec_done(&all.of);
	arena_done(&all.arena);
	return r;
}

int database_put_inspected(struct database *d, str cluster, str versions, struct err *err)
{
	int r = database_prepare(d, PUT_INSPECTED, err);

	if (r < 0)
		return r;
	database_bind(d, PUT_INSPECTED, 1, cluster);
	(void)sqlite3_bind_blob64(d->statements[PUT_INSPECTED], 2, versions.p ? versions.p : "", versions.n,
				  SQLITE_STATIC);
	return database_run(d, PUT_INSPECTED, err);
}
