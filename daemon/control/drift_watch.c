/* driftd drift list --watch: what is open, and then what becomes of it.
 *
 * The list is asked for again each second; while no finding has begun, changed or ended driftd answers in a word. What
 * two lists differ in is printed: driftd may be restarted between them, and what was open before is no news then. */
#include "base/printable.h"
#include "base/strmap.h"
#include "base/vec.h"
#include "daemon/control/client.h"
#include "daemon/control/control_internal.h"
#include "daemon/control/table.h"
#include "go/duration.h"
#include "kubeclient/kc_url.h"
#include "value/json.h"
#include "value/yaml.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

#define PAUSE_NS GO_SECOND
#define SHARE 10       /* a list that takes long is asked for that much less often */
#define UNSURE_MAX 120 /* lists that are ignored at most: two minutes */
#define REQUEST_MAX ((size_t)64 << 10)

struct rows {
	VEC(struct findings_row) list;
};

/* The findings of one list, to be compared with the next one. */
struct watched_list {
	struct doc *doc;
	val items;
	struct strmap by_id; /* id -> 1 + the index of an item */
};

static void list_done(struct watched_list *l)
{
	strmap_done(&l->by_id);
	doc_unref(l->doc);
}

/* ---- what two lists differ in ---- */

static str id_of(const struct drift_watch *w, val x)
{
	return control_text(x, w->table.groups ? "cause" : "id");
}

/* Make a list, which takes ownership of @doc. */
static int list_init(const struct drift_watch *w, struct doc *doc, struct watched_list *l, struct err *err)
{
	*l = (struct watched_list){ .doc = doc, .items = VAL_GET(doc->root, "items") };
	for (uint32_t i = 0; i < val_count(l->items); i++) {
		if (!strmap_put(&l->by_id, id_of(w, val_at(l->items, i)), (void *)(uintptr_t)(i + 1), NULL)) {
			list_done(l);
			return err_nomem(err);
		}
	}
	return 0;
}

/* Find the item with that id; false: there is none. */
static bool find(const struct watched_list *l, str id, val *ret)
{
	uintptr_t at = (uintptr_t)strmap_get(&l->by_id, id);

	if (at)
		*ret = val_at(l->items, (uint32_t)at - 1);
	return at;
}

/* Whether a difference in the member is a change of the finding. How certain driftd is of it, and how often it
 * flapped, is none. */
static bool is_part_of_it(str name)
{
	return !str_eq(name, STR("held")) && !str_eq(name, STR("unconfirmed")) && !str_eq(name, STR("flaps"));
}

static bool has_all_of(val x, val y)
{
	for (uint32_t i = 0; i < val_count(y); i++) {
		str name = key_str(y.members[i].key);

		if (is_part_of_it(name) && !val_equal(val_get(x, name), y.members[i].value))
			return false;
	}
	return true;
}

static bool is_same(val x, val y)
{
	return has_all_of(x, y) && has_all_of(y, x);
}

static bool add_ended(const struct drift_watch *w, const struct watched_list *before, const struct watched_list *now,
		      struct rows *rows)
{
	val ignored;

	for (uint32_t i = 0; i < val_count(before->items); i++) {
		val x = val_at(before->items, i);

		if (!find(now, id_of(w, x), &ignored) && !vec_push(&rows->list, ((struct findings_row){ x, "end" })))
			return false;
	}
	return true;
}

/* Compare two lists: what has ended, and then what is new. After the first list everything is open. */
static int compare(const struct drift_watch *w, const struct watched_list *before, const struct watched_list *now,
		   struct rows *rows, struct err *err)
{
	if (before && !add_ended(w, before, now, rows))
		return err_nomem(err);
	for (uint32_t i = 0; i < val_count(now->items); i++) {
		struct findings_row row = { val_at(now->items, i), before ? "begin" : "open" };
		val known;

		if (before && find(before, id_of(w, row.x), &known)) {
			if (is_same(known, row.x))
				continue;
			row.event = "change";
		}
		if (!vec_push(&rows->list, row))
			return err_nomem(err);
	}
	return 0;
}

/* ---- printing ---- */

/* Append {"event": …, "finding": …} as a line, or as a YAML document; for causes the member is "cause". */
static int add_document(const struct drift_watch *w, const struct findings_row *row, struct buf *out, struct err *err)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(CONTROL_OUTPUT_MAX);
	CLEANUP(doc_unrefp) struct doc *d = NULL;

	buf_printf(&text, "{\"event\":\"%s\",\"%s\":", row->event, w->table.groups ? "cause" : "finding");
	if (json_encode(row->x, JSON_PLAIN, NULL, &text, err) < 0)
		return -err->code;
	buf_add_byte(&text, '}');
	if (buf_error(&text, "document", err) < 0)
		return -err->code;
	if (w->form == FORM_JSON) {
		printable_json_add(out, buf_str(&text), false);
		buf_add_byte(out, '\n');
		return buf_error(out, "output", err);
	}
	if (json_decode(buf_str(&text), JSON_DEFAULTS, &d, err) < 0)
		return -err->code;
	buf_add_cstr(out, "---\n");
	return yaml_encode_shown(d->root, out, err);
}

static int add_rows(const struct drift_watch *w, const struct rows *rows, struct buf *out, struct err *err)
{
	int r = 0;

	if (w->form == FORM_TABLE || w->form == FORM_WIDE)
		return print_findings_rows(&w->table, rows->list.p, rows->list.n, out, err);
	for (size_t i = 0; r == 0 && i < rows->list.n; i++) {
		if (w->form == FORM_NAME)
			buf_printf(out, "%s %.*s\n", rows->list.p[i].event, STR_ARG(id_of(w, rows->list.p[i].x)));
		else
			r = add_document(w, &rows->list.p[i], out, err);
	}
	return r;
}

/* Print the changes from @before (NULL: nothing is known) to @now. */
static int print_news(const struct drift_watch *w, const struct watched_list *before, const struct watched_list *now,
		      struct err *err)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(CONTROL_OUTPUT_MAX);
	struct rows rows = { 0 };
	int r = compare(w, before, now, &rows, err);

	if (r == 0 && (rows.list.n || !before))
		r = add_rows(w, &rows, &out, err);
	vec_done(&rows.list);
	return r < 0 ? r : control_print(&out, err);
}

/* ---- asking ---- */

static int64_t now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * GO_SECOND + t.tv_nsec;
}

static void pause_for(int64_t ns)
{
	struct timespec t = { .tv_sec = ns / GO_SECOND, .tv_nsec = ns % GO_SECOND };

	(void)nanosleep(&t, NULL);
}

/* Request the list. *ret is NULL if it is the same as @known. */
static int ask(const struct drift_watch *w, const struct doc *known, struct doc **ret, struct err *err)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(REQUEST_MAX);
	CLEANUP(doc_unrefp) struct doc *d = NULL;

	buf_add_str(&path, w->path);
	kc_url_number(&path, "after", (uint64_t)val_int_or(VAL_GET(known->root, "generation"), 0));
	if (control_get_built(w->socket, &path, &d, err) < 0)
		return -err->code;
	*ret = str_eq(control_text(d->root, "kind"), STR("Unchanged")) ? NULL : TAKE(d);
	return 0;
}

/* Whether the failure may be temporary, because driftd is being restarted, or has too much to do. */
static bool may_come_back(const struct err *err)
{
	return err->code == ENOENT || err->code == ECONNREFUSED || err->code == ETIMEDOUT || err->code == EPROTO ||
	       err->code == ECONNRESET;
}

/* Whether findings may be missing although they have not ended: after a restart driftd knows the labels of objects
 * and short names of kinds only once these are listed again. */
static bool is_unsure(const struct doc *d)
{
	val unknown = VAL_GET(d->root, "unknownFilters");

	return val_count(unknown) > 0 || val_int_or(VAL_GET(d->root, "unknownLabels"), 0) > 0;
}

/* Wait for the next list that is different. */
static int await(const struct drift_watch *w, const struct doc *known, struct doc **ret, struct err *err)
{
	int64_t pause_ns = PAUSE_NS;
	size_t unsure = 0;
	bool reported = false;

	*ret = NULL;
	while (!*ret) {
		int64_t began_ns, took_ns;

		pause_for(pause_ns);
		began_ns = now_ns();
		if (ask(w, known, ret, err) < 0) {
			if (!may_come_back(err))
				return -err->code;
			if (!reported)
				fprintf(stderr, "driftd drift: %s; it is asked again until it answers\n", err->msg);
			reported = true;
		}
		if (*ret && is_unsure(*ret) && unsure++ < UNSURE_MAX)
			doc_unref(TAKE(*ret));
		took_ns = now_ns() - began_ns;
		pause_ns = took_ns * SHARE > PAUSE_NS ? took_ns * SHARE : PAUSE_NS;
	}
	return 0;
}

int drift_watch(const struct drift_watch *how, struct doc *list, struct err *err)
{
	size_t widths[TABLE_COLUMNS_MAX] = { 0 };
	struct drift_watch w = *how;
	struct watched_list known, next;
	int r = list_init(&w, doc_ref(list), &known, err);

	if (r < 0)
		return r;
	w.table.watched = w.table.clusters = true;
	w.table.widths = widths;
	r = print_news(&w, NULL, &known, err);
	w.table.no_headers = true; /* the first list has printed them */
	while (r == 0) {
		struct doc *d;

		r = await(&w, known.doc, &d, err);
		if (r == 0)
			r = list_init(&w, d, &next, err);
		if (r < 0)
			break;
		r = print_news(&w, &known, &next, err);
		list_done(&known);
		known = next;
	}
	list_done(&known);
	return r;
}
