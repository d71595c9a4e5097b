/* Questions to sd-journal. */
#include "daemon/store/journal_lookup.h"

#include <stdio.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

bool journal_has(const char *record_id)
{
	char id[sizeof("DRIFTD_RECORD_ID=") + RECORD_ID_SIZE], uid[32];
	sd_journal *j = NULL;
	bool found;

	(void)snprintf(id, sizeof(id), "DRIFTD_RECORD_ID=%s", record_id);
	(void)snprintf(uid, sizeof(uid), "_UID=%u", (unsigned)geteuid());
	found = sd_journal_open(&j, SD_JOURNAL_LOCAL_ONLY) >= 0 && sd_journal_add_match(j, id, 0) >= 0 &&
		sd_journal_add_match(j, uid, 0) >= 0 && sd_journal_seek_head(j) >= 0 && sd_journal_next(j) > 0;
	sd_journal_close(j);
	return found;
}
