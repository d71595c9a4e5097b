/* Answers requests about inspection rules. */
#include "rules/inspection/insp_api.h"

#include "go/url.h"
#include "rules/inspection/insp_patch.h"
#include "value/json.h"

#include <inttypes.h>

#define ERROR_MAX 8192 /* bytes of the error text in an answer */

struct call {
	const struct insp_api *api;
	const struct insp_request *q;
	struct arena *arena;
	struct insp_answer *answer;
	struct err *err;
};

/* ---- answers ---- */

static int no_memory(struct call *c)
{
	return arena_error(c->arena, c->err) == -E2BIG ? err_nomem(c->err) : -c->err->code;
}

static int set_members(struct call *c, val map, const char *const *names, const val *values, size_t n, val *ret)
{
	for (size_t i = 0; i < n; i++) {
		const struct key *key = key_make(NULL, c->arena, str_from(names[i]));

		map = key ? val_map_with(c->arena, map, key, values[i]) : (val){ 0 };
		if (!val_exists(map))
			return no_memory(c);
	}
	*ret = map;
	return 0;
}

static int refuse(struct call *c, int status, str text)
{
	static const char *const names[] = { "error" };
	str copied = arena_str(c->arena, text);
	val value = val_string(copied);

	if (!copied.p)
		return no_memory(c);
	c->answer->status = status;
	return set_members(c, val_map_sorted(NULL, 0), names, &value, 1, &c->answer->body);
}

static int not_found(struct call *c)
{
	return refuse(c, 404, STR("there is no such rule"));
}

static int done(struct call *c)
{
	c->answer->status = 204;
	return 0;
}

static val time_value(str time)
{
	return time.p ? val_string(time) : val_null();
}

/* A sensitive rule shows neither conditions nor actions, and a list only shows them on demand. */
static int represent(struct call *c, const struct insp_stored *s, bool detail, val *ret)
{
	static const char *const times[] = { "built_in", "created_at", "updated_at" };
	static const char *const hidden[] = { "conditions", "actions" };
	const val values[] = { val_bool(s->rule->built_in), time_value(s->created_at), time_value(s->updated_at) };
	const val nulls[] = { val_null(), val_null() };
	val v = s->rule->source;

	if (!detail) {
		for (size_t i = 0; i < ARRAY_LEN(hidden); i++) {
			v = val_map_without(c->arena, v, str_from(hidden[i]));
			if (!val_exists(v))
				return no_memory(c);
		}
	} else if (s->rule->sensitive && set_members(c, v, hidden, nulls, ARRAY_LEN(hidden), &v) < 0) {
		return -c->err->code;
	}
	return set_members(c, v, times, values, ARRAY_LEN(times), ret);
}

static int show(struct call *c, int status, const struct insp_stored *s)
{
	c->answer->status = status;
	return represent(c, s, true, &c->answer->body);
}

/* ---- rules ---- */

static const struct insp_stored *find_user(struct call *c, str uuid)
{
	const struct insp_store *store = c->api->store;
	const struct insp_stored *s;

	for (size_t i = 0; (s = store->at(store->ctx, i)); i++) {
		if (str_eq_nocase(s->rule->uuid, uuid))
			return s;
	}
	return NULL;
}

/* Find a rule by its uuid. False: there is none. */
static bool find(struct call *c, str uuid, struct insp_stored *ret)
{
	const struct insp_stored *s = find_user(c, uuid);
	const struct insp_builtins *b = c->api->builtins;

	if (s) {
		*ret = *s;
		return true;
	}
	for (size_t i = 0; i < b->rules.n; i++) {
		if (str_eq_nocase(b->rules.p[i]->uuid, uuid)) {
			*ret = (struct insp_stored){ .rule = b->rules.p[i], .created_at = c->api->builtins_at };
			return true;
		}
	}
	return false;
}

static size_t count_user(struct call *c)
{
	size_t n = 0;

	while (c->api->store->at(c->api->store->ctx, n))
		n++;
	return n;
}

/* The text that lists the mistakes in a rule. */
struct mistakes {
	struct buf text;
	bool terse; /* the client may not see what the conditions and actions contain */
};

static void add_mistake(void *ctx, const char *field, int64_t index, const char *key, const char *text)
{
	struct mistakes *m = ctx;

	(void)key;
	buf_add_cstr(&m->text, m->text.n ? "; " : "");
	if (index >= 0)
		buf_printf(&m->text, "%s[%" PRId64 "]: ", field, index);
	buf_add_cstr(&m->text, m->terse && index >= 0 ? "is not valid" : text);
}

/* Read the rule @v. If it is not valid, the request is refused and *ret is NULL. */
static int read_rule(struct call *c, val v, bool was_sensitive, struct insp_rule **ret)
{
	struct mistakes m = { .text = BUF_INIT(ERROR_MAX), .terse = was_sensitive };
	const struct insp_report report = { add_mistake, &m };
	struct insp_rule *rule = NULL;
	size_t mistakes = 0;
	int r = insp_rule_new(v, false, c->api->limits, &report, &mistakes, &rule, c->err);

	*ret = NULL;
	if (r == -E2BIG) {
		r = refuse(c, 400, str_from(c->err->msg));
	} else if (r == 0 && was_sensitive && !rule->sensitive) {
		add_mistake(&m, NULL, -1, NULL, "sensitive cannot be unset");
		mistakes++;
	}
	if (r == 0 && m.text.error == -ENOMEM)
		r = err_nomem(c->err);
	if (r == 0 && rule && mistakes > 0)
		r = refuse(c, 400, buf_str(&m.text));
	if (r == 0 && rule && mistakes == 0)
		*ret = TAKE(rule);
	insp_rule_free(rule);
	buf_done(&m.text);
	return r;
}

/* Read the body as a value. If it is not one, the request is refused and *ret is VAL_ABSENT. */
static int read_body(struct call *c, val *ret)
{
	const struct json_options o = { .limits = c->api->limits };
	size_t used;
	int r = json_decode_value(c->q->body, &o, c->arena, ret, &used, c->err);

	if (r == 0 && str_trim(str_sub(c->q->body, used, c->q->body.n)).n == 0)
		return 0;
	*ret = (val){ 0 };
	if (r == -ENOMEM)
		return r;
	return refuse(c, 400, r < 0 ? str_from(c->err->msg) : STR("more than one value"));
}

/* ---- POST ---- */

static int store_new(struct call *c, struct insp_rule *rule)
{
	struct insp_stored s = { .rule = rule, .created_at = c->api->now };
	int r = show(c, 201, &s);

	if (r == 0) {
		c->answer->location = arena_printf(c->arena, INSP_RULES_PATH "/%.*s", STR_ARG(rule->uuid));
		if (!c->answer->location.p)
			r = no_memory(c);
	}
	if (r < 0) {
		insp_rule_free(rule);
		return r;
	}
	/* The answer needs a copy, because the store may replace the rule. */
	c->answer->body = val_copy(c->arena, NULL, c->answer->body);
	if (!val_exists(c->answer->body)) {
		insp_rule_free(rule);
		return no_memory(c);
	}
	return c->api->store->put(c->api->store->ctx, rule, c->api->now, (str){ NULL, 0 }, c->err);
}

static int create(struct call *c)
{
	CLEANUP(insp_rule_freep) struct insp_rule *rule = NULL;
	struct insp_stored same;
	val v;
	int r = read_body(c, &v);

	if (r < 0 || !val_exists(v))
		return r;
	r = read_rule(c, v, false, &rule);
	if (r < 0 || !rule)
		return r;
	if (rule->uuid.n == 0)
		r = insp_rule_name(rule, c->api->new_uuid, c->err);
	if (r < 0)
		return r;
	if (find(c, rule->uuid, &same))
		return refuse(c, 409, STR("a rule with this uuid exists"));
	if (count_user(c) >= INSP_USER_RULES_MAX)
		return refuse(c, 400, STR("there are too many rules"));
	return store_new(c, TAKE(rule));
}

/* ---- GET ---- */

struct filter {
	bool detail, by_scope, by_phase;
	str scope;
	enum insp_phase phase;
};

static bool read_bool(str s, bool *ret)
{
	static const char *const words[] = { "1", "t", "true", "on", "y", "yes", "0", "f", "false", "off", "n", "no" };

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (str_eq_nocase(s, str_from(words[i]))) {
			*ret = i < ARRAY_LEN(words) / 2;
			return true;
		}
	}
	return false;
}

/* What is wrong with a parameter of the query; NULL: nothing. */
static const char *read_parameter(str name, str value, struct filter *f)
{
	if (str_eq(name, STR("detail")))
		return read_bool(value, &f->detail) ? NULL : "detail is not a boolean";
	if (str_eq(name, STR("phase"))) {
		f->by_phase = true;
		return insp_phase_parse(value, &f->phase) ? NULL : "invalid phase: it is early, preprocess or main";
	}
	if (!str_eq(name, STR("scope")))
		return "unknown parameter; known are detail, scope and phase";
	f->by_scope = true;
	f->scope = value;
	return NULL;
}

static int read_query(struct call *c, struct filter *f, const char **flaw)
{
	str rest = c->q->query, part;
	int r = 0;

	while (r == 0 && !*flaw && rest.n > 0 && str_next_part(&rest, '&', &part)) {
		ptrdiff_t equals = str_find_byte(part, '=');
		size_t n = equals < 0 ? part.n : (size_t)equals;
		str name, value;

		if (part.n == 0)
			continue;
		r = go_url_unescape(str_sub(part, 0, n), GO_URL_QUERY, c->arena, &name, NULL);
		if (r == 0)
			r = go_url_unescape(str_sub(part, n + 1, part.n), GO_URL_QUERY, c->arena, &value, NULL);
		if (r == 0)
			*flaw = read_parameter(name, value, f);
	}
	if (r != -EBADMSG)
		return r < 0 ? err_nomem(c->err) : 0;
	*flaw = "malformed query";
	return 0;
}

static bool is_listed(const struct filter *f, const struct insp_rule *rule)
{
	return (!f->by_phase || rule->phase == f->phase) &&
	       (!f->by_scope || (rule->scope.p && str_eq(rule->scope, f->scope)));
}

static int list_rules(struct call *c, const struct filter *f, val *items, size_t *n)
{
	const struct insp_store *store = c->api->store;
	const struct insp_builtins *b = c->api->builtins;
	const struct insp_stored *s;
	int r = 0;

	for (size_t i = 0; r == 0 && (s = store->at(store->ctx, i)); i++) {
		if (is_listed(f, s->rule))
			r = represent(c, s, f->detail, &items[(*n)++]);
	}
	for (size_t i = 0; r == 0 && i < b->rules.n; i++) {
		const struct insp_stored stored = { .rule = b->rules.p[i], .created_at = c->api->builtins_at };

		if (is_listed(f, stored.rule))
			r = represent(c, &stored, f->detail, &items[(*n)++]);
	}
	return r;
}

static int list(struct call *c)
{
	static const char *const names[] = { "inspection_rules" };
	struct filter f = { 0 };
	const char *flaw = NULL;
	size_t n = 0;
	val *items, rules;
	int r = read_query(c, &f, &flaw);

	if (r < 0)
		return r;
	if (flaw)
		return refuse(c, 400, str_from(flaw));
	items = arena_array(c->arena, count_user(c) + c->api->builtins->rules.n, sizeof(*items));
	if (!items)
		return no_memory(c);
	r = list_rules(c, &f, items, &n);
	if (r < 0)
		return r;
	rules = (val){ .kind = VAL_LIST, .n = (uint32_t)n, .items = items };
	c->answer->status = 200;
	return set_members(c, val_map_sorted(NULL, 0), names, &rules, 1, &c->answer->body);
}

/* ---- PATCH, DELETE ---- */

/* Store the patched rule, unless the patch has changed nothing. */
static int store_changed(struct call *c, const struct insp_stored *old, struct insp_rule *rule)
{
	bool same = val_equal(rule->source, old->rule->source);
	struct insp_stored s = *old;
	int r;

	s.rule = rule;
	if (!same)
		s.updated_at = c->api->now;
	r = show(c, 200, &s);
	if (r == 0) {
		c->answer->body = val_copy(c->arena, NULL, c->answer->body);
		r = val_exists(c->answer->body) ? 0 : no_memory(c);
	}
	if (r < 0 || same) {
		insp_rule_free(rule);
		return r;
	}
	return c->api->store->put(c->api->store->ctx, rule, s.created_at, s.updated_at, c->err);
}

static int change(struct call *c, const struct insp_stored *old)
{
	struct insp_rule *rule = NULL;
	val patch, v;
	int r = read_body(c, &patch);

	if (r < 0 || !val_exists(patch))
		return r;
	r = insp_patch(old->rule->source, patch, c->api->limits, c->arena, &v, c->err);
	if (r == -EINVAL || r == -E2BIG)
		return refuse(c, 400, str_from(c->err->msg));
	if (r == 0)
		r = read_rule(c, v, old->rule->sensitive, &rule);
	return r < 0 || !rule ? r : store_changed(c, old, rule);
}

static int remove_rule(struct call *c, const struct insp_stored *s)
{
	int r = c->api->store->remove(c->api->store->ctx, s->rule, c->err);

	return r < 0 ? r : done(c);
}

/* ---- routes ---- */

static int not_allowed(struct call *c, const char *methods)
{
	c->answer->allow = methods;
	return refuse(c, 405, STR("there is no such method here"));
}

static bool is(const struct call *c, const char *method)
{
	return str_eq(c->q->method, str_from(method));
}

static int answer_all(struct call *c)
{
	if (is(c, "GET"))
		return list(c);
	if (!is(c, "POST") && !is(c, "DELETE"))
		return not_allowed(c, "GET, POST, DELETE");
	if (c->q->query.n)
		return refuse(c, 400, STR("this request has no parameters"));
	if (is(c, "POST"))
		return create(c);
	if (c->api->store->clear(c->api->store->ctx, c->err) < 0)
		return -c->err->code;
	return done(c);
}

static int answer_one(struct call *c, str uuid)
{
	bool get = is(c, "GET");
	struct insp_stored s;

	if (!get && !is(c, "PATCH") && !is(c, "DELETE"))
		return not_allowed(c, "GET, PATCH, DELETE");
	if (c->q->query.n && !get)
		return refuse(c, 400, STR("this request has no parameters"));
	if (!find(c, uuid, &s))
		return not_found(c);
	if (get)
		return show(c, 200, &s);
	if (s.rule->built_in)
		return refuse(c, 400, STR("a built-in rule cannot be changed or deleted"));
	return is(c, "PATCH") ? change(c, &s) : remove_rule(c, &s);
}

int insp_api_answer(const struct insp_api *api, const struct insp_request *q, struct arena *a, struct insp_answer *ret,
		    struct err *err)
{
	struct insp_answer answer = { .location = STR("") };
	struct call c = { api, q, a, &answer, err };
	str rest = q->path, uuid;
	int r;

	if (!str_has_prefix(rest, STR(INSP_RULES_PATH)))
		r = not_found(&c);
	else if (rest.n == strlen(INSP_RULES_PATH))
		r = answer_all(&c);
	else {
		rest = str_sub(rest, strlen(INSP_RULES_PATH), rest.n);
		r = go_url_unescape(str_sub(rest, 1, rest.n), GO_URL_PATH_SEGMENT, a, &uuid, NULL);
		if (r == -ENOMEM)
			return err_nomem(err);
		if (r < 0 || rest.p[0] != '/' || rest.n == 1 || str_find_byte(str_sub(rest, 1, rest.n), '/') >= 0)
			r = not_found(&c);
		else
			r = answer_one(&c, uuid);
	}
	if (r == 0)
		*ret = answer;
	return r;
}
