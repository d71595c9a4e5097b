/* Keeps the rows of checks, and prints them. */
#include "daemon/preflight/checks.h"

#include "base/assert.h"
#include "daemon/control/table.h"
#include "value/json.h"

#include <stdio.h>

#define DETAIL_MAX 1024

void checks_done(struct checks *c)
{
	vec_done(&c->rows);
	arena_done(&c->arena);
}

void checks_add(struct checks *c, str cluster, enum check_result result, str what, const char *detail, ...)
{
	char text[DETAIL_MAX];
	struct check_row row = { .result = result, .number = c->rows.n };
	va_list args;

	va_start(args, detail);
	(void)vsnprintf(text, sizeof(text), detail, args);
	va_end(args);
	row.cluster = arena_str(&c->arena, cluster);
	row.what = arena_str(&c->arena, what);
	row.detail = arena_str(&c->arena, str_from(text));
	if (!row.cluster.p || !row.what.p || !row.detail.p || !vec_push(&c->rows, row))
		c->no_memory = true;
	c->n_failed += result == CHECK_FAILED;
}

static int by_cluster(const void *a, const void *b)
{
	const struct check_row *x = a, *y = b;
	int r = str_cmp(x->cluster, y->cluster);

	return r ? r : (x->number > y->number) - (x->number < y->number);
}

void checks_sort(struct checks *c)
{
	if (c->rows.n)
		qsort(c->rows.p, c->rows.n, sizeof(*c->rows.p), by_cluster);
}

static str result_name(enum check_result r)
{
	static const char *const names[] = { "ok", "warning", "failed" };

	_Static_assert(ARRAY_LEN(names) == CHECK_FAILED + 1, "ORDER enum check_result");
	ASSERT(r < ARRAY_LEN(names));
	return str_from(names[r]);
}

int checks_print_table(const struct checks *c, struct buf *out, struct err *err)
{
	static const char *const headings[] = { "CLUSTER", "CHECK", "RESULT", "DETAIL" };
	struct table t;
	int r;

	table_init(&t, headings, ARRAY_LEN(headings));
	t.cell_max = DETAIL_MAX;
	for (size_t i = 0; i < c->rows.n; i++) {
		const struct check_row *row = &c->rows.p[i];

		table_add(&t, row->cluster.n ? row->cluster : STR("-"));
		table_add(&t, row->what);
		table_add(&t, result_name(row->result));
		table_add(&t, row->detail);
	}
	r = table_print(&t, true, out, err);
	table_done(&t);
	return c->no_memory ? err_nomem(err) : r;
}

static void add_member(struct buf *out, const char *before, str text)
{
	buf_add_cstr(out, before);
	json_encode_string(text, JSON_PLAIN, out);
}

int checks_print_json(const struct checks *c, struct buf *out, struct err *err)
{
	buf_add_cstr(out, "{\"checks\":[");
	for (size_t i = 0; i < c->rows.n; i++) {
		const struct check_row *row = &c->rows.p[i];

		add_member(out, i ? ",\n{\"cluster\":" : "\n{\"cluster\":", row->cluster);
		add_member(out, ",\"check\":", row->what);
		add_member(out, ",\"result\":", result_name(row->result));
		add_member(out, ",\"detail\":", row->detail);
		buf_add_byte(out, '}');
	}
	buf_add_cstr(out, "\n]}\n");
	return c->no_memory ? err_nomem(err) : buf_error(out, "checks", err);
}
