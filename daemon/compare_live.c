#include "compare_live.h"

#include "klog.h"
#include "kubeclient/kc_client.h"
#include "value/json.h"

#include <errno.h>
#include <stdio.h>

#define LIST_TIMEOUT_MS 600000

struct compare_live {
	uv_loop_t loop;
	bool loop_open;
	struct kubeconfig *config;
	struct kube_cluster cluster;
	struct kube_user user;
	struct kc_client *client;
	uint64_t timeout_ms;
	/* of the list that runs */
	struct compare_input *in;
	int error;
	struct err err;
};

/* ---- connecting ---- */

static void notice(void *ctx, const struct kc_notice *n)
{
	(void)ctx;
	klog_warning("%s%s%s", n->resource ? n->resource : "", n->resource ? ": " : "", n->message);
}

static void warn(void *ctx, const char *message)
{
	(void)ctx;
	klog_warning("%s", message);
}

/* Seconds, or a number with h, m, s or ms. 0 when it is neither. */
static uint64_t duration_ms(const char *text)
{
	char *end;
	double n = strtod(text, &end);

	if (end == text || !(n >= 0) || n > 1e9)
		return 0;
	if (strcmp(end, "ms") == 0)
		return (uint64_t)n;
	if (!*end || strcmp(end, "s") == 0)
		return (uint64_t)(n * 1000);
	if (strcmp(end, "m") == 0)
		return (uint64_t)(n * 60000);
	return strcmp(end, "h") == 0 ? (uint64_t)(n * 3600000) : 0;
}

/* Flags win over what the kubeconfig says. */
static void override_target(struct compare_live *l, const struct compare_options *o)
{
	struct kube_cluster *c = &l->cluster;
	struct kube_user *u = &l->user;

	if (o->server)
		c->server = o->server;
	if (o->tls_server_name)
		c->tls_server_name = o->tls_server_name;
	if (o->certificate_authority) {
		c->ca_file = o->certificate_authority;
		c->ca_data = (str){ NULL, 0 };
	}
	c->insecure = c->insecure || o->insecure;
	c->disable_compression = c->disable_compression || o->disable_compression;
	if (o->token) {
		u->token = o->token;
		u->token_file = NULL;
	}
	if (o->client_certificate) {
		u->cert_file = o->client_certificate;
		u->cert_data = (str){ NULL, 0 };
	}
	if (o->client_key) {
		u->key_file = o->client_key;
		u->key_data = (str){ NULL, 0 };
	}
	if (o->as)
		u->as = o->as;
	if (o->as_uid)
		u->as_uid = o->as_uid;
	if (o->as_groups.v.n)
		u->as_groups = (const char *const *)o->as_groups.v.p;
}

static int open_client(struct compare_live *l, const struct compare_options *o, const struct limits *limits,
		       struct key_table *keys, struct err *err)
{
	struct kubeconfig_source source;
	struct kube_target target = { 0 };
	struct kc_options options = { .target = &target,
				      .limits = limits,
				      .keys = keys,
				      .user_agent = "driftd/" DRIFTD_VERSION " (linux) kubernetes/unknown",
				      .notice = notice };
	int r;

	kubeconfig_source_env(o->kubeconfig, &source);
	source.warn = warn;
	r = kubeconfig_load(&source, &l->config, err);
	if (r == 0)
		r = kubeconfig_target(l->config, o->context, &target, err);
	if (r < 0)
		return r;
	l->cluster = *target.cluster;
	l->user = *target.user;
	override_target(l, o);
	target.cluster = &l->cluster;
	target.user = &l->user;
	r = uv_loop_init(&l->loop);
	if (r < 0)
		return err_set(err, -r, "event loop: %s", uv_strerror(r));
	l->loop_open = true;
	return kc_client_new(&l->loop, &options, &l->client, err);
}

int compare_live_open(const struct compare_options *o, const struct limits *limits, struct key_table *keys,
		      struct compare_live **ret, struct err *err)
{
	CLEANUP(compare_live_closep) struct compare_live *l = calloc(1, sizeof(*l));
	struct compare_options *opts = (struct compare_options *)(uintptr_t)o;
	int r;

	if (!l)
		return err_nomem(err);
	/* A list that ends in NULL, as the target wants it. */
	if (o->as_groups.v.n && !vec_push(&opts->as_groups.v, NULL))
		return err_nomem(err);
	l->timeout_ms = o->request_timeout ? duration_ms(o->request_timeout) : 0;
	if (!l->timeout_ms)
		l->timeout_ms = LIST_TIMEOUT_MS;
	r = open_client(l, o, limits, keys, err);
	if (o->as_groups.v.n)
		opts->as_groups.v.n--; /* the NULL stays behind the last */
	if (r < 0)
		return r;
	*ret = TAKE(l);
	return 0;
}

void compare_live_close(struct compare_live *l)
{
	if (!l)
		return;
	if (l->client)
		kc_client_close(l->client, NULL, NULL);
	if (l->loop_open) {
		uv_run(&l->loop, UV_RUN_DEFAULT);
		uv_loop_close(&l->loop);
	}
	kubeconfig_unref(l->config);
	free(l);
}

/* ---- listing ---- */

/* The client keeps managed fields apart; here they belong to the object. */
static int with_managed_fields(struct compare_live *l, const struct kc_object *o, struct doc **ret, struct err *err)
{
	struct json_options options = { .limits = l->in->limits, .keys = l->in->keys };
	CLEANUP(doc_unrefp) struct doc *doc = doc_new(0, l->in->limits->arena_bytes);
	const struct key *metadata_key, *fields_key;
	val fields, metadata;
	size_t used;
	int r;

	if (!doc)
		return err_nomem(err);
	r = doc_share(doc, o->doc, err);
	if (r == 0)
		r = json_decode_value(o->managed_fields, &options, &doc->arena, &fields, &used, err);
	if (r < 0)
		return r;
	metadata_key = key_make(l->in->keys, &doc->arena, STR("metadata"));
	fields_key = key_make(l->in->keys, &doc->arena, STR("managedFields"));
	if (!metadata_key || !fields_key)
		return err_nomem(err);
	metadata = val_map_with(&doc->arena, VAL_GET(o->doc->root, "metadata"), fields_key, fields);
	doc->root = val_exists(metadata) ? val_map_with(&doc->arena, o->doc->root, metadata_key, metadata) : metadata;
	if (!val_exists(doc->root))
		return err_nomem(err);
	*ret = TAKE(doc);
	return 0;
}

static void add_object(void *ctx, const struct kc_object *o)
{
	struct compare_live *l = ctx;
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	int r = 0;

	if (l->error < 0)
		return;
	if (o->managed_fields.n)
		r = with_managed_fields(l, o, &doc, &l->err);
	else
		doc = doc_ref(o->doc);
	if (r == 0)
		r = compare_input_add(l->in, doc, doc->root, &l->err);
	l->error = r;
}

int compare_live_list(struct compare_live *l, str api_version, str kind, str namespace, struct compare_input *in,
		      struct err *err)
{
	CLEANUP(freep) char *v = str_dup(api_version), *k = str_dup(kind), *n = str_dup(namespace);
	struct kc_watch_spec spec = { .api_version = v, .kind = k, .namespace = n };
	int r;

	if (!v || !k || !n)
		return err_nomem(err);
	l->in = in;
	l->error = 0;
	r = kc_list_all(l->client, &spec, l->timeout_ms, add_object, l, err);
	if (r == 0 && l->error < 0) {
		*err = l->err;
		r = l->error;
	}
	return r;
}
