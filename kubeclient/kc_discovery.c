/* Sends the requests of a discovery round, and handles their answers. */
#include "kubeclient/kc_discovery.h"

#include "go/url.h"
#include "mask/foreign.h"
#include "value/json.h"

#include <errno.h>
#include <stdio.h>

#define BODY_MAX ((size_t)64 << 20)
/* The most requests of one round. No real server has so many groups. */
#define FETCHES_MAX 2000
#define ACCEPT                                                                                                         \
	"application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"                                        \
	"application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json"

enum fetch_kind { FETCH_ROOT, FETCH_GROUP };

/* One request of a round. */
struct kc_fetch {
	TAILQ_ENTRY(kc_fetch) link;
	struct kc_discovery *d;
	struct kc_req *req;
	enum fetch_kind kind;
	char *name;    /* FETCH_ROOT: the path; FETCH_GROUP: "apps/v1" */
	unsigned rank; /* FETCH_GROUP: the rank of the version */
	struct buf body;
};

void kc_discovery_init(struct kc_discovery *d, struct kc_http *http)
{
	*d = (struct kc_discovery){ .http = http };
	TAILQ_INIT(&d->fetches);
}

static void fetch_free(struct kc_fetch *f)
{
	TAILQ_REMOVE(&f->d->fetches, f, link);
	buf_done(&f->body);
	free(f->name);
	free(f);
}

static void drop_fetches(struct kc_discovery *d)
{
	struct kc_fetch *f;

	while ((f = TAILQ_FIRST(&d->fetches))) {
		/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): fetch_free has taken it out of the list */
		kc_req_cancel(f->req);
		fetch_free(f);
	}
}

void kc_discovery_done(struct kc_discovery *d)
{
	drop_fetches(d);
	kc_resources_free(d->next);
	kc_resources_free(d->known);
	d->next = d->known = NULL;
}

static int on_write(void *ctx, const char *p, size_t n, struct err *err)
{
	struct kc_fetch *f = ctx;

	buf_add(&f->body, p, n);
	return buf_error(&f->body, "discovery", err);
}

static void on_done(void *ctx, const struct kc_result *result);

static const struct kc_req_ops fetch_ops = { .write = on_write, .done = on_done };

static int fetch(struct kc_discovery *d, enum fetch_kind kind, const char *path, str name, unsigned rank,
		 struct err *err)
{
	struct kc_fetch *f;
	struct kc_ask get = { .verb = KC_GET, .path = path, .accept = kind == FETCH_ROOT ? ACCEPT : NULL };
	int r;

	if (++d->n_fetches > FETCHES_MAX)
		return err_set(err, E2BIG, "discovery: too many groups and versions (limit is %d)", FETCHES_MAX);
	f = calloc(1, sizeof(*f));
	if (!f)
		return err_nomem(err);
	f->d = d;
	f->kind = kind;
	f->rank = rank;
	f->body = BUF_INIT(BODY_MAX);
	TAILQ_INSERT_TAIL(&d->fetches, f, link);
	f->name = str_dup(name);
	r = f->name ? kc_http_ask(d->http, &get, &fetch_ops, f, &f->req, err) : err_nomem(err);
	if (r < 0)
		fetch_free(f);
	return r;
}

int kc_discovery_start(struct kc_discovery *d, struct err *err)
{
	int r;

	if (d->next)
		return 0;
	d->next = kc_resources_new();
	if (!d->next)
		return err_nomem(err);
	d->error.code = 0;
	d->retry_after_ms = 0;
	d->n_fetches = 0;
	if ((r = fetch(d, FETCH_ROOT, "/api", STR("/api"), 0, err)) < 0 ||
	    (r = fetch(d, FETCH_ROOT, "/apis", STR("/apis"), 0, err)) < 0) {
		drop_fetches(d);
		kc_resources_free(d->next);
		d->next = NULL;
	}
	return r;
}

/* Mark a group as unknown. Its kinds stay what they were. */
static int mark_unknown(struct kc_discovery *d, struct group_version gv, str api_version, const char *why,
			struct err *err)
{
	int r;

	d->notice(d->ctx, KC_NOTICE_DISCOVERY, why);
	r = kc_resources_mark_unknown(d->next, api_version, str_from(why), err);
	return r < 0 ? r : kc_resources_keep(d->next, d->known, gv, err);
}

static int group_stale(void *ctx, struct group_version gv, struct err *err)
{
	char name[512], text[600];

	(void)snprintf(name, sizeof(name), "%.*s%s%.*s", STR_ARG(gv.group), gv.group.n ? "/" : "", STR_ARG(gv.version));
	(void)snprintf(text, sizeof(text), "discovery of %s is stale: its API server does not answer", name);
	return mark_unknown(ctx, gv, str_from(name), text, err);
}

static int fetch_version(struct kc_discovery *d, str api_version, unsigned rank, struct err *err)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(KC_URL_MAX);
	struct group_version gv = group_version_of(api_version);

	if (d->wanted && !d->wanted(d->ctx, api_version))
		return kc_resources_mark_unknown(d->next, api_version, STR("discovery was not asked for it yet"), err);
	buf_add_cstr(&path, gv.group.n ? "/apis/" : "/api/");
	if (gv.group.n) {
		go_url_escape(&path, gv.group, GO_URL_PATH_SEGMENT);
		buf_add_byte(&path, '/');
	}
	go_url_escape(&path, gv.version, GO_URL_PATH_SEGMENT);
	if (buf_error(&path, "discovery path", err) < 0)
		return -err->code;
	return fetch(d, FETCH_GROUP, path.p, api_version, rank, err);
}

/* Fail when the document lacks its list, because nothing follows from such a document. Null is accepted: Go writes
 * an empty list as null. */
static int need_list(val root, str member, struct err *err)
{
	val list = val_get(root, member);

	if (val_is_list(list) || val_is_null(list))
		return 0;
	return err_set(err, EBADMSG, "the answer has no list of %.*s", STR_ARG(member));
}

/* Read the APIVersions of /api. The core group has one version. */
static int fetch_core(struct kc_discovery *d, val root, struct err *err)
{
	val versions = VAL_GET(root, "versions");
	struct err why;
	int r = 0;

	if (need_list(root, STR("versions"), &why) < 0)
		return mark_unknown(d, group_version_of(STR("v1")), STR("v1"), why.msg, err);
	for (uint32_t i = 0; r == 0 && i < val_count(versions); i++)
		r = fetch_version(d, foreign_name(val_at(versions, i)), i, err);
	return r;
}

/* Read the APIGroupList of /apis. */
static int fetch_groups(struct kc_discovery *d, val root, struct err *err)
{
	val groups = VAL_GET(root, "groups");
	int bad = need_list(root, STR("groups"), err);

	if (bad < 0)
		return bad;
	for (uint32_t i = 0; i < val_count(groups); i++) {
		val list = VAL_GET(val_at(groups, i), "versions");
		str preferred = foreign_name(val_dig(val_at(groups, i), "preferredVersion", "groupVersion", NULL));

		for (uint32_t j = 0; j < val_count(list); j++) {
			str name = foreign_name(VAL_GET(val_at(list, j), "groupVersion"));
			int r = fetch_version(d, name, str_eq(name, preferred) ? 0 : j + 1, err);

			if (r < 0)
				return r;
		}
	}
	return 0;
}

/* Read the kinds of a group. A cache may answer with another group, which proves nothing. */
static int read_group(struct kc_fetch *f, val root, struct err *err)
{
	struct foreign said = foreign_of(VAL_GET(root, "groupVersion"));
	CLEANUP(buf_done) struct buf text = BUF_INIT(1024);
	int r = need_list(root, STR("resources"), err);

	if (r == 0 && !foreign_is(said, str_from(f->name))) {
		foreign_quote(said, 100, &text);
		r = err_set(err, EBADMSG, "the answer is about \"%.*s\"", STR_ARG(buf_str(&text)));
	}
	return r < 0 ? r : kc_resources_add_list(f->d->next, root, f->rank, err);
}

static int read_aggregated(struct kc_fetch *f, val root, struct err *err)
{
	int r = need_list(root, STR("items"), err);

	return r < 0 ? r : kc_resources_add_aggregated(f->d->next, root, group_stale, f->d, err);
}

static int read_kinds(struct kc_fetch *f, val root, struct err *err)
{
	struct foreign kind = foreign_of(VAL_GET(root, "kind"));

	if (f->kind == FETCH_GROUP && foreign_is(kind, STR("APIResourceList")))
		return read_group(f, root, err);
	if (f->kind == FETCH_ROOT && foreign_is(kind, STR("APIGroupDiscoveryList")))
		return read_aggregated(f, root, err);
	if (f->kind == FETCH_ROOT && foreign_is(kind, STR("APIVersions")))
		return fetch_core(f->d, root, err);
	if (f->kind == FETCH_ROOT && foreign_is(kind, STR("APIGroupList")))
		return fetch_groups(f->d, root, err);
	/* An answer of another kind names no kinds, but that does not mean that there are none. */
	return err_set(err, EBADMSG, "the answer is not a list of kinds");
}

static int read_body(struct kc_fetch *f, struct err *err)
{
	struct limits limits = LIMITS_DEFAULT;
	struct json_options options = { .limits = &limits };
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	int r;

	limits.object_bytes = BODY_MAX;
	r = json_decode(buf_str(&f->body), &options, &doc, err);
	if (r == 0)
		r = read_kinds(f, doc->root, err);
	return r < 0 ? err_wrap(err, "discovery of %.100s", f->name) : 0;
}

static void end_round(struct kc_discovery *d)
{
	struct kc_resources *next = TAKE(d->next);

	if (d->error.code) {
		kc_resources_free(next);
		d->done(d->ctx, &d->error);
		return;
	}
	kc_resources_free(d->known);
	d->known = next;
	d->done(d->ctx, NULL);
}

/* Handle a failed request. If it was for a group, that group is unknown; if for /api or /apis, everything is. */
static void fetch_failed(struct kc_fetch *f, const struct err *why)
{
	struct kc_discovery *d = f->d;
	str name = str_from(f->name);
	struct err err = *why;

	if (f->kind == FETCH_GROUP && mark_unknown(d, group_version_of(name), name, why->msg, &err) == 0)
		return;
	if (!d->error.code)
		d->error = err;
}

static void on_done(void *ctx, const struct kc_result *result)
{
	struct kc_fetch *f = ctx;
	struct kc_discovery *d = f->d;
	struct err err = result->err;

	if (err.code == 0) {
		(void)read_body(f, &err);
	}
	if (result->retry_after_ms > d->retry_after_ms)
		d->retry_after_ms = result->retry_after_ms;
	if (err.code)
		fetch_failed(f, &err);
	fetch_free(f);
	if (TAILQ_EMPTY(&d->fetches))
		end_round(d);
}

void kc_discovery_cut(struct kc_discovery *d, const struct err *why)
{
	struct kc_fetch *f;

	if (!d->next)
		return;
	while ((f = TAILQ_FIRST(&d->fetches))) {
		struct err err;

		(void)err_set(&err, why->code, "discovery of %.100s: %s", f->name, why->msg);
		/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): fetch_free has taken it out of the list */
		kc_req_cancel(f->req);
		fetch_failed(f, &err);
		fetch_free(f);
	}
	end_round(d);
}
