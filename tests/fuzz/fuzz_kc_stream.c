/* What a server sends: the first byte says as what. 'w' a watch, 'i' a watch that lists first, 'p' a page of a list,
 * 'd' discovery. However a stream is cut, the same is reported; what is known at the end is all reported as deleted. */
#include "base/hash.h"
#include "kubeclient/kc_frame.h"
#include "kubeclient/kc_key_store.h"
#include "kubeclient/kc_page.h"
#include "kubeclient/kc_resources.h"
#include "value/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Everything that a handler was told, as one number. */
struct finding_history {
	struct kc_key_store known;
	uint64_t hash;
	size_t n_deleted;
};

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void on_object(void *ctx, const struct kc_object *o)
{
	struct finding_history *t = ctx;

	check(o->name.n > 0 && (o->doc || o->event == KC_DELETED));
	t->hash = hash_mix(t->hash, hash_str(o->name, o->event));
	t->hash = hash_mix(t->hash, hash_str(o->uid, o->unchanged));
	t->n_deleted += o->event == KC_DELETED;
	check(kc_key_store_take_in(&t->known, o));
}

static bool on_find(void *ctx, str key, struct kc_known *ret)
{
	const struct finding_history *t = ctx;

	return kc_key_store_find(&t->known, key, ret);
}

static int on_absent(void *ctx, uint32_t list, struct kc_knowns *ret, struct err *err)
{
	const struct finding_history *t = ctx;

	return kc_key_store_absent(&t->known, list, ret, err);
}

static void begin(struct kc_report *rep, const struct kc_collection *what, const struct limits *limits,
		  struct finding_history *reported)
{
	static uint32_t lists;

	reported->known = KC_KEY_STORE;
	*rep = (struct kc_report){ .what = what,
				   .limits = limits,
				   .handler = { .object = on_object, .find = on_find, .absent = on_absent },
				   .ctx = reported,
				   .lists = &lists };
	kc_report_init(rep);
	kc_report_begin(rep);
}

static void end(struct kc_report *rep, struct finding_history *reported)
{
	size_t n = reported->known.known.n, before = reported->n_deleted;
	struct err err;

	kc_report_begin(rep);
	check(kc_report_absent(rep, &err) == 0);
	check(reported->known.known.n == 0 && reported->n_deleted == before + n && rep->n_objects == 0);
	kc_report_done(rep);
	kc_key_store_done(&reported->known);
}

/* True to go on: a watch ends with its first bad line. */
static bool take(struct kc_report *rep, str line, bool *initial)
{
	struct kc_result status = { 0 };
	struct err err;

	switch (kc_report_line(rep, line, *initial, NULL, 0, &status, &err)) {
	case KC_LINE_GOOD:
		return true;
	case KC_LINE_LISTED:
		check(*initial && rep->version);
		*initial = false;
		return true;
	case KC_LINE_ERROR:
		check(status.err.code > 0 && status.err.msg[0]);
		return false;
	case KC_LINE_BAD:
		break;
	}
	check(!*initial || !rep->version);
	return *initial;
}

static uint64_t stream(const struct kc_collection *what, const struct limits *limits, str bytes, bool initial,
		       size_t piece)
{
	struct finding_history reported = { 0 };
	struct kc_report rep;
	struct kc_frame frame;
	bool more = true;
	struct err err;
	str line;

	begin(&rep, what, limits, &reported);
	kc_frame_init(&frame, limits->object_bytes);
	for (size_t at = 0; more && at < bytes.n; at += piece) {
		str part = str_sub(bytes, at, at + piece);

		check(kc_frame_add(&frame, part.p, part.n, &err) == 0);
		while (more && kc_frame_next(&frame, &line)) {
			if (frame.is_cut)
				(void)kc_report_cut_line(&rep, line, initial, 0);
			else
				more = take(&rep, line, &initial);
		}
	}
	kc_frame_done(&frame);
	end(&rep, &reported);
	return reported.hash;
}

/* One object at a time. */
static void page(const struct kc_collection *what, const struct limits *limits, str body)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(SIZE_MAX);
	CLEANUP(kc_page_freep) struct kc_page *p = NULL;
	struct finding_history reported = { 0 };
	struct kc_report rep;
	char *next = NULL;
	struct err err;
	int r;

	begin(&rep, what, limits, &reported);
	buf_add_str(&text, body);
	p = kc_page_new(&rep, NULL, &text, 0);
	check(p != NULL);
	while ((r = kc_page_report(&rep, p, 0, &next, &err)) > 0)
		;
	if (r == 0)
		check((next != NULL) != (rep.version != NULL));
	free(next);
	end(&rep, &reported);
}

static int keep(void *ctx, struct group_version gv, struct err *err)
{
	return kc_resources_keep(ctx, ctx, gv, err);
}

static void discovery(const struct limits *limits, str body)
{
	CLEANUP(kc_resources_freep) struct kc_resources *t = kc_resources_new();
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	const struct json_options o = { .limits = limits };
	struct err err;

	if (!t || json_decode(body, &o, &d, &err) < 0)
		return;
	check(kc_resources_add_aggregated(t, d->root, keep, t, &err) == 0);
	check(kc_resources_add_list(t, d->root, 0, &err) == 0);
	for (size_t i = 0; i < t->list.n; i++) {
		const struct kc_resource *r = t->list.p[i];

		check(*r->version && *r->kind && *r->plural && !strchr(r->plural, '/'));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct kc_watch_spec spec = { .api_version = "apps/v1", .kind = "Deployment" };
	struct limits limits = LIMITS_DEFAULT;
	struct kc_collection what;
	struct err err;
	str rest;

	if (size == 0)
		return 0;
	rest = (str){ (const char *)data + 1, size - 1 };
	limits.object_bytes = 2000;
	check(kc_collection_init(&what, &spec, &err) == 0);
	if (*data == 'w' || *data == 'i') {
		uint64_t whole = stream(&what, &limits, rest, *data == 'i', rest.n ? rest.n : 1);

		check(stream(&what, &limits, rest, *data == 'i', 1) == whole);
		check(stream(&what, &limits, rest, *data == 'i', 7) == whole);
	} else if (*data == 'p') {
		page(&what, &limits, rest);
	} else if (*data == 'd') {
		discovery(&limits, rest);
	}
	kc_collection_done(&what);
	return 0;
}
