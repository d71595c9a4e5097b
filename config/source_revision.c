/* Reads and writes the properties of a revision as JSON. */
#include "config/source_revision.h"

#include "base/utf8.h"
#include "config/source_store.h"
#include "value/json.h"
#include "value/json_out.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

/* ---- writing ---- */

static void add_commit(const struct source_commit *c, struct buf *out)
{
	json_open(out, NULL, '{');
	json_text(out, "id", c->id);
	json_text(out, "author", utf8_cut(c->author, SOURCE_TEXT_MAX));
	json_text(out, "subject", utf8_cut(c->subject, SOURCE_TEXT_MAX));
	json_number(out, "time", c->time > 0 ? (uint64_t)c->time : 0);
	buf_add_byte(out, '}');
}

int source_revision_write(const struct source_revision *r, struct buf *out, struct err *err)
{
	json_open(out, NULL, '{');
	json_text(out, "revision", r->revision);
	json_text(out, "signer", r->signer);
	json_text(out, "title", r->title);
	json_bool(out, "rewritten", r->rewritten);
	json_number(out, "files", r->n_files);
	json_number(out, "bytes", r->n_bytes);
	json_number(out, "leftOut", r->n_left_out);
	json_open(out, "log", '[');
	for (size_t i = 0; i < r->n_log && i < SOURCE_LOG_MAX; i++)
		add_commit(&r->log[i], out);
	buf_add_cstr(out, "]}\n");
	return buf_error(out, "what is known of a revision", err);
}

/* ---- reading ---- */

/* Copy one line of @v into @a; {NULL, 0} without memory. */
static str line_of(val v, struct arena *a)
{
	str s = utf8_cut(val_str(v), SOURCE_TEXT_MAX);
	char *p = arena_alloc(a, s.n + 1);

	if (!p)
		return (str){ 0 };
	for (size_t i = 0; i < s.n; i++) {
		bool c1 = i > 0 && (unsigned char)s.p[i - 1] == 0xc2 && (unsigned char)s.p[i] < 0xa0;

		p[i] = (unsigned char)s.p[i] < ' ' || s.p[i] == 0x7f || c1 ? ' ' : s.p[i];
		if (c1) /* U+0080 to U+009F, which can move cursors too */
			p[i - 1] = ' ';
	}
	p[s.n] = '\0';
	return (str){ p, s.n };
}

static size_t count_of(val map, str key)
{
	int64_t n = val_int_or(val_get(map, key), 0);

	return n > 0 ? (size_t)n : 0;
}

static int read_log(val list, struct arena *a, struct source_revision *r, struct err *err)
{
	size_t n = val_is_list(list) ? val_count(list) : 0;
	struct source_commit *log;

	if (n > SOURCE_LOG_MAX)
		return err_set(err, E2BIG, "a revision has a log of more than %d commits", SOURCE_LOG_MAX);
	log = arena_array(a, n + 1, sizeof(*log));
	if (!log)
		return arena_error(a, err);
	for (size_t i = 0; i < n; i++) {
		val c = val_at(list, (uint32_t)i);

		log[i] = (struct source_commit){ .id = line_of(VAL_GET(c, "id"), a),
						 .author = line_of(VAL_GET(c, "author"), a),
						 .subject = line_of(VAL_GET(c, "subject"), a),
						 .time = (int64_t)count_of(c, STR("time")) };
		if (!log[i].id.p || !log[i].author.p || !log[i].subject.p)
			return arena_error(a, err);
	}
	r->log = log;
	r->n_log = n;
	return 0;
}

int source_revision_read(str text, struct arena *a, struct source_revision *ret, struct err *err)
{
	struct source_revision got = { 0 };
	val v;
	int r = json_decode_value(text, JSON_DEFAULTS, a, &v, NULL, err);

	if (r < 0)
		return r;
	if (!val_str(VAL_GET(v, "revision")).n)
		return err_set(err, EINVAL, "a revision has no name");
	got.revision = line_of(VAL_GET(v, "revision"), a);
	got.signer = line_of(VAL_GET(v, "signer"), a);
	got.title = line_of(VAL_GET(v, "title"), a);
	got.rewritten = val_is_true(VAL_GET(v, "rewritten"));
	if (!got.revision.p || !got.signer.p || !got.title.p)
		return arena_error(a, err);
	got.n_files = count_of(v, STR("files"));
	got.n_bytes = count_of(v, STR("bytes"));
	got.n_left_out = count_of(v, STR("leftOut"));
	r = read_log(VAL_GET(v, "log"), a, &got, err);
	if (r == 0)
		*ret = got;
	return r;
}

int source_revision_load(const char *store, str id, struct arena *a, struct source_revision *ret, struct err *err)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(PATH_MAX);
	CLEANUP(freep) char *text = NULL;
	size_t n;
	int r;

	source_store_revision(store, id, &path);
	buf_add_cstr(&path, "/revision.json");
	r = source_store_read(store, &path, SOURCE_REVISION_MAX, &text, &n, err);
	return r < 0 ? r : source_revision_read((str){ text, n }, a, ret, err);
}

bool source_accepts(const struct source *s, const struct source_revision *r)
{
	return !source_is_verified(s) || r->signer.n > 0;
}
