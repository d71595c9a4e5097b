/* The result of a comparison, and its four forms: text, JSON, YAML and JUnit, as kubectl cluster-compare writes
 * them. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "compare/compare.h"
#include "compare/groups.h"
#include "compare/overrides.h"

/* What a rule says about some of an object's changes. */
struct report_event {
	const char *type, *change, *severity;
	str path;            /* the path of the rule */
	str message, action; /* may be empty */
	const str *matched;
	size_t n_matched;
};

/* One place that differs, and the reason. */
struct report_change {
	str path;
	const char *change;  /* "create", "delete", "modify" */
	const char *why;     /* NULL: there is no reason */
	str expected, found; /* the values as JSON; p NULL: there is none, or it may not be shown */
	bool hidden;
};

/* A difference that somebody has accepted. */
struct report_accepted {
	str cr;   /* the name of the object, as in report_diff; empty: the difference is one of a component */
	str path; /* the path in the object */
	str part, component;
	str templates; /* the templates of the component, with commas between them */
	str reason, owner, until;
};

/* An object that failed an inspection. */
struct report_failed_inspection {
	str cr;          /* the name of the object, as in report_diff */
	str rule, phase; /* the uuid of the rule, empty: none could be run; "main" */
	str message;
	const char *severity;
};

/* One object that was compared. */
struct report_diff {
	str output; /* the text of the diff; empty: there is no difference */
	str template;
	str cr;          /* identity_text */
	str description; /* the description of the template */
	str patched;     /* the file of the overrides that were applied; empty: none were */
	const str *reasons;
	size_t n_reasons;
	const char *severity; /* the severity of its changes; NULL: no rules were applied */
	const struct report_event *events;
	size_t n_events;
	const struct report_change *changes; /* NULL: the changes are not listed one by one */
	size_t n_changes;
	size_t n_unlisted; /* how many changes are not listed */
	bool deleting;     /* the object is being deleted */
	str accepted;      /* why all its differences are accepted; empty: they are not */
};

/* One object that could not be compared. */
struct report_failure {
	str cr;
	str template; /* may be empty */
	str message;
};

/* An input that could not be read, so that it is unknown whether it has objects. */
struct report_unread {
	str source; /* a file, a URL, or the kind of a list */
	str message;
};

/* A report. It does not own what it lists. */
struct report {
	const struct component_verdict *issues; /* components that are not satisfied, in the order of the reference */
	size_t n_issues;
	size_t n_missing;
	/* components about which nothing can be said: they are neither issues nor satisfied */
	const struct component_verdict *unknown;
	size_t n_unknown;
	const str *unmatched;
	size_t n_unmatched;
	size_t n_differing; /* objects with a difference */
	size_t n_total;     /* objects with a template */
	size_t n_patched;
	const char *hash;        /* the hash of the reference; "": it has none */
	const str *by_reference; /* templates whose objects are only known by references to them: their contents are not
				    validated */
	size_t n_by_reference;
	const struct report_diff *diffs; /* the diffs in the order of the input */
	size_t n_diffs;
	const struct report_failure *failures;
	size_t n_failures;
	const struct report_unread *unread;
	size_t n_unread;
	size_t n_unlisted;  /* how many inputs the last of @unread represents; 0: only itself */
	size_t n_hooks;     /* manifests that were left out because they are hooks */
	size_t n_unnamed;   /* manifests that were left out because a server generates their names */
	size_t n_unapplied; /* objects that do not record what was applied to them */
	bool accepts; /* whether the report says how much was accepted; accepted differences are not counted above */
	const struct report_accepted *accepted;
	size_t n_accepted;
	bool inspects; /* whether the report says how many inspections failed */
	const struct report_failed_inspection *failed_inspections;
	size_t n_failed_inspections;
};

/* Append the report. @all: include objects without a difference. @now: Unix seconds, for the time stamps of JUnit.
 * Fails: ENOMEM, E2BIG (the buffer's ceiling). */
CHECKED int report_text(const struct report *r, bool all, struct buf *out, struct err *err);
CHECKED int report_json(const struct report *r, struct buf *out, struct err *err);
CHECKED int report_yaml(const struct report *r, struct buf *out, struct err *err);
CHECKED int report_junit(const struct report *r, int64_t now, struct buf *out, struct err *err);

/* Append "REASON, by OWNER, until TIME". */
void report_why_accepted(const struct report_accepted *a, struct buf *out);

/* Append a list of overrides as YAML, in the form that overrides_load reads. */
CHECKED int report_overrides(const struct override *const *list, size_t n, struct buf *out, struct err *err);

/* Sort issues, or unknown components, for output: by part and component; of equal names the last listed counts. @ret
 * has room for all. Returns how many there are. */
size_t report_sort_issues(const struct component_verdict *list, size_t n, const struct component_verdict **ret);
/* The description that is shown for an issue's templates with this path: that of the last listed one; empty: there
 * is none. */
str report_description(const struct component_verdict *issue, str path);

#endif
