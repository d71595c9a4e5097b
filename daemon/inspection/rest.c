/* Makes plans: runs the resource over a store that only notes its changes. */
#include "daemon/inspection/rest.h"

#include "base/assert.h"
#include "daemon/findings/clock.h"
#include "daemon/findings/record.h"
#include "go/layout.h"
#include "value/json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define RULE_BYTES_MAX ((size_t)2 << 20)    /* bytes of a rule as JSON: patches may make it longer than any request */
#define RULES_BYTES_MAX ((size_t)256 << 20) /* memory for all rules of users */
#define ANSWER_BYTES_MAX (RULE_BYTES_MAX + 4096)
#define TIME_SIZE 40
#define UUID_SIZE (INSP_UUID_MAX + 1)

/* ---- answers ---- */

void inspection_error(const char *why, struct buf *out)
{
	buf_add_cstr(out, "{\"error\":");
	json_encode_string(str_from(why), JSON_PLAIN, out);
	buf_add_cstr(out, "}\n");
}

void inspection_refuse(struct inspection_plan *p, unsigned status, const char *why)
{
	insp_rule_free(TAKE(p->rule));
	p->change = INSPECTION_NOTHING;
	p->status = status;
	p->location = STR("");
	p->allow = NULL;
	buf_clear(&p->body);
	inspection_error(why, &p->body);
}

void inspection_plan_done(struct inspection_plan *p)
{
	insp_rule_free(p->rule);
	buf_done(&p->json);
	buf_done(&p->body);
	arena_done(&p->texts);
}

static int take_answer(struct inspection_plan *p, const struct insp_answer *answer, struct err *err)
{
	int r = 0;

	p->status = (unsigned)answer->status;
	p->location = answer->location;
	p->allow = answer->allow;
	if (val_exists(answer->body)) {
		r = json_encode(answer->body, JSON_TYPED, NULL, &p->body, err);
		buf_add_byte(&p->body, '\n');
	}
	return r < 0 ? r : buf_error(&p->body, "an answer", err);
}

/* ---- the store that notes ---- */

struct notes {
	const struct inspection_rules *rules;
	struct inspection_plan *plan;
};

static const struct insp_stored *at(void *ctx, size_t i)
{
	const struct notes *n = ctx;

	return inspection_rules_at(n->rules, i);
}

static int note_uuid(struct inspection_plan *p, enum inspection_change change, str uuid, struct err *err)
{
	ASSERT(p->change == INSPECTION_NOTHING); /* a request changes one thing at most */
	p->change = change;
	p->uuid = arena_str(&p->texts, uuid);
	return p->uuid.p ? 0 : err_nomem(err);
}

static int note_put(void *ctx, struct insp_rule *rule, str created_at, str updated_at, struct err *err)
{
	const struct notes *n = ctx;
	struct inspection_plan *p = n->plan;

	p->rule = rule;
	p->created_at = arena_str(&p->texts, created_at);
	p->updated_at = updated_at.p ? arena_str(&p->texts, updated_at) : updated_at;
	if (!p->created_at.p || (updated_at.p && !p->updated_at.p))
		return err_nomem(err);
	return note_uuid(p, updated_at.p ? INSPECTION_CHANGED : INSPECTION_CREATED, rule->uuid, err);
}

static int note_remove(void *ctx, const struct insp_rule *rule, struct err *err)
{
	const struct notes *n = ctx;

	return note_uuid(n->plan, INSPECTION_DELETED, rule->uuid, err);
}

static int note_clear(void *ctx, struct err *err)
{
	const struct notes *n = ctx;

	return note_uuid(n->plan, INSPECTION_CLEARED, STR(""), err);
}

/* ---- plans ---- */

/* Make a random UUID: version 4 of RFC 9562. */
static void random_uuid(char out[UUID_SIZE])
{
	char id[RECORD_ID_SIZE];

	random_id(id);
	id[12] = '4';
	id[16] = "89ab"[id[16] & 3];
	(void)snprintf(out, UUID_SIZE, "%.8s-%.4s-%.4s-%.4s-%.12s", id, id + 8, id + 12, id + 16, id + 20);
}

static void new_uuid(const struct inspection_rules *s, char out[UUID_SIZE])
{
	do
		random_uuid(out);
	while (inspection_rules_has(s, str_from(out)));
}

/* The memory that all rules of users take, except @without. */
static size_t bytes_of_rules(const struct inspection_rules *s, str without)
{
	const struct insp_stored *x;
	size_t n = 0;

	for (size_t i = 0; (x = inspection_rules_at(s, i)); i++) {
		if (!str_eq_nocase(x->rule->uuid, without))
			n += x->rule->arena.used;
	}
	return n;
}

/* Encode the rule as JSON, as it is stored, and check the limits of that and of memory. */
static int write_rule(const struct inspection_rest *rest, struct inspection_plan *p, struct err *err)
{
	int r = json_encode(p->rule->source, JSON_TYPED, NULL, &p->json, err);

	if (r == -E2BIG)
		inspection_refuse(p, 400, "the rule is too large");
	else if (r == 0 && bytes_of_rules(rest->rules, p->uuid) + p->rule->arena.used > RULES_BYTES_MAX)
		inspection_refuse(p, 400, "the rules are too large, all of them together");
	return r == -E2BIG ? 0 : r;
}

static int plan(const struct inspection_rest *rest, const struct insp_request *q, struct inspection_plan *p,
		struct err *err)
{
	CLEANUP(buf_done) struct buf now = BUF_INIT(TIME_SIZE);
	struct notes notes = { rest->rules, p };
	const struct insp_store store = { at, note_put, note_remove, note_clear, &notes };
	struct insp_answer answer;
	char uuid[UUID_SIZE];
	int r;

	new_uuid(rest->rules, uuid);
	go_rfc3339_format(clock_usec() / 1000000, 0, 0, &now);
	r = buf_error(&now, "a time", err);
	if (r == 0)
		r = insp_api_answer(
			&(struct insp_api){
				.store = &store,
				.builtins = inspection_rules_built_in(rest->rules),
				.builtins_at = rest->built_in_at,
				.now = buf_str(&now),
				.new_uuid = str_from(uuid),
				.limits = rest->limits,
			},
			q, &p->texts, &answer, err);
	if (r == 0 && p->rule)
		r = write_rule(rest, p, err);
	return r == 0 && !p->body.n ? take_answer(p, &answer, err) : r; /* otherwise the body is a refusal */
}

int inspection_plan(const struct inspection_rest *rest, const struct insp_request *q, struct inspection_plan *ret,
		    struct err *err)
{
	struct inspection_plan p = {
		.json = BUF_INIT(RULE_BYTES_MAX),
		.body = BUF_INIT(ANSWER_BYTES_MAX),
		.texts = ARENA_INIT(rest->limits->arena_bytes),
	};
	int r = plan(rest, q, &p, err);

	if (r < 0) {
		inspection_plan_done(&p);
		return r;
	}
	*ret = p;
	return 0;
}

int inspection_carry_out(const struct inspection_rest *rest, struct inspection_plan *p, struct err *err)
{
	switch (p->change) {
	case INSPECTION_CREATED:
	case INSPECTION_CHANGED:
		return inspection_rules_put(rest->rules, TAKE(p->rule), p->created_at, p->updated_at, err);
	case INSPECTION_DELETED:
		inspection_rules_remove(rest->rules, p->uuid);
		return 0;
	case INSPECTION_CLEARED:
		inspection_rules_clear(rest->rules);
		return 0;
	case INSPECTION_NOTHING:
		break;
	}
	return 0;
}

/* ---- what was kept ---- */

static void ignore_mistake(void *ctx, const char *field, int64_t index, const char *key, const char *text)
{
	(void)ctx;
	(void)field;
	(void)index;
	(void)key;
	(void)text;
}

static int read_kept(const struct inspection_rest *rest, str uuid, str json, struct insp_rule **ret, struct err *err)
{
	const struct json_options o = { .limits = rest->limits };
	const struct insp_report report = { ignore_mistake, NULL };
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	CLEANUP(insp_rule_freep) struct insp_rule *rule = NULL;
	size_t mistakes = 0;
	int r = json_decode(json, &o, &d, err);

	if (r == 0)
		r = insp_rule_new(d->root, false, rest->limits, &report, &mistakes, &rule, err);
	if (r == -ENOMEM)
		return r;
	if (r < 0 || !rule || mistakes || !uuid.n || !str_eq_nocase(rule->uuid, uuid))
		return err_set(err, EBADMSG, "an inspection rule is malformed");
	*ret = TAKE(rule);
	return 0;
}

int inspection_restore(const struct inspection_rest *rest, str uuid, str json, str created_at, str updated_at,
		       struct err *err)
{
	struct insp_rule *rule = NULL;
	int r = read_kept(rest, uuid, json, &rule, err);

	return r < 0 ? r : inspection_rules_put(rest->rules, rule, created_at, updated_at, err);
}

/* ---- the list ---- */

#define PART_BYTES ((size_t)32 << 10)
#define PART_RULES 500 /* rules that are considered for a part: a filter may leave most of them out */

/* A list in progress. The resource answers for one rule after the other, each as if it were the only one. */
struct inspection_list {
	const struct inspection_rest *rest;
	struct arena arena; /* memory for one rule */
	char *query;
	size_t query_bytes;
	struct inspection_walk walk;
	size_t built_in; /* built-in rules so far */
	bool begun, some_shown;
};

void inspection_list_free(struct inspection_list *l)
{
	if (!l)
		return;
	arena_done(&l->arena);
	free(l->query);
	free(l);
}

bool inspection_asks_for_list(const struct insp_request *q)
{
	return str_eq(q->method, STR("GET")) && str_eq(q->path, STR(INSP_RULES_PATH));
}

static const struct insp_stored *at_one(void *ctx, size_t i)
{
	return i == 0 ? ctx : NULL;
}

/* Let the resource answer with a list of only @user and @built_in, each of which may be absent. */
static int ask_for_one(const struct inspection_list *l, const struct insp_stored *user,
		       struct insp_rule *const *built_in, struct arena *a, struct insp_answer *ret, struct err *err)
{
	const struct insp_request q = { STR("GET"), STR(INSP_RULES_PATH), { l->query, l->query_bytes }, STR("") };
	const struct insp_store store = { .at = at_one, .ctx = (void *)(uintptr_t)user };
	const struct insp_builtins one = { .rules = { .p = (struct insp_rule **)(uintptr_t)built_in,
						      .n = built_in ? 1 : 0 } };

	return insp_api_answer(
		&(struct insp_api){
			.store = &store,
			.builtins = &one,
			.builtins_at = l->rest->built_in_at,
			.limits = l->rest->limits,
		},
		&q, a, ret, err);
}

int inspection_list_new(const struct inspection_rest *rest, const struct insp_request *q, struct inspection_list **ret,
			struct inspection_plan *refusal, struct err *err)
{
	CLEANUP(inspection_list_freep) struct inspection_list *l = calloc(1, sizeof(*l));
	struct inspection_plan p = { .body = BUF_INIT(ANSWER_BYTES_MAX) };
	struct insp_answer answer;
	int r;

	if (!l || !(l->query = str_dup(q->query)))
		return err_nomem(err);
	l->query_bytes = q->query.n;
	l->rest = rest;
	l->walk = inspection_rules_walk(rest->rules);
	r = ask_for_one(l, NULL, NULL, &p.texts, &answer, err); /* is the query valid? */
	if (r == 0)
		r = take_answer(&p, &answer, err);
	if (r < 0 || p.status == 200)
		inspection_plan_done(&p);
	if (r < 0)
		return r;
	*ret = NULL;
	if (p.status == 200)
		*ret = TAKE(l);
	else
		*refusal = p;
	return 0;
}

/* Go to the next rule; false: there are no more. */
static bool next_rule(struct inspection_list *l, const struct insp_stored **user, struct insp_rule *const **built_in)
{
	const struct insp_builtins *b = inspection_rules_built_in(l->rest->rules);

	*built_in = NULL;
	*user = inspection_rules_next(l->rest->rules, &l->walk);
	if (*user)
		return true;
	if (l->built_in == b->rules.n)
		return false;
	*built_in = &b->rules.p[l->built_in++];
	return true;
}

/* Append the rule of the answer, if it passes the filters. */
static int add_rule(struct inspection_list *l, const struct insp_answer *answer, struct buf *out, struct err *err)
{
	val rules = VAL_GET(answer->body, "inspection_rules");

	ASSERT(answer->status == 200);
	if (val_count(rules) == 0)
		return 0;
	if (l->some_shown)
		buf_add_cstr(out, ",\n");
	l->some_shown = true;
	return json_encode(val_at(rules, 0), JSON_TYPED, NULL, out, err);
}

/* Append the next rule. 1: there may be more. */
static int add_next(struct inspection_list *l, struct buf *out, struct err *err)
{
	struct insp_rule *const *built_in;
	const struct insp_stored *user;
	struct insp_answer answer;
	int r;

	if (!next_rule(l, &user, &built_in))
		return 0;
	arena_reset(&l->arena);
	r = ask_for_one(l, user, built_in, &l->arena, &answer, err);
	if (r == 0)
		r = add_rule(l, &answer, out, err);
	return r < 0 ? r : 1;
}

int inspection_list_next(struct inspection_list *l, struct buf *out, struct err *err)
{
	int r = 1;

	if (!l->begun)
		buf_add_cstr(out, "{\"inspection_rules\":[");
	l->begun = true;
	for (size_t i = 0; r == 1 && i < PART_RULES && out->n < PART_BYTES; i++)
		r = add_next(l, out, err);
	if (r == 0)
		buf_add_cstr(out, "]}\n");
	return r < 0 ? r : buf_error(out, "a list of rules", err) < 0 ? -err->code : r;
}
