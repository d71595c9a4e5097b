/* What is open, from the records that were reported: those of a journal, or of many, folded by the ids of findings.
 *
 * What one driftd begins another may change and end, a shard or a host that took over: the id is the same. An end is
 * the end of an id, whatever comes behind it: hosts have clocks of their own. A record that comes without its begin
 * says when it began all the same. */
#ifndef DAEMON_EVENTS_OPEN_LIST_H
#define DAEMON_EVENTS_OPEN_LIST_H

#include "base/buf.h"
#include "base/err.h"
#include "daemon/events/event.h"
#include "daemon/findings/finding.h"

#define OPEN_LIST_MAX ((size_t)4 << 20) /* findings, open or over */
#define OPEN_HOSTS_MAX ((size_t)10000)

/* Texts are borrowed. NULL and 0 match anything. @kind is for kind_words_mean, @field for finding_path_is_in; @name
 * and @manager are patterns. */
struct open_filter {
	const char *cluster, *namespace, *reference, *component, *kind, *name, *action, *field, *manager;
	unsigned types; /* 1u << enum finding_kind */
	enum severity worst;
};

struct open_list;

/* NULL without memory. */
struct open_list *open_list_new(const struct open_filter *filter);
void open_list_free(struct open_list *l); /* NULL is fine */
DEFINE_CLEANUP(struct open_list *, open_list_free)

/* Add a record. Records come in the order of their journal. Fails: E2BIG, ENOMEM. */
CHECKED int open_list_see(struct open_list *l, const struct event *e, struct err *err);

/* Append a document like that of GET /api/v1/findings (docs/api.md). "items": the worst first, and then the oldest,
 * each with the "host" that reported it last. "complete": nothing suggests that there are others. "notes": what
 * suggests that, and the time from which on the journal has records. Fails: ENOMEM, E2BIG. */
CHECKED int open_list_json(struct open_list *l, struct buf *out, struct err *err);

#endif
