/* Listing the kinds of a reference from a cluster, each kind in every version that is served. */
#include "daemon/compare/live.h"

#include "base/problems.h"
#include "daemon/compare/klog.h"
#include "daemon/compare/target.h"
#include "kubeclient/kc_kinds.h"
#include "value/json.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

/* One command that ends: a reference of forty kinds must not wait for the limits of a daemon. */
#define REQUESTS_PER_SECOND 50
#define REQUESTS_BURST 300
/* A server that sheds load says so with 429. */
#define LIST_ATTEMPTS 5
#define LIST_PAUSE_US 1000000
#define PROGRESS_FIRST_NS 1000000000u
#define PROGRESS_EVERY_NS 200000000u

struct compare_live {
	uv_loop_t loop;
	bool loop_open;
	struct compare_target target;
	struct kc_client *client;
	struct problems notices; /* of discovery: part of its error, or else warnings */
	bool progress;           /* on standard error */
	bool shown;
	uint64_t started_ns, shown_ns;
	size_t n_objects; /* of all lists */
	/* of the list that runs */
	struct compare_input *in;
	int error;
	struct err err;
};

/* ---- connecting ---- */

static void notice(void *ctx, const struct kc_notice *n)
{
	struct compare_live *l = ctx;
	const char *resource = n->resource ? n->resource : "", *colon = n->resource ? ": " : "";

	switch (n->kind) {
	case KC_NOTICE_INSECURE: /* as asked for */
		return;
	case KC_NOTICE_DISCOVERY:
		problems_add(&l->notices, "%s%s%s", resource, colon, n->message);
		return;
	case KC_NOTICE_OVERSIZED: /* without these objects the verdict is not complete */
	case KC_NOTICE_BAD_DATA:
		if (l->in) {
			problems_add(&l->in->problems, "%s%s%s", resource, colon, n->message);
			return;
		}
		/* fall through */
	default:
		klog_warning("%s%s%s", resource, colon, n->message);
	}
}

static void warn(void *ctx, const char *message)
{
	(void)ctx;
	klog_warning("%s", message);
}

static int open_client(struct compare_live *l, const struct limits *limits, struct key_table *keys, struct err *err)
{
	struct kc_tuning tuning = KC_TUNING_DEFAULT;
	struct kc_options options = { .target = &l->target.target,
				      .limits = limits,
				      .keys = keys,
				      .user_agent = "driftd/" DRIFTD_VERSION " (linux) kubernetes/unknown",
				      .tuning = &tuning,
				      .notice = notice,
				      .notice_ctx = l };
	int r = uv_loop_init(&l->loop);

	if (r < 0)
		return err_set(err, -r, "event loop: %s", uv_strerror(r));
	l->loop_open = true;
	tuning.requests_per_second = REQUESTS_PER_SECOND;
	tuning.burst = REQUESTS_BURST;
	return kc_client_new(&l->loop, &options, &l->client, err);
}

static int discover(struct compare_live *l, struct err *err)
{
	int r = kc_discover(l->client, l->target.timeout_ms, err);

	if (r < 0)
		return err_wrap(err, "failed to get clusters resource types");
	for (size_t i = 0; i < l->notices.list.n; i++)
		klog_warning("%s", l->notices.list.p[i]);
	return 0;
}

int compare_live_open(const struct compare_options *o, const struct limits *limits, struct key_table *keys,
		      struct compare_live **ret, struct err *err)
{
	CLEANUP(compare_live_closep) struct compare_live *l = calloc(1, sizeof(*l));
	struct kubeconfig_source source;
	int r;

	if (!l)
		return err_nomem(err);
	kubeconfig_source_env(o->kubeconfig && *o->kubeconfig ? o->kubeconfig : NULL, &source);
	source.warn = warn;
	l->progress = isatty(STDERR_FILENO) && !o->verbose;
	r = compare_target_init(&l->target, o, &source, err);
	if (r == 0)
		r = open_client(l, limits, keys, err);
	if (r == 0)
		r = discover(l, err);
	if (r < 0)
		return r;
	l->started_ns = uv_hrtime();
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
	compare_target_done(&l->target);
	problems_done(&l->notices);
	free(l);
}

/* ---- kinds ---- */

static int by_version(const void *a, const void *b)
{
	const struct compare_kind *x = a, *y = b;
	int r = strcmp(x->group, y->group);

	return r ? r : strcmp(x->version, y->version);
}

static bool add_kind(struct compare_kinds *to, const struct kc_resource *r)
{
	struct compare_kind k = { strdup(r->group), strdup(r->version) };

	if (k.group && k.version && vec_push(&to->v, k))
		return true;
	free(k.group);
	free(k.version);
	return false;
}

int compare_live_kinds(const struct compare_live *l, str kind, struct compare_kinds *ret, struct err *err)
{
	const struct kc_resource *r;
	size_t at = 0;

	while ((r = kc_listable(l->client, &at))) {
		if (str_eq(str_from(r->kind), kind) && !add_kind(ret, r))
			return err_nomem(err);
	}
	if (ret->v.n)
		qsort(ret->v.p, ret->v.n, sizeof(*ret->v.p), by_version);
	return 0;
}

void compare_kinds_done(struct compare_kinds *k)
{
	for (size_t i = 0; i < k->v.n; i++) {
		free(k->v.p[i].group);
		free(k->v.p[i].version);
	}
	vec_done(&k->v);
}

bool compare_live_lost(const struct compare_live *l)
{
	return !kc_client_up(l->client);
}

/* ---- listing ---- */

/* The client keeps managed fields apart; here they belong to the object. */
static int with_managed_fields(struct compare_live *l, const struct kc_object *o, struct doc **ret, struct err *err)
{
	struct json_options options = { .limits = l->in->limits, .keys = l->in->keys };
	CLEANUP(doc_unrefp) struct doc *doc = doc_new(0, l->in->limits->arena_bytes);
	const struct key *metadata_key, *fields_key;
	val fields = { 0 }, metadata;
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

/* For a person who waits: nothing in the first second, and nothing stays on the screen. */
static void show_progress(struct compare_live *l)
{
	uint64_t now = uv_hrtime();

	l->n_objects++;
	if (!l->progress || now - l->started_ns < PROGRESS_FIRST_NS || now - l->shown_ns < PROGRESS_EVERY_NS)
		return;
	fprintf(stderr, "\rlisted %zu objects", l->n_objects);
	fflush(stderr);
	l->shown_ns = now;
	l->shown = true;
}

static void hide_progress(struct compare_live *l)
{
	if (l->shown)
		fputs("\r\033[K", stderr);
	l->shown = false;
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
	show_progress(l);
}

/* What an attempt listed before it failed stays: objects count once. */
static int list(struct compare_live *l, const struct kc_watch_spec *spec, struct err *err)
{
	uint64_t limit = l->target.timeout_ms ? l->target.timeout_ms : UINT64_MAX;
	int r = 0;

	for (unsigned i = 0; i < LIST_ATTEMPTS; i++) {
		if (i)
			usleep(LIST_PAUSE_US);
		r = kc_list_all(l->client, spec, limit, add_object, l, err);
		if (r != -EAGAIN)
			break;
	}
	return r;
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
	r = list(l, &spec, err);
	hide_progress(l);
	l->in = NULL;
	if (r == 0 && l->error < 0) {
		*err = l->err;
		r = l->error;
	}
	return r;
}
