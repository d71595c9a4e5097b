/* The set of open findings, and the records of what becomes of them. */
#include "daemon/findings/findings.h"

#include "base/assert.h"
#include "base/strmap.h"
#include "base/vec.h"
#include "daemon/findings/clock.h"

#include <inttypes.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <uv.h>

#define KEY_BYTES_MAX (16u << 20)
#define RULE_SHOWN_MAX 80 /* bytes of a rule in the MESSAGE of its end */

struct findings {
	struct sink *sink;
	struct strmap by_key;     /* -> struct finding */
	struct strmap by_cluster; /* -> struct finding_counters */
	struct buf key;           /* scratch: subject_key */
	bool clusters_named;      /* in messages */
};

static const struct {
	const char *noun;
	enum message message[TRANSITIONS];
} kinds[FINDING_KINDS] = {
	[FINDING_DRIFT] = { "drift", { MESSAGE_DRIFT_BEGIN, MESSAGE_DRIFT_CHANGE, MESSAGE_DRIFT_END } },
	[FINDING_COMPONENT] = { "component unsatisfied",
				{ MESSAGE_COMPONENT_BEGIN, MESSAGE_COMPONENT_CHANGE, MESSAGE_COMPONENT_END } },
	[FINDING_ERROR] = { "error", { MESSAGE_ERROR_BEGIN, MESSAGE_ERROR_CHANGE, MESSAGE_ERROR_END } },
	[FINDING_VALIDATION] = { "rule violation",
				 { MESSAGE_VALIDATION_BEGIN, MESSAGE_VALIDATION_CHANGE, MESSAGE_VALIDATION_END } },
	[FINDING_GAP] = { "gap", { MESSAGE_GAP_BEGIN, MESSAGE_GAP_CHANGE, MESSAGE_GAP_END } },
};

_Static_assert(ARRAY_LEN(kinds) == FINDING_KINDS, "a row for each kind: ORDER enum finding_kind");

static const struct blame nobody;

/* ORDER enum transition */
static const char *const transition_names[TRANSITIONS] = { "begin", "change", "end" };
static const char *const transition_verbs[TRANSITIONS] = { "begins", "changes", "ends" };

/* The same for equal texts in every process, unlike base/hash.h: the state file keeps it. */
static void hash_state(str state, char out[FINDING_ID_SIZE])
{
	unsigned char digest[EVP_MAX_MD_SIZE] = { 0 };

	(void)EVP_Digest(state.p, state.n, digest, NULL, EVP_sha256(), NULL);
	hex_id(digest, out);
}

/* ---- the set ---- */

static void add_parts(struct buf *out, const str *const *parts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		buf_add_byte(out, '\x1f');
		buf_add_str(out, *parts[i]);
	}
}

/* What tells findings apart, in the scratch text; {NULL, 0} without memory. The scratch keeps its capacity, so that a
 * key which is in the set can always be made: looking a finding up needs no memory. */
static str subject_key(struct findings *f, enum finding_kind kind, const struct finding_subject *s)
{
	const str *component[] = { &s->cluster, &s->reference, &s->part, &s->component };
	const str *object[] = { &s->cluster, &s->reference,   &s->api_version, &s->kind, &s->namespace,
				&s->name,    &s->rule_source, &s->rule_path,   &s->rule };

	buf_clear(&f->key);
	buf_printf(&f->key, "%d", kind);
	if (kind == FINDING_COMPONENT)
		add_parts(&f->key, component, ARRAY_LEN(component));
	else
		add_parts(&f->key, object, ARRAY_LEN(object));
	return f->key.error ? (str){ NULL, 0 } : buf_str(&f->key);
}

static struct finding *find(struct findings *f, enum finding_kind kind, const struct finding_subject *s)
{
	str key = subject_key(f, kind, s);

	return key.p ? strmap_get(&f->by_key, key) : NULL;
}

static void finding_free(struct finding *x)
{
	arena_done(&x->arena);
	free(x);
}

static bool copy_subject(struct arena *a, const struct finding_subject *from, struct finding_subject *to)
{
	const str *src = (const str *)from;
	str *dst = (str *)to;

	_Static_assert(sizeof(*from) % sizeof(str) == 0, "a subject is an array of texts");
	for (size_t i = 0; i < sizeof(*from) / sizeof(str); i++) {
		dst[i] = arena_str(a, src[i]);
		if (!dst[i].p)
			return false;
	}
	return true;
}

static struct finding_counters *counters(struct findings *f, str cluster)
{
	struct finding_counters *c = strmap_get(&f->by_cluster, cluster);

	if (c)
		return c;
	c = calloc(1, sizeof(*c));
	for (size_t i = 0; c && i < ARRAY_LEN(c->drifts); i++)
		TAILQ_INIT(&c->drifts[i]);
	if (c && strmap_put(&f->by_cluster, cluster, c, NULL))
		return c;
	free(c);
	return NULL;
}

static void count_failure(struct finding_counters *c, const struct finding *x, size_t by)
{
	enum rule_source source = rule_source_parse(x->subject.rule_source);
	size_t reason = 0;

	while (reason < CEL_REASONS - 1 &&
	       !str_eq(x->subject.reason, str_from(cel_reason_name((enum cel_reason)reason))))
		reason++;
	c->failures[source][reason][x->severity] += by;
}

/* @by: 1, or its negative. */
static void tally(const struct finding *x, size_t by)
{
	struct finding_counters *c = x->counters;

	c->open[x->kind][x->severity] += by;
	if (x->kind == FINDING_ERROR && x->subject.rule.n)
		c->rule_errors += by;
	if (x->kind == FINDING_VALIDATION)
		count_failure(c, x, by);
	if (!x->confirmed)
		c->unconfirmed += by;
}

static void set_confirmed(struct finding *x, bool confirmed)
{
	x->counters->unconfirmed += (size_t)x->confirmed - (size_t)confirmed;
	x->confirmed = confirmed;
}

/* In order of age; @near, an older state of the same finding, says where that is. */
static void add_by_age(struct finding *x, struct finding *near)
{
	struct findings_by_age *list = &x->counters->drifts[x->severity];
	struct finding *before;

	if (x->kind != FINDING_DRIFT)
		return;
	if (near && near->severity == x->severity) {
		TAILQ_INSERT_BEFORE(near, x, by_age);
		return;
	}
	/* What is new is the youngest, and what is restored comes in order. */
	before = TAILQ_LAST(list, findings_by_age);
	while (before && before->first_seen_usec > x->first_seen_usec)
		before = TAILQ_PREV(before, findings_by_age, by_age);
	if (before)
		TAILQ_INSERT_AFTER(list, before, x, by_age);
	else
		TAILQ_INSERT_HEAD(list, x, by_age);
}

static void untally(struct finding *x)
{
	tally(x, (size_t)-1);
	if (x->kind == FINDING_DRIFT)
		TAILQ_REMOVE(&x->counters->drifts[x->severity], x, by_age);
}

/* Insert a finding with copies of @from's texts, in place of the one with the same subject; NULL without memory, and
 * then that one is still there. */
static struct finding *insert(struct findings *f, const struct finding *from)
{
	struct finding *x = calloc(1, sizeof(*x));
	void *replaced = NULL;
	str key;

	if (!x)
		return NULL;
	*x = *from;
	arena_init(&x->arena, 1024, 0);
	x->paths = arena_str(&x->arena, from->paths);
	x->counters = counters(f, from->subject.cluster);
	key = subject_key(f, x->kind, &from->subject);
	x->key = key.p ? arena_str(&x->arena, key) : key;
	if (!x->counters || !x->key.p || !x->paths.p || !copy_subject(&x->arena, &from->subject, &x->subject) ||
	    !strmap_put(&f->by_key, x->key, x, &replaced)) {
		finding_free(x);
		return NULL;
	}
	tally(x, 1);
	add_by_age(x, replaced);
	if (replaced) {
		untally(replaced);
		finding_free(replaced);
	}
	return x;
}

const struct finding_counters *findings_counters(struct findings *f, str cluster)
{
	return counters(f, cluster);
}

size_t findings_open(const struct finding_counters *c, enum finding_kind kind)
{
	size_t total = 0;

	for (size_t i = 0; i < ARRAY_LEN(c->open[kind]); i++)
		total += c->open[kind][i];
	return total;
}

int findings_new(struct sink *sink, struct findings **ret, struct err *err)
{
	struct findings *f = calloc(1, sizeof(*f));

	if (!f)
		return err_nomem(err);
	f->key = BUF_INIT(KEY_BYTES_MAX);
	f->sink = sink;
	*ret = f;
	return 0;
}

void findings_free(struct findings *f)
{
	const struct strmap_entry *e;
	size_t at = 0;

	if (!f)
		return;
	while ((e = strmap_each(&f->by_key, &at)))
		finding_free(e->value);
	for (at = 0; (e = strmap_each(&f->by_cluster, &at));)
		free(e->value);
	strmap_done(&f->by_key);
	strmap_done(&f->by_cluster);
	buf_done(&f->key);
	free(f);
}

int findings_restore(struct findings *f, const struct finding *from, struct err *err)
{
	struct finding copy = *from;

	if (find(f, from->kind, &from->subject))
		return 0;
	copy.confirmed = false;
	return insert(f, &copy) ? 0 : err_nomem(err);
}

const struct finding *findings_get(struct findings *f, enum finding_kind kind, const struct finding_subject *s)
{
	return find(f, kind, s);
}

const struct finding *findings_each(const struct findings *f, size_t *at)
{
	const struct strmap_entry *e = strmap_each(&f->by_key, at);

	return e ? e->value : NULL;
}

/* ---- records ---- */

static void add_subject(struct record *r, const struct finding_subject *s)
{
	record_add(r, "DRIFTD_CLUSTER", s->cluster);
	record_add(r, "DRIFTD_REFERENCE", s->reference);
	record_add(r, "DRIFTD_REFERENCE_HASH", s->reference_hash);
	record_add(r, "DRIFTD_PART", s->part);
	record_add(r, "DRIFTD_COMPONENT", s->component);
	record_add(r, "DRIFTD_TEMPLATE", s->template_path);
	record_add(r, "DRIFTD_API_VERSION", s->api_version);
	record_add(r, "DRIFTD_KIND", s->kind);
	record_add(r, "DRIFTD_NAMESPACE", s->namespace);
	record_add(r, "DRIFTD_NAME", s->name);
	record_add(r, "DRIFTD_UID", s->uid);
	record_add(r, "DRIFTD_RESOURCE_VERSION", s->resource_version);
	record_add(r, "DRIFTD_RESOURCE", s->resource);
	record_add(r, "DRIFTD_RULE", s->rule);
	record_add(r, "DRIFTD_RULE_SOURCE", s->rule_source);
}

/* How long it has been open. The clock may have been set back since. */
static int64_t open_usec(const struct finding *x)
{
	int64_t now = clock_usec();

	return now > x->first_seen_usec ? now - x->first_seen_usec : 0;
}

static void add_state(struct record *r, const struct finding *x, enum transition t)
{
	record_add(r, "DOCUMENTATION", STR("man:driftd(8)"));
	record_add(r, "DRIFTD_EVENT", str_from(transition_names[t]));
	record_add(r, "DRIFTD_DRIFT_ID", str_from(x->id));
	record_add(r, "DRIFTD_SEVERITY", str_from(severity_name(x->severity)));
	record_addf(r, "DRIFTD_FIRST_SEEN_USEC", "%" PRId64, x->first_seen_usec);
	if (t == TRANSITION_END)
		record_addf(r, "DRIFTD_DURATION_USEC", "%" PRId64, open_usec(x));
}

static void add_writer(struct record *r, const struct blame *b)
{
	record_add(r, "DRIFTD_MANAGER", b->manager);
	record_add(r, "DRIFTD_MANAGER_OPERATION", b->operation);
	record_add(r, "DRIFTD_MANAGER_SUBRESOURCE", b->subresource);
	record_add(r, "DRIFTD_MANAGER_TIME", b->time);
}

static void add_report(struct record *r, const struct finding_report *report)
{
	for (size_t i = 0; i < report->n_paths; i++) {
		record_add(r, "DRIFTD_PATH", report->paths[i].path);
		record_add(r, "DRIFTD_EXPECTED", report->paths[i].expected);
		record_add(r, "DRIFTD_ACTUAL", report->paths[i].actual);
	}
	if (report->n_paths_total)
		record_addf(r, "DRIFTD_PATH_COUNT", "%zu", report->n_paths_total);
	record_add(r, "DRIFTD_OLD", report->old);
	record_add(r, "DRIFTD_MESSAGE_TEXT", report->rule_message);
	record_add(r, "DRIFTD_REASON", report->subject.reason);
	record_add(r, "DRIFTD_DIFF", report->diff);
	add_writer(r, &report->blame);
}

static void count(const struct finding *x, enum transition t)
{
	x->counters->transitions[t][x->severity]++;
}

/* "prod: ", for those who watch several; gaps begin with it in any case. */
static str cluster_text(const struct findings *f, const struct finding *x, enum transition t, struct arena *a)
{
	bool told = x->kind == FINDING_GAP && t != TRANSITION_END;

	return f->clusters_named && !told ? arena_printf(a, "%.*s: ", STR_ARG(x->subject.cluster)) : STR("");
}

/* A begin or a change. */
static void write_report(struct findings *f, const struct finding *x, enum transition t,
			 const struct finding_report *report)
{
	struct record r;

	record_init(&r, kinds[x->kind].message[t], (int)x->severity);
	r.text = arena_printf(&r.arena, "%s %s: %.*s%.*s (%s%s%.*s)", kinds[x->kind].noun, transition_verbs[t],
			      STR_ARG(cluster_text(f, x, t, &r.arena)), STR_ARG(report->what),
			      severity_name(x->severity), report->blame.manager.n ? ", by " : "",
			      STR_ARG(report->blame.manager));
	r.details = report->details;
	add_state(&r, x, t);
	add_subject(&r, &report->subject);
	add_report(&r, report);
	sink_tell(f->sink, &(struct telling){ .finding = x,
					      .record = &r,
					      .received_ns = report->received_ns,
					      .hold_ns = t == TRANSITION_BEGIN ? report->hold_ns : 0 });
	record_done(&r);
}

static str duration_text(struct arena *a, int64_t usec)
{
	int64_t s = usec / 1000000;

	if (s < 60)
		return arena_printf(a, "%" PRId64 ".%" PRId64 " s", s, usec / 100000 % 10);
	if (s < 3600)
		return arena_printf(a, "%" PRId64 " min %" PRId64 " s", s / 60, s % 60);
	if (s < 86400)
		return arena_printf(a, "%" PRId64 " h %" PRId64 " min", s / 3600, s / 60 % 60);
	return arena_printf(a, "%" PRId64 " d %" PRId64 " h", s / 86400, s / 3600 % 24);
}

/* The first line of a rule, or the start of it. */
static str rule_start(str rule)
{
	ptrdiff_t line = str_find_byte(rule, '\n');

	return text_cut(line < 0 ? rule : str_sub(rule, 0, (size_t)line), RULE_SHOWN_MAX);
}

static str subject_text(const struct finding *x, struct arena *a)
{
	const struct finding_subject *s = &x->subject;
	str what = s->resource.n ? s->resource : s->kind;

	if (x->kind == FINDING_COMPONENT)
		return arena_printf(a, "%.*s/%.*s", STR_ARG(s->part), STR_ARG(s->component));
	if (x->kind == FINDING_ERROR && s->rule.n)
		return arena_printf(a, "%.*s rule '%.*s'", STR_ARG(what), STR_ARG(rule_start(s->rule)));
	if (x->kind == FINDING_VALIDATION)
		return arena_printf(a, "%.*s %.*s%s%.*s %.*s: '%.*s'", STR_ARG(what), STR_ARG(s->namespace),
				    s->namespace.n ? "/" : "", STR_ARG(s->name), STR_ARG(s->rule_path),
				    STR_ARG(rule_start(s->rule)));
	if (s->name.n == 0)
		return what.n ? what : s->cluster;
	return arena_printf(a, "%.*s %.*s%s%.*s", STR_ARG(what), STR_ARG(s->namespace), s->namespace.n ? "/" : "",
			    STR_ARG(s->name));
}

/* Ends are information, whatever they end (conventions, part 2). */
static void write_end(struct findings *f, const struct finding *x, const struct finding_subject *now, const char *why,
		      const struct blame *by)
{
	struct finding_subject s = x->subject;
	struct record r;
	str rest = x->paths, path, subject, duration;

	record_init(&r, kinds[x->kind].message[TRANSITION_END], SEVERITY_INFO);
	subject = subject_text(x, &r.arena);
	duration = duration_text(&r.arena, open_usec(x));
	r.text = arena_printf(&r.arena, "%s ends: %.*s%.*s %s%safter %.*s (%s%s%.*s)", kinds[x->kind].noun,
			      STR_ARG(cluster_text(f, x, TRANSITION_END, &r.arena)), STR_ARG(subject), why ? why : "",
			      why ? ", " : "", STR_ARG(duration), severity_name(x->severity),
			      by->manager.n ? ", by " : "", STR_ARG(by->manager));
	if (now && now->resource_version.n)
		s.resource_version = now->resource_version;
	add_state(&r, x, TRANSITION_END);
	add_subject(&r, &s);
	add_writer(&r, by);
	while (rest.n && str_next_part(&rest, '\n', &path))
		record_add(&r, "DRIFTD_PATH", path);
	record_add(&r, "DRIFTD_END_REASON", str_from(why));
	sink_tell(f->sink, &(struct telling){ .finding = x, .over = true, .record = &r });
	record_done(&r);
}

/* ---- transitions ---- */

static str join_paths(const struct finding_report *r, struct arena *a)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1u << 20);

	for (size_t i = 0; i < r->n_paths; i++) {
		if (i > 0)
			buf_add_byte(&out, '\n');
		buf_add_str(&out, r->paths[i].path);
	}
	return arena_str(a, buf_str(&out));
}

static int begin(struct findings *f, const struct finding_report *report, const char *state_hash, struct err *err)
{
	CLEANUP(arena_done) struct arena scratch = ARENA_INIT(0);
	struct finding fresh = {
		.kind = report->kind,
		.severity = report->severity,
		.first_seen_usec = clock_usec(),
		.confirmed = true,
		.announced = true,
		.subject = report->subject,
	};
	struct finding *x;

	fresh.paths = join_paths(report, &scratch);
	random_id(fresh.id);
	memcpy(fresh.state_hash, state_hash, sizeof(fresh.state_hash));
	x = insert(f, &fresh);
	if (!x)
		return err_nomem(err);
	count(x, TRANSITION_BEGIN);
	write_report(f, x, TRANSITION_BEGIN, report);
	return 0;
}

/* The same finding with other facts: it keeps its id and the time it was first seen. */
static int change(struct findings *f, struct finding *x, const struct finding_report *report, const char *state_hash,
		  struct err *err)
{
	struct finding next = *x;
	enum transition written = x->announced ? TRANSITION_CHANGE : TRANSITION_BEGIN;
	CLEANUP(arena_done) struct arena scratch = ARENA_INIT(0);

	next.severity = report->severity;
	next.subject = report->subject;
	next.paths = join_paths(report, &scratch);
	next.confirmed = next.announced = true;
	memcpy(next.state_hash, state_hash, sizeof(next.state_hash));
	x = insert(f, &next);
	if (!x)
		return err_nomem(err);
	count(x, TRANSITION_CHANGE);
	write_report(f, x, written, report);
	return 0;
}

/* @now: the object as it is, or NULL. */
static void end(struct findings *f, struct finding *x, const struct finding_subject *now, const char *why,
		const struct blame *by)
{
	count(x, TRANSITION_END);
	if (x->announced)
		write_end(f, x, now, why, by);
	else
		sink_tell(f->sink, &(struct telling){ .finding = x, .over = true });
	(void)strmap_remove(&f->by_key, x->key);
	untally(x);
	finding_free(x);
}

/* Whether the finding is on an object that another one of the same name has replaced. */
static bool is_replaced(const struct finding *x, const struct finding_subject *by)
{
	return x->kind != FINDING_COMPONENT && x->subject.uid.n && by->uid.n && !str_eq(x->subject.uid, by->uid);
}

int findings_report(struct findings *f, const struct finding_report *report, struct err *err)
{
	struct finding *x = find(f, report->kind, &report->subject);
	char state_hash[FINDING_ID_SIZE];

	ASSERT(report->kind < FINDING_KINDS);
	ASSERT(report->severity >= SEVERITY_CRITICAL && report->severity <= SEVERITY_INFO); /* an index of counters */
	ASSERT(report->n_paths <= FINDING_PATHS_MAX);
	hash_state(report->state, state_hash);
	if (x && is_replaced(x, &report->subject)) {
		end(f, x, NULL, "object deleted", &nobody);
		x = NULL;
	}
	if (x)
		set_confirmed(x, true);
	if (!x)
		return begin(f, report, state_hash, err);
	if (strcmp(x->state_hash, state_hash) != 0 || x->severity != report->severity)
		return change(f, x, report, state_hash, err);
	return 0;
}

void findings_confirm(struct findings *f, enum finding_kind kind, const struct finding_subject *s)
{
	struct finding *x = find(f, kind, s);

	if (x)
		set_confirmed(x, true);
}

void findings_repaired(struct findings *f, enum finding_kind kind, const struct finding_subject *s, const char *why,
		       const struct blame *by)
{
	struct finding *x = find(f, kind, s);

	if (x && is_replaced(x, s))
		end(f, x, NULL, "object deleted", &nobody);
	else if (x)
		end(f, x, s, why, by);
}

void findings_clear(struct findings *f, enum finding_kind kind, const struct finding_subject *s, const char *why)
{
	findings_repaired(f, kind, s, why, &nobody);
}

void findings_name_clusters(struct findings *f, bool named)
{
	f->clusters_named = named;
}

void findings_unconfirm(struct findings *f, str cluster)
{
	const struct strmap_entry *e;
	size_t at = 0;

	while ((e = strmap_each(&f->by_key, &at))) {
		struct finding *x = e->value;

		if (str_eq(x->subject.cluster, cluster))
			set_confirmed(x, false);
	}
}

/* The table may not change while it is walked. Without memory some are left for the next time. */
static void end_all(struct findings *f, bool (*over)(void *ctx, const struct finding *x), void *ctx, const char *why)
{
	const struct strmap_entry *e;
	VEC(struct finding *) ending = { 0 };
	size_t at = 0;

	while ((e = strmap_each(&f->by_key, &at))) {
		if (over(ctx, e->value) && !vec_push(&ending, e->value))
			break;
	}
	for (size_t i = 0; i < ending.n; i++)
		end(f, ending.p[i], NULL, why, &nobody);
	vec_done(&ending);
}

struct sweep {
	str cluster;
	bool (*over)(void *ctx, const struct finding *x);
	void *ctx;
};

static bool is_swept(void *ctx, const struct finding *x)
{
	const struct sweep *s = ctx;

	return !x->confirmed && str_eq(x->subject.cluster, s->cluster) && s->over(s->ctx, x);
}

void findings_sweep(struct findings *f, str cluster, bool (*over)(void *ctx, const struct finding *x), void *ctx,
		    const char *why)
{
	const struct finding_counters *c = counters(f, cluster);

	if (!c || c->unconfirmed) /* walking them all is for the first time only */
		end_all(f, is_swept, &(struct sweep){ cluster, over, ctx }, why);
}

struct unwatched {
	bool (*watched)(void *ctx, str cluster);
	void *ctx;
};

static bool is_unwatched(void *ctx, const struct finding *x)
{
	const struct unwatched *u = ctx;

	return !u->watched(u->ctx, x->subject.cluster);
}

void findings_end_unwatched(struct findings *f, bool (*watched)(void *ctx, str cluster), void *ctx)
{
	end_all(f, is_unwatched, &(struct unwatched){ watched, ctx }, "no longer configured");
}
