/* Asks sd-journal for records by their ids. */
#include "daemon/store/journal/journal_lookup.h"

#include "daemon/findings/finding_record.h"
#include "daemon/findings/output.h"

#include <errno.h>
#include <stdio.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

struct sd_journal *journal_open(void)
{
	sd_journal *j = NULL;

	return sd_journal_open(&j, SD_JOURNAL_LOCAL_ONLY) < 0 ? NULL : j;
}

void journal_close(struct sd_journal *j)
{
	sd_journal_close(j);
}

/* "FIELD=" */
#define RECORD_ID_FIELD "DRIFTD_RECORD_ID="
#define UID_FIELD "_UID="

static void own_uid(char ret[32])
{
	(void)snprintf(ret, 32, UID_FIELD "%u", (unsigned)geteuid());
}

int journal_has(struct sd_journal *j, const char *record_id)
{
	char id[sizeof(RECORD_ID_FIELD) + RECORD_ID_SIZE], uid[32];
	int r;

	(void)snprintf(id, sizeof(id), RECORD_ID_FIELD "%s", record_id);
	own_uid(uid);
	sd_journal_flush_matches(j);
	r = sd_journal_add_match(j, id, 0);
	if (r >= 0)
		r = sd_journal_add_match(j, uid, 0);
	if (r >= 0)
		r = sd_journal_seek_head(j);
	return r < 0 ? r : sd_journal_next(j);
}

static struct sd_journal *open_with(const char *record_id)
{
	struct sd_journal *j = journal_open();

	if (j && journal_has(j, record_id) > 0)
		return j;
	journal_close(j);
	return NULL;
}

bool journal_can_read(const char *record_id)
{
	struct sd_journal *j = open_with(record_id);
	bool found = j;

	journal_close(j);
	return found;
}

/* Open the journal only after the record can be read. Journald may have just renamed a file because the clock was
 * set, and whoever opens the folder then does not see it. The file is in its place once a record behind it can be
 * read. */
struct sd_journal *journal_open_with(const char *record_id)
{
	return journal_can_read(record_id) ? open_with(record_id) : NULL;
}

int journal_send_barrier(struct output *output, str text, char ret_id[RECORD_ID_SIZE])
{
	struct record r;
	int status;

	record_init(&r, MESSAGE_NOTICE, SEVERITY_INFO);
	memcpy(ret_id, r.id, RECORD_ID_SIZE);
	r.text = text;
	record_add(&r, "DRIFTD_EVENT", STR("notice"));
	status = output_write(output, &r);
	record_done(&r);
	return status;
}

/* The field "FIELD=value" of the entry; {NULL, 0}: there is none, or it cannot be read. */
static str entry_field(struct sd_journal *j, const char *field)
{
	const void *data;
	size_t n;

	return sd_journal_get_data(j, field, &data, &n) < 0 ? (str){ NULL, 0 } : (str){ data, n };
}

int journal_read_tail(struct sd_journal *j, struct strmap *ids)
{
	const size_t prefix = strlen(RECORD_ID_FIELD);
	char uid[32];
	int r;

	own_uid(uid);
	sd_journal_flush_matches(j);
	r = sd_journal_seek_tail(j);
	for (size_t i = 0; r >= 0 && i < JOURNAL_TAIL_MAX; i++) {
		str id;

		r = sd_journal_previous(j);
		if (r <= 0)
			return r;
		id = entry_field(j, "DRIFTD_RECORD_ID");
		if (id.n > prefix && str_eq(entry_field(j, "_UID"), str_from(uid)) &&
		    !strmap_put(ids, str_sub(id, prefix, id.n), ids, NULL))
			r = -ENOMEM;
	}
	return r < 0 ? r : 0;
}

/* ---- after a boot ---- */

void journal_boot_id(char ret[BOOT_ID_SIZE])
{
	sd_id128_t id;

	ret[0] = '\0';
	if (sd_id128_get_boot(&id) == 0)
		(void)sd_id128_to_string(id, ret);
}

/* Whether the record is in a file below /run, which is empty after a boot. */
static bool is_in_memory(const char *record_id)
{
	sd_journal *j = NULL;
	bool found = sd_journal_open(&j, SD_JOURNAL_LOCAL_ONLY | SD_JOURNAL_RUNTIME_ONLY) >= 0 &&
		     journal_has(j, record_id) > 0;

	sd_journal_close(j);
	return found;
}

int64_t journal_reach(struct sd_journal *j, const char *now)
{
	sd_id128_t boot, of;
	uint64_t first, ignored;

	if (is_in_memory(now) || sd_id128_get_boot(&boot) < 0)
		return INT64_MAX;
	sd_journal_flush_matches(j);
	if (sd_journal_seek_head(j) < 0 || sd_journal_next(j) <= 0 || sd_journal_get_realtime_usec(j, &first) < 0 ||
	    sd_journal_get_monotonic_usec(j, &ignored, &of) < 0 || sd_id128_equal(boot, of))
		return INT64_MAX;
	return (int64_t)first;
}

/* ---- records of findings ---- */

/* The fields that are read of each record. */
static const char *const fields[] = {
	"DRIFTD_EVENT",       "DRIFTD_DRIFT_ID",  "DRIFTD_SEVERITY",    "DRIFTD_FIRST_SEEN_USEC",
	"DRIFTD_CLUSTER",     "DRIFTD_REFERENCE", "DRIFTD_PART",        "DRIFTD_COMPONENT",
	"DRIFTD_TEMPLATE",    "DRIFTD_KIND",      "DRIFTD_API_VERSION", "DRIFTD_NAMESPACE",
	"DRIFTD_NAME",        "DRIFTD_UID",       "DRIFTD_RESOURCE",    "DRIFTD_RULE",
	"DRIFTD_RULE_SOURCE", "DRIFTD_SHARD",     "DRIFTD_RULE_PLACE",  "DRIFTD_PHASE",
	"DRIFTD_ACCEPTANCE",  "DRIFTD_OWNER",     "DRIFTD_UNTIL",       "DRIFTD_REASON",
	"DRIFTD_MANAGER",     "DRIFTD_FLAPPING",  "DRIFTD_PATH",        "DRIFTD_FLAPPING_CHANGES",
};

static int match_findings(sd_journal *j)
{
	char text[64];
	int r;

	sd_journal_flush_matches(j);
	own_uid(text);
	r = sd_journal_add_match(j, text, 0);
	for (int m = 0; r >= 0 && m < MESSAGES; m++) {
		enum finding_kind kind;

		(void)snprintf(text, sizeof(text), "MESSAGE_ID=%s", message_id((enum message)m));
		if (message_kind((enum message)m, &kind))
			r = sd_journal_add_match(j, text, 0);
	}
	return r;
}

static const char *known_field(str name)
{
	size_t i = str_index(name, fields, ARRAY_LEN(fields));

	return i < ARRAY_LEN(fields) ? fields[i] : NULL;
}

/* Copy a field into the record, because reading the next one overwrites it. */
static void take_field(struct record *r, str field)
{
	ptrdiff_t at = str_find_byte(field, '=');
	str name = at < 0 ? STR("") : str_sub(field, 0, (size_t)at), value;
	const char *known = known_field(name);

	if (at < 0)
		return;
	value = str_sub(field, (size_t)at + 1, field.n);
	if (known)
		record_add(r, known, arena_str(&r->arena, value));
	else if (str_eq(name, STR("MESSAGE")))
		r->text = arena_str(&r->arena, value);
	else if (str_eq(name, STR("MESSAGE_ID")))
		r->message = message_of_id(value); /* always known, since only such records are asked for */
	else if (str_eq(name, STR("DRIFTD_RECORD_ID")) && value.n == RECORD_ID_SIZE - 1)
		memcpy(r->id, value.p, value.n);
}

static int see_entry(sd_journal *j, int64_t usec, int (*each)(void *ctx, struct record *r, int64_t at, struct err *err),
		     void *ctx, struct err *err)
{
	struct record r;
	const void *data;
	size_t n;
	int status;

	record_init(&r, MESSAGE_NOTICE, 0);
	memset(r.id, 0, sizeof(r.id));
	sd_journal_restart_data(j);
	while (sd_journal_enumerate_data(j, &data, &n) > 0)
		take_field(&r, (str){ data, n });
	status = r.id[0] && r.text.p ? each(ctx, &r, usec, err) : 0;
	record_done(&r);
	return status;
}

int journal_each(struct sd_journal *j, enum journal_order order,
		 int (*each)(void *ctx, struct record *r, int64_t usec, struct err *err), void *ctx, struct err *err)
{
	bool back = order == JOURNAL_LATEST_FIRST;
	int r = match_findings(j);

	if (r >= 0)
		r = back ? sd_journal_seek_tail(j) : sd_journal_seek_head(j);
	for (size_t i = 0; r >= 0 && i < JOURNAL_EACH_MAX; i++) {
		uint64_t usec;
		int status;

		r = back ? sd_journal_previous(j) : sd_journal_next(j);
		if (r <= 0 || sd_journal_get_realtime_usec(j, &usec) < 0)
			break;
		status = see_entry(j, (int64_t)usec, each, ctx, err);
		if (status)
			return status < 0 ? status : 0;
	}
	return r < 0 ? err_set(err, -r, "look into the journal: %s", strerror(-r)) : 0;
}
