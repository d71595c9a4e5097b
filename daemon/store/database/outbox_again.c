/* Marking what may be told twice. */
#include "daemon/store/database/outbox_again.h"

#include <errno.h>

#define RECORD_MAX ((size_t)8 << 20)

int outbox_put_again(struct database *d, str record, struct err *err)
{
	CLEANUP(buf_done) struct buf encoded = BUF_INIT(RECORD_MAX);
	struct outbox_new row = { 0 };
	struct record r;
	int64_t seq;
	int status = record_decode(record, &r, err);

	if (status < 0)
		return status == -EBADMSG ? 0 : status;
	if (!record_get(&r, "DRIFTD_RESENT").n)
		record_add(&r, "DRIFTD_RESENT", STR("1"));
	record_encode(&r, &encoded);
	status = buf_error(&encoded, "a record", err);
	row = (struct outbox_new){ .about = record_get(&r, "DRIFTD_DRIFT_ID"), .record = buf_str(&encoded) };
	if (status == 0)
		status = database_add_to_outbox(d, &row, &seq, err);
	record_done(&r);
	return status;
}
