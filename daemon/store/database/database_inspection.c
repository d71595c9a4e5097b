/* Inspection: the rules of users, and the objects that were inspected when driftd stopped. */
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

static int see_rule(void *ctx, sqlite3_stmt *s, struct err *err)
{
	const struct row_taker *rows = ctx;
	struct kept_rule rule = rule_of(s);
	int r = rows->each.rule(rows->ctx, &rule, err);

	return r == -EBADMSG && !rows->strict ? 1 : r;
}

int database_rules(struct database *d, rule_fn *each, void *ctx, size_t *malformed, struct err *err)
{
	struct row_taker rows = { .each.rule = each, .ctx = ctx, .strict = !malformed };
	size_t none;

	return database_rows_kept(d, RULES, REMOVE_RULE, see_rule, &rows, malformed ? malformed : &none, err);
}

int database_run_rule(struct database *d, enum statement which, const struct kept_rule *rule, struct err *err)
{
	return DATABASE_RUN(d, which, err, B_TEXT(rule->uuid), B_TEXT(rule->json), B_TEXT(rule->created_at),
			    { .type = rule->updated_at.p ? BOUND_TEXT : BOUND_NULL, .bytes = rule->updated_at });
}

int database_put_rule(struct database *d, const struct kept_rule *rule, struct err *err)
{
	return database_run_rule(d, PUT_RULE, rule, err);
}

int database_remove_rule(struct database *d, str uuid, struct err *err)
{
	return DATABASE_RUN(d, REMOVE_RULE, err, B_TEXT(uuid));
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

static int note(void *ctx, sqlite3_stmt *s, struct err *err)
{
	struct inspected_list *all = ctx;
	struct inspected x = {
		.cluster = arena_str(&all->arena, database_column(s, 0)),
		.versions = arena_str(&all->arena, database_column(s, 1)),
	};

	return x.cluster.p && x.versions.p && vec_push(&all->of, x) ? 0 : err_nomem(err);
}

int database_take_inspected(struct database *d, inspected_fn *each, void *ctx, struct err *err)
{
	struct inspected_list all = { .arena = ARENA_INIT(0) };
	int r = database_begin(d, err);

	if (r < 0)
		return r;
	r = database_each(d, INSPECTED, (struct bounds){ 0 }, note, &all, err);
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
	str bytes = versions.p ? versions : STR("");

	return DATABASE_RUN(d, PUT_INSPECTED, err, B_TEXT(cluster), B_BLOB(bytes));
}
