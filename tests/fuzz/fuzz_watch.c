/* A client (all of kubeclient/ but the transport and the clock) against a server that answers as the input says.
 *
 * The input is a list of answers, each behind a line "=== FOR STATUS OPTIONS"; text ahead of the first switches things
 * on. FOR is a letter: d (GET /api), a (GET /apis), g (another GET), l (a page of a list), w (a watch), r (a POST), m
 * (more on a stream that is open). A request takes the first answer that is for it and not used yet; requests for which
 * there is none are answered well if they are for discovery, and wait otherwise.
 * Options: h the stream stays open, b the transfer breaks, p in pieces of seven bytes, r retry later, t it is HTML.
 * Switches: 2 a second watch, R the handler removes the watch at the second object, C it closes the client, N no
 * streaming lists, D the owner wants to know of all groups, V no reviews. */
#include "kubeclient/kc_client_internal.h"
#include "kubeclient/kc_key_store.h"
#include "support/scripted_http.h"
#include "support/virtual_time.h"

#include "base/hash.h"
#include "base/number.h"
#include "go/url.h"
#include "support/kubeconfig_text.h"
#include "value/doc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ANSWERS_MAX 64
#define IDLE_FIRES 12 /* timers without an answer taken, after which nothing is to come */
#define FIRES_MAX 600 /* in all */

#define GONE "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"code\":410,\"reason\":\"Expired\"}}\n"

struct answer {
	char what;
	int status;
	bool hold, broken, pieces, later, html, used;
	str body;
};

/* What the handler was told is there. */
struct object {
	char *key, *uid;
	uint64_t version;
	bool listed; /* since the last list was whole */
};

struct owner {
	struct kc_watch *watch; /* NULL: removed */
	VEC(struct object) objects;
	struct kc_key_store known;
	size_t n_reported;
	char *absent; /* key of an object that was found gone: what comes next must be of the same kind, or its key */
	bool whole;   /* a list was, and its version is not given up */
	bool in_line; /* its stream stands within a line */
	bool gone;    /* its version was refused: the next request must list */
};

static struct {
	struct answer answers[ANSWERS_MAX];
	size_t n_answers, n_bytes;
	struct kc_client *client;
	struct owner owners[2];
	bool remove, close, all_groups;
	uint64_t asked_ms, asked_at_once;
	struct buf sent; /* all bodies, for what must have come from the server */
	bool escapes;    /* they hold a backslash: then what they say is not what stands there */
} run;

static void check(bool ok)
{
	if (!ok)
		abort();
}

/* ---- the input ---- */

static bool has_option(str options, char letter)
{
	return str_find_byte(options, letter) >= 0;
}

static bool parse_head(str line, struct answer *a)
{
	str word;
	int64_t status;

	if (!str_next_part(&line, ' ', &word) || word.n != 1)
		return false;
	a->what = word.p[0];
	if (!str_next_part(&line, ' ', &word) || !int64_parse(word, &status) || status < 0 || status > 999)
		return false;
	a->status = (int)status;
	a->hold = has_option(line, 'h');
	a->broken = has_option(line, 'b');
	a->pieces = has_option(line, 'p');
	a->later = has_option(line, 'r');
	a->html = has_option(line, 't');
	return true;
}

/* Returns what stands ahead of the first answer. */
static str parse_answers(str text)
{
	ptrdiff_t mark = str_find(text, STR("=== "));
	str switches = str_sub(text, 0, mark < 0 ? text.n : (size_t)mark);

	while (mark >= 0 && run.n_answers < ANSWERS_MAX) {
		struct answer *a = &run.answers[run.n_answers];
		ptrdiff_t line;

		text = str_sub(text, (size_t)mark + 4, text.n);
		line = str_find_byte(text, '\n');
		mark = str_find(text, STR("=== "));
		if (line < 0)
			break;
		if ((mark >= 0 && line > mark) || !parse_head(str_sub(text, 0, (size_t)line), a))
			continue;
		a->body = str_sub(text, (size_t)line + 1, mark < 0 ? text.n : (size_t)mark);
		run.n_answers++;
	}
	return switches;
}

/* ---- the owner ---- */

static struct object *find(struct owner *o, str key)
{
	for (size_t i = 0; i < o->objects.n; i++) {
		if (str_eq(str_from(o->objects.p[i].key), key))
			return &o->objects.p[i];
	}
	return NULL;
}

static void forget(struct owner *o, struct object *x)
{
	free(x->key);
	free(x->uid);
	*x = o->objects.p[--o->objects.n];
}

static void forget_all(struct owner *o)
{
	o->whole = false;
	for (size_t i = 0; i < o->objects.n; i++) {
		free(o->objects.p[i].key);
		free(o->objects.p[i].uid);
	}
	o->objects.n = 0;
	kc_key_store_done(&o->known);
	free(TAKE(o->absent));
}

/* An object is known once; what is reported as unchanged is; nothing is found gone but by a list that was whole, or by
 * a new uid. */
static void on_object(void *ctx, const struct kc_object *k)
{
	struct owner *o = ctx;
	struct object *x = find(o, k->key);
	uint64_t version = hash_str(k->resource_version, 0);
	bool by_absence = k->event == KC_DELETED && !k->doc;

	check(o->watch && k->name.n && k->key.n && (k->doc || k->event == KC_DELETED));
	check(!k->unreadable || *k->unreadable);
	check(!o->absent || by_absence || str_eq(str_from(o->absent), k->key));
	free(TAKE(o->absent));
	if (by_absence)
		check((o->absent = str_dup(k->key)) != NULL);
	if (k->doc)
		check(val_is_map(k->doc->root) && val_is_string(VAL_GET(k->doc->root, "kind")));
	check(k->unchanged ==
	      (x && k->event != KC_DELETED && str_eq(str_from(x->uid), k->uid) && x->version == version));
	if (k->event == KC_DELETED) {
		check(x || !by_absence);
		if (x)
			forget(o, x);
	} else if (x) {
		check(str_eq(str_from(x->uid), k->uid));
		x->version = version;
		x->listed |= k->event == KC_LISTED;
	} else {
		check(vec_push(&o->objects, (struct object){ .key = str_dup(k->key),
							     .uid = str_dup(k->uid),
							     .version = version,
							     .listed = k->event == KC_LISTED }));
	}
	check(kc_key_store_take_in(&o->known, k));
	if (++o->n_reported == 2 && run.remove)
		kc_watch_remove(TAKE(o->watch));
	else if (o->n_reported == 2 && run.close && run.client)
		kc_client_close(TAKE(run.client), NULL, NULL);
}

static bool on_find(void *ctx, str key, struct kc_known *ret)
{
	const struct owner *o = ctx;

	return kc_key_store_find(&o->known, key, ret);
}

static int on_absent(void *ctx, uint32_t list, struct kc_knowns *ret, struct err *err)
{
	const struct owner *o = ctx;

	return kc_key_store_absent(&o->known, list, ret, err);
}

static void on_synced(void *ctx, enum kc_list_reason reason)
{
	struct owner *o = ctx;

	check(o->watch && reason < KC_LIST_REASONS && o->known.known.n == o->objects.n);
	check(o->watch->report.n_objects == o->objects.n);
	for (size_t i = 0; i < o->objects.n; i++) {
		check(o->objects.p[i].listed || o->watch->report.incomplete);
		o->objects.p[i].listed = false;
	}
	free(TAKE(o->absent));
	o->whole = true;
}

static void on_state(void *ctx, enum kc_state state, const struct err *why)
{
	struct owner *o = ctx;

	check(o->watch && !o->absent);
	check((why != NULL) == (state == KC_BACKOFF || state == KC_ABSENT || state == KC_FORBIDDEN) ||
	      state == KC_WAITING); /* with a reason when discovery lacks the kind for the first time */
	check(!why || (why->code && *why->msg));
	if (state == KC_ABSENT)
		forget_all(o);
}

static void on_access(void *ctx, unsigned denied)
{
	struct owner *o = ctx;

	check(o->watch && !(denied & ~(1u << KC_LIST | 1u << KC_WATCH)));
}

static void on_notice(void *ctx, const struct kc_notice *n)
{
	(void)ctx;
	check(*n->message && (!n->resource || *n->resource));
}

static void on_discovered(void *ctx)
{
	(void)ctx;
}

/* ---- what is asked ---- */

/* The value of a parameter, as it was before it was escaped. */
static bool parameter(const char *path, const char *name, struct buf *out)
{
	const char *at = strchr(path, '?');
	size_t n = strlen(name);

	for (; at; at = strchr(at + 1, '&')) {
		if (strncmp(at + 1, name, n) != 0 || at[1 + n] != '=')
			continue;
		at += n + 2;
		for (size_t i = 0; at[i] && at[i] != '&'; i++) {
			unsigned byte = at[i] == '+' ? ' ' : (unsigned char)at[i];

			if (at[i] == '%' && sscanf(at + i + 1, "%2x", &byte) == 1)
				i += 2;
			buf_add_byte(out, (char)byte);
		}
		return true;
	}
	return false;
}

static void check_came(const char *path, const char *name)
{
	CLEANUP(buf_done) struct buf value = BUF_INIT(1 << 20);

	if (!run.escapes && parameter(path, name, &value))
		check(value.n && str_find(buf_str(&run.sent), buf_str(&value)) >= 0);
}

static bool is_watch(const struct kc_req *r)
{
	return r->verb == KC_WATCH;
}

static bool from_version(const struct kc_req *r)
{
	return is_watch(r) && !strstr(r->path, "sendInitialEvents=");
}

static struct owner *owner_of(const struct kc_req *r)
{
	return strncmp(r->path, "/api/", 5) == 0 ? &run.owners[1] : &run.owners[0];
}

/* Versions and tokens are the server's; one that it refused is not asked for again; nobody is flooded. */
static void on_asked(const struct kc_req *r)
{
	if (run.asked_ms != virtual_time.now_ms)
		run.asked_at_once = 0;
	run.asked_ms = virtual_time.now_ms;
	check(++run.asked_at_once <= run.n_bytes + 64);
	check_came(r->path, "resourceVersion");
	check_came(r->path, "continue");
	if (r->verb != KC_WATCH && r->verb != KC_LIST)
		return;
	check(!from_version(r) || (owner_of(r)->whole && !owner_of(r)->gone));
	owner_of(r)->gone = false;
}

static char letter_of(const struct kc_req *r)
{
	if (r->body)
		return 'r';
	if (r->verb == KC_LIST)
		return 'l';
	if (is_watch(r))
		return 'w';
	return str_eq(str_from(r->path), STR("/api")) ? 'd' : str_eq(str_from(r->path), STR("/apis")) ? 'a' : 'g';
}

/* ---- answering ---- */

static struct answer *answer_for(char what)
{
	for (size_t i = 0; i < run.n_answers; i++) {
		if (!run.answers[i].used && run.answers[i].what == what)
			return &run.answers[i];
	}
	return NULL;
}

#define KIND(plural, kind)                                                                                             \
	"{\"resource\":\"" plural "\",\"responseKind\":{\"kind\":\"" kind                                              \
	"\"},\"scope\":\"Namespaced\",\"verbs\":[\"list\",\"watch\"]}"
#define GROUP(name, kinds)                                                                                             \
	"{\"kind\":\"APIGroupDiscoveryList\",\"items\":[{\"metadata\":{\"name\":\"" name                               \
	"\"},\"versions\":[{\"version\":\"v1\",\"resources\":[" kinds "]}]}]}"

/* False: what is asked for waits. */
static bool usual_answer(char what, struct answer *ret)
{
	*ret = (struct answer){ .status = what == 'd' || what == 'a' ? 200 : 404 };
	if (what == 'd')
		ret->body = STR(GROUP("", KIND("configmaps", "ConfigMap")));
	else if (what == 'a')
		ret->body = STR(GROUP("apps", KIND("deployments", "Deployment")));
	return what != 'l' && what != 'w';
}

static bool give(struct kc_req *r, const struct answer *a)
{
	size_t piece = a->pieces ? 7 : a->body.n ? a->body.n : 1, at = 0;

	buf_add_str(&run.sent, a->body);
	run.escapes |= str_find_byte(a->body, '\\') >= 0;
	do {
		if (!scripted_http_give(r, str_sub(a->body, at, at + piece)))
			return scripted_http_waits(r);
		at += piece;
	} while (at < a->body.n);
	return true;
}

static void answer(struct kc_req *r, const struct answer *a)
{
	struct kc_result result = { .status = a->status, .retry_after_ms = a->later ? 5000 : 0 };
	bool well = a->status >= 200 && a->status < 300;
	struct owner *o = owner_of(r);
	bool resumed = from_version(r);

	/* Told by the stream at once, in a line of its own. */
	o->in_line &= r->answered;
	if (resumed && (a->status == 410 || (well && !o->in_line && str_has_prefix(a->body, STR(GONE)))))
		o->gone = true;
	if (a->body.n)
		o->in_line = a->body.p[a->body.n - 1] != '\n';
	kc_result_headers(&result, a->html ? "text/html; charset=utf-8" : "application/json", NULL);
	if (well && !give(r, a))
		return;
	if (a->hold && well && !r->write_error.code)
		return;
	scripted_http_end(r, &result, a->body, a->broken || !a->status);
}

static struct kc_req *open_stream(void)
{
	struct kc_req *r;

	for (r = TAILQ_FIRST(&scripted_http.http->waiting); r && !(r->answered && is_watch(r)); r = TAILQ_NEXT(r, link))
		;
	return r;
}

/* One answer that is for a request there is, or the usual one for discovery. */
static bool answer_one(bool *taken)
{
	struct kc_req *r = open_stream();
	struct answer *a = r ? answer_for('m') : NULL;

	for (struct kc_req *at = TAILQ_FIRST(&scripted_http.http->waiting); !a && at; at = TAILQ_NEXT(at, link)) {
		r = at;
		a = at->answered ? NULL : answer_for(letter_of(at));
	}
	if (a) {
		a->used = *taken = true;
		a->status = a->what == 'm' ? 200 : a->status;
		answer(r, a);
		return true;
	}
	for (r = TAILQ_FIRST(&scripted_http.http->waiting); r; r = TAILQ_NEXT(r, link)) {
		struct answer usual;

		if (r->answered || !usual_answer(letter_of(r), &usual))
			continue;
		answer(r, &usual);
		return true;
	}
	return false;
}

/* ---- a run ---- */

static const struct kube_target *target(void)
{
	static struct kubeconfig *k;
	static struct kube_target t;
	struct err err;

	if (k)
		return &t;
	check(kubeconfig_parse(STR("clusters: [{name: c, cluster: {server: \"http://127.0.0.1:1\"}}]\n"
				   "users: [{name: u, user: {}}]\n"
				   "contexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x\n"),
			       "f", &k, &err) == 0 &&
	      kubeconfig_target(k, NULL, &t, &err) == 0);
	return &t;
}

static void begin(str switches)
{
	static const struct kc_handler handler = { .object = on_object,
						   .find = on_find,
						   .absent = on_absent,
						   .synced = on_synced,
						   .state = on_state,
						   .access = on_access };
	static const struct kc_watch_spec specs[] = { { .api_version = "apps/v1", .kind = "Deployment" },
						      { .api_version = "v1", .kind = "ConfigMap", .namespace = "d" } };
	static uv_loop_t loop;
	struct kc_tuning tuning = KC_TUNING_DEFAULT;
	struct limits limits = LIMITS_DEFAULT;
	const struct kc_options o = { .target = target(),
				      .limits = &limits,
				      .tuning = &tuning,
				      .notice = on_notice,
				      .discovered = has_option(switches, 'D') ? on_discovered : NULL };
	struct err err;

	limits.object_bytes = 2000;
	limits.document_nodes = 2000;
	tuning.page = 2;
	tuning.pages = 6;
	tuning.response_bytes = 16384;
	tuning.no_watch_list = has_option(switches, 'N');
	tuning.no_reviews = has_option(switches, 'V');
	run.remove = has_option(switches, 'R');
	run.close = has_option(switches, 'C');
	run.sent = BUF_INIT(64 << 20);
	scripted_http.asked = on_asked;
	check(kc_client_new(&loop, &o, &run.client, &err) == 0);
	for (size_t i = 0; i < (has_option(switches, '2') ? 2 : 1); i++) {
		run.owners[i].known = KC_KEY_STORE;
		check(kc_watch_add(run.client, &specs[i], &handler, &run.owners[i], &run.owners[i].watch, &err) == 0);
	}
}

/* Until the answers are used up, or none is asked for any more. */
static void go_on(void)
{
	unsigned idle = 0;

	for (unsigned i = 0; run.client && i < FIRES_MAX && idle < IDLE_FIRES; i++) {
		bool taken = false;

		while (run.client && answer_one(&taken))
			;
		idle = taken ? 0 : idle + 1;
		while (virtual_time_close_one())
			;
		if (run.client && !virtual_time_fire_one())
			break;
	}
}

static void end(void)
{
	if (run.client)
		kc_client_close(TAKE(run.client), NULL, NULL);
	virtual_time_end();
	for (size_t i = 0; i < ARRAY_LEN(run.owners); i++) {
		forget_all(&run.owners[i]);
		vec_done(&run.owners[i].objects);
	}
	buf_done(&run.sent);
	memset(&run, 0, sizeof(run));
}

/* The jitter is the same each time. NOLINTNEXTLINE(bugprone-reserved-identifier): the linker's name */
uint64_t __wrap_kc_random(void);
uint64_t __wrap_kc_random(void)
{
	return hash_mix(virtual_time.now_ms, 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	str text = { (const char *)data, size };

	run.n_bytes = size;
	begin(parse_answers(text));
	go_on();
	end();
	return 0;
}
