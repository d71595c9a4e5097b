/* The command line of "driftd compare": the flags of kubectl cluster-compare, read as its flag library reads them. */
#ifndef DAEMON_COMPARE_OPTIONS_H
#define DAEMON_COMPARE_OPTIONS_H

#include "base/buf.h"
#include "daemon/live/target.h"

enum compare_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_YAML, FORMAT_JUNIT, FORMAT_PATCHES };

/* What may be switched on and off, and is one of the two by itself. */
enum compare_switch { SWITCH_UNSET, SWITCH_ON, SWITCH_OFF };

/* Strings are NULL when the flag was not given. */
struct compare_options {
	struct string_list files; /* -f */
	bool recursive;
	char *kustomize;
	char *reference;
	char *manifests; /* instead of it, */
	bool helm;       /* or this; releases are arguments */
	char *helm_driver;
	bool last_applied; /* or what each object says itself; of these kinds of a cluster */
	struct string_list kinds;
	char *additions;
	struct string_list include, exclude;
	char *diff_config;
	char *overrides;
	struct string_list rules; /* files of event rules */
	char *accepted;           /* file with "accepted" */
	struct string_list inspection_rules;
	char *inspection_scope; /* the scope of the reference, as inspection rules see it */
	bool all;
	bool verbose;
	bool managed_fields;
	enum compare_switch mask;
	bool show_functions;
	int64_t concurrency;
	char *output;
	struct string_list generate_for;
	char *reason;
	char *generate; /* -g */
	char *output_dir;
	char *must_gather;
	char *namespace, *cache_dir;
	bool match_version;
	struct live_flags live;
	bool help, version;
	struct string_list args; /* what is no flag */
};

/* Read argv[1..]. Fails: EINVAL with the flag library's text, ENOMEM. Free with compare_options_done in either case. */
CHECKED int compare_options_parse(struct compare_options *o, int argc, char **argv, struct err *err);
void compare_options_done(struct compare_options *o);

void compare_usage(struct buf *out);
/* Give the table of options to command-line completion (command_line_revealed). False: usage is to be printed. */
bool compare_reveal(void);

#endif
