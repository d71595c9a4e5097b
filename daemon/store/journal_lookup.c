/* Questions to sd-journal. */
#include "daemon/store/journal_lookup.h"

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

/* "FIELD=value" of the entry; {NULL, 0}: it has none, or cannot be read. */
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
