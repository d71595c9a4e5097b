/* The client without memory: kubeconfig files, URLs, discovery, lists and watch events, and its creation. */
#include "oom.h"

#include "base/file.h"
#include "kubeclient/kc_client.h"
#include "kubeclient/kc_exec.h"
#include "kubeclient/kc_key_store.h"
#include "kubeclient/kc_page.h"
#include "kubeclient/kc_resources.h"
#include "kubeclient/kc_url.h"
#include "support/kubeconfig_text.h"
#include "value/json.h"

#include <stdio.h>

#define LIST_OF_FILES TEST_DATA "/kubeclient/full.yaml:/nowhere/config:" TEST_DATA "/kubeclient/full.yaml"

/* The linker sends these here as well, or their copies would never fail. */
char *__wrap_strdup(const char *s);
int __wrap_asprintf(char **ret, const char *fmt, ...) PRINTF(2, 3);

static const struct limits limits = LIMITS_DEFAULT;
static char *text;
static size_t n_text;

char *__wrap_strdup(const char *s)
{
	return str_dup(str_from(s));
}

int __wrap_asprintf(char **ret, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	*ret = n < 0 ? NULL : malloc((size_t)n + 1);
	if (!*ret)
		return -1;
	va_start(ap, fmt);
	n = vsnprintf(*ret, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return n;
}

static int run_kubeconfig_parse(struct err *err)
{
	CLEANUP(kubeconfig_unrefp) struct kubeconfig *k = NULL;
	int r;

	oom_arm();
	r = kubeconfig_parse((str){ text, n_text }, "/dir/config", &k, err);
	oom_disarm();
	return (r == 0) == (k != NULL) ? r : OOM_WRONG;
}

static int load(const struct kubeconfig_source *src, struct err *err)
{
	CLEANUP(kubeconfig_unrefp) struct kubeconfig *k = NULL;
	int r;

	oom_arm();
	r = kubeconfig_load(src, &k, err);
	oom_disarm();
	return (r == 0) == (k != NULL) ? r : OOM_WRONG;
}

static int run_kubeconfig_merge(struct err *err)
{
	return load(&(struct kubeconfig_source){ .list = LIST_OF_FILES }, err);
}

static int run_kubeconfig_account(struct err *err)
{
	return load(&(struct kubeconfig_source){ .service_host = "10.0.0.1",
						 .service_port = "443",
						 .account_dir = "/nowhere" },
		    err);
}

static int run_exec_parse(struct err *err)
{
	static const char answer[] = "{\"kind\":\"ExecCredential\",\"apiVersion\":\"v1\",\"status\":{\"token\":\"t\","
				     "\"clientCertificateData\":\"c\",\"clientKeyData\":\"k\"}}";
	struct kc_credential c = { 0 };
	int r;

	oom_arm();
	r = kc_exec_parse(foreign_bytes(STR(answer)), "v1", &c, err);
	oom_disarm();
	if (r < 0 ? c.token || c.cert || c.key : !c.token || !c.cert || !c.key)
		return OOM_WRONG;
	kc_credential_done(&c);
	return r;
}

/* ---- URLs ---- */

static const struct kc_watch_spec spec = {
	.api_version = "apps/v1",
	.kind = "Deployment",
	.namespace = "shop",
	.name = "web",
	.label_selector = "a=b",
	.field_selector = "c=d",
};

static const struct kc_resource deployments = {
	.group = "apps",
	.version = "v1",
	.kind = "Deployment",
	.plural = "deployments",
	.namespaced = true,
	.can_list = true,
	.can_watch = true,
};

static int run_server(struct err *err)
{
	struct kc_server s = { 0 };
	int r;

	oom_arm();
	r = kc_server_init(&s, "https://x.example:6443/base/", "other.example", err);
	oom_disarm();
	if (r < 0 && (s.base || s.connect_to || s.host || s.shown))
		return OOM_WRONG;
	kc_server_done(&s);
	return r;
}

static int run_collection(struct err *err)
{
	CLEANUP(buf_done) struct buf url = BUF_INIT(KC_URL_MAX);
	struct kc_collection c;
	int r;

	oom_arm();
	r = kc_collection_init(&c, &spec, err);
	if (r == 0) {
		r = kc_collection_found(&c, &deployments, err);
		if (r == 0) {
			kc_collection_path(&c, &url);
			kc_url_number(&url, "limit", 500);
			kc_collection_selectors(&c, &url);
			r = buf_error(&url, "URL", err);
		} else if (c.resource.kind || strcmp(c.shown, "deployments.apps") != 0) {
			r = OOM_WRONG;
		}
		kc_collection_done(&c);
	}
	oom_disarm();
	return r;
}

/* ---- discovery ---- */

static struct doc *decode(const char *json)
{
	const struct json_options o = { .limits = &limits };
	struct doc *d = NULL;
	struct err err;

	return json_decode(str_from(json), &o, &d, &err) < 0 ? NULL : d;
}

static int keep(void *ctx, struct group_version gv, struct err *err)
{
	return kc_resources_keep(ctx, NULL, gv, err);
}

static int run_discovery_aggregated(struct err *err)
{
	CLEANUP(doc_unrefp)
	struct doc *d = decode("{\"items\":[{\"metadata\":{\"name\":\"apps\"},\"versions\":[{\"version\":\"v1\","
			       "\"freshness\":\"Stale\",\"resources\":[{\"resource\":\"deployments\",\"scope\":"
			       "\"Namespaced\",\"responseKind\":{\"kind\":\"Deployment\"},\"verbs\":[\"list\"]},"
			       "{\"resource\":\"scales\",\"responseKind\":{\"kind\":\"Scale\"}}]}]}]}");
	CLEANUP(kc_resources_freep) struct kc_resources *t = NULL;
	int r;

	oom_arm();
	t = kc_resources_new();
	r = t ? kc_resources_add_aggregated(t, d->root, keep, t, err) : err_nomem(err);
	oom_disarm();
	return r == 0 && t->list.n != 2 ? OOM_WRONG : r;
}

static int run_discovery_list(struct err *err)
{
	CLEANUP(doc_unrefp)
	struct doc *d = decode("{\"groupVersion\":\"apps/v1\",\"resources\":[{\"name\":\"deployments\",\"kind\":"
			       "\"Deployment\",\"namespaced\":true,\"verbs\":[\"list\",\"watch\"]},"
			       "{\"name\":\"deployments/status\",\"kind\":\"Deployment\"}]}");
	CLEANUP(kc_resources_freep) struct kc_resources *t = NULL;
	CLEANUP(kc_resources_freep) struct kc_resources *next = NULL;
	int r;

	oom_arm();
	t = kc_resources_new();
	next = kc_resources_new();
	r = t && next ? kc_resources_add_list(t, d->root, 0, err) : err_nomem(err);
	if (r == 0)
		r = kc_resources_keep(next, t, group_version_of(STR("apps/v1")), err);
	oom_disarm();
	return r == 0 && next->list.n != 1 ? OOM_WRONG : r;
}

/* ---- lists and watch events ---- */

#define OBJECT(name, uid, version)                                                                                     \
	"{\"metadata\":{\"name\":\"" name "\",\"namespace\":\"d\",\"uid\":\"" uid "\",\"resourceVersion\":\"" version  \
	"\",\"managedFields\":[]},\"spec\":{\"replicas\":1}}"
#define LIST(next, items)                                                                                              \
	"{\"apiVersion\":\"apps/"                                                                                      \
	"v1\",\"kind\":\"DeploymentList\",\"metadata\":{\"resourceVersion\":\"7\",\"continue\":\"" next                \
	"\"},\"items\":[" items "]}"
#define EVENT(type, object) "{\"type\":\"" type "\",\"object\":" object "}"

static struct kc_collection what;

static struct kc_key_store known;
static bool forgot; /* what it could not store */

static void on_object(void *ctx, const struct kc_object *o)
{
	(void)ctx;
	forgot |= !kc_key_store_take_in(&known, o);
}

static bool on_find(void *ctx, str key, struct kc_known *ret)
{
	(void)ctx;
	return kc_key_store_find(&known, key, ret);
}

static int on_absent(void *ctx, uint32_t list, struct kc_knowns *ret, struct err *err)
{
	(void)ctx;
	return kc_key_store_absent(&known, list, ret, err);
}

static void begin(struct kc_report *rep, const struct limits *l)
{
	static uint32_t lists;

	known = KC_KEY_STORE;
	forgot = false;
	*rep = (struct kc_report){ .what = &what,
				   .limits = l,
				   .handler = { .object = on_object, .find = on_find, .absent = on_absent },
				   .lists = &lists };
	kc_report_init(rep);
	kc_report_begin(rep);
}

static int end(struct kc_report *rep, int r, struct err *err)
{
	kc_report_done(rep);
	kc_key_store_done(&known);
	return r == 0 && forgot ? err_nomem(err) : r;
}

static int page(struct kc_report *rep, const char *body, char **next, struct err *err)
{
	CLEANUP(buf_done) struct buf whole = BUF_INIT(1u << 20);
	CLEANUP(kc_page_freep) struct kc_page *p = NULL;

	buf_add_cstr(&whole, body);
	if (buf_error(&whole, "page", err) < 0)
		return -err->code;
	p = kc_page_new(rep, NULL, &whole, 0);
	return p ? kc_page_report(rep, p, UINT64_MAX, next, err) : err_nomem(err);
}

/* Two pages, then a list without one of their objects. */
static int run_pages(struct err *err)
{
	struct kc_report rep;
	char *next = NULL;
	int r;

	begin(&rep, &limits);
	oom_arm();
	r = page(&rep, LIST("n", OBJECT("a", "1", "5") "," OBJECT("b", "2", "6")), &next, err);
	if (r == 0) {
		free(TAKE(next));
		r = page(&rep, LIST("", OBJECT("c", "3", "6")), &next, err);
	}
	if (r == 0) {
		kc_report_begin(&rep);
		r = page(&rep, LIST("", OBJECT("c", "3", "6")), &next, err);
	}
	if (r == 0)
		r = kc_report_absent(&rep, err);
	oom_disarm();
	if (rep.incomplete || next || (r == 0 && !forgot && (known.known.n != 1 || !rep.version)))
		r = OOM_WRONG;
	return end(&rep, r, err);
}

/* What is too large is skipped; without memory to see which object it is, the list proves no absence. */
static int run_oversized(struct err *err)
{
	struct limits small = limits;
	struct kc_report rep;
	char *next = NULL;
	int r;

	begin(&rep, &small);
	r = page(&rep, LIST("", OBJECT("a", "1", "5")), &next, err);
	if (r < 0)
		return OOM_WRONG;
	small.object_bytes = 10;
	kc_report_begin(&rep);
	oom_arm();
	r = page(&rep, LIST("", OBJECT("a", "1", "5")), &next, err);
	oom_disarm();
	if (r == 0 && ((!rep.incomplete && kc_report_absent(&rep, err) < 0) || known.known.n != 1))
		r = OOM_WRONG;
	return end(&rep, r, err);
}

static int line(struct kc_report *rep, const char *event, bool initial, enum kc_line expected, struct err *err)
{
	struct kc_result status = { 0 };
	enum kc_line got = kc_report_line(rep, str_from(event), initial, NULL, 0, &status, err);

	if (got == KC_LINE_BAD)
		return -err->code;
	return got == expected ? 0 : OOM_WRONG;
}

/* The fourth is a new object of an old name, the fifth a line that no server writes so. */
static int run_events(struct err *err)
{
	static const struct {
		const char *event;
		bool initial;
		enum kc_line line;
	} rows[] = {
		{ EVENT("ADDED", OBJECT("a", "1", "5")), true, KC_LINE_GOOD },
		{ EVENT("BOOKMARK", "{\"metadata\":{\"resourceVersion\":\"6\",\"annotations\":"
				    "{\"k8s.io/initial-events-end\":\"true\"}}}"),
		  true, KC_LINE_LISTED },
		{ EVENT("MODIFIED", OBJECT("a", "1", "7")), false, KC_LINE_GOOD },
		{ EVENT("MODIFIED", OBJECT("a", "2", "8")), false, KC_LINE_GOOD },
		{ "{\"object\":" OBJECT("b", "3", "9") ",\"type\":\"ADDED\"}", false, KC_LINE_GOOD },
		{ EVENT("BOOKMARK", "{\"metadata\":{\"resourceVersion\":\"10\"}}"), false, KC_LINE_GOOD },
		{ EVENT("DELETED", OBJECT("b", "3", "11")), false, KC_LINE_GOOD },
	};
	struct kc_report rep;
	int r = 0;

	begin(&rep, &limits);
	oom_arm();
	for (size_t i = 0; r == 0 && i < ARRAY_LEN(rows); i++)
		r = line(&rep, rows[i].event, rows[i].initial, rows[i].line, err);
	oom_disarm();
	if (r == 0 && !forgot && (known.known.n != 1 || strcmp(rep.version, "11") != 0))
		r = OOM_WRONG;
	return end(&rep, r, err);
}

/* An error stays one, if only by the code that stands for those of the server. */
static int run_error_event(struct err *err)
{
	static const char status[] = EVENT("ERROR", "{\"kind\":\"Status\",\"code\":410,\"reason\":\"Expired\"}");
	struct kc_report rep;
	int r;

	begin(&rep, &limits);
	oom_arm();
	r = line(&rep, status, false, KC_LINE_ERROR, err);
	oom_disarm();
	return end(&rep, r, err);
}

/* ---- the client ---- */

/* With one watch; both leave the loop empty when they fail. */
static int run_client(struct err *err)
{
	CLEANUP(kubeconfig_unrefp) struct kubeconfig *k = NULL;
	struct kube_target target;
	const struct kc_options o = { .target = &target, .limits = &limits };
	const struct kc_handler none = { 0 };
	struct kc_client *c = NULL;
	struct kc_watch *w = NULL;
	uv_loop_t loop;
	int r;

	if (kubeconfig_parse(STR("clusters: [{name: c, cluster: {server: 'https://x.example', proxy-url: "
				 "'socks5://p.example', tls-server-name: y.example}}]\n"
				 "users: [{name: u, user: {token: t}}]\n"
				 "contexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x\n"),
			     "f", &k, err) < 0 ||
	    kubeconfig_target(k, NULL, &target, err) < 0 || uv_loop_init(&loop) < 0)
		return OOM_WRONG;
	oom_arm();
	r = kc_client_new(&loop, &o, &c, err);
	if (r == 0)
		r = kc_watch_add(c, &spec, &none, NULL, &w, err);
	oom_disarm();
	if (c)
		kc_client_close(c, NULL, NULL);
	(void)uv_run(&loop, UV_RUN_DEFAULT);
	if (uv_loop_close(&loop) != 0 || (r == 0) != (w != NULL))
		r = OOM_WRONG;
	return r;
}

int main(int argc, char **argv)
{
	static const struct oom_case cases[] = {
		{ "kubeconfig_parse", run_kubeconfig_parse, false },
		{ "kubeconfig_merge", run_kubeconfig_merge, false },
		{ "kubeconfig_account", run_kubeconfig_account, false },
		{ "exec_parse", run_exec_parse, false },
		{ "server", run_server, false },
		{ "collection", run_collection, false },
		{ "discovery_aggregated", run_discovery_aggregated, false },
		{ "discovery_list", run_discovery_list, false },
		{ "pages", run_pages, false },
		{ "oversized", run_oversized, true },
		{ "events", run_events, false },
		{ "error_event", run_error_event, true },
		{ "client", run_client, false },
	};
	struct err err;
	int r;

	if (file_read(TEST_DATA "/kubeclient/full.yaml", 1u << 20, &text, &n_text, &err) < 0 ||
	    kc_collection_init(&what, &spec, &err) < 0)
		return 1;
	r = oom_main(argc, argv, cases, ARRAY_LEN(cases));
	kc_collection_done(&what);
	free(text);
	return r;
}
