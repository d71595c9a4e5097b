/* Lists kinds of a cluster. */
#include "daemon/live/live.h"

#include "base/utf8.h"
#include "kubeclient/kc_once.h"
#include "kubeclient/kc_resources.h"
#include "value/json.h"

#include <errno.h>
#include <stdio.h>

/* A command ends soon: a reference of forty kinds must not wait for the limits of a daemon. */
#define REQUESTS_PER_SECOND 50
#define REQUESTS_BURST 300
/* The time for an answer that only shows that the server is there. */
#define PROBE_MS 10000
#define PROGRESS_FIRST_NS 1000000000u
#define PROGRESS_EVERY_NS 200000000u

struct live {
	uv_loop_t loop;
	bool loop_open;
	struct live_options options;
	struct live_target target;
	struct kc_client *client;
	struct problems notices; /* what discovery says: part of its error, otherwise warnings */
	bool shown;
	uint64_t started_ns, shown_ns;
	size_t n_objects; /* the number of objects in all lists */
	/* what takes the objects of the list that runs */
	const struct live_sink *to; /* NULL: none runs */
	int error;
	struct err err;
};

/* ---- connecting ---- */

static void warn_of(struct live *l, const char *resource, const char *colon, const char *message)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(64 << 10);

	buf_printf(&text, "%s%s%s", resource, colon, message);
	l->options.warn(text.p ? text.p : message);
}

static void notice(void *ctx, const struct kc_notice *n)
{
	struct live *l = ctx;
	const char *resource = n->resource ? n->resource : "", *colon = n->resource ? ": " : "";

	switch (n->kind) {
	case KC_NOTICE_INSECURE: /* the user asked for this */
		return;
	case KC_NOTICE_DISCOVERY:
		problems_add(&l->notices, "%s%s%s", resource, colon, n->message);
		return;
	case KC_NOTICE_OVERSIZED: /* without these objects the verdict is not complete */
	case KC_NOTICE_BAD_DATA:
		if (l->to) {
			problems_add(l->to->problems, "%s%s%s", resource, colon, n->message);
			return;
		}
		/* fall through */
	default:
		warn_of(l, resource, colon, n->message);
	}
}

static void warn(void *ctx, const char *message)
{
	struct live *l = ctx;

	l->options.warn(message);
}

static int open_client(struct live *l, struct err *err)
{
	struct kc_tuning tuning = KC_TUNING_DEFAULT;
	struct kc_options options = { .target = &l->target.target,
				      .limits = l->options.limits,
				      .keys = l->options.keys,
				      .tuning = &tuning,
				      .notice = notice,
				      .notice_ctx = l };
	int r = uv_loop_init(&l->loop);

	if (r < 0)
		return err_set(err, -r, "event loop: %s", uv_strerror(r));
	l->loop_open = true;
	tuning.requests_per_second = REQUESTS_PER_SECOND;
	tuning.burst = REQUESTS_BURST;
	tuning.retries = KC_RETRIES;
	return kc_client_new(&l->loop, &options, &l->client, err);
}

static int discover(struct live *l, struct err *err)
{
	int r = kc_discover(l->client, l->target.timeout_ms, err);

	if (r < 0)
		return err_wrap(err, "failed to get clusters resource types");
	for (size_t i = 0; i < l->notices.list.n; i++)
		l->options.warn(l->notices.list.p[i]);
	return 0;
}

int live_open(const struct live_options *o, struct live **ret, struct err *err)
{
	CLEANUP(live_closep) struct live *l = calloc(1, sizeof(*l));
	const char *path = o->flags->kubeconfig;
	struct kubeconfig_source source;
	int r;

	if (!l)
		return err_nomem(err);
	l->options = *o;
	kubeconfig_source_env(path && *path ? path : NULL, &source);
	source.warn = warn;
	source.warn_ctx = l;
	r = live_target_init(&l->target, o->flags, &source, err);
	if (r == 0)
		r = open_client(l, err);
	if (r == 0)
		r = discover(l, err);
	if (r < 0)
		return r;
	l->started_ns = uv_hrtime();
	*ret = TAKE(l);
	return 0;
}

void live_close(struct live *l)
{
	if (!l)
		return;
	if (l->client)
		kc_client_close(l->client, NULL, NULL);
	if (l->loop_open) {
		uv_run(&l->loop, UV_RUN_DEFAULT);
		uv_loop_close(&l->loop);
	}
	live_target_done(&l->target);
	problems_done(&l->notices);
	free(l);
}

/* ---- kinds ---- */

static int by_version(const void *a, const void *b)
{
	const struct live_kind *x = a, *y = b;
	int r = strcmp(x->group, y->group);

	return r ? r : strcmp(x->version, y->version);
}

static void kind_done(struct live_kind *k)
{
	free(k->group);
	free(k->version);
	free(k->plural);
}

static bool add_kind(struct live_kinds *to, const struct kc_resource *r)
{
	struct live_kind k = { strdup(r->group), strdup(r->version), strdup(r->plural) };

	if (k.group && k.version && k.plural && vec_push(&to->v, k))
		return true;
	kind_done(&k);
	return false;
}

int live_kinds(const struct live *l, str kind, struct live_kinds *ret, struct err *err)
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

void live_kinds_done(struct live_kinds *k)
{
	for (size_t i = 0; i < k->v.n; i++)
		kind_done(&k->v.p[i]);
	vec_done(&k->v);
}

enum live_service live_serves(const struct live *l, str api_version, str kind, const char **why)
{
	struct group_version gv = group_version_of(api_version);
	const struct kc_resource *r;
	const char *why_unknown;
	size_t at = 0;
	str presence_unknown;

	while ((r = kc_listable(l->client, &at))) {
		if (str_eq(str_from(r->kind), kind) && str_eq(str_from(r->group), gv.group) &&
		    str_eq(str_from(r->version), gv.version))
			return LIVE_SERVED;
	}
	at = 0;
	while ((why_unknown = kc_why_unknown(l->client, &at, &presence_unknown))) {
		if (str_eq(presence_unknown, api_version)) {
			*why = why_unknown;
			return LIVE_UNKNOWN;
		}
	}
	return LIVE_ABSENT;
}

const struct kc_client *live_client(const struct live *l)
{
	return l->client;
}

/* Whether the server is lost. One request may have failed by chance, or been too much for the server: another one
 * shows whether it is there. */
bool live_lost(struct live *l)
{
	char version[64];
	struct err ignored;

	if (kc_client_up(l->client))
		return false;
	(void)!kc_server_version(l->client, PROBE_MS, version, &ignored);
	return !kc_client_up(l->client);
}

/* ---- listing ---- */

/* Put the managed fields, which the client keeps apart, back into the object. */
static int with_managed_fields(struct live *l, const struct kc_object *o, struct doc **ret, struct err *err)
{
	struct json_options options = { .limits = l->options.limits, .keys = l->options.keys };
	CLEANUP(doc_unrefp) struct doc *doc = doc_new(0, l->options.limits->arena_bytes);
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
	metadata_key = key_make(l->options.keys, &doc->arena, STR("metadata"));
	fields_key = key_make(l->options.keys, &doc->arena, STR("managedFields"));
	if (!metadata_key || !fields_key)
		return err_nomem(err);
	metadata = val_map_with(&doc->arena, VAL_GET(o->doc->root, "metadata"), fields_key, fields);
	doc->root = val_exists(metadata) ? val_map_with(&doc->arena, o->doc->root, metadata_key, metadata) : metadata;
	if (!val_exists(doc->root))
		return err_nomem(err);
	*ret = TAKE(doc);
	return 0;
}

/* Show progress to a person who waits: nothing in the first second, and nothing stays on the screen. */
static void show_progress(struct live *l)
{
	uint64_t now = uv_hrtime();

	l->n_objects++;
	if (!l->options.progress || now - l->started_ns < PROGRESS_FIRST_NS || now - l->shown_ns < PROGRESS_EVERY_NS)
		return;
	fprintf(stderr, "\rlisted %zu objects", l->n_objects);
	fflush(stderr);
	l->shown_ns = now;
	l->shown = true;
}

static void hide_progress(struct live *l)
{
	if (l->shown)
		fputs("\r\033[K", stderr);
	l->shown = false;
}

static void add_object(void *ctx, const struct kc_object *o)
{
	struct live *l = ctx;
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	int r = 0;

	if (l->error < 0)
		return;
	if (l->to->managed_fields && o->managed_fields.n)
		r = with_managed_fields(l, o, &doc, &l->err);
	else
		doc = doc_ref(o->doc);
	if (r == 0)
		r = l->to->object(l->to->ctx, doc, doc->root, &l->err);
	l->error = r;
	show_progress(l);
}

/* Check whether the kind is served. Discovery is not repeated: an older server would be asked for this kind's group
 * alone, and the other groups forgotten. */
static int check_service(const struct live *l, const struct live_collection *what, struct err *err)
{
	const char *why = "";

	switch (live_serves(l, what->api_version, what->kind, &why)) {
	case LIVE_ABSENT:
		return err_set(err, ENOENT, "the server has no kind %.*s of %.*s that can be listed",
			       STR_ARG(utf8_cut(what->kind, 100)), STR_ARG(utf8_cut(what->api_version, 100)));
	case LIVE_UNKNOWN:
		return err_set(err, EREMOTEIO, "whether the server has kind %.*s of %.*s is not known: %s",
			       STR_ARG(utf8_cut(what->kind, 100)), STR_ARG(utf8_cut(what->api_version, 100)), why);
	default:
		return 0;
	}
}

int live_list(struct live *l, const struct live_collection *what, const struct live_sink *to, struct err *err)
{
	CLEANUP(freep) char *v = str_dup(what->api_version), *k = str_dup(what->kind);
	CLEANUP(freep) char *ns = str_dup(what->namespace), *n = str_dup(what->name);
	struct kc_watch_spec spec = { .api_version = v,
				      .kind = k,
				      .namespace = ns,
				      .name = n,
				      .label_selector = what->labels,
				      .field_selector = what->fields };
	int r;

	if (!v || !k || !ns || !n)
		return err_nomem(err);
	r = check_service(l, what, err);
	if (r < 0)
		return r;
	l->to = to;
	l->error = 0;
	r = kc_list_all(l->client, &spec, l->target.timeout_ms, add_object, l, err);
	hide_progress(l);
	l->to = NULL;
	if (r == 0 && l->error < 0) {
		*err = l->err;
		r = l->error;
	}
	return r;
}
