/* Requests about inspection rules, one a line: "METHOD PATH[?QUERY] BODY"; a "-" ahead of it: its change cannot be
 * kept.
 *
 *   - What is planned and not carried out changes nothing, and so does what is refused.
 *   - Each answer is one JSON value, or none, as its status says; a list in parts says what the whole one says.
 *   - What is kept, read by another start, gives the same list.
 *   - What conditions and actions of a sensitive rule hold is in no answer: the marker is in one of a user and in one
 *     that is built in, and in no request. */
#include "daemon/inspection/rest.h"

#include "base/vec.h"
#include "value/json.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MARKER "hidden-0123456789"
#define REQUESTS_MAX 30
#define LIST_MAX ((size_t)64 << 20)

static const char built_in_text[] =
	"[{\"uuid\":\"built-in\",\"actions\":[{\"op\":\"log\",\"args\":[\"m\"]}],\"priority\":-1,\"phase\":\"early\"},"
	"{\"uuid\":\"hidden\",\"sensitive\":true,\"conditions\":[{\"op\":\"eq\",\"args\":[\"" MARKER "\",1]}],"
	"\"actions\":[{\"op\":\"fail\",\"args\":{\"msg\":\"" MARKER "\"}}]}]";
static const char first_text[] =
	"{\"uuid\":\"aaaaaaaa-0000-4000-8000-000000000000\",\"sensitive\":true,\"scope\":\"lab\","
	"\"conditions\":[{\"op\":\"contains\",\"args\":[\"{node.kind}\",\"" MARKER "\"]}],"
	"\"actions\":[{\"op\":\"log\",\"args\":{\"msg\":\"" MARKER "\"}}]}";

#define CHECK(cond)                                                                                                    \
	do {                                                                                                           \
		if (!(cond))                                                                                           \
			abort();                                                                                       \
	} while (0)

static struct limits limits;
static const struct json_options json_options = { .limits = &limits };

static bool has_marker(str s)
{
	return str_find(s, STR(MARKER)) >= 0;
}

/* ---- what is kept ---- */

struct row {
	char *uuid, *json, *created_at, *updated_at;
};

struct table {
	VEC(struct row) rows;
};

static void row_done(struct row *r)
{
	free(r->uuid);
	free(r->json);
	free(r->created_at);
	free(r->updated_at);
}

static void clear_table(struct table *t)
{
	for (size_t i = 0; i < t->rows.n; i++)
		row_done(&t->rows.p[i]);
	vec_done(&t->rows);
}

static size_t row_of(const struct table *t, str uuid)
{
	size_t i = 0;

	while (i < t->rows.n && !str_eq_nocase(str_from(t->rows.p[i].uuid), uuid))
		i++;
	return i;
}

static void put_row(struct table *t, const struct inspection_plan *p)
{
	struct row new = {
		.uuid = str_dup(p->uuid),
		.json = str_dup(buf_str(&p->json)),
		.created_at = str_dup(p->created_at),
		.updated_at = p->updated_at.p ? str_dup(p->updated_at) : NULL,
	};
	size_t at = row_of(t, p->uuid);

	CHECK(new.uuid &&new.json &&new.created_at);
	CHECK((at == t->rows.n) == (p->change == INSPECTION_CREATED));
	if (at == t->rows.n) {
		CHECK(vec_push(&t->rows, new));
		return;
	}
	CHECK(t->rows.p && strcmp(t->rows.p[at].created_at, new.created_at) == 0);
	row_done(&t->rows.p[at]);
	t->rows.p[at] = new;
}

static void remove_row(struct table *t, str uuid)
{
	size_t at = row_of(t, uuid);

	CHECK(at < t->rows.n);
	row_done(&t->rows.p[at]);
	t->rows.n--;
	memmove(&t->rows.p[at], &t->rows.p[at + 1], (t->rows.n - at) * sizeof(*t->rows.p));
}

/* As the database has it. */
static void keep(struct table *t, const struct inspection_plan *p)
{
	if (p->change == INSPECTION_CREATED || p->change == INSPECTION_CHANGED)
		put_row(t, p);
	else if (p->change == INSPECTION_DELETED)
		remove_row(t, p->uuid);
	else if (p->change == INSPECTION_CLEARED)
		clear_table(t);
}

/* ---- a start ---- */

static void open_rest(struct inspection_rest *rest)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct insp_builtins builtins = { 0 };
	struct problems problems = { 0 };
	struct err err;

	*rest = (struct inspection_rest){ .limits = &limits, .built_in_at = STR("2026-01-01T00:00:00Z") };
	CHECK(json_decode(STR(built_in_text), &json_options, &d, &err) == 0);
	CHECK(insp_builtins_read(d->root, &limits, &builtins, &problems, &err) == 0);
	CHECK(inspection_rules_new(&builtins, &rest->rules, &err) == 0);
	problems_done(&problems);
}

static void restore_all(const struct inspection_rest *rest, const struct table *t)
{
	struct err err;

	for (size_t i = 0; i < t->rows.n; i++) {
		const struct row *r = &t->rows.p[i];
		str updated_at = r->updated_at ? str_from(r->updated_at) : (str){ NULL, 0 };

		CHECK(inspection_restore(rest, str_from(r->uuid), str_from(r->json), str_from(r->created_at),
					 updated_at, &err) == 0);
	}
}

/* ---- lists ---- */

static void read_list(const struct inspection_rest *rest, const struct insp_request *q, struct buf *out)
{
	CLEANUP(inspection_list_freep) struct inspection_list *l = NULL;
	struct inspection_plan refusal;
	struct err err;
	int r;

	CHECK(inspection_list_new(rest, q, &l, &refusal, &err) == 0);
	if (!l) {
		CHECK(refusal.status == 400);
		buf_add_str(out, buf_str(&refusal.body));
		inspection_plan_done(&refusal);
		return;
	}
	do {
		CLEANUP(buf_done) struct buf part = BUF_INIT(LIST_MAX);

		r = inspection_list_next(l, &part, &err);
		CHECK(r >= 0);
		buf_add_str(out, buf_str(&part));
	} while (r > 0);
}

static void list_all(const struct inspection_rest *rest, struct buf *out)
{
	const struct insp_request q = { STR("GET"), STR(INSP_RULES_PATH), STR("detail=true"), STR("") };

	read_list(rest, &q, out);
	CHECK(!out->error);
}

/* Also after another start. */
static void check_kept(const struct inspection_rest *rest, const struct table *t)
{
	CLEANUP(buf_done) struct buf list = BUF_INIT(LIST_MAX), again = BUF_INIT(LIST_MAX);
	struct inspection_rest second;

	list_all(rest, &list);
	open_rest(&second);
	restore_all(&second, t);
	list_all(&second, &again);
	CHECK(str_eq(buf_str(&list), buf_str(&again)));
	inspection_rules_free(second.rules);
}

/* ---- answers ---- */

static void check_shown(val v)
{
	val sensitive = VAL_GET(v, "sensitive");

	if (sensitive.kind != VAL_BOOL || !sensitive.b)
		return;
	CHECK(val_is_null(VAL_GET(v, "conditions")) || !val_exists(VAL_GET(v, "conditions")));
	CHECK(val_is_null(VAL_GET(v, "actions")) || !val_exists(VAL_GET(v, "actions")));
}

static void check_body(unsigned status, str body)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct err err;
	val list;

	CHECK(!has_marker(body));
	CHECK((status == 204) == (body.n == 0));
	if (!body.n)
		return;
	CHECK(json_decode(body, &json_options, &d, &err) == 0);
	CHECK((status >= 400) == val_is_string(VAL_GET(d->root, "error")));
	check_shown(d->root);
	list = VAL_GET(d->root, "inspection_rules");
	for (uint32_t i = 0; i < val_count(list); i++)
		check_shown(list.items[i]);
}

static void check_same(str a, str b)
{
	CLEANUP(doc_unrefp) struct doc *x = NULL, *y = NULL;
	struct err err;

	CHECK(json_decode(a, &json_options, &x, &err) == 0 && json_decode(b, &json_options, &y, &err) == 0);
	CHECK(val_equal(x->root, y->root));
}

static void check_plan(const struct inspection_plan *p, const struct insp_request *q)
{
	bool created = p->change == INSPECTION_CREATED;

	check_body(p->status, buf_str(&p->body));
	CHECK(p->change == INSPECTION_NOTHING || p->status < 300);
	CHECK((p->status == 405) == (p->allow != NULL));
	CHECK(created == (p->status == 201) && created == (p->location.n > 0));
	CHECK(!has_marker(p->location));
	CHECK(p->change == INSPECTION_NOTHING || !str_eq(q->method, STR("GET")));
	CHECK((created || p->change == INSPECTION_CHANGED) == (p->rule != NULL));
}

/* ---- requests ---- */

static bool next_request(str *rest, struct insp_request *q, bool *is_kept)
{
	str line, target = STR("");

	if (!rest->p || !str_next_part(rest, '\n', &line))
		return false;
	*is_kept = !str_has_prefix(line, STR("-"));
	if (!*is_kept)
		line = str_sub(line, 1, line.n);
	*q = (struct insp_request){ STR(""), STR(""), STR(""), STR("") };
	(void)str_next_part(&line, ' ', &q->method);
	if (line.p)
		(void)str_next_part(&line, ' ', &target);
	(void)str_next_part(&target, '?', &q->path);
	q->query = target.p ? target : STR("");
	q->body = line.p ? line : STR("");
	return true;
}

/* As daemon/app/inspections.c does it. */
static void settle(const struct inspection_rest *rest, struct table *t, struct inspection_plan *p, bool is_kept)
{
	struct err err;

	if (p->change != INSPECTION_NOTHING && !is_kept)
		inspection_refuse(p, 503, "it cannot be kept");
	keep(t, p);
	CHECK(inspection_carry_out(rest, p, &err) == 0);
	check_body(p->status, buf_str(&p->body));
}

/* Whether something changed. */
static bool ask(const struct inspection_rest *rest, struct table *t, const struct insp_request *q, bool is_kept)
{
	CLEANUP(buf_done) struct buf before = BUF_INIT(LIST_MAX), after = BUF_INIT(LIST_MAX);
	uint64_t generation = inspection_rules_generation(rest->rules);
	struct inspection_plan p;
	bool changes;
	struct err err;

	list_all(rest, &before);
	CHECK(inspection_plan(rest, q, &p, &err) == 0);
	check_plan(&p, q);
	CHECK(generation == inspection_rules_generation(rest->rules));
	if (inspection_asks_for_list(q)) {
		read_list(rest, q, &after);
		check_same(buf_str(&p.body), buf_str(&after));
		buf_clear(&after);
	}
	changes = p.change != INSPECTION_NOTHING && is_kept;
	settle(rest, t, &p, is_kept);
	list_all(rest, &after);
	check_body(200, buf_str(&after));
	CHECK(changes ||
	      (str_eq(buf_str(&before), buf_str(&after)) && generation == inspection_rules_generation(rest->rules)));
	inspection_plan_done(&p);
	return changes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct insp_request first = { STR("POST"), STR(INSP_RULES_PATH), STR(""), STR(first_text) };
	str rest = { (const char *)data, size };
	struct inspection_rest resource;
	struct table table = { 0 };
	struct insp_request q;
	bool is_kept;

	if (has_marker(rest))
		return 0;
	limits = LIMITS_DEFAULT;
	limits.depth = 100;
	limits.arena_bytes = 64u << 20;
	open_rest(&resource);
	CHECK(ask(&resource, &table, &first, true));
	for (int i = 0; i < REQUESTS_MAX && next_request(&rest, &q, &is_kept); i++) {
		if (ask(&resource, &table, &q, is_kept))
			check_kept(&resource, &table);
	}
	clear_table(&table);
	inspection_rules_free(resource.rules);
	return 0;
}
