/* Decodes objects, watch events and pages, and does the bookkeeping that finds deletions. */
#include "kubeclient/kc_report.h"

#include "base/number.h"
#include "base/vec.h"
#include "kubeclient/kc_identity.h"
#include "mask/foreign.h"
#include "value/identity.h"
#include "value/object_text.h"

#include <errno.h>
#include <uv.h>

/* Larger than any identity: names of Kubernetes have 253 bytes at most. */
#define STUB_MAX 65536
#define NAMES_MAX 8192

/* A quarter of OFFERED_TRIED changes that are offered to the owner must have been unseen; otherwise the next
 * OFFERED_REST changes are not offered. Offering a change costs a third of what it saves. */
#define OFFERED_TRIED 64
#define OFFERED_REST 2048

static const char *const object_path[] = { "object", NULL };

void kc_report_init(struct kc_report *rep)
{
	rep->key = rep->gone = (struct buf)BUF_INIT(NAMES_MAX);
	rep->list = 0;
	rep->n_objects = 0;
	rep->max_objects = KC_OBJECTS_MAX;
	rep->version = rep->list_kind = NULL;
	rep->one_shot = false;
	rep->moves = 0;
	rep->stopped = rep->incomplete = rep->changed = false;
	rep->counters = (struct kc_watch_counters){ 0 };
	rep->catch_up = (struct kc_catch_up){ 0 };
	rep->offered.tried = rep->offered.good = rep->offered.rest = 0;
}

void kc_report_done(struct kc_report *rep)
{
	buf_done(&rep->key);
	buf_done(&rep->gone);
	free(TAKE(rep->list_kind));
	kc_report_forget_version(rep);
}

void kc_report_begin(struct kc_report *rep)
{
	rep->list = ++*rep->lists;
	rep->incomplete = rep->changed = false;
	kc_catch_up_lists(&rep->catch_up);
}

static void note_caught_up(struct kc_report *rep, bool now)
{
	if (now)
		rep->counters.caught_up_ns = uv_hrtime();
}

void kc_report_lost(struct kc_report *rep)
{
	kc_catch_up_lost(&rep->catch_up);
}

bool kc_report_is_lost(const struct kc_report *rep)
{
	return rep->catch_up.state == KC_BEHIND;
}

void kc_report_read(struct kc_report *rep, str version)
{
	str own = rep->version ? str_from(rep->version) : STR("0");

	note_caught_up(rep, kc_catch_up_read(&rep->catch_up, version, own, rep->counters.bookmarks));
}

void kc_report_listed(struct kc_report *rep)
{
	note_caught_up(rep, kc_catch_up_listed(&rep->catch_up));
}

void kc_report_forget_kind(struct kc_report *rep)
{
	rep->n_objects = 0;
	kc_report_forget_version(rep);
}

void kc_report_forget_version(struct kc_report *rep)
{
	free(TAKE(rep->version));
}

void kc_report_notice(const struct kc_report *rep, enum kc_notice_kind kind, const char *message)
{
	if (rep->notice)
		rep->notice(rep->notice_ctx, kind, rep->what->shown, message);
}

void kc_report_bad_data(struct kc_report *rep, const struct err *err)
{
	rep->counters.bad_data++;
	kc_report_notice(rep, KC_NOTICE_BAD_DATA, err->msg);
}

static int stopped(struct err *err)
{
	return err_set(err, ECANCELED, "watch removed");
}

/* ---- objects ---- */

/* Make the key of the object once, for all steps that follow. Fails: ENOMEM, E2BIG (no name is so long). */
static int make_key(struct kc_report *rep, struct kc_object *o, struct err *err)
{
	buf_clear(&rep->key);
	identity_local_key(o->namespace, o->name, &rep->key);
	o->key = buf_str(&rep->key);
	return buf_error(&rep->key, "name of an object", err);
}

static bool find(const struct kc_report *rep, str key, struct kc_known *ret)
{
	return rep->handler.find && rep->handler.find(rep->ctx, key, ret);
}

/* Report a deletion. @known borrows from the store, which is about to change. Fails: ENOMEM; ECANCELED when stopped. */
static int report_gone(struct kc_report *rep, const struct kc_known *known, uint64_t received_ns, struct err *err)
{
	struct kc_object o = { .event = KC_DELETED,
			       .list = *rep->lists,
			       .known = known->object,
			       .resource_version = STR(""),
			       .managed_fields = STR(""),
			       .received_ns = received_ns };

	if (rep->stopped)
		return stopped(err);
	buf_clear(&rep->gone);
	buf_add_str(&rep->gone, known->key);
	buf_add_str(&rep->gone, known->uid);
	if (buf_error(&rep->gone, "names of an object", err) < 0)
		return -err->code;
	rep->n_objects -= rep->n_objects > 0;
	o.key = str_sub(buf_str(&rep->gone), 0, known->key.n);
	o.uid = str_sub(buf_str(&rep->gone), known->key.n, rep->gone.n);
	identity_local_split(o.key, &o.namespace, &o.name);
	rep->handler.object(rep->ctx, &o);
	return rep->stopped ? stopped(err) : 0;
}

/* Whether the version goes back. Versions are opaque, except that those of one resource never decrease (guaranteed
 * since Kubernetes 1.35, true before). */
static bool goes_back(str before, str now)
{
	int64_t b, n;

	return int64_parse(before, &b) && int64_parse(now, &n) && n < b;
}

static int set_version(struct kc_report *rep, str version, struct err *err)
{
	char *copy;

	if (!version.n || str_find_byte(version, '\0') >= 0)
		return err_set(err, EINVAL, "an object without metadata.resourceVersion");
	if (rep->version && str_eq(str_from(rep->version), version))
		return 0;
	if (rep->version && goes_back(str_from(rep->version), version))
		return err_set(err, ESTALE, "the server's versions went back: its data were replaced");
	copy = str_dup(version);
	if (!copy)
		return err_nomem(err);
	free(rep->version);
	rep->version = copy;
	rep->moves++;
	note_caught_up(rep, kc_catch_up_reached(&rep->catch_up, version));
	return 0;
}

/* Where an object comes from. */
enum origin { FROM_PAGE, FROM_INITIAL_EVENTS, FROM_WATCH };

/* Only a finished list and the events after it give a version to resume from. */
static int follow(struct kc_report *rep, enum origin origin, str version, struct err *err)
{
	return origin == FROM_WATCH ? set_version(rep, version, err) : 0;
}

/* Bring the owner's store up to date. */
static int report(struct kc_report *rep, struct kc_object *o, enum origin origin, struct err *err)
{
	bool is_known, is_same, over = o->event == KC_DELETED;
	struct kc_known known;
	int r = rep->stopped ? stopped(err) : make_key(rep, o, err);

	rep->counters.events += origin != FROM_PAGE;
	if (r < 0)
		return r;
	o->list = *rep->lists;
	if (origin == FROM_WATCH)
		note_caught_up(rep, kc_catch_up_event(&rep->catch_up, o->resource_version));
	is_known = find(rep, o->key, &known);
	is_same = is_known && str_eq(known.uid, o->uid);
	if (is_known && !is_same && !over) { /* the object was deleted and made again unseen */
		r = report_gone(rep, &known, o->received_ns, err);
		if (r < 0)
			return r;
		is_known = false;
	}
	if (!(over && is_known) && rep->handler.unneeded && rep->handler.unneeded(rep->ctx, o)) {
		r = is_known ? report_gone(rep, &known, o->received_ns, err) : 0;
		return r < 0 ? r : follow(rep, origin, o->resource_version, err);
	}
	if (!is_known && !over && rep->n_objects >= rep->max_objects)
		return err_set(err, E2BIG, "too many objects (limit is %zu)", rep->max_objects);
	rep->n_objects += !is_known && !over;
	rep->n_objects -= is_known && over && rep->n_objects > 0;
	o->known = is_known ? known.object : NULL;
	o->unchanged = is_same && !over && str_eq(known.resource_version, o->resource_version);
	rep->changed |= !o->unchanged;
	rep->handler.object(rep->ctx, o);
	return rep->stopped ? stopped(err) : follow(rep, origin, o->resource_version, err);
}

static void name_object(struct kc_object *o, const struct kc_identity *id)
{
	o->namespace = id->namespace;
	o->name = id->name;
	o->uid = id->uid;
	o->resource_version = id->resource_version;
}

/* Build a document that contains only the identity. */
static int build_stub(struct kc_report *rep, const struct kc_identity *id, struct doc **ret, struct err *err)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(STUB_MAX);
	const struct {
		const char *before;
		str text;
	} parts[] = { { "{\"apiVersion\":", str_from(rep->what->api_version) },
		      { ",\"kind\":", str_from(rep->what->kind) },
		      { ",\"metadata\":{\"namespace\":", id->namespace },
		      { ",\"name\":", id->name },
		      { ",\"uid\":", id->uid },
		      { ",\"resourceVersion\":", id->resource_version } };
	str ignored;

	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		buf_add_cstr(&text, parts[i].before);
		json_encode_string(parts[i].text, JSON_PLAIN, &text);
	}
	buf_add_cstr(&text, "}}");
	if (buf_error(&text, "identity of an object", err) < 0)
		return -err->code;
	return object_decode(buf_str(&text), rep->limits, rep->keys, NULL, ret, &ignored, err);
}

/* Report an unreadable object by its identity: it still exists, and the failure concerns no other object. @why
 * becomes the reason. Without an identity the function fails with the error that @why had. */
static int report_unreadable(struct kc_report *rep, enum kc_event event, enum origin origin, str text,
			     uint64_t received_ns, struct err *why)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct kc_object o = { .event = event, .received_ns = received_ns, .managed_fields = STR("") };
	struct kc_identity id;
	struct err err;
	int r;

	if (!kc_identity_scan(text, &id) || kc_identity_holds_nul(&id) ||
	    str_find_byte(id.resource_version, '\0') >= 0 || build_stub(rep, &id, &d, &err) < 0)
		return -why->code;
	o.doc = d;
	o.unreadable = why->msg;
	name_object(&o, &id);
	r = report(rep, &o, origin, &err);
	if (r < 0)
		*why = err;
	return r;
}

/* Whether to offer the change. Most changes of a kind are alike: if the owner has to see them, offers are wasted. */
static bool may_be_unseen(struct kc_report *rep)
{
	if (!rep->handler.unseen || rep->stopped)
		return false;
	if (rep->offered.rest) {
		rep->offered.rest--;
		return false;
	}
	if (rep->offered.tried == OFFERED_TRIED) {
		rep->offered.rest = rep->offered.good < OFFERED_TRIED / 4 ? OFFERED_REST : 0;
		rep->offered.tried = rep->offered.good = 0;
	}
	return !rep->offered.rest;
}

static bool offer(struct kc_report *rep, struct kc_object *o)
{
	bool over;

	o->list = *rep->lists;
	over = rep->handler.unseen(rep->ctx, o);
	rep->offered.tried++;
	rep->offered.good += over;
	return over;
}

/* Skip a change that the owner does not care about, before anything of it is built; its version then goes into
 * *version. */
static bool pass_unseen(struct kc_report *rep, str text, uint64_t received_ns, str *version)
{
	struct kc_object o = {
		.event = KC_MODIFIED, .text = text, .managed_fields = STR(""), .received_ns = received_ns
	};
	struct kc_identity id;
	struct kc_known known;
	struct err err;

	if (!may_be_unseen(rep) || !kc_identity_glance(text, &id))
		return false;
	name_object(&o, &id);
	if (make_key(rep, &o, &err) < 0 || !find(rep, o.key, &known) || !str_eq(known.uid, id.uid) ||
	    str_eq(known.resource_version, id.resource_version))
		return false;
	o.known = known.object;
	if (!offer(rep, &o))
		return false;
	rep->counters.events++;
	*version = id.resource_version;
	return true;
}

/* Skip an object that the owner does not need, before anything of it is built: most objects, where several processes
 * share them. Its version then goes into *version. */
static bool pass_unneeded(struct kc_report *rep, enum kc_event event, str text, uint64_t received_ns, str *version)
{
	struct kc_object o = { .event = event, .text = text, .managed_fields = STR(""), .received_ns = received_ns };
	struct kc_identity id;
	struct kc_known known;
	struct err err;

	if (!rep->handler.unneeded || rep->stopped || !kc_identity_glance(text, &id) || kc_identity_holds_nul(&id) ||
	    !id.uid.n || !id.resource_version.n)
		return false;
	name_object(&o, &id);
	if (make_key(rep, &o, &err) < 0 || find(rep, o.key, &known))
		return false;
	*version = id.resource_version;
	return rep->handler.unneeded(rep->ctx, &o);
}

static int skip(struct kc_report *rep, enum origin origin, str version, struct err *err)
{
	rep->counters.events += origin != FROM_PAGE;
	return follow(rep, origin, version, err);
}

/* Check the type of the object. A server, or a proxy before it, may mix up its answers: then an object of the same
 * name would replace this one. */
static int check_type(const struct kc_report *rep, str text, struct err *err)
{
	if (kc_identity_may_be(text, str_from(rep->what->api_version), str_from(rep->what->kind)))
		return 0;
	return err_set(err, EBADMSG, "an object that is no %.100s of %.100s", rep->what->kind, rep->what->api_version);
}

static int report_object(struct kc_report *rep, enum kc_event event, enum origin origin, str text, bool looked_at,
			 uint64_t received_ns, struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct kc_object o = { .event = event, .text = text, .looked_at = looked_at, .received_ns = received_ns };
	const struct object_type type = { str_from(rep->what->api_version), str_from(rep->what->kind) };
	struct kc_identity id;
	str version;
	int r;

	if (pass_unneeded(rep, event, text, received_ns, &version))
		return skip(rep, origin, version, err);
	r = object_decode(text, rep->limits, rep->keys, &type, &d, &o.managed_fields, err);
	if (r == -ENOMEM)
		return r; /* a failure of driftd, not of the object */
	if (r < 0) {
		r = report_unreadable(rep, event, origin, text, received_ns, err);
		rep->counters.bad_data += r == 0;
		return r;
	}
	r = kc_identity_of(d->root, &id, err);
	if (r < 0)
		return r;
	if (!o.managed_fields.p)
		o.managed_fields = STR("");
	name_object(&o, &id);
	o.doc = d;
	return report(rep, &o, origin, err);
}

/* Report an object that a thread has prepared. */
static int report_prepared(struct kc_report *rep, enum origin origin, str text, struct kc_prepared *p,
			   uint64_t received_ns, struct err *err)
{
	struct kc_object o = { .event = KC_LISTED,
			       .namespace = p->namespace,
			       .name = p->name,
			       .uid = p->uid,
			       .resource_version = p->resource_version,
			       .managed_fields = p->managed_fields,
			       .text = text,
			       .looked_at = true,
			       .prepared = p,
			       .received_ns = received_ns };

	return report(rep, &o, origin, err);
}

/* ---- lines of a watch ---- */

/* Split the beginning of a line, all of it before the object: {"type":"ADDED","object":{… */
static bool split_head(str line, str *type, str *object)
{
	static const char head[] = "{\"type\":\"", middle[] = "\",\"object\":";
	size_t at = sizeof(head) - 1, begin = at;

	if (!str_has_prefix(line, STR(head)))
		return false;
	while (at < line.n && line.p[at] >= 'A' && line.p[at] <= 'Z')
		at++;
	*type = str_sub(line, begin, at);
	if (!str_has_prefix(str_sub(line, at, line.n), STR(middle)))
		return false;
	*object = str_sub(line, at + sizeof(middle) - 1, line.n);
	return true;
}

/* Split a line as every API server writes it without parsing it: {"type":"ADDED","object":…}. The text of the object
 * is parsed later; if that fails, the line is read the slow way. */
static bool split_fast(str line, str *type, str *object)
{
	line = str_trim(line);
	if (!line.n || line.p[line.n - 1] != '}')
		return false;
	line.n--;
	return split_head(line, type, object);
}

static int split_slow(struct kc_report *rep, str line, struct doc **ret, str *type, str *object, struct err *err)
{
	struct limits limits = *rep->limits;
	const struct json_skip skip = { .path = object_path, .raw = object };
	const struct json_options o = { .limits = &limits, .skips = &skip, .n_skips = 1 };
	int r;

	*object = (str){ 0 };
	r = json_decode(line, &o, ret, err);
	if (r < 0)
		return r;
	*type = foreign_data(foreign_of(VAL_GET((*ret)->root, "type")));
	if (!object->p)
		return err_set(err, EBADMSG, "a watch event without object");
	return 0;
}

static int read_bookmark(struct kc_report *rep, str object, bool initial, enum kc_line *ret, struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	str ignored;
	val meta;
	bool end;
	int r = object_decode(object, rep->limits, rep->keys, NULL, &d, &ignored, err);

	if (r < 0)
		return r;
	meta = VAL_GET(d->root, "metadata");
	end = foreign_is(foreign_of(val_dig(meta, "annotations", "k8s.io/initial-events-end", NULL)), STR("true"));
	/* The version of incomplete initial events is no place to resume from: the rest would never be seen. */
	if (!initial || end)
		r = set_version(rep, foreign_data(foreign_of(VAL_GET(meta, "resourceVersion"))), err);
	if (r < 0)
		return r;
	rep->counters.bookmarks++;
	*ret = initial && end ? KC_LINE_LISTED : KC_LINE_GOOD;
	return 0;
}

static void read_error(const struct kc_report *rep, str object, struct kc_result *status)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct err ignored;
	val code = { 0 };

	if (json_decode(object, JSON_DEFAULTS, &d, &ignored) == 0)
		code = VAL_GET(d->root, "code");
	status->status = code.kind == VAL_INT && code.i >= 300 && code.i < 1000 ? (int)code.i : 500;
	kc_result_status(status, rep->what->shown, "", foreign_bytes(object));
}

static const struct event_type {
	const char *name;
	enum kc_event event;
} event_types[] = { { "MODIFIED", KC_MODIFIED }, { "ADDED", KC_ADDED }, { "DELETED", KC_DELETED } };

static const struct event_type *event_type_of(str name)
{
	for (size_t i = 0; i < ARRAY_LEN(event_types); i++) {
		if (str_eq(name, str_from(event_types[i].name)))
			return &event_types[i];
	}
	return NULL;
}

/* Handle what is no object's event. */
static int handle_other(struct kc_report *rep, str type, str object, bool initial, struct kc_result *status,
			enum kc_line *ret, struct err *err)
{
	if (str_eq(type, STR("BOOKMARK")))
		return check_type(rep, object, err) < 0 ? -err->code : read_bookmark(rep, object, initial, ret, err);
	if (!str_eq(type, STR("ERROR")))
		return err_set(err, EBADMSG, "a watch event of unknown type '%.*s'", type.n > 40 ? 40 : (int)type.n,
			       type.p);
	read_error(rep, object, status);
	*ret = KC_LINE_ERROR;
	return 0;
}

/* Handle a line. What a thread saw of its object counts for the first list only: the line may have come to be part of
 * what follows. */
static int dispatch(struct kc_report *rep, str type, str object, bool initial, const struct kc_look *look,
		    uint64_t received_ns, struct kc_result *status, enum kc_line *ret, struct err *err)
{
	const struct event_type *known = event_type_of(type);
	enum kc_event event;
	str version;

	*ret = KC_LINE_GOOD;
	if (!known)
		return handle_other(rep, type, object, initial, status, ret, err);
	if (check_type(rep, object, err) < 0)
		return -err->code;
	event = known->event;
	if (initial && event == KC_ADDED && look && look->prepared)
		return report_prepared(rep, FROM_INITIAL_EVENTS, object, look->prepared, received_ns, err);
	if (initial && event != KC_DELETED)
		event = KC_LISTED;
	else if (event == KC_MODIFIED && pass_unseen(rep, object, received_ns, &version))
		return set_version(rep, version, err);
	return report_object(rep, event, initial ? FROM_INITIAL_EVENTS : FROM_WATCH, object, look != NULL, received_ns,
			     err);
}

bool kc_report_cut_line(struct kc_report *rep, str line, bool initial, uint64_t received_ns)
{
	const struct event_type *known;
	enum kc_event event;
	struct err why;
	str type, object;

	(void)err_set(&why, E2BIG, "a watch event above the limit of %zu bytes", rep->limits->object_bytes);
	if (!split_head(line, &type, &object) || !(known = event_type_of(type)) || check_type(rep, object, &why) < 0)
		return false;
	event = initial && known->event != KC_DELETED ? KC_LISTED : known->event;
	return report_unreadable(rep, event, initial ? FROM_INITIAL_EVENTS : FROM_WATCH, object, received_ns, &why) ==
	       0;
}

void kc_report_look(const struct kc_report *rep, void *thread_ctx, str line, struct kc_look *ret)
{
	str type, object;

	ret->prepared = NULL;
	if (split_fast(line, &type, &object) && str_eq(type, STR("ADDED")))
		ret->prepared = rep->handler.prepare->look(thread_ctx, object);
}

enum kc_line kc_report_line(struct kc_report *rep, str line, bool initial, const struct kc_look *look,
			    uint64_t received_ns, struct kc_result *status, struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *rest = NULL;
	enum kc_line ret = KC_LINE_BAD;
	str type, object;
	int r = -EBADMSG;

	if (split_fast(line, &type, &object))
		r = dispatch(rep, type, object, initial, look, received_ns, status, &ret, err);
	/* Nothing was reported yet when not even its name can be read: the other way can be tried. */
	if (r == -EBADMSG) {
		r = split_slow(rep, line, &rest, &type, &object, err);
		if (r == 0)
			r = dispatch(rep, type, object, initial, NULL, received_ns, status, &ret, err);
	}
	if (r == -ESTALE) {
		status->status = 410;
		status->err = *err;
		return KC_LINE_ERROR;
	}
	return r < 0 ? KC_LINE_BAD : ret;
}

/* ---- items of a list ---- */

/* Report an object that is too large. Without its name nobody knows what the list lacks. */
static void report_oversized(struct kc_report *rep, str text, uint64_t received_ns)
{
	struct err why;

	rep->counters.oversized++;
	(void)err_set(&why, E2BIG, "an object of %zu bytes in the list: the limit is %zu bytes", text.n,
		      rep->limits->object_bytes);
	if (report_unreadable(rep, KC_LISTED, FROM_PAGE, text, received_ns, &why) == 0 || rep->stopped)
		return;
	rep->incomplete = true;
	kc_report_notice(rep, KC_NOTICE_OVERSIZED, why.msg);
}

int kc_report_item(struct kc_report *rep, str text, const struct kc_look *look, uint64_t received_ns, struct err *err)
{
	struct err why;
	int r;

	if (text.n > rep->limits->object_bytes) {
		report_oversized(rep, text, received_ns);
		return rep->stopped ? stopped(err) : 0;
	}
	r = check_type(rep, text, &why);
	if (r == 0 && look && look->prepared)
		r = report_prepared(rep, FROM_PAGE, text, look->prepared, received_ns, &why);
	else if (r == 0)
		r = report_object(rep, KC_LISTED, FROM_PAGE, text, look != NULL, received_ns, &why);
	if (r == -ECANCELED || r == -ENOMEM) {
		*err = why;
		return r;
	}
	if (r < 0) {
		rep->incomplete = true;
		(void)err_wrap(&why, "object in the list of %.100s", rep->what->shown);
		kc_report_bad_data(rep, &why);
	}
	return rep->stopped ? stopped(err) : 0;
}

int kc_report_absent(struct kc_report *rep, struct err *err)
{
	struct kc_knowns absent = { 0 };
	uint64_t now = uv_hrtime();
	int r = rep->handler.absent ? rep->handler.absent(rep->ctx, rep->list, &absent, err) : 0;

	rep->changed |= absent.n > 0;
	for (size_t i = 0; r == 0 && i < absent.n; i++)
		r = report_gone(rep, &absent.p[i], now, err);
	vec_done(&absent);
	return r;
}
