/* The command line of "driftd compare": the flags of kubectl cluster-compare, read as its flag library reads them. */
#ifndef DAEMON_COMPARE_OPTIONS_H
#define DAEMON_COMPARE_OPTIONS_H

#include "base/buf.h"
#include "base/vec.h"

struct string_list {
	VEC(char *) v;
};

enum compare_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_YAML, FORMAT_JUNIT, FORMAT_PATCHES };

/* Strings are NULL when the flag was not given. */
struct compare_options {
	struct string_list files; /* -f */
	bool recursive;
	char *kustomize;
	char *reference;
	char *diff_config;
	char *overrides;
	struct string_list rules; /* files of event rules */
	bool all;
	bool verbose;
	bool managed_fields;
	bool mask;
	bool show_functions;
	int64_t concurrency;
	char *output;
	struct string_list generate_for;
	char *reason;
	char *generate; /* -g */
	char *output_dir;
	char *must_gather;
	char *kubeconfig, *context, *cluster, *user, *namespace, *server, *token, *as, *as_uid;
	struct string_list as_groups;
	char *certificate_authority, *client_certificate, *client_key, *tls_server_name, *request_timeout, *cache_dir;
	bool insecure, disable_compression, match_version;
	bool help, version;
	struct string_list args; /* what is no flag */
};

/* Read argv[1..]. Fails: EINVAL with the flag library's text, ENOMEM. Free with compare_options_done in either case. */
CHECKED int compare_options_parse(struct compare_options *o, int argc, char **argv, struct err *err);
void compare_options_done(struct compare_options *o);

void compare_usage(struct buf *out);

void string_list_done(struct string_list *l);
CHECKED bool string_list_add(struct string_list *l, str s);

#endif
