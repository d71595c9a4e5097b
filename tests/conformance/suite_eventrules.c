/* eventrules: paths, their mistakes, and the events of changes. */
#include "suite_eventrules.h"

#include "rules/event_rules.h"

#include <stdio.h>

static str text(val line, const char *name)
{
	return val_str(val_get(line, str_from(name)));
}

static bool is_true(val line, const char *name)
{
	val v = val_get(line, str_from(name));

	return v.kind == VAL_BOOL && v.b;
}

static void expect_bool(val line, const char *name, bool got, struct verdict *v)
{
	if (v->outcome == PASSED && is_true(line, name) != got)
		verdict_failf(v, str_from(name), "%s", got ? "true" : "false");
}

static void expect_number(val line, const char *name, size_t got, struct verdict *v)
{
	if (v->outcome == PASSED && val_get(line, str_from(name)).i != (int64_t)got)
		verdict_failf(v, str_from(name), "%zu", got);
}

/* ---- paths ---- */

void judge_event_path(val line, struct verdict *v)
{
	str change = text(line, "change_path"), anchored;
	struct event_segments segments = event_segments(change, v->arena);
	struct event_path p;
	struct err err;
	size_t n;

	if (event_path_read(text(line, "rule_path"), v->arena, &p, &err) < 0) {
		verdict_fail(v, STR("a path"), str_from(err.msg));
		return;
	}
	n = event_path_anchor(&p, segments.p, segments.n);
	anchored = str_sub(change, 0, (size_t)(segments.p[n - 1].p + segments.p[n - 1].n - change.p));
	expect_bool(line, "matches", event_path_matches(&p, segments.p, segments.n), v);
	expect_number(line, "len", p.n, v);
	expect_number(line, "wildcards", p.wildcards, v);
	expect_bool(line, "exact", p.exact, v);
	expect_bool(line, "anchor", p.anchored, v);
	expect_bool(line, "valid", event_path_check(&p, &err) == 0, v);
	if (v->outcome == PASSED)
		verdict_text(v, text(line, "anchor_path"), anchored);
}

/* As a set of rules is checked: the change first, then the path. */
static int read_rule(val from, struct arena *a, struct event_rule *ret, struct err *err)
{
	val change = VAL_GET(from, "change"), type = VAL_GET(from, "type");
	str path = val_exists(VAL_GET(from, "rule_path")) ? text(from, "rule_path") : text(from, "path");
	int r = event_path_read(path, a, &ret->path, err);

	ret->any_change = true;
	if (r == 0 && val_exists(change))
		r = event_change_read(val_str(change), &ret->path, &ret->any_change, &ret->change, err);
	if (r == 0)
		r = event_path_check(&ret->path, err);
	ret->message = text(from, "message");
	ret->action = text(from, "action");
	ret->type = 0;
	if (type.kind == VAL_INT)
		ret->type = (uint8_t)type.i;
	else if (r == 0 && val_is_string(type) && !event_type_read(val_str(type), &ret->type))
		r = err_set(err, 1, "an unknown type");
	return r;
}

void judge_event_validate(val line, struct verdict *v)
{
	struct event_rule rule;
	struct err err = { 0 };
	int r = read_rule(line, v->arena, &rule, &err);

	expect_bool(line, "valid", r == 0, v);
	if (v->outcome == PASSED)
		verdict_text(v, text(line, "error"), r < 0 ? str_from(err.msg) : STR(""));
}

/* ---- events ---- */

/* Whether the path of a list is one of "list_keys", where "*" stands for any segment. */
static void list_keys(void *ctx, const struct event_place *list, val elements, struct list_keys *ret)
{
	const struct verdict *v = ((void **)ctx)[0];
	val keys = *(val *)((void **)ctx)[1];
	struct event_segments at = event_segments(event_place_path(list, v->arena), v->arena);

	(void)elements;
	for (uint32_t i = 0; i < val_count(keys); i++) {
		struct event_segments pattern = event_segments(key_str(keys.members[i].key), v->arena);
		bool same = pattern.n == at.n;

		for (size_t k = 0; same && k < at.n; k++)
			same = str_eq(pattern.p[k], STR("*")) || str_eq(pattern.p[k], at.p[k]);
		if (same) {
			*ret = (struct list_keys){ .p = { { .name = val_str(keys.members[i].value) } },
						   .n = 1,
						   .sure = true };
			return;
		}
	}
}

/* "modify a.b" a line for each. */
static void write_changes(struct event_node *root, struct arena *a, struct buf *out)
{
	for (const struct event_node *x = event_next_leaf(root, NULL); x; x = event_next_leaf(root, x))
		buf_printf(out, "%s %.*s; ", event_change_name(x->change), STR_ARG(event_place_path(&x->at, a)));
}

static void write_expected_changes(val changes, struct buf *out)
{
	for (uint32_t i = 0; i < val_count(changes); i++)
		buf_printf(out, "%.*s %.*s; ", STR_ARG(text(val_at(changes, i), "type")),
			   STR_ARG(text(val_at(changes, i), "path")));
}

static void write_event(size_t rule, const char *type, str rule_path, str change, str path, str message, str action,
			struct buf *out)
{
	buf_printf(out, "%zu %s '%.*s' %.*s %.*s '%.*s' '%.*s':", rule, type, STR_ARG(rule_path), STR_ARG(change),
		   STR_ARG(path), STR_ARG(message), STR_ARG(action));
}

static void write_events(const struct events *events, const struct event_rule *rules, struct arena *a, struct buf *out)
{
	for (size_t i = 0; i < events->n; i++) {
		const struct event *e = &events->p[i];
		const struct event_rule *r = &rules[e->rule];

		write_event(e->rule, event_type_name(r->type), r->path.text, str_from(event_change_name(e->change)),
			    event_place_path(&e->about->at, a), r->message, r->action, out);
		for (size_t k = 0; k < e->n_matched; k++)
			buf_printf(out, " %.*s", STR_ARG(event_place_path(&e->matched[k]->at, a)));
		buf_add_cstr(out, "; ");
	}
}

static void write_expected_events(val events, struct buf *out)
{
	for (uint32_t i = 0; i < val_count(events); i++) {
		val e = val_at(events, i), matched = VAL_GET(e, "matched");
		char type[32];

		(void)snprintf(type, sizeof(type), "%.*s", STR_ARG(text(e, "type")));
		write_event((size_t)VAL_GET(e, "rule").i, type, text(e, "rule_path"), text(e, "change_type"),
			    text(e, "path"), text(e, "message"), text(e, "action"), out);
		for (uint32_t k = 0; k < val_count(matched); k++)
			buf_printf(out, " %.*s", STR_ARG(val_str(val_at(matched, k))));
		buf_add_cstr(out, "; ");
	}
}

static void judge_events_of(val line, const struct event_rule *rules, size_t n, struct verdict *v)
{
	CLEANUP(buf_done) struct buf want = BUF_INIT(1u << 20), got = BUF_INIT(1u << 20);
	val keys = VAL_GET(line, "list_keys");
	void *ctx[] = { v, &keys };
	const struct event_lists lists = { .ordered = is_true(line, "list_order"), .keys = list_keys, .ctx = ctx };
	struct event_node *root;
	struct events events;
	struct err err;

	if (event_tree(VAL_GET(line, "before"), VAL_GET(line, "after"), &lists, v->arena, &root, &err) < 0 ||
	    event_rules_apply(rules, n, root, v->arena, &events, &err) < 0) {
		verdict_fail(v, STR("events"), str_from(err.msg));
		return;
	}
	write_expected_changes(VAL_GET(line, "changes"), &want);
	write_changes(root, v->arena, &got);
	verdict_text(v, buf_str(&want), buf_str(&got));
	if (v->outcome != PASSED)
		return;
	buf_clear(&want);
	buf_clear(&got);
	write_expected_events(VAL_GET(line, "events"), &want);
	write_events(&events, rules, v->arena, &got);
	verdict_text(v, buf_str(&want), buf_str(&got));
}

void judge_events(val line, struct verdict *v)
{
	val list = VAL_GET(line, "rules"), error = VAL_GET(line, "error");
	struct event_rule *rules = arena_array(v->arena, val_count(list) + 1, sizeof(*rules));
	struct err err;

	for (uint32_t i = 0; i < val_count(list); i++) {
		if (read_rule(val_at(list, i), v->arena, &rules[i], &err) < 0) {
			verdict_text(v, val_str(error), str_from(err.msg));
			return;
		}
	}
	if (val_exists(error))
		verdict_fail(v, val_str(error), STR("no error"));
	else
		judge_events_of(line, rules, val_count(list), v);
}
