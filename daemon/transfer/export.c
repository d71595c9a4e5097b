/* Writes the rows of the database as lines of an export. */
#include "daemon/transfer/export.h"

#include "base/hex.h"
#include "daemon/findings/clock.h"
#include "daemon/findings/finding_json.h"
#include "daemon/store/database/database_move.h"
#include "daemon/store/database/state_key.h"
#include "daemon/transfer/transfer_check.h"
#include "daemon/transfer/transfer_file.h"
#include "go/base64.h"
#include "value/json.h"

#include <errno.h>
#include <inttypes.h>

#define INSPECTED_LINE_BYTES ((size_t)1 << 20)

struct export
{
	struct database *database;
	struct transfer_out *out;
	struct buf line;
	struct state_counts counts;
};

static int end_line(struct export *e, struct err *err)
{
	int r = transfer_out_line(e->out, &e->line, err);

	buf_clear(&e->line);
	return r;
}

static void add_text(struct export *e, const char *before, str text)
{
	buf_add_cstr(&e->line, before);
	json_encode_string(text, JSON_PLAIN, &e->line);
}

/* Append a record in base64, so that an import gets the same bytes. */
static void add_record(struct export *e, const char *before, str record)
{
	buf_add_cstr(&e->line, before);
	buf_add_byte(&e->line, '"');
	go_base64_encode(&e->line, record);
	buf_add_byte(&e->line, '"');
}

static int64_t usec_of(int64_t usec)
{
	return usec < 0 ? 0 : usec > TRANSFER_USEC_MAX ? TRANSFER_USEC_MAX : usec;
}

/* Count a row by @check, the result of a check in transfer_check.h. 1: the row is exported; 0: it is left out. */
static int count_left_out(struct export *e, int check)
{
	if (check == -ENOMEM)
		return check;
	e->counts.left_out += check < 0;
	return check == 0;
}

/* ---- lines ---- */

static void add_key(struct export *e, const unsigned char key[FINDINGS_KEY_SIZE])
{
	buf_add_byte(&e->line, '"');
	hex_add(&e->line, key, FINDINGS_KEY_SIZE);
	buf_add_byte(&e->line, '"');
}

static int add_head(struct export *e, const struct state_keys *keys, const char *version, struct err *err)
{
	buf_printf(&e->line, "{\"driftdState\":%d", TRANSFER_VERSION);
	add_text(e, ",\"driftd\":", str_from(version));
	buf_printf(&e->line, ",\"exportedUsec\":%" PRId64 ",\"hashKeys\":[", clock_usec());
	for (size_t i = 0; i < keys->n; i++) {
		if (i > 0)
			buf_add_byte(&e->line, ',');
		add_key(e, keys->of[i]);
	}
	buf_add_cstr(&e->line, "]}");
	return end_line(e, err);
}

static int add_finding(void *ctx, const struct moved_finding *x, struct err *err)
{
	struct export *e = ctx;
	int last_record = x->last_record.n ? count_left_out(e, transfer_check_record(x->last_record, err)) : 0;

	if (last_record < 0)
		return last_record;
	buf_add_cstr(&e->line, "{\"finding\":{\"is\":");
	finding_to_json(x->finding, &e->line);
	if (last_record)
		add_record(e, ",\"told\":", x->last_record);
	buf_add_cstr(&e->line, "}}");
	e->counts.findings++;
	return end_line(e, err);
}

static int add_outbox(void *ctx, const struct moved_record *x, struct err *err)
{
	struct export *e = ctx;
	int r = count_left_out(e, transfer_check_record(x->record, err));

	if (r <= 0)
		return r;
	add_text(e, "{\"record\":{\"about\":", x->about);
	buf_printf(&e->line, ",\"deferred\":%s,\"dueUsec\":%" PRId64 ",\"holdUsec\":%" PRId64,
		   x->deferred ? "true" : "false", usec_of(x->due_usec), usec_of(x->hold_usec));
	if (x->sent)
		buf_printf(&e->line, ",\"sentUsec\":%" PRId64, usec_of(x->sent_usec));
	add_record(e, ",\"bytes\":", x->record);
	buf_add_cstr(&e->line, "}}");
	e->counts.records++;
	return end_line(e, err);
}

/* Add the details of a line of the history; a line of an earlier version has none. */
static void add_details(struct export *e, const struct moved_line *x)
{
	const struct {
		const char *name;
		str text;
	} details[] = { { ",\"type\":", x->type },           { ",\"resource\":", x->resource },
			{ ",\"reference\":", x->reference }, { ",\"manager\":", x->manager },
			{ ",\"cause\":", x->cause },         { ",\"reason\":", x->reason } };

	for (size_t i = 0; i < ARRAY_LEN(details); i++) {
		if (details[i].text.n)
			add_text(e, details[i].name, details[i].text);
	}
	if (x->lasted_usec > 0)
		buf_printf(&e->line, ",\"lastedUsec\":%" PRId64, usec_of(x->lasted_usec));
}

static int add_line(void *ctx, const struct moved_line *x, struct err *err)
{
	struct export *e = ctx;

	if (!x->record.n) {
		e->counts.left_out++;
		return 0;
	}
	buf_printf(&e->line, "{\"history\":{\"usec\":%" PRId64, usec_of(x->usec));
	add_text(e, ",\"owner\":", x->owner);
	add_text(e, ",\"finding\":", x->finding);
	add_text(e, ",\"record\":", x->record);
	add_text(e, ",\"event\":", x->event);
	add_text(e, ",\"severity\":", x->severity);
	add_text(e, ",\"cluster\":", x->cluster);
	add_text(e, ",\"kind\":", x->kind);
	add_text(e, ",\"namespace\":", x->namespace);
	add_text(e, ",\"name\":", x->name);
	add_text(e, ",\"message\":", x->message);
	add_details(e, x);
	buf_add_cstr(&e->line, "}}");
	e->counts.lines++;
	return end_line(e, err);
}

static int add_seen(void *ctx, str cluster, int64_t usec, struct err *err)
{
	struct export *e = ctx;

	add_text(e, "{\"seen\":{\"cluster\":", cluster);
	buf_printf(&e->line, ",\"usec\":%" PRId64 "}}", usec_of(usec));
	return end_line(e, err);
}

static int add_acceptance(void *ctx, str json, struct err *err)
{
	struct export *e = ctx;
	char id[ACCEPTANCE_ID_SIZE];
	int r = count_left_out(e, transfer_check_acceptance(json, id, err));

	if (r <= 0)
		return r;
	add_text(e, "{\"acceptance\":", json);
	buf_add_byte(&e->line, '}');
	return end_line(e, err);
}

static int add_rule(void *ctx, const struct kept_rule *rule, struct err *err)
{
	struct export *e = ctx;
	int r = count_left_out(e, rule->uuid.n ? transfer_check_rule(rule->json, err) : -EBADMSG);

	if (r <= 0)
		return r;
	add_text(e, "{\"rule\":{\"uuid\":", rule->uuid);
	add_text(e, ",\"body\":", rule->json);
	add_text(e, ",\"createdAt\":", rule->created_at);
	if (rule->updated_at.p)
		add_text(e, ",\"updatedAt\":", rule->updated_at);
	buf_add_cstr(&e->line, "}}");
	return end_line(e, err);
}

static int add_inspected(void *ctx, str cluster, str versions, struct err *err)
{
	struct export *e = ctx;
	int r = 0;

	while (r == 0 && versions.n) { /* split into lines of limited size */
		str some = str_sub(versions, 0, INSPECTED_LINE_BYTES);
		ptrdiff_t end = some.n < versions.n ? str_rfind(some, STR("\n")) : -1;

		some = end > 0 ? str_sub(some, 0, (size_t)end + 1) : some;
		versions = str_sub(versions, some.n, versions.n);
		add_text(e, "{\"inspected\":{\"cluster\":", cluster);
		add_text(e, ",\"versions\":", some);
		buf_add_cstr(&e->line, "}}");
		r = end_line(e, err);
	}
	return r;
}

static int add_unwatched(void *ctx, str cluster, const struct time_span *span, struct err *err)
{
	struct export *e = ctx;

	add_text(e, "{\"unwatched\":{\"cluster\":", cluster);
	buf_printf(&e->line, ",\"fromUsec\":%" PRId64 ",\"toUsec\":%" PRId64 "}}", usec_of(span->not_before_usec),
		   usec_of(span->not_after_usec));
	return end_line(e, err);
}

/* ---- all of it ---- */

static int add_all(struct export *e, struct err *err)
{
	size_t malformed = 0;
	int r = database_acceptances(e->database, add_acceptance, e, NULL, err);

	if (r == 0)
		r = database_rules(e->database, add_rule, e, NULL, err);
	if (r == 0)
		r = database_seen(e->database, add_seen, e, err);
	if (r == 0)
		r = database_each_inspected(e->database, add_inspected, e, err);
	if (r == 0)
		r = database_each_moved_finding(e->database, add_finding, e, &malformed, err);
	if (r == 0)
		r = database_each_moved_record(e->database, add_outbox, e, err);
	if (r == 0)
		r = database_each_moved_line(e->database, add_line, e, err);
	if (r == 0)
		r = database_each_unwatched(e->database, add_unwatched, e, err);
	e->counts.left_out += malformed;
	return r;
}

static int write_all(struct export *e, const char *dir, const char *to, const char *version, struct err *err)
{
	struct state_keys keys;
	int r = state_keys_read(dir, &keys, err);

	if (r == 0)
		r = transfer_out_new(to, &e->out, err);
	if (r == 0)
		r = add_head(e, &keys, version, err);
	if (r == 0)
		r = add_all(e, err);
	return r < 0 ? r : transfer_out_end(e->out, err);
}

int state_export(const char *dir, const char *to, const char *version, struct state_counts *ret, struct err *err)
{
	struct export e = { .line = BUF_INIT(TRANSFER_LINE_MAX + 1) };
	int r = database_open_kept(dir, &e.database, err);

	if (r == 0)
		r = write_all(&e, dir, to, version, err);
	transfer_out_free(e.out);
	database_close(e.database);
	buf_done(&e.line);
	if (r == 0)
		*ret = e.counts;
	return r;
}
