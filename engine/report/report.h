/* What a comparison found, and its four forms: text, JSON, YAML and JUnit, as kubectl cluster-compare writes them. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "compare/compare.h"
#include "compare/groups.h"
#include "compare/overrides.h"

/* What a rule makes of some of an object's changes. */
struct report_event {
	const char *type, *change, *severity;
	str path;            /* of the rule */
	str message, action; /* may be empty */
	const str *matched;
	size_t n_matched;
};

/* One place that differs, and why. */
struct report_change {
	str path;
	const char *change;  /* "create", "delete", "modify" */
	const char *why;     /* NULL: nobody said */
	str expected, found; /* as JSON; p NULL: there is nothing, or it may not be shown */
	bool hidden;
};

/* A difference that somebody has accepted. */
struct report_accepted {
	str cr;   /* as in report_diff; empty: it is of a component */
	str path; /* of the object */
	str part, component;
	str templates; /* of the component, with commas between them */
	str reason, owner, until;
};

/* One object that was compared. */
struct report_diff {
	str output; /* of the diff; empty: none */
	str template;
	str cr;          /* identity_text */
	str description; /* of the template */
	str patched;     /* the file of overrides that were applied; empty: none */
	const str *reasons;
	size_t n_reasons;
	const char *severity; /* of its changes; NULL: no rules were asked */
	const struct report_event *events;
	size_t n_events;
	const struct report_change *changes; /* NULL: they are not listed one by one */
	size_t n_changes;
	size_t n_unlisted; /* more of them */
	bool deleting;     /* the object is */
	str accepted;      /* why all in which it differs is accepted; empty: it is not */
};

/* One object that could not be compared. */
struct report_failure {
	str cr;
	str template; /* may be empty */
	str message;
};

/* What could not be read: whether there are objects in it is not known. */
struct report_unread {
	str source; /* a file, a URL, or the kind of a list */
	str message;
};

/* Views what it lists. */
struct report {
	const struct component_verdict *issues; /* those that are not satisfied, in the order of the reference */
	size_t n_issues;
	size_t n_missing;
	const struct component_verdict *unknown; /* those of which nothing can be said: neither issues nor satisfied */
	size_t n_unknown;
	const str *unmatched;
	size_t n_unmatched;
	size_t n_differing; /* objects with a difference */
	size_t n_total;     /* objects with a template */
	size_t n_patched;
	const char *hash;        /* of the reference; "": it has none */
	const str *by_reference; /* templates that are only known by reference */
	size_t n_by_reference;
	const struct report_diff *diffs; /* in the order of the input */
	size_t n_diffs;
	const struct report_failure *failures;
	size_t n_failures;
	const struct report_unread *unread;
	size_t n_unread;
	size_t n_unlisted;  /* inputs that the last of these stands for; 0: itself only */
	size_t n_hooks;     /* manifests that were left out: hooks, */
	size_t n_unnamed;   /* and what a server gives a name */
	size_t n_unapplied; /* objects that do not say what was applied to them */
	bool accepts;       /* it is said how much was accepted, which is in none of the above: */
	const struct report_accepted *accepted;
	size_t n_accepted;
};

/* Append the report. @all: also objects without a difference. @now: Unix seconds, for the time stamps that JUnit asks
 * for. Fails: ENOMEM, E2BIG (the buffer's ceiling). */
CHECKED int report_text(const struct report *r, bool all, struct buf *out, struct err *err);
CHECKED int report_json(const struct report *r, struct buf *out, struct err *err);
CHECKED int report_yaml(const struct report *r, struct buf *out, struct err *err);
CHECKED int report_junit(const struct report *r, int64_t now, struct buf *out, struct err *err);

/* Append "REASON, by OWNER, until TIME". */
void report_why_accepted(const struct report_accepted *a, struct buf *out);

/* Append a list of overrides as YAML, in the form that overrides_load reads. */
CHECKED int report_overrides(const struct override *const *list, size_t n, struct buf *out, struct err *err);

/* Issues (or what is unknown) as they are shown: sorted by part and component; of equal names the last listed counts.
 * @ret has room for all. Returns how many there are. */
size_t report_sort_issues(const struct component_verdict *list, size_t n, const struct component_verdict **ret);
/* What is shown as the description of an issue's templates with this path: the last listed one; empty: none. */
str report_description(const struct component_verdict *issue, str path);

#endif
