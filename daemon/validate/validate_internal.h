/* What the parts of "driftd validate" share. */
#ifndef DAEMON_VALIDATE_VALIDATE_INTERNAL_H
#define DAEMON_VALIDATE_VALIDATE_INTERNAL_H

#include "base/string_list.h"
#include "base/strmap.h"
#include "config/command_line.h"
#include "daemon/live/target.h"
#include "daemon/validate/files.h"
#include "rules/kind_rules.h"

struct validate_options {
	struct string_list files; /* definitions, rules and objects: files, folders, patterns, "-" */
	struct string_list rules; /* rule files, folders of them, patterns */
	struct string_list old;   /* the old objects */
	bool recursive;
	enum output_form form; /* OUTPUT_TEXT or OUTPUT_JSON */
	bool unmasked;
	bool live;    /* judge the objects of a cluster */
	bool no_crds; /* ignore the cluster's own definitions */
	const char *namespace;
	struct live_flags flags;
};

/* One kind of objects, and the rules for it. */
struct validate_kind {
	struct kind_rules rules;
	const char *crd_path;
	bool proposed;    /* the definition is from a file, and no server has accepted it */
	size_t n_objects; /* how many objects were looked at */
};

struct validate_job {
	const struct validate_options *options;
	struct limits limits;
	struct key_table *keys;
	struct arena names; /* memory of the names of files, kinds and definitions */
	struct documents crds, objects, old;
	struct documents live_crds; /* definitions of the cluster, for kinds that no file defines */
	struct strmap old_by_name;  /* identity_text -> struct document */
	VEC(struct rule_file *) rule_files;
	VEC(struct validate_kind *) kinds;
	struct arena scratch; /* memory for one object */
	struct buf out;
	size_t n_objects, n_judged; /* judged: a rule was checked against it */
	size_t n_failures, n_warnings;
	VEC(const struct rule_set *) idle; /* the rule sets without an object until now */
	size_t n_idle;                     /* how many rule files, namespaces and --old had no object */
	size_t n_bad_rules;                /* how many rules do not compile, and rule files have mistakes */
	size_t n_unread; /* how many files, kinds and objects could not be read: the verdict is not complete */
};

/* Report what could not be read; the rest is judged nevertheless. */
void validate_unread(struct validate_job *job, const char *fmt, ...) PRINTF(2, 3);
/* Report something beside the verdicts, on standard error. */
void validate_note(const char *fmt, ...) PRINTF(1, 2);

/* ---- what is judged, and by what (validate_read.c) ---- */

/* Read all files of the options, and report those that cannot be read. Fails: ENOMEM. */
CHECKED int validate_read(struct validate_job *job, struct err *err);

/* ---- verdicts (validate_judge.c) ---- */

/* The rules of a kind, compiled when they are first asked for; their mistakes are reported then. Fails: ENOMEM. */
CHECKED int validate_kind_of(struct validate_job *job, str api_version, str kind, struct validate_kind **ret,
			     struct err *err);
bool validate_kind_has_rules(const struct validate_kind *k);

/* Judge one object. *ret gets the highest verdict of the rules. Fails: ENOMEM. */
CHECKED int validate_object(struct validate_job *job, const struct document *d, enum rules_fit *ret, struct err *err);

/* ---- rules without objects (validate_idle.c) ---- */

/* Begin to look for idle rules, after all files are read and before an object is judged. Fails: ENOMEM. */
CHECKED int validate_idle_begin(struct validate_job *job, struct err *err);
/* Note that @object is judged. */
void validate_idle_used(struct validate_job *job, val object);
/* Report the rules without an object, after all objects are judged. */
void validate_idle_report(struct validate_job *job);

/* ---- a cluster (validate_live.c) ---- */

/* Judge the objects of the cluster in the options, and report what cannot be read. Fails: ENOMEM, and when there is
 * no connection to the cluster at all. */
CHECKED int validate_live(struct validate_job *job, struct err *err);

#endif
