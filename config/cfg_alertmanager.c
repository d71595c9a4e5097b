/* Reads the settings for Alertmanager: where to post open findings as alerts, and their labels. */
#include "config/cfg_internal.h"

#include "base/file.h"
#include "base/utf8.h"
#include "go/url.h"

#include <errno.h>

#define LABEL_VALUE_MAX 200

/* ---- URLs ---- */

struct where {
	bool tls, loopback;
};

static bool is_loopback(str host)
{
	return str_eq_nocase(host, STR("localhost")) || str_has_prefix(host, STR("127.")) || str_eq(host, STR("::1"));
}

/* Read a URL. Return false when it cannot be used as it is. */
static bool read_url(str text, struct where *ret)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct go_url u;

	if (go_url_parse(text, &a, &u, NULL) < 0 || u.has_user || u.query.n || u.force_query || u.fragment.n ||
	    !go_url_hostname(&u).n)
		return false;
	ret->tls = str_eq(u.scheme, STR("https"));
	ret->loopback = is_loopback(go_url_hostname(&u));
	return ret->tls || str_eq(u.scheme, STR("http"));
}

static str without_slash(str url)
{
	while (url.n && url.p[url.n - 1] == '/')
		url.n--;
	return url;
}

static void check_url(struct settings *s, const struct node *n, const char *such)
{
	struct where where;

	if (n->kind != NODE_SCALAR) /* another kind of node is reported already */
		return;
	if (str_find_byte(n->text, '@') >= 0) /* the URL may hold a password: the message does not repeat it */
		node_problem(n, s->problems, "a URL with a user: the settings of auth are for that");
	else if (!read_url(n->text, &where))
		node_problem(n, s->problems, "'%.*s' is no URL such as %s, without query", STR_ARG(n->text), such);
}

static void set_urls(struct settings *s, void *target, const struct node *n)
{
	struct cfg_alertmanager *x = target;
	struct text_list list = setting_texts(s, n);
	str *urls = arena_array(s->arena, list.n + 1, sizeof(*urls));

	s->no_memory |= !urls;
	if (!urls)
		return;
	for (size_t i = 0; i < node_count(n); i++)
		check_url(s, node_item(n, i), "https://alertmanager.example.com");
	if (list.n > CFG_ALERTMANAGERS_MAX)
		node_problem(n, s->problems, "%zu URLs, and at most %d are posted to", list.n, CFG_ALERTMANAGERS_MAX);
	for (size_t i = 0; i < list.n; i++) {
		urls[i] = without_slash(list.p[i]);
		for (size_t k = 0; k < i; k++) {
			if (str_eq(urls[i], urls[k]))
				node_problem(n, s->problems, "'%.*s' is there twice", STR_ARG(urls[i]));
		}
	}
	x->urls = urls;
	x->n_urls = list.n;
}

static void set_page_url(struct settings *s, void *target, const struct node *n)
{
	if (!setting_expect(s, n, NODE_SCALAR, "a URL"))
		return;
	check_url(s, n, "https://driftd.example.com");
	*(str *)target = without_slash(n->text);
}

/* ---- labels ---- */

static const char *const reserved[] = { "alertname", "cluster",  "namespace", "kind",     "name", "reference",
					"component", "severity", "type",      "drift_id", "cause" };

/* Whether @s matches [a-zA-Z_][a-zA-Z0-9_]* and is not reserved for Prometheus. */
static bool is_label_name(str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';

		if (!letter && (i == 0 || c < '0' || c > '9'))
			return false;
	}
	return s.n > 0 && s.n <= CFG_LABEL_NAME_MAX && !str_has_prefix(s, STR("__"));
}

static void check_label(struct settings *s, const struct node *key, const struct node *value)
{
	if (!is_label_name(key->text))
		node_problem(key, s->problems, "'%.*s' is not a name of a label, such as team", STR_ARG(key->text));
	else if (str_index(key->text, reserved, ARRAY_LEN(reserved)) < ARRAY_LEN(reserved))
		node_problem(key, s->problems, "the label %.*s says what a finding is about: it cannot be set",
			     STR_ARG(key->text));
	else if (setting_expect(s, value, NODE_SCALAR, "a text") &&
		 (!value->text.n || value->text.n > LABEL_VALUE_MAX || !utf8_valid(value->text)))
		node_problem(value, s->problems, "a label has a text of 1 to %d bytes", LABEL_VALUE_MAX);
}

static int by_name(const void *a, const void *b)
{
	return str_cmp(((const struct cfg_label *)a)->name, ((const struct cfg_label *)b)->name);
}

static void set_labels(struct settings *s, void *target, const struct node *n)
{
	struct cfg_alertmanager *x = target;
	struct cfg_label *labels;

	if (!setting_expect(s, n, NODE_MAP, "a map of labels"))
		return;
	labels = arena_array(s->arena, n->n + 1, sizeof(*labels));
	s->no_memory |= !labels;
	for (size_t i = 0; labels && i < n->n; i++) {
		check_label(s, n->keys[i], n->values[i]);
		labels[i] = (struct cfg_label){ n->keys[i]->text, n->values[i]->text };
	}
	if (!labels)
		return;
	qsort(labels, n->n, sizeof(*labels), by_name);
	x->labels = labels;
	x->n_labels = n->n;
}

/* ---- maps ---- */

static const struct setting tls_settings[] = {
	{ "ca_file", cfg_set_path, offsetof(struct cfg_alertmanager, ca_file), "the system's",
	  "certificates that vouch for the Alertmanagers" },
	{ "cert_file", cfg_set_path, offsetof(struct cfg_alertmanager, cert_file), NULL, "client certificate" },
	{ "key_file", cfg_set_path, offsetof(struct cfg_alertmanager, key_file), NULL, "its key" },
	{ "server_name", setting_text, offsetof(struct cfg_alertmanager, server_name), "the URL's host",
	  "the name that their certificates are for" },
};

static const struct setting auth_settings[] = {
	{ "username", setting_text, offsetof(struct cfg_alertmanager, username), NULL, "for basic authentication" },
	{ "password_file", cfg_set_path, offsetof(struct cfg_alertmanager, password_file), NULL,
	  "with the password of username; read again when it changes" },
	{ "bearer_token_file", cfg_set_path, offsetof(struct cfg_alertmanager, bearer_token_file), NULL,
	  "with a token, in the place of the two; read again when it changes" },
};

static void set_tls(struct settings *s, void *target, const struct node *n)
{
	settings_read(s, n, tls_settings, ARRAY_LEN(tls_settings), target);
}

static void set_auth(struct settings *s, void *target, const struct node *n)
{
	settings_read(s, n, auth_settings, ARRAY_LEN(auth_settings), target);
}

static const struct setting alertmanager_settings[] = {
	{ "urls", set_urls, 0, NULL, "URLs of Alertmanagers, to each of which all is posted; required" },
	{ "tls", set_tls, 0, NULL, "whom of them it trusts, and who it is" },
	{ "auth", set_auth, 0, NULL, "as whom it posts" },
	{ "labels", set_labels, 0, "job: driftd", "further labels of all alerts, a map such as {team: platform}" },
	{ "min_severity", setting_severity, offsetof(struct cfg_alertmanager, min_severity), "info",
	  "of findings that are posted: this, or worse" },
	{ "values", setting_truth, offsetof(struct cfg_alertmanager, values), "false",
	  "whether alerts hold values of fields, masked as everywhere; else only their paths" },
	{ "page_url", set_page_url, offsetof(struct cfg_alertmanager, page_url), "no links",
	  "where people reach driftd's pages, such as https://driftd.example.com" },
};

void cfg_set_alertmanager(struct settings *s, void *target, const struct node *n)
{
	struct cfg_alertmanager *x = target;
	struct cfg_loader *l = s->ctx;

	*x = (struct cfg_alertmanager){ .min_severity = SEVERITY_INFO };
	l->alertmanager = n;
	settings_read(s, n, alertmanager_settings, ARRAY_LEN(alertmanager_settings), target);
}

/* ---- what does not go together ---- */

static bool has_auth(const struct cfg_alertmanager *x)
{
	return x->username.n || x->password_file.n || x->bearer_token_file.n || x->cert_file.n;
}

/* The first URL whose traffic anybody on the way could read; NULL: there is none. */
static const str *exposed_url(const struct cfg_alertmanager *x)
{
	for (size_t i = 0; i < x->n_urls; i++) {
		struct where where;

		if (read_url(x->urls[i], &where) && !where.tls && !where.loopback)
			return &x->urls[i];
	}
	return NULL;
}

static void check_pairs(struct cfg_loader *l, const struct cfg_alertmanager *x)
{
	struct problems *problems = l->settings.problems;
	const str *exposed = exposed_url(x);

	if (!x->n_urls)
		node_problem(l->alertmanager, problems, "alertmanager without urls");
	if (!x->cert_file.n != !x->key_file.n)
		node_problem(l->alertmanager, problems, "alertmanager: cert_file and key_file belong together");
	if (!x->username.n != !x->password_file.n)
		node_problem(l->alertmanager, problems, "alertmanager: username and password_file belong together");
	if (x->username.n && x->bearer_token_file.n)
		node_problem(l->alertmanager, problems,
			     "alertmanager: username and bearer_token_file: one of the two is sent");
	if (exposed && has_auth(x))
		node_problem(l->alertmanager, problems,
			     "alertmanager: auth needs URLs of https://, and '%.*s' is none: anybody on the way could "
			     "read it",
			     STR_ARG(*exposed));
}

/* Report files that cannot be read, but only when the whole configuration is checked. For a start that is no
 * mistake: the files may appear later. */
static void check_files(struct cfg_loader *l, const struct cfg_alertmanager *x)
{
	const str files[] = { x->ca_file, x->cert_file, x->key_file, x->password_file, x->bearer_token_file };

	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		CLEANUP(freep) char *path = str_dup(files[i]);
		CLEANUP(freep) char *text = NULL;
		struct err err;
		size_t n;

		l->settings.no_memory |= !path;
		if (path && *path && file_read_regular(path, CFG_ALERTMANAGER_FILE_MAX, &text, &n, &err) < 0)
			node_problem(l->alertmanager, l->settings.problems, "alertmanager: %s", err.msg);
	}
}

void cfg_check_alertmanager(struct cfg_loader *l, bool files)
{
	const struct cfg_alertmanager *x = &l->cfg->alertmanager;

	if (!l->alertmanager)
		return;
	check_pairs(l, x);
	if (files)
		check_files(l, x);
}

void cfg_print_alertmanager_settings(struct buf *out)
{
	settings_print(out, "alertmanager:", alertmanager_settings, ARRAY_LEN(alertmanager_settings));
	settings_print(out, "tls of alertmanager:", tls_settings, ARRAY_LEN(tls_settings));
	settings_print(out, "auth of alertmanager:", auth_settings, ARRAY_LEN(auth_settings));
}
