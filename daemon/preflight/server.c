/* Asks one server: its version, until when the credentials are valid, which kinds it has and what the account may do
 * with them. */
#include "daemon/preflight/server.h"

#include "daemon/control/table.h"
#include "daemon/watch/source/kind_patterns.h"
#include "daemon/watch/source/kube_source.h"
#include "daemon/watch/source/watch_plan.h"
#include "kubeclient/kc_client_internal.h"
#include "kubeclient/kc_kinds.h"
#include "kubeclient/kc_lifetime.h"
#include "kubeclient/kc_once.h"
#include "rules/crd_schema.h"

#include <errno.h>
#include <time.h>

#define PATIENCE_MS 30000
#define REVIEW_MS 10000
/* The time for all questions to one server; a rule for kinds by pattern may mean thousands. */
#define ASKING_S 120
/* Credentials that expire sooner get a warning. */
#define SOON_S (7 * 86400)
/* Limit on a text of names, each of which has a limit of its own: accepted names always fit. */
#define NAME_MAX_BYTES ((size_t)16 << 20)
#define VERSIONS_SHOWN 8

struct server {
	const struct cfg *cfg;
	const struct cfg_cluster *config;
	struct checks *out;
	struct kc_tuning tuning;
	struct watch_source *source; /* NULL: it could not be opened, and @error says why */
	struct err error;            /* why @source is NULL */
	struct watch_plan plan;
	uint64_t began_ns, asked_ns; /* when connecting and the questions about kinds began */
	bool silent; /* the server left a question unanswered, or took too long for all: it gets no more questions */
};

#define CHECK(s, result, what, ...) checks_add((s)->out, (s)->config->name, (result), str_from(what), __VA_ARGS__)

/* ---- what the client itself says ---- */

static void on_warning(void *ctx, const char *message)
{
	struct server *s = ctx;

	CHECK(s, CHECK_WARNING, "kubeconfig", "%s", message);
}

static void on_notice(void *ctx, const struct kc_notice *n)
{
	struct server *s = ctx;

	if (n->kind == KC_NOTICE_INSECURE)
		CHECK(s, CHECK_WARNING, "connection", "%s", n->message);
	else if (n->kind == KC_NOTICE_CREDENTIALS)
		CHECK(s, CHECK_WARNING, "credential", "%s", n->message);
}

/* ---- credentials ---- */

static void check_lifetime(struct server *s, const struct kc_lifetime *l)
{
	const char *what = kc_credential_name(l->what), *from = l->from ? l->from : "in the kubeconfig";
	int64_t left = l->ends - (int64_t)time(NULL);
	time_t ends = (time_t)l->ends;
	char when[64] = "?", age[32];
	bool renews = l->what == KC_PLUGIN;
	struct tm tm;

	if (l->ends == 0) {
		CHECK(s, CHECK_OK, what, "%s: it does not say when it ends", from);
		return;
	}
	if (gmtime_r(&ends, &tm))
		(void)strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S UTC", &tm);
	age_text(left < 0 ? -left : left, age);
	if (left <= 0)
		CHECK(s, CHECK_FAILED, what, "%s: it ended %s, %s ago", from, when, age);
	else if (renews)
		CHECK(s, CHECK_OK, what, "%s: what it gives ends %s, in %s, and is asked for again before", from, when,
		      age);
	else
		CHECK(s, left < SOON_S ? CHECK_WARNING : CHECK_OK, what, "%s: it ends %s, in %s", from, when, age);
}

static void check_credentials(struct server *s)
{
	const struct kc_auth *auth = &s->source->client->http.auth;
	struct kc_lifetime all[KC_LIFETIMES_MAX];
	size_t n = kc_lifetimes(auth, all), n_own = 0;

	for (size_t i = 0; i < n; i++) {
		n_own += all[i].what != KC_AUTHORITIES;
		/* the row of the server says why a plugin gave nothing */
		if (all[i].what != KC_PLUGIN || auth->token || auth->cert)
			check_lifetime(s, &all[i]);
	}
	if (!n_own)
		CHECK(s, CHECK_WARNING, "credential", "none: the server is asked as anybody");
}

/* ---- kinds ---- */

/* Append a name such as "deployments.apps in namespace shop, only web". */
static str name_of(const struct kc_resource *r, struct watch_scope scope, struct buf *b)
{
	buf_clear(b);
	buf_printf(b, "%s%s%s", r->plural, *r->group ? "." : "", r->group);
	if (scope.namespace.n && r->namespaced)
		buf_printf(b, " in namespace %.*s", STR_ARG(scope.namespace));
	if (scope.name.n)
		buf_printf(b, ", only %.*s", STR_ARG(scope.name));
	return buf_str(b);
}

/* Add a row for missing rights, which an administrator of the cluster can grant. */
static void check_denied(struct server *s, const char *what, const struct kc_resource *r, unsigned denied)
{
	bool list = denied & 1u << KC_LIST, watch = denied & 1u << KC_WATCH;

	s->out->n_denied++;
	CHECK(s, CHECK_FAILED, what,
	      "%s/%s %s may not be %s%s%s: grant verbs [%s%s%s] on resource \"%s\" of apiGroup \"%s\"",
	      *r->group ? r->group : "core", r->version, r->kind, list ? "listed" : "", list && watch ? " and " : "",
	      watch ? "watched" : "", list ? "list" : "", list && watch ? ", " : "", watch ? "watch" : "", r->plural,
	      r->group);
}

static int check_scope(struct server *s, const struct planned_kind *k, const struct kc_resource *r,
		       struct watch_scope scope, struct err *err)
{
	CLEANUP(buf_done) struct buf shown = BUF_INIT(NAME_MAX_BYTES);
	CLEANUP(freep) char *api_version = str_dup(k->api_version);
	CLEANUP(freep) char *kind = str_dup(k->kind);
	CLEANUP(freep) char *namespace = str_dup(scope.namespace);
	CLEANUP(freep) char *name = str_dup(scope.name);
	const struct kc_watch_spec spec = { api_version, kind, namespace, name, NULL, NULL };
	const char *what = name_of(r, scope, &shown).p;
	struct err why;
	unsigned denied = 0;
	bool known = false;
	int status;

	if (!api_version || !kind || !namespace || !name || shown.error)
		return err_nomem(err);
	status = kc_may_watch(s->source->client, &spec, REVIEW_MS, &denied, &known, &why);
	if (status == -ENOMEM)
		return err_nomem(err);
	s->silent = status == -ETIMEDOUT || (uv_hrtime() - s->asked_ns) / 1000000000 >= ASKING_S;
	if (s->silent && status == 0)
		status = err_set(&why, ETIMEDOUT, "the server took %d s for what was asked until now", ASKING_S);
	if (status < 0)
		CHECK(s, CHECK_FAILED, what, "%s%s", why.msg,
		      s->silent ? "; nothing more is asked of this server" : "");
	else if (denied)
		check_denied(s, what, r, denied);
	else if (!known)
		CHECK(s, CHECK_WARNING, what, "%s %s is served; whether it may be read the server does not say",
		      api_version, kind);
	else
		CHECK(s, CHECK_OK, what, "%s %s is served, and may be listed and watched", api_version, kind);
	return 0;
}

/* The versions in which the server has the kind, when another version is asked for; "": none. */
static str other_versions(const struct server *s, const struct planned_kind *k, struct buf *b)
{
	const struct kc_resource *r;
	size_t at = 0, n = 0;

	while (n < VERSIONS_SHOWN && (r = kc_listable(s->source->client, &at))) {
		if (str_eq(str_from(r->kind), k->kind))
			buf_printf(b, "%s%s%s%s", n++ ? ", " : "", r->group, *r->group ? "/" : "", r->version);
	}
	return b->error ? STR("") : buf_str(b);
}

static void check_missing(struct server *s, const struct planned_kind *k)
{
	CLEANUP(buf_done) struct buf what = BUF_INIT(NAME_MAX_BYTES);
	CLEANUP(buf_done) struct buf others = BUF_INIT(NAME_MAX_BYTES);
	const char *why_unknown = kc_resources_why_unknown(s->source->client->discovery.known, k->api_version);
	str versions = other_versions(s, k, &others);

	buf_printf(&what, "%.*s %.*s", STR_ARG(k->api_version), STR_ARG(k->kind));
	if (what.error)
		s->out->no_memory = true;
	else if (why_unknown)
		CHECK(s, CHECK_FAILED, what.p, "whether the server has this kind cannot be known: %s", why_unknown);
	else if (versions.n)
		CHECK(s, CHECK_WARNING, what.p, "not served in this version, but in %.*s", STR_ARG(versions));
	else
		CHECK(s, CHECK_WARNING, what.p, "the server has no such kind: there are no objects of it to judge");
}

static int check_kind(struct server *s, const struct planned_kind *k, struct err *err)
{
	const struct kc_resource *r = kc_resources_find(s->source->client->discovery.known, k->api_version, k->kind);
	CLEANUP(buf_done) struct buf shown = BUF_INIT(NAME_MAX_BYTES);
	int status = 0;

	if (s->silent)
		return 0;
	if (!r) {
		check_missing(s, k);
		return 0;
	}
	if (!r->can_list || !r->can_watch) {
		(void)name_of(r, (struct watch_scope){ 0 }, &shown);
		if (shown.error)
			return err_nomem(err);
		CHECK(s, CHECK_FAILED, shown.p, "the server offers no %s of it", r->can_list ? "watch" : "list");
		return 0;
	}
	for (size_t i = 0; status == 0 && !s->silent && i < k->scopes.n; i++)
		status = check_scope(s, k, r, k->scopes.p[i], err);
	return status;
}

static bool is_planned(const struct server *s, const struct planned_kind *k)
{
	for (size_t i = 0; i < s->plan.kinds.n; i++) {
		if (str_eq(s->plan.kinds.p[i].api_version, k->api_version) && str_eq(s->plan.kinds.p[i].kind, k->kind))
			return true;
	}
	return false;
}

/* Check a kind that rules name by pattern. */
static int check_found(struct server *s, const struct kc_resource *r, struct err *err)
{
	CLEANUP(buf_done) struct buf api_version = BUF_INIT(NAME_MAX_BYTES);
	struct planned_kind k = { .kind = str_from(r->kind) };
	int status = 0;

	buf_printf(&api_version, "%s%s%s", r->group, *r->group ? "/" : "", r->version);
	if (api_version.error)
		return err_nomem(err);
	k.api_version = buf_str(&api_version);
	if (!is_planned(s, &k)) {
		status = watch_plan_found(&s->plan, &k, r->namespaced, err);
		if (status == 0)
			status = check_kind(s, &k, err);
		vec_done(&k.scopes);
	}
	return status;
}

static int check_patterns(struct server *s, struct err *err)
{
	struct found_kinds found;
	const char *why;
	str version;
	size_t at = 0;
	int r = found_kinds_make(&s->plan, s->source, &found, err);

	for (size_t i = 0; r == 0 && i < found.list.n; i++)
		r = check_found(s, found.list.p[i], err);
	while (s->plan.patterns.n && (why = kc_why_unknown(s->source->client, &at, &version)))
		CHECK(s, CHECK_FAILED, "discovery", "the kinds of %.*s are not all known: %s", STR_ARG(version), why);
	found_kinds_done(&found);
	return r;
}

/* Check the definitions of kinds if some kinds may come from one, as the daemon watches them. */
static int check_definitions(struct server *s, struct err *err)
{
	struct watch_scope all = { .namespace = STR(""), .name = STR("") };
	const struct planned_kind k = { .api_version = CRD_API_VERSION,
					.kind = CRD_KIND,
					.scopes = { .p = &all, .n = 1 } };

	return s->plan.defined && !is_planned(s, &k) ? check_kind(s, &k, err) : 0;
}

static int check_kinds(struct server *s, struct err *err)
{
	int r = watch_plan_make(s->cfg, s->config, &s->plan, err);

	s->asked_ns = uv_hrtime();
	for (size_t i = 0; r == 0 && i < s->plan.kinds.n; i++)
		r = check_kind(s, &s->plan.kinds.p[i], err);
	for (size_t i = 0; r == 0 && i < HELM_DRIVERS; i++)
		r = s->plan.releases[i].scopes.n ? check_kind(s, &s->plan.releases[i], err) : 0;
	if (r == 0)
		r = check_patterns(s, err);
	return r == 0 ? check_definitions(s, err) : r;
}

/* ---- the server ---- */

/* The remaining time. All servers are asked at once, so time spent on another one counts too. */
static uint64_t patience(const struct server *s)
{
	uint64_t past_ms = (uv_hrtime() - s->began_ns) / 1000000;

	return past_ms < PATIENCE_MS ? PATIENCE_MS - past_ms : 1;
}

static bool check_version(struct server *s)
{
	const char *url = kc_client_server(s->source->client);
	char version[64];
	struct err err;

	if (kc_discover(s->source->client, patience(s), &err) < 0) {
		if (err.code == ETIMEDOUT)
			(void)err_set(&err, ETIMEDOUT, "no complete answer within %d s", PATIENCE_MS / 1000);
		CHECK(s, CHECK_FAILED, "server", "%s: %s", url, err.msg);
		return false;
	}
	if (kc_server_version(s->source->client, REVIEW_MS, version, &err) < 0)
		CHECK(s, CHECK_WARNING, "server", "%s: it answers, but does not give its version: %s", url, err.msg);
	else
		CHECK(s, CHECK_OK, "server", "%s: version %s", url, version);
	return true;
}

struct server *server_new(uv_loop_t *loop, const struct cfg *cfg, const struct cfg_cluster *c,
			  const struct limits *limits, struct key_table *keys, struct checks *out)
{
	struct server *s = calloc(1, sizeof(*s));
	struct source_options o = {
		.loop = loop,
		.config = c,
		.limits = limits,
		.keys = keys,
		.warn = on_warning,
		.notice = on_notice,
		.ctx = s,
	};

	if (!s)
		return NULL;
	*s = (struct server){
		.cfg = cfg, .config = c, .out = out, .tuning = KC_TUNING_DEFAULT, .began_ns = uv_hrtime()
	};
	/* A person waits, and this happens only once. */
	s->tuning.requests_per_second = s->tuning.burst = 50;
	s->tuning.retries = KC_RETRIES;
	o.tuning = &s->tuning;
	if (kube_source.open(kube_source.ctx, &o, &s->source, &s->error) == 0)
		s->error.code = 0;
	return s;
}

int server_check(struct server *s, struct err *err)
{
	bool there;

	if (!s->source) {
		CHECK(s, CHECK_FAILED, "kubeconfig", "%s", s->error.msg);
		return s->error.code == ENOMEM ? err_nomem(err) : 0;
	}
	there = check_version(s);
	check_credentials(s);
	return there ? check_kinds(s, err) : 0;
}

static void on_closed(void *ctx)
{
	struct server *s = ctx;

	watch_plan_done(&s->plan);
	free(s);
}

void server_close(struct server *s)
{
	if (s && s->source)
		s->source->does->close(s->source, on_closed, s);
	else if (s)
		on_closed(s);
}
