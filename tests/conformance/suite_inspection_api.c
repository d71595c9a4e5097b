/* inspection: mistakes of rules, patches, and the REST resource. */
#include "suite_inspection.h"

#include "support/memory_rules.h"
#include "value/json.h"

#include <inttypes.h>
#include <stdio.h>

#define UUIDS_MAX 64 /* of rules that a case creates */

struct server {
	struct memory_rules rules;
	struct insp_store store;
	struct insp_builtins built_in;
	str uuids[UUIDS_MAX];
	unsigned n_uuids, n_new;
	struct verdict *v;
};

static void server_init(struct server *s, struct verdict *v)
{
	*s = (struct server){ .v = v };
	s->store = memory_rules_store(&s->rules);
}

static void server_done(struct server *s)
{
	memory_rules_done(&s->rules);
	insp_builtins_done(&s->built_in);
}

static bool ask(struct server *s, str method, str path, val body, struct insp_answer *ret)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(1u << 20);
	str uuid = arena_printf(s->v->arena, "aaaaaaaa-0000-4000-8000-%012x", s->n_new++);
	const struct insp_api api = { &s->store, &s->built_in, STR("2026-01-01T00:00:00Z"), STR("2026-01-02T00:00:00Z"),
				      uuid,      s->v->limits };
	ptrdiff_t mark = str_find_byte(path, '?');
	struct insp_request q = { .method = method, .path = path, .query = STR("") };
	struct err err;

	if (mark >= 0) {
		q.path = str_sub(path, 0, (size_t)mark);
		q.query = str_sub(path, (size_t)mark + 1, path.n);
	}
	if (val_exists(body) && json_encode(body, JSON_PLAIN, NULL, &text, &err) < 0)
		return false;
	q.body = buf_str(&text);
	if (insp_api_answer(&api, &q, s->v->arena, ret, &err) == 0)
		return true;
	verdict_fail(s->v, STR("an answer"), str_from(err.msg));
	return false;
}

/* ---- mistakes ---- */

static void note_mistake(void *ctx, const char *field, int64_t index, const char *key, const char *text)
{
	struct buf *b = ctx;

	(void)key;
	if (index >= 0)
		buf_printf(b, "%s[%" PRId64 "]: ", field, index);
	buf_printf(b, "%s\n", text);
}

/* Each of @texts must be in @got. */
static void expect_texts(val texts, str got, struct verdict *v)
{
	for (uint32_t i = 0; v->outcome == PASSED && i < val_count(texts); i++) {
		if (!inspection_text_in(got, val_str(texts.items[i])))
			verdict_fail(v, val_str(texts.items[i]), got);
	}
}

static void judge_rule(val line, struct verdict *v)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(1u << 16);
	CLEANUP(insp_rule_freep) struct insp_rule *rule = NULL;
	const struct insp_report report = { note_mistake, &text };
	val built_in = VAL_GET(line, "built_in");
	bool valid = VAL_GET(line, "valid").b;
	size_t mistakes;
	struct err err;

	if (insp_rule_new(VAL_GET(line, "rule"), built_in.kind == VAL_BOOL && built_in.b, v->limits, &report, &mistakes,
			  &rule, &err) < 0)
		verdict_fail(v, STR("a rule"), str_from(err.msg));
	else if (valid != (mistakes == 0))
		verdict_fail(v, valid ? STR("valid") : STR("not valid"), buf_str(&text));
	else
		expect_texts(VAL_GET(line, "error"), buf_str(&text), v);
}

/* ---- patches ---- */

/* The rule as it is stored, of which the line says whether it is built in. */
static bool store_rule(struct server *s, val rule)
{
	val built_in = VAL_GET(rule, "built_in"), source = val_map_without(s->v->arena, rule, STR("built_in"));
	struct problems problems = { 0 };
	struct insp_answer answer;
	struct err err;
	bool ok;

	if (built_in.kind != VAL_BOOL || !built_in.b)
		return ask(s, STR("POST"), STR(INSP_RULES_PATH), source, &answer) && answer.status == 201;
	source = val_list(s->v->arena, &source, 1);
	ok = insp_builtins_read(source, s->v->limits, &s->built_in, &problems, &err) == 0;
	problems_done(&problems);
	return ok;
}

/* As the line has it: all but the times, and hidden parts too. */
static val stored(struct server *s)
{
	const struct insp_rule *rule = s->rules.list.n ? s->rules.list.p[0].rule : s->built_in.rules.p[0];

	return val_map_with(s->v->arena, rule->source, key_make(NULL, s->v->arena, STR("built_in")),
			    val_bool(rule->built_in));
}

static void judge_patch(val line, struct verdict *v)
{
	val rule = VAL_GET(line, "rule");
	str path = arena_printf(v->arena, INSP_RULES_PATH "/%.*s", STR_ARG(val_str(VAL_GET(rule, "uuid"))));
	struct insp_answer answer;
	struct server s;

	server_init(&s, v);
	if (!store_rule(&s, rule)) {
		verdict_fail(v, STR("a stored rule"), STR("none"));
	} else if (ask(&s, STR("PATCH"), path, VAL_GET(line, "patch"), &answer)) {
		if (VAL_GET(line, "status").i != answer.status)
			verdict_failf(v, val_str(VAL_GET(answer.body, "error")), "%d", answer.status);
		else if (!val_same(stored(&s), VAL_GET(line, "after")))
			verdict_fail(v, STR("the rule of the line"), STR("another"));
		else
			expect_texts(VAL_GET(line, "error"), val_str(VAL_GET(answer.body, "error")), v);
	}
	server_done(&s);
}

void judge_inspection_validate(val line, struct verdict *v)
{
	if (val_exists(VAL_GET(line, "patch")))
		judge_patch(line, v);
	else
		judge_rule(line, v);
}

/* ---- the resource ---- */

/* @v with "@N" replaced by the N-th uuid, in texts and parts of them. */
static val resolved(struct server *s, val v)
{
	struct arena *a = s->v->arena;
	ptrdiff_t at = val_is_string(v) ? str_find_byte(val_str(v), '@') : -1;
	val *items;

	if (at >= 0 && (uint32_t)at + 1 < v.n && v.s[at + 1] >= '1' && v.s[at + 1] <= '9') {
		unsigned n = (unsigned)(v.s[at + 1] - '1');

		return val_string(arena_printf(a, "%.*s%.*s%.*s", (int)at, v.s, STR_ARG(s->uuids[n]),
					       STR_ARG(str_sub(val_str(v), (size_t)at + 2, v.n))));
	}
	if (v.kind == VAL_LIST) {
		items = arena_array(a, v.n, sizeof(*items));
		for (uint32_t i = 0; i < v.n; i++)
			items[i] = resolved(s, v.items[i]);
		return (val){ .kind = VAL_LIST, .n = v.n, .items = items };
	}
	for (uint32_t i = 0; v.kind == VAL_MAP && i < v.n; i++)
		v = val_map_with(a, v, v.members[i].key, resolved(s, v.members[i].value));
	return v;
}

/* "*" is any text. */
static bool fits(val want, val got)
{
	if (val_is_string(want) && str_eq(val_str(want), STR("*")))
		return val_is_string(got);
	if (want.kind != got.kind || want.kind < VAL_LIST)
		return val_same(want, got);
	if (want.n != got.n)
		return false;
	for (uint32_t i = 0; i < want.n; i++) {
		if (want.kind == VAL_LIST ? !fits(want.items[i], got.items[i])
					  : !key_eq(want.members[i].key, got.members[i].key) ||
						    !fits(want.members[i].value, got.members[i].value))
			return false;
	}
	return true;
}

static void judge_request(struct server *s, val q)
{
	val want = VAL_GET(q, "response"), path = resolved(s, VAL_GET(q, "path"));
	CLEANUP(buf_done) struct buf got = BUF_INIT(1u << 20);
	struct insp_answer answer;

	if (!ask(s, val_str(VAL_GET(q, "method")), val_str(path), resolved(s, VAL_GET(q, "body")), &answer))
		return;
	if (answer.status == 201 && s->n_uuids < UUIDS_MAX)
		s->uuids[s->n_uuids++] = val_str(VAL_GET(answer.body, "uuid"));
	if (answer.status == VAL_GET(q, "status").i && fits(resolved(s, want), answer.body) &&
	    (answer.status == 201) == (answer.location.n > 0))
		return;
	inspection_show(answer.body, &got);
	verdict_failf(s->v, val_str(path), "%d %.*s", answer.status, STR_ARG(buf_str(&got)));
}

void judge_inspection_api(val line, struct verdict *v)
{
	val built_in = VAL_GET(line, "built_in"), requests = VAL_GET(line, "requests");
	struct problems problems = { 0 };
	struct server s;
	struct err err;

	server_init(&s, v);
	if (val_exists(built_in) && insp_builtins_read(built_in, v->limits, &s.built_in, &problems, &err) < 0)
		verdict_fail(v, STR("built-in rules"), str_from(err.msg));
	for (uint32_t i = 0; v->outcome == PASSED && i < val_count(requests); i++)
		judge_request(&s, requests.items[i]);
	problems_done(&problems);
	server_done(&s);
}
