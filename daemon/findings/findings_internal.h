/* What the files of the set of findings share.
 *
 *   findings.c           what is open, and the records of what becomes of it
 *   finding_texts.c      the memory of one finding: its texts, of which none is stored twice
 *   findings_counters.c  how many there are
 *   findings_moves.c     what is named otherwise from now on
 *   findings_restore.c   what an earlier process has left
 *   adoption.c           another driftd's in its place
 *   removals.c           who removed which of their fields
 *   findings_scan.c      walks over them that take many turns
 */
#ifndef DAEMON_FINDINGS_FINDINGS_INTERNAL_H
#define DAEMON_FINDINGS_FINDINGS_INTERNAL_H

#include "base/index.h"
#include "base/slab.h"
#include "base/strmap.h"
#include "base/vec.h"
#include "daemon/findings/finding_record.h"
#include "daemon/findings/findings.h"
#include "daemon/findings/namespace_counts.h"
#include "daemon/findings/rule_counts.h"
#include "daemon/findings/shared_text.h"

struct old_key {
	unsigned char bytes[FINDINGS_KEY_SIZE];
};

TAILQ_HEAD(findings_open_list, finding);
LIST_HEAD(findings_scans, findings_scan);

struct findings {
	struct sink *sink;
	struct index by_key; /* struct finding */
	struct shared_texts *texts;
	struct slabs *slabs;
	struct index dormant;     /* struct finding: those that flap, have ended, and may begin again soon */
	struct strmap by_cluster; /* -> struct finding_counters */
	struct flapping flapping;
	struct rule_counts rule_counts;
	struct namespace_counts namespaces; /* limit 0: findings are not counted by namespace */
	struct buf key;                     /* scratch: subject_key */
	struct record_terms terms;
	unsigned char hash_key[FINDINGS_KEY_SIZE];
	VEC(struct old_key) old_keys;
	uint64_t generation;            /* findings_generation */
	struct findings_open_list open; /* all findings of by_key */
	struct findings_scans scans;    /* walks that have begun and not ended */
};

/* The open finding of @s; NULL: there is none. */
struct finding *findings_lookup(struct findings *f, enum finding_kind kind, const struct finding_subject *s);
/* The counters of @cluster, zeroed when there were none yet. NULL without memory. */
struct finding_counters *findings_counters_of(struct findings *f, str cluster);
/* The key of @s, valid until the next call; {NULL, 0} without memory. */
str findings_subject_key(struct findings *f, enum finding_kind kind, const struct finding_subject *s);
/* Insert a finding with copies of @from's texts, in place of the finding with the same subject; NULL without memory:
 * then the former finding is still there. @near: a finding of the same age, or NULL. */
struct finding *findings_insert_near(struct findings *f, const struct finding *from, struct finding *near);
/* Let @state_hash be the hash of the state that was reported last, and store the finding. */
void finding_hash_anew(struct findings *f, struct finding *x, const char state_hash[FINDING_ID_SIZE]);
/* A copy of @from with its texts, which is in no table; NULL without memory. */
struct finding *finding_copy(struct findings *f, const struct finding *from);
void finding_free(struct finding *x);
/* findings_tally: count @x, which is open now; @near: a finding of the same age, or NULL. findings_untally: count @x
 * no longer. */
void findings_tally(struct findings *f, struct finding *x, struct finding *near);
void findings_untally(struct findings *f, struct finding *x);

/* Flapping findings. A dormant one has ended, and is kept because it may begin again soon. False without memory. */
CHECKED bool findings_add_flap(struct findings *f, struct finding *x);
void findings_end_to_flap(struct findings *f, struct finding *x);
CHECKED bool findings_become_dormant(struct findings *f, struct finding *x);
void findings_free_dormant(struct findings *f, struct finding *x);

/* Set whether the judge of @x has confirmed it: findings_sweep ends unconfirmed ones. */
void finding_set_confirmed(struct finding *x, bool confirmed);

/* The list of open findings. findings_scan_replace: @by, which is the last in the list, takes the place of @x, which
 * is about to be removed. */
void findings_scan_add(struct findings *f, struct finding *x);
void findings_scan_remove(struct findings *f, struct finding *x);
void findings_scan_replace(struct findings *f, struct finding *x, struct finding *by);
void findings_scan_end_all(struct findings *f);
/* Exchange the lists of two sets, and end their walks. */
void findings_scan_swap(struct findings *f, struct findings *other);

/* A hash of @text with the key. Unlike base/hash.h it is equal for equal texts in every process with the same key,
 * because the database stores it. False without memory. */
CHECKED bool findings_hash(const struct findings *f, str text, char out[FINDING_ID_SIZE]);
/* Add the cause of @x to its record, by which records are grouped (daemon/events/event_groups.h). */
void findings_add_cause(const struct findings *f, const struct finding *x, struct record *r);
/* Whether @hash is that of @text with an old key. */
bool findings_is_old_hash(const struct findings *f, str hash, str text);

/* Who removed the paths of @r, as struct finding keeps it. {NULL, 0} without memory. */
str findings_join_removals(const struct findings *f, const struct finding_report *r, struct arena *a);
/* As findings_join_removals, from a text that an earlier process stored, perhaps an older driftd. */
str findings_read_removals(const struct findings *f, str text, struct arena *a);
/* As findings_read_removals, when the key is lost: fields were removed, but nobody knows which. */
str findings_forget_removals(str text, struct arena *a);

#endif
