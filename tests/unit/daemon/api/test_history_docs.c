/* Documents about what was, of a database that has it: tests/data/history/docs.txt. The program is the path that is
 * asked for, with " trusted" behind it for somebody who may see messages. The input is what the database has, a line
 * each:
 *
 *   history usec=110 finding=x event=begin …   a row, by its columns; times are seconds
 *   unwatched cluster=a from_usec=110 to_usec=120
 *   open TYPE ID SEVERITY CLUSTER NAMESPACE NAME SINCE [dormant]
 *   schema 9                                   the database is of that version
 *   nothing                                    there is no database */
#include "daemon/api/api.h"

#include "daemon/findings/clock.h"
#include "daemon/findings/finding_json.h"
#include "daemon/history/history_request.h"
#include "daemon/store/database/database.h"
#include "support/triples.h"

#include "base/number.h"

#include <sqlite3.h>
#include <unistd.h>
#include <uv.h>

struct http_ticket {
	void *state;
	bool again; /* the answer is there */
};

static struct http_ticket waiting;

struct http_ticket *__wrap_http_later(const struct http_request *q, void *state, void (*forget)(void *state));
void __wrap_http_go_on(struct http_ticket *t);

struct http_ticket *__wrap_http_later(const struct http_request *q, void *state, void (*forget)(void *state))
{
	(void)q;
	(void)forget;
	waiting = (struct http_ticket){ .state = state };
	return &waiting;
}

void __wrap_http_go_on(struct http_ticket *t)
{
	t->again = true;
}

static str next_word(str *rest)
{
	str word = STR("");

	(void)!(rest->p && str_next_part(rest, ' ', &word));
	return word;
}

static void run_sql(sqlite3 *db, struct buf *sql)
{
	char *why = NULL;

	if (sql->error || sqlite3_exec(db, sql->p, NULL, NULL, &why) != SQLITE_OK) {
		fprintf(stderr, "%s: %s\n", sql->p, why ? why : "");
		abort();
	}
	buf_clear(sql);
}

static void add_row(sqlite3 *db, str table, str rest)
{
	CLEANUP(buf_done) struct buf names = BUF_INIT(4096), values = BUF_INIT(4096), sql = BUF_INIT(16384);
	bool history = str_eq(table, STR("history"));
	str word;

	if (history && str_find(rest, STR(" message=")) < 0)
		buf_add_cstr(&names, "message,"), buf_add_cstr(&values, "'',");
	buf_add_cstr(&names, history ? "record" : "");
	buf_add_cstr(&values, history ? "'r'" : "");
	while ((word = next_word(&rest)).n) {
		size_t eq = (size_t)str_find_byte(word, '=');
		str name = str_sub(word, 0, eq), value = str_sub(word, eq + 1, word.n);
		bool time = str_has_suffix(name, STR("usec"));

		buf_printf(&names, "%s%.*s", names.n ? "," : "", STR_ARG(name));
		buf_printf(&values, "%s%s%.*s%s", values.n ? "," : "", time ? "" : "'", STR_ARG(value),
			   time ? " * 1000000" : "'");
	}
	buf_printf(&sql, "INSERT INTO %.*s(%s) VALUES(%s)", STR_ARG(table), names.p, values.p);
	run_sql(db, &sql);
}

static void add_open(sqlite3 *db, str rest)
{
	CLEANUP(buf_done) struct buf json = BUF_INIT(8192), sql = BUF_INIT(16384);
	struct finding x = { .state_hash = "0", .announced = true };
	int64_t since = 0;
	str id;

	ASSERT(finding_type_parse(next_word(&rest), &x.kind));
	id = next_word(&rest);
	memset(x.id, id.p[0], sizeof(x.id) - 1);
	ASSERT(severity_parse(next_word(&rest), &x.severity));
	x.subject.cluster = next_word(&rest);
	x.subject.namespace = next_word(&rest);
	x.subject.name = next_word(&rest);
	x.subject.kind = STR("Pod");
	ASSERT(int64_parse(next_word(&rest), &since));
	x.first_seen_usec = since * 1000000;
	x.dormant = rest.n;
	x.flaps = x.dormant;
	memset(x.state_hash, 'f', sizeof(x.state_hash) - 1);
	finding_to_json(&x, &json);
	buf_printf(&sql, "INSERT INTO finding(id, body) VALUES('%s', '%s')", x.id, json.p);
	run_sql(db, &sql);
}

/* Fill the database of the folder with the lines. */
static void fill(const char *dir, str lines)
{
	CLEANUP(buf_done) struct buf sql = BUF_INIT(1024);
	struct database *d = NULL;
	struct err notice, err;
	char path[256];
	sqlite3 *db;
	str line;

	ASSERT(database_open(dir, &d, &notice, &err) == 0);
	database_close(d);
	(void)snprintf(path, sizeof(path), "%s/" DATABASE_NAME, dir);
	ASSERT(sqlite3_open(path, &db) == SQLITE_OK);
	while (lines.n && str_next_part(&lines, '\n', &line)) {
		str table = next_word(&line);

		if (str_eq(table, STR("open")))
			add_open(db, line);
		else if (str_eq(table, STR("schema")))
			buf_printf(&sql, "PRAGMA user_version = %.*s", STR_ARG(line)), run_sql(db, &sql);
		else if (table.n)
			add_row(db, table, line);
	}
	ASSERT(sqlite3_close(db) == SQLITE_OK);
}

/* The parameters by which a page asks the same. */
static void print_address(const struct http_request *q, struct buf *out)
{
	CLEANUP(buf_done) struct buf address = BUF_INIT(4096);
	struct history_request r;
	struct err err;

	if (history_request_parse(q, clock_usec(), &r, &err) < 0)
		return;
	history_request_address(&r, &address);
	buf_printf(out, "%.*s of a %s\n", STR_ARG(buf_str(&address)), history_ranges[r.range]);
}

static void ask(struct history *h, uv_loop_t *loop, str path, bool trusted, struct http_response *r, struct buf *out)
{
	const struct metrics_view view = { .history = h };
	struct http_request q = { .method = "GET", .trusted = trusted };
	bool timeline = str_find(path, STR("/timeline")) >= 0;
	struct err err;

	ASSERT(uri_parse(&q.uri, path, &err) == 0);
	waiting = (struct http_ticket){ 0 };
	(timeline ? api_timeline : api_history)(&view, &q, r);
	if (waiting.state) {
		(void)uv_run(loop, UV_RUN_DEFAULT);
		ASSERT(waiting.again);
		q.state = waiting.state;
		(timeline ? api_timeline : api_history)(&view, &q, r);
	}
	print_address(&q, out);
	uri_done(&q.uri);
}

/* A member in each line. */
static int print(const struct http_response *r, struct buf *out)
{
	str rest = buf_str(&r->body), line;

	buf_printf(out, "%u\n", r->status);
	while (rest.n && str_next_part(&rest, '\n', &line)) {
		if (line.n)
			buf_printf(out, "%.*s\n", STR_ARG(line));
	}
	return 0;
}

static int run(const struct triple *t, struct arena *a, struct buf *out)
{
	char dir[] = "/tmp/driftd-history-XXXXXX", command[64];
	struct http_response r = { .status = 200, .body = BUF_INIT(1u << 20) };
	str program = t->program, path = next_word(&program);
	struct history *h;
	uv_loop_t loop;
	struct err err;

	(void)a;
	ASSERT(mkdtemp(dir) && uv_loop_init(&loop) == 0);
	h = history_new(&loop);
	ASSERT(h && history_set_folder(h, str_eq(program, STR("nowhere")) ? STR("") : str_from(dir), &err) == 0);
	if (!str_has_prefix(t->input, STR("nothing")))
		fill(dir, t->input);
	ask(str_eq(program, STR("none")) ? NULL : h, &loop, path, str_eq(program, STR("trusted")), &r, out);
	(void)print(&r, out);
	history_close(h);
	history_free(h);
	ASSERT(uv_loop_close(&loop) == 0);
	buf_done(&r.body);
	(void)snprintf(command, sizeof(command), "rm -r '%s'", dir);
	return system(command);
}

static const struct triple_file files[] = {
	{ "docs", run },
};

int main(void)
{
	clock_set(INT64_C(1000000000000000), 1);
	return triples_main(TEST_DATA "/history", files, ARRAY_LEN(files));
}
