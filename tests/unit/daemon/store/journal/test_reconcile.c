/* What becomes of what the database knows when the journal knows other things: tables of both, before and after. */
#include "daemon/store/journal/reconcile.h"

#include "daemon/findings/finding_json.h"
#include "daemon/findings/finding_record.h"
#include "daemon/store/database/database.h"
#include "support/fake_journal.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>
#include <errno.h>

#define OTHER_PATHS "data.z"

/* A finding is a letter: "a" and "A" are of the same object and place, one after the other; nobody watches the
 * cluster of "x". A record is the letter of
 * its finding and what it says: "ab" begins, "ac" changes, "ad" changes other fields, "ae" ends it; "??" is one of
 * another version of driftd. */
struct scene {
	const char *name;
	/* The database: findings that are open, records of the history, the last records of findings, the outbox (with
	 * "!" what was sent, with "*" what is held back), and the journal. All in order of time. */
	const char *open, *history, *reported, *outbox, *journal;
	bool all;          /* the database was damaged */
	bool is_behind;    /* the journal does not come to have what it is given */
	bool nobody_reads; /* it is not there to be given anything */
	/* Afterwards, with "?" for what is told again, and "~" for what is open with a state that is not known ("~d":
	 * of other fields). */
	const char *open_after, *outbox_after, *history_after;
	size_t learned, ended;
	int64_t reach;
};

static struct {
	size_t slept;
	size_t full_until, stale_until, lost_at, ended_at; /* times of sleeping; 0: never */
	size_t fails_at, calls; /* the call of those below that fails, from 1; 0: none does */
	struct shard shard;     /* which the records are of */
} t;

static bool fails(void)
{
	return ++t.calls == t.fails_at;
}

static int failure(struct err *err)
{
	return err_set(err, EIO, "no");
}

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker's names */
int __wrap_usleep(useconds_t usec);

bool __real_strmap_put(struct strmap *m, str key, void *value, void **old);
bool __wrap_strmap_put(struct strmap *m, str key, void *value, void **old);
int __real_database_outbox(struct database *d, int (*each)(void *ctx, const struct outbox_row *row, struct err *err),
			   void *ctx, struct err *err);
int __wrap_database_outbox(struct database *d, int (*each)(void *ctx, const struct outbox_row *row, struct err *err),
			   void *ctx, struct err *err);
int __real_database_findings(struct database *d, int (*each)(void *ctx, const struct finding *x, struct err *err),
			     void *ctx, size_t *malformed, struct err *err);
int __wrap_database_findings(struct database *d, int (*each)(void *ctx, const struct finding *x, struct err *err),
			     void *ctx, size_t *malformed, struct err *err);
int __real_database_put_finding(struct database *d, const char *id, str json, struct err *err);
int __wrap_database_put_finding(struct database *d, const char *id, str json, struct err *err);
int __real_database_remove_finding(struct database *d, const char *id, struct err *err);
int __wrap_database_remove_finding(struct database *d, const char *id, struct err *err);
int __real_database_add_history(struct database *d, const struct record *r, int64_t usec, struct err *err);
int __wrap_database_add_history(struct database *d, const struct record *r, int64_t usec, struct err *err);
int __real_database_remove_from_outbox(struct database *d, int64_t seq, struct err *err);
int __wrap_database_remove_from_outbox(struct database *d, int64_t seq, struct err *err);
int __real_database_knows_end(struct database *d, const char *finding, struct err *err);
int __wrap_database_knows_end(struct database *d, const char *finding, struct err *err);
int64_t __real_database_history_line(struct database *d, str finding, str record, struct err *err);
int64_t __wrap_database_history_line(struct database *d, str finding, str record, struct err *err);
int64_t __real_database_finding_line(struct database *d, str finding, struct err *err);
int64_t __wrap_database_finding_line(struct database *d, str finding, struct err *err);
int __real_database_finding_history(struct database *d, const char *id, struct finding_history **ret, struct err *err);
int __wrap_database_finding_history(struct database *d, const char *id, struct finding_history **ret, struct err *err);
int __real_database_put_again(struct database *d, str about, str record, struct err *err);
int __wrap_database_put_again(struct database *d, str about, str record, struct err *err);

void __real_output_set_shard(struct output *o, struct shard shard);
void __wrap_output_set_shard(struct output *o, struct shard shard);

void __wrap_output_set_shard(struct output *o, struct shard shard)
{
	t.shard = shard;
	__real_output_set_shard(o, shard);
}

bool __wrap_strmap_put(struct strmap *m, str key, void *value, void **old)
{
	return !fails() && __real_strmap_put(m, key, value, old);
}

int __wrap_database_outbox(struct database *d, int (*each)(void *ctx, const struct outbox_row *row, struct err *err),
			   void *ctx, struct err *err)
{
	return fails() ? failure(err) : __real_database_outbox(d, each, ctx, err);
}

int __wrap_database_findings(struct database *d, int (*each)(void *ctx, const struct finding *x, struct err *err),
			     void *ctx, size_t *malformed, struct err *err)
{
	return fails() ? failure(err) : __real_database_findings(d, each, ctx, malformed, err);
}

int __wrap_database_put_finding(struct database *d, const char *id, str json, struct err *err)
{
	return fails() ? failure(err) : __real_database_put_finding(d, id, json, err);
}

int __wrap_database_remove_finding(struct database *d, const char *id, struct err *err)
{
	return fails() ? failure(err) : __real_database_remove_finding(d, id, err);
}

int __wrap_database_add_history(struct database *d, const struct record *r, int64_t usec, struct err *err)
{
	return fails() ? failure(err) : __real_database_add_history(d, r, usec, err);
}

int __wrap_database_remove_from_outbox(struct database *d, int64_t seq, struct err *err)
{
	return fails() ? failure(err) : __real_database_remove_from_outbox(d, seq, err);
}

int __wrap_database_knows_end(struct database *d, const char *finding, struct err *err)
{
	return fails() ? failure(err) : __real_database_knows_end(d, finding, err);
}

int64_t __wrap_database_history_line(struct database *d, str finding, str record, struct err *err)
{
	return fails() ? failure(err) : __real_database_history_line(d, finding, record, err);
}

int64_t __wrap_database_finding_line(struct database *d, str finding, struct err *err)
{
	return fails() ? failure(err) : __real_database_finding_line(d, finding, err);
}

int __wrap_database_finding_history(struct database *d, const char *id, struct finding_history **ret, struct err *err)
{
	return fails() ? failure(err) : __real_database_finding_history(d, id, ret, err);
}

int __wrap_database_put_again(struct database *d, str about, str record, struct err *err)
{
	return fails() ? failure(err) : __real_database_put_again(d, about, record, err);
}

int __wrap_usleep(useconds_t usec)
{
	t.slept++;
	fake_pass(usec / 1000);
	if (t.slept == t.full_until)
		fake.write_fails = t.stale_until ? -ESTALE : 0;
	if (t.slept == t.stale_until)
		fake.write_fails = 0;
	fake.await_fails = t.slept == t.lost_at ? -ESTALE : 0;
	if (t.slept == t.lost_at) {
		fake_lose(1);
		fake.unread = 0;
	}
	return 0;
}
/* NOLINTEND(bugprone-reserved-identifier) */

/* ---- letters ---- */

static void id_of(char letter, char ret[FINDING_ID_SIZE])
{
	(void)snprintf(ret, FINDING_ID_SIZE, "%d%030d%c", isupper((unsigned char)letter) != 0, 0,
		       tolower((unsigned char)letter) == 'x' ? 'f' : tolower((unsigned char)letter));
}

static char letter_of(const char *id)
{
	char letter = id[31] == 'f' ? 'x' : id[31];

	return id[0] == '1' ? (char)toupper((unsigned char)letter) : letter;
}

static struct finding finding_of(char letter, char name[2])
{
	struct finding x = {
		.kind = FINDING_DRIFT, .severity = SEVERITY_WARNING, .announced = true, .first_seen_usec = 9
	};

	name[0] = (char)tolower((unsigned char)letter);
	name[1] = '\0';
	id_of(letter, x.id);
	memset(x.state_hash, 'f', sizeof(x.state_hash) - 1);
	x.subject = (struct finding_subject){ .cluster = name[0] == 'x' ? STR("other") : STR("c"),
					      .reference = STR("r"),
					      .part = STR("p"),
					      .component = STR("q"),
					      .template_path = STR("t.yaml"),
					      .kind = STR("ConfigMap"),
					      .api_version = STR("v1"),
					      .namespace = STR("n"),
					      .name = str_from(name) };
	x.paths = STR("data.x\ndata.y");
	return x;
}

/* The record of two letters, whose id says which. */
static void record_of(const char *token, struct record *r)
{
	static const struct record_terms terms;
	static const struct blame nobody;
	char name[2];
	struct finding x = finding_of(token[0], name);

	if (token[1] == 'd')
		x.paths = STR(OTHER_PATHS);
	if (token[1] == 'e')
		record_end(r, &x, NULL, NULL, &nobody, &terms);
	else
		record_state(r, &x, token[1] == 'b' ? TRANSITION_BEGIN : TRANSITION_CHANGE, &terms);
	(void)snprintf(r->id, sizeof(r->id), "%d%029d%c%c", isupper((unsigned char)token[0]) != 0, 0,
		       tolower((unsigned char)token[0]) == 'x' ? 'f' : tolower((unsigned char)token[0]), token[1]);
	r->text = arena_str(&r->arena, r->text);
	for (size_t i = 0; i < r->n_fields; i++)
		r->fields[i].value = arena_str(&r->arena, r->fields[i].value);
}

/* The next word of a list; false: there is none. */
static bool next(const char **list, char token[8])
{
	size_t n = strcspn(*list, " ");

	if (!n)
		return false;
	(void)snprintf(token, 8, "%.*s", (int)n, *list);
	*list += n + strspn(*list + n, " ");
	return true;
}

/* ---- before ---- */

static void open_finding(struct database *d, char letter)
{
	struct buf json = BUF_INIT(65536);
	char name[2];
	struct finding x = finding_of(letter, name);
	struct err err;

	finding_to_json(&x, &json);
	assert_int_equal(database_put_finding(d, x.id, buf_str(&json), &err), 0);
	buf_done(&json);
}

static void add_row(struct database *d, const char *token)
{
	struct buf bytes = BUF_INIT(65536), key = BUF_INIT(65536);
	struct outbox_new row = { .record = STR("no record") };
	struct finding x;
	struct record r;
	struct err err;
	int64_t seq;
	char name[2];

	if (token[0] == '?') {
		assert_int_equal(database_add_to_outbox(d, &row, &seq, &err), 0);
		return;
	}
	record_of(token, &r);
	record_encode(&r, &bytes);
	x = finding_of(token[0], name);
	finding_key(x.kind, &x.subject, &key);
	row = (struct outbox_new){ .about = buf_str(&key), .record = buf_str(&bytes) };
	if (token[2] == '*') {
		row.deferred = true;
		row.due_usec = 7;
		row.hold_usec = 4;
	}
	assert_int_equal(database_add_to_outbox(d, &row, &seq, &err), 0);
	if (token[2] == '!')
		assert_int_equal(database_mark_sent(d, seq, 5, &err), 0);
	record_done(&r);
	buf_done(&key);
	buf_done(&bytes);
}

static void put_reported(struct database *d, const char *token)
{
	struct buf bytes = BUF_INIT(65536);
	char id[FINDING_ID_SIZE];
	struct record r;
	struct err err;

	record_of(token, &r);
	record_encode(&r, &bytes);
	id_of(token[0], id);
	assert_int_equal(database_put_last_record(d, id, buf_str(&bytes), &err), 0);
	record_done(&r);
	buf_done(&bytes);
}

static void fill(struct database *d, const struct scene *s)
{
	const char *list;
	char token[8];
	struct record r;
	struct err err;

	for (const char *p = s->open; *p; p++)
		open_finding(d, *p);
	for (list = s->history; next(&list, token);) {
		record_of(token, &r);
		assert_int_equal(database_add_history(d, &r, 3, &err), 0);
		record_done(&r);
	}
	for (list = s->reported; next(&list, token);)
		put_reported(d, token);
	for (list = s->outbox; next(&list, token);)
		add_row(d, token);
	for (list = s->journal; next(&list, token);) {
		record_of(token, &r);
		fake_add(&r);
		record_done(&r);
	}
}

/* ---- after ---- */

static int note_open(void *ctx, const struct finding *x, struct err *err)
{
	char *text = ctx;
	size_t n = strlen(text);

	(void)err;
	bool others = str_eq(x->paths, STR(OTHER_PATHS));

	(void)snprintf(text + n, 64 - n, "%c%s%s", letter_of(x->id),
		       strcmp(x->state_hash, FINDING_STATE_UNKNOWN) == 0 ? "~" : "", others ? "d" : "");
	if (strcmp(x->state_hash, FINDING_STATE_UNKNOWN) == 0) {
		assert_true(str_eq(x->subject.name, (str){ (char[]){ (char)tolower(letter_of(x->id)) }, 1 }));
		assert_true(str_eq(x->subject.template_path, STR("t.yaml")));
		assert_true(x->announced && x->severity == SEVERITY_WARNING && x->first_seen_usec == 9);
		assert_true(others || str_eq(x->paths, STR("data.x\ndata.y")));
	}
	return 0;
}

static int note_row(void *ctx, const struct outbox_row *row, struct err *err)
{
	char *text = ctx;
	size_t n = strlen(text);
	struct record r;

	if (record_decode(row->record, &r, err) < 0) {
		record_done(&r);
		(void)strcat(text, n ? " ??" : "??");
		return 0;
	}
	assert_true(!row->deferred || (row->due_usec == 7 && row->hold_usec == 4));
	(void)snprintf(text + n, 64 - n, "%s%c%c%s%s%s", n ? " " : "",
		       r.id[0] == '1' ? toupper((unsigned char)r.id[30]) : r.id[30], r.id[31], row->sent ? "!" : "",
		       row->deferred ? "*" : "", record_get(&r, "DRIFTD_RESENT").n ? "?" : "");
	record_done(&r);
	return 0;
}

static void note_history(struct database *d, char text[64])
{
	static const char letters[] = "aAbBcCdDxX", kinds[] = "bcde";

	text[0] = '\0';
	for (const char *l = letters; *l; l++) {
		for (const char *k = kinds; *k; k++) {
			char token[3] = { *l, *k, '\0' }, id[FINDING_ID_SIZE];
			struct record r;
			struct err err;
			int64_t line;

			record_of(token, &r);
			id_of(*l, id);
			line = database_history_line(d, str_from(id), str_from(r.id), &err);
			record_done(&r);
			assert_true(line >= 0);
			if (line)
				(void)strcat(strcat(text, *text ? " " : ""), token);
		}
	}
}

static bool is_watched(void *ctx, str cluster)
{
	(void)ctx;
	return str_eq(cluster, STR("c"));
}

static bool is_ended(void *ctx)
{
	(void)ctx;
	return t.ended_at && t.slept == t.ended_at;
}

static const struct scene scenes[] = {
	{ .name = "both know the same",
	  .open = "a",
	  .history = "ab",
	  .journal = "ab",
	  .open_after = "a",
	  .history_after = "ab",
	  .reach = 1 },
	{ .name = "a begin is lost", .journal = "ab", .open_after = "a~", .history_after = "ab", .learned = 1 },
	{ .name = "a change is lost",
	  .open = "a",
	  .history = "ab",
	  .journal = "ab ac",
	  .open_after = "a~",
	  .history_after = "ab ac",
	  .learned = 1,
	  .reach = 1 },
	{ .name = "an end is lost",
	  .open = "a",
	  .history = "ab",
	  .journal = "ab ae",
	  .open_after = "",
	  .history_after = "ab ae",
	  .ended = 1,
	  .reach = 1 },
	{ .name = "a whole life is lost", .journal = "ab ae", .open_after = "", .history_after = "ae", .ended = 1 },
	{ .name = "what another one watches is not ours", .journal = "xb", .open_after = "", .history_after = "" },
	{ .name = "what is behind something known is known",
	  .history = "bb",
	  .open = "b",
	  .journal = "ab bb",
	  .open_after = "b",
	  .history_after = "bb",
	  .reach = 1 },
	{ .name = "unless it is damaged",
	  .history = "bb",
	  .open = "b",
	  .journal = "ab bb",
	  .all = true,
	  .open_after = "ba~",
	  .history_after = "ab bb",
	  .learned = 1,
	  .reach = 1 },
	{ .name = "or was not sent by this database",
	  .history = "bb",
	  .open = "b",
	  .outbox = "bb",
	  .journal = "ab bb",
	  .open_after = "ba~",
	  .outbox_after = "bb",
	  .history_after = "ab bb",
	  .learned = 1,
	  .reach = 1 },
	{ .name = "but was",
	  .history = "bb",
	  .open = "b",
	  .outbox = "bb!",
	  .journal = "ab bb",
	  .open_after = "b",
	  .outbox_after = "bb!",
	  .history_after = "bb",
	  .reach = 1 },
	{ .name = "what waits of what has ended goes",
	  .open = "ab",
	  .history = "ab bb",
	  .outbox = "ac bc",
	  .journal = "ab bb ae",
	  .open_after = "b",
	  .outbox_after = "bc",
	  .history_after = "ab ae bb",
	  .ended = 1,
	  .reach = 2 },
	{ .name = "an end that waits comes behind the begin",
	  .history = "ab ae",
	  .outbox = "ae",
	  .journal = "ab ac",
	  .open_after = "",
	  .outbox_after = "ae",
	  .history_after = "ab ac ae",
	  .reach = 1 },
	{ .name = "what another version left says nothing",
	  .open = "ab",
	  .history = "ab bb",
	  .outbox = "?? ac bc",
	  .journal = "ab bb ae",
	  .open_after = "b",
	  .outbox_after = "?? bc",
	  .history_after = "ab ae bb",
	  .ended = 1,
	  .reach = 2 },
	{ .name = "nor of an end that waits behind it",
	  .history = "ab ae",
	  .outbox = "?? ae",
	  .journal = "ab ac",
	  .open_after = "",
	  .outbox_after = "?? ae",
	  .history_after = "ab ac ae",
	  .reach = 1 },
	{ .name = "an end that is known and lost on its way",
	  .history = "ab ae",
	  .journal = "ab ac",
	  .open_after = "a~",
	  .history_after = "ab ac ae",
	  .learned = 1,
	  .reach = 1 },
	{ .name = "or perhaps not lost",
	  .history = "ab ae",
	  .journal = "ab ac",
	  .is_behind = true,
	  .open_after = "",
	  .history_after = "ab ac ae",
	  .reach = 1 },
	{ .name = "nobody is there to read it",
	  .history = "ab ae",
	  .journal = "ab ac",
	  .nobody_reads = true,
	  .open_after = "a~",
	  .history_after = "ab ac ae",
	  .learned = 1,
	  .reach = 1 },
	{ .name = "a later one of the same place counts",
	  .open = "a",
	  .history = "ab",
	  .outbox = "ac",
	  .journal = "Ab",
	  .open_after = "A~",
	  .outbox_after = "",
	  .history_after = "ab Ab",
	  .learned = 1,
	  .ended = 1 },
	{ .name = "also when it has ended",
	  .open = "a",
	  .history = "ab",
	  .journal = "Ab Ae",
	  .open_after = "",
	  .history_after = "ab Ae",
	  .ended = 2 },
	{ .name = "unless the journal is behind",
	  .open = "a",
	  .history = "ab",
	  .outbox = "ac",
	  .journal = "Ab",
	  .is_behind = true,
	  .open_after = "aA~",
	  .outbox_after = "ac",
	  .history_after = "ab Ab",
	  .learned = 1 },
	{ .name = "the earlier of two that the journal has is over",
	  .journal = "ab Ab",
	  .open_after = "A~",
	  .history_after = "Ab",
	  .learned = 1 },
	{ .name = "what waits of the earlier one, of which it has something, is left",
	  .outbox = "ac",
	  .journal = "ab Ab",
	  .open_after = "A~",
	  .outbox_after = "ac",
	  .history_after = "Ab",
	  .learned = 1 },
	{ .name = "damaged: a begin that nobody knows says nothing of how far it reaches",
	  .open = "bc",
	  .history = "bb",
	  .reported = "bb cb",
	  .journal = "ab bb",
	  .all = true,
	  .open_after = "ba~",
	  .history_after = "ab bb",
	  .learned = 1,
	  .reach = 1 },
	{ .name = "damaged: what was to be told is nowhere",
	  .open = "ab",
	  .history = "bb ab",
	  .reported = "ab bb",
	  .journal = "bb",
	  .all = true,
	  .open_after = "b",
	  .history_after = "ab bb",
	  .reach = 1 },
	{ .name = "damaged: what was to be told waits",
	  .open = "ab",
	  .history = "bb ab",
	  .reported = "ab bb",
	  .outbox = "ab",
	  .journal = "bb",
	  .all = true,
	  .open_after = "ab",
	  .outbox_after = "ab",
	  .history_after = "ab bb",
	  .reach = 1 },
	{ .name = "damaged: the last record is nowhere",
	  .open = "ab",
	  .history = "ab bb ac",
	  .reported = "ac bb",
	  .journal = "ab bb",
	  .all = true,
	  .open_after = "ab",
	  .outbox_after = "ac?",
	  .history_after = "ab ac bb",
	  .reach = 1 },
	{ .name = "damaged: the last record is nowhere, and what was told before it is held back",
	  .open = "ba",
	  .history = "bb ab ac ad",
	  .reported = "bb ad",
	  .outbox = "ab* ac*",
	  .journal = "bb",
	  .all = true,
	  .open_after = "ba",
	  .outbox_after = "ab* ac* ad*?",
	  .history_after = "ab ac ad bb",
	  .reach = 1 },
	{ .name = "damaged: the last record is nowhere, nor is its line in the history",
	  .open = "ba",
	  .history = "bb ab",
	  .reported = "ac bb",
	  .journal = "bb ab",
	  .all = true,
	  .open_after = "ba",
	  .outbox_after = "ac?",
	  .history_after = "ab bb",
	  .reach = 1 },
	{ .name = "damaged: the journal has no begin, and the history nothing",
	  .open = "a",
	  .reported = "ab",
	  .all = true,
	  .open_after = "a",
	  .history_after = "" },
	{ .name = "damaged: older than what the journal has the begin of",
	  .open = "ab",
	  .history = "bb",
	  .reported = "ac bb",
	  .journal = "bb",
	  .all = true,
	  .open_after = "ab",
	  .history_after = "bb",
	  .reach = 1 },
	{ .name = "damaged: what another one watches is left to it",
	  .open = "bx",
	  .history = "bb xb",
	  .reported = "bb xb",
	  .journal = "bb",
	  .all = true,
	  .open_after = "bx",
	  .history_after = "bb xb",
	  .reach = 1 },
	{ .name = "damaged: what the journal does not reach back to was told",
	  .open = "ab",
	  .history = "ab bb",
	  .reported = "ab bb",
	  .journal = "bb",
	  .all = true,
	  .open_after = "ab",
	  .history_after = "ab bb",
	  .reach = 2 },
	{ .name = "damaged: a begin waits of what is over unheard",
	  .open = "b",
	  .history = "bb",
	  .reported = "bb",
	  .outbox = "ab",
	  .journal = "bb",
	  .all = true,
	  .open_after = "b",
	  .outbox_after = "",
	  .history_after = "bb",
	  .reach = 1 },
	{ .name = "damaged: behind what another version left",
	  .open = "b",
	  .history = "bb",
	  .reported = "bb",
	  .outbox = "?? ab",
	  .journal = "bb",
	  .all = true,
	  .open_after = "b",
	  .outbox_after = "??",
	  .history_after = "bb",
	  .reach = 1 },
	{ .name = "damaged: younger than what the journal has the begin of",
	  .open = "abc",
	  .history = "bb cb ab",
	  .reported = "ab bb cc",
	  .journal = "ab bb",
	  .all = true,
	  .open_after = "ab",
	  .history_after = "ab bb cb",
	  .reach = 1 },
	{ .name = "damaged: its end waits, too",
	  .open = "b",
	  .history = "bb",
	  .reported = "bb",
	  .outbox = "ab ae",
	  .journal = "bb",
	  .all = true,
	  .open_after = "b",
	  .outbox_after = "ab ae",
	  .history_after = "bb",
	  .reach = 1 },
	{ .name = "damaged: a change waits of what nobody heard of",
	  .open = "ba",
	  .history = "bb ab ac",
	  .reported = "bb ac",
	  .outbox = "ac",
	  .journal = "bb",
	  .all = true,
	  .open_after = "b",
	  .outbox_after = "",
	  .history_after = "ab ac bb",
	  .reach = 1 },
	{ .name = "damaged: open here, ended there before it was known",
	  .open = "ab",
	  .history = "ab ae bb",
	  .reported = "ab bb",
	  .journal = "ab ae bb",
	  .all = true,
	  .open_after = "b",
	  .history_after = "ab ae bb",
	  .ended = 1,
	  .reach = 1 },
	{ .name = "damaged: its last record is lost, and what is heard says other fields",
	  .open = "a",
	  .history = "ab",
	  .outbox = "ac ad",
	  .journal = "ab",
	  .all = true,
	  .open_after = "a~d",
	  .outbox_after = "ac ad",
	  .history_after = "ab",
	  .reach = 1 },
	{ .name = "damaged: its last record is lost, and what is heard says the same fields",
	  .open = "a",
	  .history = "ab",
	  .outbox = "ad ac",
	  .journal = "ab",
	  .all = true,
	  .open_after = "a",
	  .outbox_after = "ad ac",
	  .history_after = "ab",
	  .reach = 1 },
	{ .name = "damaged: its last record is lost, and the journal says other fields",
	  .open = "a",
	  .history = "ab ad",
	  .journal = "ab ad",
	  .all = true,
	  .open_after = "a~d",
	  .history_after = "ab ad",
	  .reach = 1 },
	{ .name = "damaged: not open here, and known there",
	  .open = "b",
	  .history = "ab bb",
	  .reported = "bb",
	  .journal = "ab bb",
	  .all = true,
	  .open_after = "ba~",
	  .history_after = "ab bb",
	  .learned = 1,
	  .reach = 1 },
};

static const char *text_of(const char *text)
{
	return text ? text : "";
}

struct outcome {
	int r;
	char open[64], rows[64], history[64];
	struct reconciled n;
	struct err err;
};

/* Settle a scene; the call @fails_at fails. */
static void settle_scene(const struct scene *s, size_t fails_at, struct outcome *ret)
{
	struct reconcile_options o = { .shard = { 0, 1 },
				       .output = CFG_OUTPUT_JSON,
				       .is_watched = is_watched,
				       .is_ended = is_ended,
				       .all = s->all };
	CLEANUP(database_closep) struct database *d = NULL;
	struct err reported, err;
	size_t malformed;

	*ret = (struct outcome){ 0 };
	fake_begin();
	memset(&t, 0, sizeof(t));
	assert_int_equal(database_open("", &d, &reported, &err), 0);
	fill(d, s);
	fake.unread = s->is_behind;
	fake.write_fails = s->nobody_reads ? -ECONNREFUSED : 0;
	t.calls = 0;
	t.fails_at = fails_at;
	ret->r = reconcile(d, &o, &ret->n, &ret->err);
	t.fails_at = 0;
	assert_int_equal(fake.opened, 0);
	assert_int_equal(t.slept, !s->is_behind ? 0 : s->all ? 3600 : 200);
	assert_int_equal(database_findings(d, note_open, ret->open, &malformed, &err), 0);
	assert_int_equal(database_outbox(d, note_row, ret->rows, &err), 0);
	note_history(d, ret->history);
	fake_end();
}

/* Whatever fails: it is said, and nothing has changed. */
static void play_failures(const struct scene *s, const struct outcome *good)
{
	struct outcome before, bad;
	size_t n = 1;

	settle_scene(s, 1, &before);
	for (;; n++) {
		settle_scene(s, n, &bad);
		if (bad.r == 0)
			break;
		if ((bad.r != -EIO && bad.r != -ENOMEM) || bad.r != -bad.err.code ||
		    strcmp(bad.open, before.open) != 0 || strcmp(bad.rows, before.rows) != 0 ||
		    strcmp(bad.history, before.history) != 0 || bad.n.learned || bad.n.ended || bad.n.reach)
			fail_msg("%s, failure %zu: %d, open \"%s\", outbox \"%s\", history \"%s\"", s->name, n, bad.r,
				 bad.open, bad.rows, bad.history);
	}
	assert_true(n > 3);
	assert_string_equal(bad.open, good->open);
	assert_string_equal(bad.rows, good->rows);
}

static void play(const struct scene *scene)
{
	struct scene s = *scene;
	const char **texts[] = { &s.open,    &s.history,    &s.reported,     &s.outbox,
				 &s.journal, &s.open_after, &s.outbox_after, &s.history_after };
	struct outcome o;

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		*texts[i] = text_of(*texts[i]);
	settle_scene(&s, 0, &o);
	if (o.r < 0)
		fail_msg("%s: %s", s.name, o.err.msg);
	if (strcmp(o.open, s.open_after) != 0 || strcmp(o.rows, s.outbox_after) != 0 ||
	    strcmp(o.history, s.history_after) != 0 || o.n.learned != s.learned || o.n.ended != s.ended ||
	    o.n.reach != s.reach)
		fail_msg("%s: open \"%s\", outbox \"%s\", history \"%s\", %zu learned, %zu ended, reach %lld", s.name,
			 o.open, o.rows, o.history, o.n.learned, o.n.ended, (long long)o.n.reach);
	play_failures(&s, &o);
}

static void test_scenes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(scenes); i++)
		play(&scenes[i]);
}

static int take_flaps(void *ctx, const struct finding *x, struct err *err)
{
	(void)err;
	*(uint64_t *)ctx = x->flaps;
	return 0;
}

/* What flapped when it was told last does so still. */
static void test_flapping(void **state)
{
	static const struct {
		const char *changes, *flapping;
		uint64_t flaps;
	} cases[] = { { NULL, NULL, 0 }, { "3", NULL, 3 },  { "3", "begin", 3 }, { "3", "end", 0 },
		      { "0", NULL, 0 },  { "-3", NULL, 0 }, { "x", "begin", 0 }, { "1", NULL, 1 } };
	struct reconcile_options o = { .output = CFG_OUTPUT_JSON, .is_watched = is_watched, .is_ended = is_ended };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(database_closep) struct database *d = NULL;
		struct reconciled n;
		struct record r;
		struct err reported, err;
		size_t malformed;
		uint64_t flaps = 99;

		fake_begin();
		record_of("ab", &r);
		if (cases[i].changes)
			record_add(&r, "DRIFTD_FLAPPING_CHANGES", str_from(cases[i].changes));
		if (cases[i].flapping)
			record_add(&r, "DRIFTD_FLAPPING", str_from(cases[i].flapping));
		fake_add(&r);
		record_done(&r);
		assert_int_equal(database_open("", &d, &reported, &err), 0);
		assert_int_equal(reconcile(d, &o, &n, &err), 0);
		assert_int_equal(database_findings(d, take_flaps, &flaps, &malformed, &err), 0);
		assert_int_equal(flaps, cases[i].flaps);
		fake_end();
	}
}

/* Of one that takes no more nobody knows what it has; and one that is ended was given nothing. */
static void test_a_journal_that_hangs(void **state)
{
	static const struct {
		size_t unread, full_until, stale_until, lost_at, ended_at, slept;
		int r;
	} cases[] = { { .slept = 0 },
		      { .full_until = 3, .slept = 3 },
		      { .full_until = 3, .stale_until = 4, .slept = 4 },
		      { .unread = 1, .slept = 3600 },
		      { .unread = 1, .lost_at = 2, .slept = 2 },
		      { .full_until = 9, .ended_at = 5, .slept = 5, .r = -ECANCELED },
		      { .unread = 1, .ended_at = 5, .slept = 5, .r = -ECANCELED } };
	struct reconcile_options o = {
		.output = CFG_OUTPUT_JSON, .is_watched = is_watched, .is_ended = is_ended, .all = true
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(database_closep) struct database *d = NULL;
		struct err reported, err;
		struct reconciled n;

		fake_begin();
		memset(&t, 0, sizeof(t));
		t.full_until = cases[i].full_until;
		t.stale_until = cases[i].stale_until;
		t.lost_at = cases[i].lost_at;
		t.ended_at = cases[i].ended_at;
		fake.unread = cases[i].unread;
		fake.write_fails = t.full_until ? -EAGAIN : 0;
		assert_int_equal(database_open("", &d, &reported, &err), 0);
		assert_int_equal(reconcile(d, &o, &n, &err), cases[i].r);
		assert_int_equal(t.slept, cases[i].slept);
		assert_int_equal(fake.opened, 0);
		fake_end();
	}
}

/* A row of another version is left alone; who was seen first in 1970 is one all the same. */
static void test_odd_ones(void **state)
{
	const struct outbox_new row = { .record = STR("no record") };
	struct reconcile_options o = {
		.output = CFG_OUTPUT_JSON, .is_watched = is_watched, .is_ended = is_ended, .all = true
	};
	CLEANUP(database_closep) struct database *d = NULL;
	struct reconciled n;
	struct record r;
	struct err reported, err;
	size_t malformed;
	uint64_t flaps;
	int64_t seq;

	(void)state;
	fake_begin();
	record_of("ab", &r);
	for (size_t i = 0; i < r.n_fields; i++) {
		if (strcmp(r.fields[i].name, "DRIFTD_FIRST_SEEN_USEC") == 0)
			r.fields[i].value = STR("0");
	}
	fake_add(&r);
	record_done(&r);
	assert_int_equal(database_open("", &d, &reported, &err), 0);
	assert_int_equal(database_add_to_outbox(d, &row, &seq, &err), 0);
	assert_int_equal(reconcile(d, &o, &n, &err), 0);
	assert_int_equal(n.learned, 1);
	assert_int_equal(database_findings(d, take_flaps, &flaps, &malformed, &err), 0);
	assert_int_equal(database_remove_from_outbox(d, seq, &err), 0);
	fake_end();
}

/* Whose it is stands in the record that is waited for. */
static void test_barrier(void **state)
{
	struct reconcile_options o = {
		.shard = { 1, 3 }, .output = CFG_OUTPUT_JSON, .is_watched = is_watched, .is_ended = is_ended
	};
	CLEANUP(database_closep) struct database *d = NULL;
	struct reconciled n;
	struct err reported, err;

	(void)state;
	fake_begin();
	memset(&t, 0, sizeof(t));
	assert_int_equal(database_open("", &d, &reported, &err), 0);
	assert_int_equal(reconcile(d, &o, &n, &err), 0);
	assert_int_equal(fake.entries.n, 1);
	assert_string_equal(fake.entries.p[0].event, "notice");
	assert_string_equal(fake.entries.p[0].message, "what is kept is compared with the journal");
	assert_int_equal(t.shard.ordinal, 1);
	assert_int_equal(t.shard.total, 3);
	fake_end();
}

/* A record whose finding cannot be kept, for want of memory, is no record of another one. */
static void test_a_key_without_an_end(void **state)
{
	struct reconcile_options o = { .output = CFG_OUTPUT_JSON, .is_watched = is_watched, .is_ended = is_ended };
	CLEANUP(database_closep) struct database *d = NULL;
	CLEANUP(buf_done) struct buf name = BUF_INIT(4u << 20);
	struct reconciled n;
	struct record r;
	struct err reported, err;

	(void)state;
	fake_begin();
	memset(&t, 0, sizeof(t));
	for (size_t i = 0; i < (1u << 20) + 100; i++)
		buf_add_byte(&name, 'n');
	record_of("ab", &r);
	for (size_t i = 0; i < r.n_fields; i++) {
		if (strcmp(r.fields[i].name, "DRIFTD_NAME") == 0)
			r.fields[i].value = buf_str(&name);
	}
	fake_add(&r);
	record_done(&r);
	assert_int_equal(database_open("", &d, &reported, &err), 0);
	assert_int_equal(reconcile(d, &o, &n, &err), -ENOMEM);
	fake_end();
}

static void test_no_journal(void **state)
{
	struct reconcile_options o = { .output = CFG_OUTPUT_JSON, .is_watched = is_watched, .is_ended = is_ended };
	CLEANUP(database_closep) struct database *d = NULL;
	struct reconciled n;
	struct err reported, err;

	(void)state;
	fake_begin();
	fake.is_away = true;
	assert_int_equal(database_open("", &d, &reported, &err), 0);
	assert_int_equal(reconcile(d, &o, &n, &err), -ENOENT);
	assert_int_equal(fake.entries.n, 0);
	fake_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scenes),
		cmocka_unit_test(test_flapping),
		cmocka_unit_test(test_a_journal_that_hangs),
		cmocka_unit_test(test_odd_ones),
		cmocka_unit_test(test_barrier),
		cmocka_unit_test(test_a_key_without_an_end),
		cmocka_unit_test(test_no_journal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
