/* Questions to sd-journal. */
#include "daemon/store/journal_lookup.h"

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

int journal_has(struct sd_journal *j, const char *record_id)
{
	char id[sizeof("DRIFTD_RECORD_ID=") + RECORD_ID_SIZE], uid[32];
	int r;

	(void)snprintf(id, sizeof(id), "DRIFTD_RECORD_ID=%s", record_id);
	(void)snprintf(uid, sizeof(uid), "_UID=%u", (unsigned)geteuid());
	sd_journal_flush_matches(j);
	r = sd_journal_add_match(j, id, 0);
	if (r >= 0)
		r = sd_journal_add_match(j, uid, 0);
	if (r >= 0)
		r = sd_journal_seek_head(j);
	return r < 0 ? r : sd_journal_next(j);
}
