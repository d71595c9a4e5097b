/* One finding, and what a judge says of it. */
#ifndef DAEMON_FINDINGS_FINDING_H
#define DAEMON_FINDINGS_FINDING_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/severity.h"
#include "compare/blame.h"

#include <sys/queue.h>

enum finding_kind {
	FINDING_DRIFT,      /* an object differs from its reference */
	FINDING_COMPONENT,  /* a component of the reference is not satisfied */
	FINDING_ERROR,      /* an object cannot be judged */
	FINDING_GAP,        /* a cluster or a kind cannot be watched, so that no verdict on it can be trusted */
	FINDING_VALIDATION, /* an object violates a CEL rule */
	FINDING_ACCEPTED,   /* drift, a component or a violation that an acceptance covers (rules/acceptance.h) */
	FINDING_INSPECTION, /* an inspection rule failed on an object, or could not be run */
	FINDING_KINDS,
};

/* The end reason of a FINDING_ACCEPTED whose time is up. */
#define FINDING_EXPIRED "expired"
/* The rule_path of a FINDING_ERROR of a rule that costs too much. */
#define FINDING_RULE_COST "cost"

enum transition { TRANSITION_BEGIN, TRANSITION_CHANGE, TRANSITION_END, TRANSITIONS };
extern const char *const transition_names[TRANSITIONS];

#define FINDING_ID_SIZE 33
#define FINDING_SUMMARY_MAX 240 /* bytes that lists have room for */
#define FINDING_PATHS_MAX 32    /* the most paths in a record; all are counted */
/* findings of type FINDING_VALIDATION about one object; the others are only counted */
#define FINDINGS_PER_OBJECT_MAX 100

/* A field that differs. Its texts may be shown. */
struct finding_path {
	str path, expected, actual;
	struct path place;       /* the path that @path names; empty: it is unknown, or may not be shown */
	bool gone;               /* the object no longer has the field: */
	struct path at;          /* the path itself, even if it may not be shown: it is only hashed */
	struct blame removed_by; /* who removed a field that is gone; without a manager: unknown */
};

#define FINDING_RULES_MAX 16 /* the most results of rules in a record */

/* What an event rule says about some of the changes. */
struct finding_rule {
	const char *type; /* "allow", "warn", "error" */
	enum severity severity;
	str path, message, action; /* the texts of the rule; the last two may be empty */
	size_t events;             /* how many events of the rule there are */
};

/* A span between two Unix times. */
struct time_span {
	int64_t not_before_usec, not_after_usec;
};

/* What a finding is about: the object, and what judged it. Every text may be empty. */
struct finding_subject {
	str cluster, reference, reference_hash, part, component, template_path;
	str api_version, kind, namespace, name, uid, resource_version;
	str resource; /* "deployments.apps" */
	/* The next four are set for FINDING_VALIDATION, the first three also for one that is accepted, and for a
	 * FINDING_ERROR that is about a rule instead of an object; for FINDING_INSPECTION only the rule's uuid is: */
	str rule, rule_path; /* the rule's text; the field, or for an error the place of the rule */
	str rule_source;     /* rule_source_name (rules/kind_rules.h) */
	str reason;          /* such as "FieldValueInvalid"; for FINDING_ACCEPTED the reason of the acceptance */
	/* The next three are set for FINDING_ACCEPTED, which is about a component when it names no kind: */
	str acceptance, owner, until; /* the acceptance's id, and its owner and end as they were written */
	/* the phase of a FINDING_INSPECTION: insp_phase_name (rules/inspection/insp_rule.h) */
	str phase;
	/* the shard, for what concerns one of several processes that share a cluster (base/shard.h: shard_text) */
	str shard;
};

struct finding_report {
	enum finding_kind kind;
	enum severity severity;
	struct finding_subject subject;
	str what; /* the middle of MESSAGE, such as "deployments.apps prod/web spec.replicas 3 -> 5" */
	/* the end of @what, for readers who know the place, such as "spec.replicas 3 -> 5" (finding_report_say) */
	str summary;
	str details; /* text for people; may be empty */
	str state;   /* equal for two reports that say the same: when it changes, that is a transition */
	const struct finding_path *paths;
	size_t n_paths; /* at most FINDING_PATHS_MAX */
	size_t n_paths_total;
	const struct finding_rule *rules; /* the worst first */
	size_t n_rules;                   /* at most FINDING_RULES_MAX */
	str diff;
	str rule_message; /* what the rule says of it */
	str old;          /* the old value, for a rule that compares with it */
	struct blame blame;
	uint64_t received_ns; /* clock_ns of the cause; 0: none */
	int64_t hold_ns;      /* how long the finding must last to be reported */
};

/* A state_hash that stands for an unknown state. */
#define FINDING_STATE_UNKNOWN "00000000000000000000000000000000"

struct finding {
	enum finding_kind kind;
	enum severity severity;
	char id[FINDING_ID_SIZE];
	char state_hash[FINDING_ID_SIZE];
	bool confirmed;          /* the finding was seen since findings_unconfirm */
	bool announced;          /* the begin was reported; false for some findings that an older driftd stored */
	bool dormant;            /* the finding flaps, and is not open now */
	bool has_hold;           /* the state had to last before the finding was reported */
	bool alone;              /* the finding is too large for a slab, and lies alone */
	int64_t first_seen_usec; /* Unix time */
	/* when the finding began by clock_boot_usec, which nobody sets: for how long it lasts */
	int64_t open_from_usec;
	uint64_t reported_from_ns; /* clock_ns from which it has lasted long enough to be reported */
	uint64_t flaps;            /* how often it has changed since it flaps (flapping.h); 0: it does not flap */
	struct finding_subject subject;
	/* the summary of its last report, at most FINDING_SUMMARY_MAX bytes; may be empty */
	str summary;
	str paths;                         /* the paths, a line each, for the record of its end */
	str places;                        /* where the paths lie, as data: places.h */
	str manager;                       /* who wrote what is wrong, according to its last record; may be empty */
	str actions;                       /* the actions of its event rules, a line each */
	str removals;                      /* who removed which of the paths, a line each: removals.c */
	str key;                           /* the key of the finding in its set */
	struct flap *flap;                 /* NULL: it is steady */
	struct finding_counters *counters; /* the counters of the finding's cluster */
	/* the counts of its namespace; NULL: they are not kept, or memory was short */
	struct namespace_count *counted;
	TAILQ_ENTRY(finding) by_age;
	TAILQ_ENTRY(finding) open; /* the place in the list of all open findings: findings_scan.c */
	char texts[];              /* in a set: the texts that this finding does not share with others, its key first */
};

/* The type for people and programs: "drift", "component", "error", "gap", "validation", "accepted", "inspection". */
const char *finding_type(enum finding_kind kind);
bool finding_type_parse(str s, enum finding_kind *ret); /* false: @s is no type */

/* Whether the finding is about a component as a whole: an unsatisfied or accepted one, or a release. */
static inline bool finding_is_of_component(enum finding_kind kind, const struct finding_subject *s)
{
	return kind == FINDING_COMPONENT || (!s->kind.n && s->component.n > 0);
}

/* Whether the finding is about one validation rule that an object does not pass, even if somebody accepts that. */
static inline bool finding_is_violation(enum finding_kind kind, const struct finding_subject *s)
{
	return kind == FINDING_VALIDATION || (kind == FINDING_ACCEPTED && s->rule.n > 0);
}

/* Append the key of the finding: two findings with the same key are one. */
void finding_key(enum finding_kind kind, const struct finding_subject *s, struct buf *out);

/* Copy all texts into @a. False without memory. */
CHECKED bool finding_copy_subject(struct arena *a, const struct finding_subject *from, struct finding_subject *to);

/* Set the summary of @r, a line about @place, and @r->what, which is "PLACE SUMMARY" in @a. */
void finding_report_say(struct finding_report *r, struct arena *a, str place, str summary);
/* The place of a finding about a cluster: "prod:" or "prod (shard 0/2):". @shard: shard_text. */
str finding_cluster_place(struct arena *a, str cluster, const char *shard);
/* Append at most @max bytes of @summary; of a longer one both ends, with "…" between them. */
void finding_add_cut(struct buf *out, str summary, size_t max);
/* The summary as struct finding keeps it; {NULL, 0} without memory. */
str finding_cut_summary(const struct finding_report *r, struct arena *a);
/* The paths of @r as struct finding keeps them; {NULL, 0} without memory. */
str finding_join_paths(const struct finding_report *r, struct arena *a);
str finding_join_actions(const struct finding_report *r, struct arena *a);

/* Whether @path is one of @paths, which has one in each line. */
bool finding_paths_have(str paths, str path);
/* Whether @path, from a record, is @field or below it; @field may be a pattern (base/pattern.h). */
bool finding_path_is_in(str path, str field);
/* Whether the report names the same paths as @x, in any order. The values there may differ. */
bool finding_has_paths(const struct finding *x, const struct finding_report *r);

bool finding_has_action(const struct finding *x, str action);

/* Whether a user of kubectl could mean the kind by @word: "Deployment", "deployments" or "deployments.apps", in any
 * case. @kind and @resource may be empty. */
bool kind_word_means(str word, str kind, str resource);
/* Whether one of @words, which are separated by commas, means the kind. */
bool kind_words_mean(str words, str kind, str resource);

#endif
