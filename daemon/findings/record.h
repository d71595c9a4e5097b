/* One record for the journal: a message with fields. The sink decides how it looks. */
#ifndef DAEMON_FINDINGS_RECORD_H
#define DAEMON_FINDINGS_RECORD_H

#include "base/arena.h"
#include "base/buf.h"
#include "daemon/findings/messages.h"

#define RECORD_VALUE_MAX 4096 /* bytes of a value: larger ones read as null in journalctl -o json */
#define RECORD_FIELDS_MAX 256
#define RECORD_ID_SIZE 33 /* 32 hexadecimal digits */

struct record_field {
	const char *name; /* [A-Z0-9_], prefix DRIFTD_, or one of the journal's own */
	str value;
};

/* Everything lives in the record's arena. A failure to take memory drops the field, never the record. */
struct record {
	struct arena arena;
	char id[RECORD_ID_SIZE]; /* DRIFTD_RECORD_ID: of this record, also when it is sent again */
	enum message message;
	int priority; /* syslog's */
	str text;     /* MESSAGE: one line that stands alone */
	/* for a record about a finding: the message without "drift begins: ", for whoever says it otherwise; may be
	 * empty */
	str what;
	str details; /* for people: further lines, indented by the sink; may be empty */
	struct record_field fields[RECORD_FIELDS_MAX];
	size_t n_fields;
	/* the finding's state after the record, for whoever stores the record: never reported; may be empty */
	str state;
};

void record_init(struct record *r, enum message m, int priority);
void record_done(struct record *r);

/* Add a field; an empty value adds nothing. Values are cut at RECORD_VALUE_MAX, within no character and no escape. */
void record_add(struct record *r, const char *name, str value);
void record_addf(struct record *r, const char *name, const char *fmt, ...) PRINTF(3, 4);
/* Add to the end of text, and of what, at most 255 bytes; nothing without memory. */
void record_say(struct record *r, const char *fmt, ...) PRINTF(2, 3);
/* The value of the first field @name, or {NULL, 0}. */
str record_get(const struct record *r, const char *name);

/* The record as bytes to keep, and back: @bytes are borrowed until record_done, which may be called after a
 * failure as well. Fails: EBADMSG (also for a message that this version does not have), ENOMEM. */
void record_encode(const struct record *r, struct buf *out);
/* Add @state to an encoded record that has none. */
void record_encode_state(str state, struct buf *out);
CHECKED int record_decode(str bytes, struct record *r, struct err *err);

/* Sixteen random bytes as 32 hexadecimal digits. */
void random_id(char out[RECORD_ID_SIZE]);

#endif
