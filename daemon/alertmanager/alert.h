/* A finding as an alert of Alertmanager's v2 API: an object of JSON.
 *
 * Labels say what it is about, and with drift_id no two findings have the same ones; annotations say what people read.
 * What comes from clusters is made harmless for chats (chat_text.h). */
#ifndef DAEMON_ALERTMANAGER_ALERT_H
#define DAEMON_ALERTMANAGER_ALERT_H

#include "base/arena.h"
#include "config/cfg.h"
#include "daemon/findings/finding.h"

#define ALERT_BYTES_MAX 65536 /* bytes of one alert as JSON */
/* The name of the annotation that says who posted an alert. A driftd ends only alerts of its own origin. */
#define ALERT_ORIGIN "driftd"

/* Whether @x is posted as an alert while it is open. Accepted findings are not, and neither are those that @from
 * excludes. */
bool alert_is_wanted(const struct cfg_alertmanager *from, const struct finding *x, uint64_t now_ns);

/* Add a label to a hash that identifies a set of labels in any order. Start with 0. */
uint64_t alert_print_label(uint64_t print, str name, str value);
/* Append the labels of the alert as an object, and return a hash that identifies them.
 * @cause: findings_cause_id of its cause, or "". */
uint64_t alert_add_labels(const struct cfg_alertmanager *from, const struct finding *x, const char *cause,
			  struct buf *out);

/* Append the members "annotations" and "generatorURL" to an open object. @origin: the value of ALERT_ORIGIN. */
void alert_add_annotations(const struct cfg_alertmanager *from, const struct finding *x, const char *origin,
			   struct buf *out);

/* Append the members "startsAt" and "endsAt". */
void alert_add_times(int64_t starts_usec, int64_t ends_usec, struct buf *out);

/* A hash of what the text of the alert depends on and may change while @x is open. */
uint64_t alert_facts(const struct finding *x);

#endif
