/* Reads all records of a journal, each once. */
#include "daemon/events/open_journal.h"

#include "daemon/events/seen.h"
#include "value/json.h"

#include <errno.h>

#define DOCUMENT_MAX ((size_t)2 << 30)

struct reading {
	const struct event_filter *who;
	struct journal *journal;
	struct seen *seen;
	struct open_list *list;
	struct event event;
	uint64_t strange;
};

/* Read the record at which the journal stands. Returns 1 when it is later than the wanted time, so that reading
 * ends; 0 when it was used or skipped, as are damaged, repeated and foreign ones; or a negative errno value. */
static int see(struct reading *x, struct err *err)
{
	int r = journal_read(x->journal, &x->event, err);

	if (r < 0)
		return r == -EBADMSG ? 0 : r; /* the record is damaged; the journal has others */
	if (x->who->until_usec && x->event.usec > x->who->until_usec)
		return 1;
	if (!event_filter_believes(x->who, &x->event)) {
		x->strange++;
		return 0;
	}
	if (seen_before(x->seen, event_get(&x->event, "DRIFTD_RECORD_ID")))
		return 0;
	return open_list_see(x->list, &x->event, err);
}

static int read_all(struct reading *x, struct err *err)
{
	int r = x->who->since_usec ? journal_to_time(x->journal, x->who->since_usec, err)
				   : journal_to_head(x->journal, err);

	while (r >= 0 && (r = journal_step(x->journal, false, err)) > 0) {
		r = see(x, err);
		if (r > 0)
			return 0;
	}
	return r;
}

static int decode(const struct buf *text, struct doc **ret, struct err *err)
{
	struct limits limits = LIMITS_DEFAULT;
	const struct json_options o = { .limits = &limits };

	limits.object_bytes = DOCUMENT_MAX;
	limits.arena_bytes = 0;
	limits.document_nodes = SIZE_MAX;
	return json_decode(buf_str(text), &o, ret, err);
}

static int make_document(struct reading *x, struct doc **ret, struct err *err)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(DOCUMENT_MAX);
	int r = open_list_json(x->list, &out, err);

	if (r < 0)
		return r;
	buf_truncate(&out, out.n - 1);
	buf_printf(&out, ",\"strange\":%llu,\"partial\":%s}", (unsigned long long)x->strange,
		   journal_is_partial(x->journal) ? "true" : "false");
	r = buf_error(&out, "the list", err);
	return r < 0 ? r : decode(&out, ret, err);
}

int open_journal(const struct journal_place *where, const struct event_filter *who, const struct open_filter *filter,
		 struct doc **ret, struct err *err)
{
	struct reading x = { .who = who, .seen = seen_new(), .list = open_list_new(filter) };
	int r = x.seen && x.list ? journal_open_place(where, who, &x.journal, err) : err_nomem(err);

	event_init(&x.event);
	if (r == 0)
		r = read_all(&x, err);
	if (r == 0)
		r = make_document(&x, ret, err);
	event_done(&x.event);
	journal_free(x.journal);
	open_list_free(x.list);
	seen_free(x.seen);
	return r;
}
