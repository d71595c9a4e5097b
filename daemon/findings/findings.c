/* The set of open findings, and the records of what becomes of them. */
#include "daemon/findings/findings.h"

#include "base/assert.h"
#include "base/hex.h"
#include "daemon/findings/cause.h"
#include "daemon/findings/clock.h"
#include "daemon/findings/finding_owner.h"
#include "daemon/findings/findings_internal.h"
#include "daemon/findings/places.h"

#include <inttypes.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#define KEY_BYTES_MAX (16u << 20)
#define SPAN_USEC_MIN                                                                                                  \
	(10 * INT64_C(1000000)) /* a shorter one is as good as now: findings are reported that much later */

static const struct blame nobody;

static bool hash_with(const unsigned char key[FINDINGS_KEY_SIZE], str state, char out[FINDING_ID_SIZE])
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	bool ok = HMAC(EVP_sha256(), key, FINDINGS_KEY_SIZE, (const unsigned char *)state.p, state.n, digest, NULL) !=
		  NULL;

	if (ok)
		hex_write(digest, 16, out);
	return ok;
}

bool findings_hash(const struct findings *f, str text, char out[FINDING_ID_SIZE])
{
	return hash_with(f->hash_key, text, out);
}

bool findings_cause_id(const struct findings *f, str text, char out[FINDING_ID_SIZE])
{
	return findings_hash(f, text, out);
}

void findings_add_cause(const struct findings *f, const struct finding *x, struct record *r)
{
	CLEANUP(buf_done) struct buf cause = BUF_INIT(CAUSE_MAX);
	char id[FINDING_ID_SIZE];

	finding_cause(x, &cause);
	if (!cause.error && findings_cause_id(f, buf_str(&cause), id))
		record_add(r, "DRIFTD_CAUSE", str_from(id));
}

/* Whether @hash is that of @state as an older driftd kept it, which had no key. */
static bool is_hash_without_key(const char hash[FINDING_ID_SIZE], str state)
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	char text[FINDING_ID_SIZE];

	if (EVP_Digest(state.p, state.n, digest, NULL, EVP_sha256(), NULL) != 1)
		return false;
	hex_write(digest, 16, text);
	return strcmp(text, hash) == 0;
}

/* Whether @hash is that of @state as a driftd with another key, or with none, kept it. */
static bool is_hash_of_old(const struct findings *f, const char hash[FINDING_ID_SIZE], str state)
{
	char text[FINDING_ID_SIZE];

	for (size_t i = 0; i < f->old_keys.n; i++) {
		if (hash_with(f->old_keys.p[i].bytes, state, text) && strcmp(text, hash) == 0)
			return true;
	}
	return is_hash_without_key(hash, state);
}

bool findings_is_old_hash(const struct findings *f, str hash, str text)
{
	char known[FINDING_ID_SIZE];

	if (hash.n != FINDING_ID_SIZE - 1)
		return false;
	memcpy(known, hash.p, hash.n);
	known[hash.n] = '\0';
	return is_hash_of_old(f, known, text);
}

/* ---- the set ---- */

/* finding_key in the scratch text; {NULL, 0} without memory. The scratch keeps its capacity, so that a key which is in
 * the set can always be made: looking a finding up needs no memory. */
str findings_subject_key(struct findings *f, enum finding_kind kind, const struct finding_subject *s)
{
	buf_clear(&f->key);
	finding_key(kind, s, &f->key);
	return f->key.error ? (str){ NULL, 0 } : buf_str(&f->key);
}

struct finding *findings_lookup(struct findings *f, enum finding_kind kind, const struct finding_subject *s)
{
	const struct finding_counters *c = strmap_get(&f->by_cluster, s->cluster);
	str key;

	if (!c || !findings_open(c, kind)) /* most clusters and kinds have none, and that is asked for each object */
		return NULL;
	key = findings_subject_key(f, kind, s);
	return key.p ? index_get(&f->by_key, key) : NULL;
}

struct finding *findings_insert_near(struct findings *f, const struct finding *from, struct finding *near)
{
	struct finding *x = finding_copy(f, from);
	void *replaced = NULL;

	if (!x)
		return NULL;
	x->counters = findings_counters_of(f, x->subject.cluster);
	if (!x->counters || !index_put(&f->by_key, x, &replaced)) {
		finding_free(x);
		return NULL;
	}
	findings_tally(f, x, replaced ? replaced : near);
	findings_scan_add(f, x);
	if (x->flap)
		x->flap->of = x;
	if (replaced) {
		findings_scan_replace(f, replaced, x);
		findings_untally(f, replaced);
		finding_free(replaced);
	}
	return x;
}

static str key_of(const void *thing)
{
	return ((const struct finding *)thing)->key;
}

int findings_new(struct sink *sink, struct findings **ret, struct err *err)
{
	struct findings *f = calloc(1, sizeof(*f));

	if (!f)
		return err_nomem(err);
	f->texts = shared_texts_new();
	f->slabs = slabs_new();
	if (!f->texts || !f->slabs) {
		shared_texts_close(f->texts);
		slabs_close(f->slabs);
		free(f);
		return err_nomem(err);
	}
	f->key = BUF_INIT(KEY_BYTES_MAX);
	f->by_key = f->dormant = INDEX_OF(key_of);
	f->sink = sink;
	f->generation = (uint64_t)clock_usec();
	flapping_init(&f->flapping);
	TAILQ_INIT(&f->open);
	LIST_INIT(&f->scans);
	*ret = f;
	return 0;
}

int findings_new_like(const struct findings *like, struct sink *sink, struct findings **ret, struct err *err)
{
	CLEANUP(findings_freep) struct findings *f = NULL;
	int r = findings_new(sink, &f, err);

	if (r < 0)
		return r;
	ASSERT(f); /* which the compiler cannot see */
	findings_set_key(f, like->hash_key);
	for (size_t i = 0; r == 0 && i < like->old_keys.n; i++)
		r = findings_add_old_key(f, like->old_keys.p[i].bytes, err);
	f->terms.cluster_named = like->terms.cluster_named;
	if (r == 0)
		*ret = TAKE(f);
	return r;
}

void findings_set_key(struct findings *f, const unsigned char key[FINDINGS_KEY_SIZE])
{
	memcpy(f->hash_key, key, FINDINGS_KEY_SIZE);
}

int findings_add_old_key(struct findings *f, const unsigned char key[FINDINGS_KEY_SIZE], struct err *err)
{
	struct old_key old;

	memcpy(old.bytes, key, FINDINGS_KEY_SIZE);
	return vec_push(&f->old_keys, old) ? 0 : err_nomem(err);
}

/* Free some findings of @set. False: none is left. */
static bool drain_some(struct index *set)
{
	for (size_t i = 0; i < FINDINGS_AT_ONCE; i++) {
		struct finding *x = index_drain(set);

		if (!x)
			return false;
		finding_free(x);
	}
	return true;
}

bool findings_release(struct findings *f)
{
	findings_scan_end_all(f);
	return drain_some(&f->by_key);
}

void findings_free(struct findings *f)
{
	const struct strmap_entry *e;
	size_t at = 0;

	if (!f)
		return;
	findings_scan_end_all(f);
	while (drain_some(&f->by_key)) {
	}
	while (drain_some(&f->dormant)) {
	}
	while ((e = strmap_each(&f->by_cluster, &at)))
		free(e->value);
	flapping_done(&f->flapping);
	rule_counts_done(&f->rule_counts);
	namespace_counts_done(&f->namespaces);
	vec_done(&f->old_keys);
	shared_texts_close(f->texts);
	slabs_close(f->slabs);
	strmap_done(&f->by_cluster);
	buf_done(&f->key);
	free(f);
}

const struct finding *findings_get(struct findings *f, enum finding_kind kind, const struct finding_subject *s)
{
	return findings_lookup(f, kind, s);
}

const struct finding *findings_find(const struct findings *f, str key)
{
	return index_get(&f->by_key, key);
}

const struct finding *findings_each(const struct findings *f, size_t *at)
{
	return index_each(&f->by_key, at);
}

const struct finding *findings_each_gap(const struct findings *f, size_t *at, const struct finding *last)
{
	const struct finding *x = last ? TAILQ_NEXT(last, by_age) : NULL;
	const struct strmap_entry *e;

	while (!x && (e = strmap_each(&f->by_cluster, at)))
		x = TAILQ_FIRST(&((struct finding_counters *)e->value)->gaps);
	return x;
}

uint64_t findings_generation(const struct findings *f)
{
	return f->generation;
}

static void count(const struct finding *x, enum transition t)
{
	if (x->kind == FINDING_ACCEPTED) /* an acceptance is no drift */
		return;
	x->counters->transitions[t][x->severity]++;
}

/* ---- flapping ---- */

/* Whether the place of the finding has changed too often. A finding that never lasted long enough to be reported does
 * not count. */
static bool changes_often(struct findings *f, const struct finding *x, unsigned changes)
{
	uint64_t now = clock_ns();

	if (x->kind == FINDING_GAP)
		return false;
	return flapping_note(&f->flapping, x->key, now >= x->reported_from_ns ? changes : 0, now);
}

bool findings_add_flap(struct findings *f, struct finding *x)
{
	x->flap = flap_new(&f->flapping, x, clock_ns());
	x->counters->flapping += x->flap != NULL;
	return x->flap != NULL;
}

/* Let the finding flap. False without memory: then each change of it is reported. */
static bool begin_to_flap(struct findings *f, struct finding *x)
{
	if (!findings_add_flap(f, x))
		return false;
	x->flaps = f->flapping.changes;
	return true;
}

void findings_end_to_flap(struct findings *f, struct finding *x)
{
	ASSERT(x->counters->flapping > 0);
	x->counters->flapping--;
	flap_free(&f->flapping, x->flap);
	x->flap = NULL;
	x->flaps = 0;
}

/* Move the finding from the open ones to the dormant ones. False without memory: then it stays open. */
bool findings_become_dormant(struct findings *f, struct finding *x)
{
	if (!index_put(&f->dormant, x, NULL))
		return false;
	(void)index_remove(&f->by_key, x->key);
	findings_scan_remove(f, x);
	findings_untally(f, x);
	x->dormant = true;
	return true;
}

void findings_free_dormant(struct findings *f, struct finding *x)
{
	(void)index_remove(&f->dormant, x->key);
	finding_free(x);
}

/* Add to @r why the record of a finding that flaps is written. */
static void add_flapping(const struct findings *f, struct record *r, const struct finding *x, const char *how)
{
	bool over = strcmp(how, "end") == 0;
	str window = duration_text(&r->arena, (int64_t)(f->flapping.window_ns / 1000));

	record_say(r, "; %s: %" PRIu64 " changes%s%.*s", over ? "quiet again" : "flapping", x->flaps,
		   over ? "" : ", reported again when quiet for ", STR_ARG(over ? STR("") : window));
	record_add(r, "DRIFTD_FLAPPING", str_from(how));
	record_addf(r, "DRIFTD_FLAPPING_CHANGES", "%" PRIu64, x->flaps);
}

/* Make the record of a flapping finding: the record of its last change or, after a restart, what is known of it. */
static void record_flap(const struct findings *f, struct record *r, const struct finding *x)
{
	struct err err;

	if (x->flap->last.n && record_decode(buf_str(&x->flap->last), r, &err) == 0) {
		random_id(r->id); /* a record with the former id may have been reported */
		return;
	}
	if (x->flap->last.n)
		record_done(r);
	if (x->dormant)
		record_end(r, x, NULL, NULL, &nobody, &f->terms);
	else
		record_state(r, x, TRANSITION_CHANGE, &f->terms);
	findings_add_cause(f, x, r);
}

/* A finding that flapped has been quiet for long enough: report how it is now. */
static void end_flapping(struct findings *f, struct finding *x)
{
	bool over = x->dormant;
	struct record r;

	record_flap(f, &r, x);
	add_flapping(f, &r, x, "end");
	x->flaps = 0;
	sink_emit(f->sink, &(struct emission){ .finding = x, .over = over, .record = &r });
	record_done(&r); /* the record borrows from the flap */
	findings_end_to_flap(f, x);
	if (over)
		findings_free_dormant(f, x);
}

void findings_set_flapping(struct findings *f, unsigned changes, uint64_t window_ns)
{
	ASSERT(changes <= FLAPPING_CHANGES_MAX);
	f->flapping.changes = changes;
	f->flapping.window_ns = window_ns;
}

void findings_tick(struct findings *f, uint64_t now_ns)
{
	struct flap *quiet;

	while ((quiet = flapping_quiet(&f->flapping, now_ns)))
		end_flapping(f, quiet->of);
}

/* ---- transitions ---- */

/* Keep the change of @x, which flaps, and report it when there is @news. */
static void emit_flap(struct findings *f, struct finding *x, enum transition t, const struct finding_report *report,
		      const char *news)
{
	struct emission emission = { .finding = x, .received_ns = report->received_ns };
	struct record r;

	record_report(&r, x, TRANSITION_CHANGE, report, &f->terms);
	findings_add_cause(f, x, &r);
	/* a flapping finding counts this as a change, and is reported again when it is quiet */
	flap_change(&f->flapping, x->flap, &r, clock_ns());
	if (news && t != TRANSITION_CHANGE) {
		record_done(&r);
		record_report(&r, x, t, report, &f->terms);
		findings_add_cause(f, x, &r);
	}
	if (news) {
		add_flapping(f, &r, x, news);
		emission.record = &r;
	} else {
		x->counters->flaps++;
	}
	sink_emit(f->sink, &emission);
	record_done(&r);
}

/* A begin or a change of @x, which is as @report has it by now. */
static void emit_report(struct findings *f, struct finding *x, enum transition t, const struct finding_report *report)
{
	bool often = changes_often(f, x, 1), flapped = x->flap != NULL;
	struct record r;

	rule_counts_add(&f->rule_counts, report);

	if (flapped)
		x->flaps++;
	if (flapped || (often && begin_to_flap(f, x))) {
		bool news = flap_is_news(x->flap, x->severity, x->paths);

		emit_flap(f, x, t, report, !flapped ? "begin" : news ? "change" : NULL);
		return;
	}
	record_report(&r, x, t, report, &f->terms);
	findings_add_cause(f, x, &r);
	sink_emit(f->sink, &(struct emission){ .finding = x,
					       .record = &r,
					       .received_ns = report->received_ns,
					       .hold_ns = t == TRANSITION_BEGIN ? report->hold_ns : 0 });
	record_done(&r);
}

/* Set what the finding says after a report; its texts are in @scratch. */
static void take_facts(struct findings *f, const struct finding_report *report, const char *state_hash,
		       struct finding *x, struct arena *scratch)
{
	x->severity = report->severity;
	x->subject = report->subject;
	x->summary = finding_cut_summary(report, scratch);
	x->paths = finding_join_paths(report, scratch);
	x->places = places_join(report, scratch);
	x->removals = findings_join_removals(f, report, scratch);
	x->manager = report->blame.manager;
	x->actions = finding_join_actions(report, scratch);
	x->confirmed = x->announced = true;
	memcpy(x->state_hash, state_hash, sizeof(x->state_hash));
}

/* Make the finding of @report. One that is dormant begins again: it keeps its id and its age, and only changes.
 * *written: the transition that a record shows. NULL without
 * memory. */
static struct finding *begin(struct findings *f, const struct finding_report *report, const char *state_hash,
			     enum transition *written)
{
	CLEANUP(arena_done) struct arena scratch = ARENA_INIT(0);
	struct finding fresh = {
		.kind = report->kind,
		.first_seen_usec = clock_usec(),
		.open_from_usec = clock_boot_usec(),
		.reported_from_ns = clock_ns() + (uint64_t)report->hold_ns,
		.has_hold = report->hold_ns > 0,
	};
	str key = findings_subject_key(f, report->kind, &report->subject);
	struct finding *dormant = key.p ? index_get(&f->dormant, key) : NULL, *x;

	take_facts(f, report, state_hash, &fresh, &scratch);
	random_id(fresh.id);
	if (dormant) {
		memcpy(fresh.id, dormant->id, sizeof(fresh.id));
		fresh.first_seen_usec = dormant->first_seen_usec;
		fresh.open_from_usec = dormant->open_from_usec;
		fresh.flaps = dormant->flaps;
		fresh.flap = dormant->flap;
	}
	x = findings_insert_near(f, &fresh, NULL);
	if (!x)
		return NULL;
	if (dormant)
		findings_free_dormant(f, dormant);
	count(x, TRANSITION_BEGIN);
	*written = dormant ? TRANSITION_CHANGE : TRANSITION_BEGIN;
	return x;
}

/* As begin(), for a finding that is open: it gets other facts, and keeps its id and the time it was first seen. */
static struct finding *change(struct findings *f, struct finding *x, const struct finding_report *report,
			      const char *state_hash, enum transition *written)
{
	struct finding next = *x;
	CLEANUP(arena_done) struct arena scratch = ARENA_INIT(0);

	*written = x->announced ? TRANSITION_CHANGE : TRANSITION_BEGIN;
	take_facts(f, report, state_hash, &next, &scratch);
	x = findings_insert_near(f, &next, NULL);
	if (x)
		count(x, TRANSITION_CHANGE);
	return x;
}

/* End a finding that flaps: it becomes dormant, and its end is reported only when it is quiet. False: the finding is
 * steady, or memory is short. */
static bool end_flap(struct findings *f, struct finding *x, const struct finding_subject *now, const char *why,
		     const struct blame *by)
{
	struct record r;

	if (!x->flap)
		return false;
	x->flaps++;
	if (!findings_become_dormant(f, x)) {
		findings_end_to_flap(f, x);
		return false;
	}
	x->counters->flaps++;
	record_end(&r, x, now, why, by, &f->terms);
	findings_add_cause(f, x, &r);
	flap_change(&f->flapping, x->flap, &r, clock_ns());
	record_done(&r);
	sink_emit(f->sink, &(struct emission){ .finding = x });
	return true;
}

/* End the finding. @now: the object as it is, or NULL. */
static void end(struct findings *f, struct finding *x, const struct finding_subject *now, const char *why,
		const struct blame *by)
{
	struct record r;

	count(x, TRANSITION_END);
	if (end_flap(f, x, now, why, by))
		return;
	/* the begin of a finding that had to last counts now, together with the end */
	(void)changes_often(f, x, x->has_hold ? 2 : 1);
	record_end(&r, x, now, why, by, &f->terms);
	findings_add_cause(f, x, &r);
	sink_emit(f->sink, &(struct emission){ .finding = x, .over = true, .record = x->announced ? &r : NULL });
	record_done(&r);
	(void)index_remove(&f->by_key, x->key);
	findings_scan_remove(f, x);
	findings_untally(f, x);
	finding_free(x);
}

/* Whether the finding is on an object that another object of the same name has replaced. */
static bool is_replaced(const struct finding *x, const struct finding_subject *by)
{
	return x->kind != FINDING_COMPONENT && x->subject.uid.n && by->uid.n && !str_eq(x->subject.uid, by->uid);
}

/* Store the hash of the same state under the current key, without a record. */
void finding_hash_anew(struct findings *f, struct finding *x, const char state_hash[FINDING_ID_SIZE])
{
	memmove(x->state_hash, state_hash, FINDING_ID_SIZE);
	sink_emit(f->sink, &(struct emission){ .finding = x });
}

/* True when the earlier state of the finding is unknown and nothing shows that it changed: then no change is
 * reported. */
static bool may_be_unchanged(const struct finding *x, const struct finding_report *report)
{
	return strcmp(x->state_hash, FINDING_STATE_UNKNOWN) == 0 && x->severity == report->severity &&
	       finding_has_paths(x, report);
}

static bool take_text(str *to, str text)
{
	if (!text.p || str_eq(text, *to))
		return false;
	*to = text;
	return true;
}

/* Take over what has changed without a transition. The rules may have become others that say nothing worse; another
 * revision of the release may want the same; an older driftd kept no places and no summary, and the journal has
 * none. Without memory this is done when the finding is seen again. */
static void take_unsaid(struct findings *f, struct finding *x, const struct finding_report *report)
{
	CLEANUP(arena_done) struct arena scratch = ARENA_INIT(0);
	struct finding next = *x;
	bool news =
		(report->n_rules || x->actions.n) && take_text(&next.actions, finding_join_actions(report, &scratch));

	news |= take_text(&next.subject.template_path, report->subject.template_path);
	if (!x->summary.n && report->summary.n)
		news |= take_text(&next.summary, finding_cut_summary(report, &scratch));
	if (!x->places.n && report->n_paths)
		news |= take_text(&next.places, places_join(report, &scratch));
	if (!news)
		return;
	x = findings_insert_near(f, &next, NULL);
	if (x)
		sink_emit(f->sink, &(struct emission){ .finding = x });
}

int findings_report(struct findings *f, const struct finding_report *report, struct err *err)
{
	struct finding *x = findings_lookup(f, report->kind, &report->subject);
	char state_hash[FINDING_ID_SIZE];
	enum transition written;

	ASSERT(report->kind < FINDING_KINDS);
	/* the severity is an index of counters */
	ASSERT(report->severity >= SEVERITY_CRITICAL && report->severity <= SEVERITY_INFO);
	ASSERT(report->n_paths <= FINDING_PATHS_MAX);
	if (!findings_hash(f, report->state, state_hash))
		return err_nomem(err);
	if (x && is_replaced(x, &report->subject)) {
		end(f, x, NULL, end_reason_text(END_DELETED), &nobody);
		x = NULL;
	}
	if (x)
		finding_set_confirmed(x, true);
	if (x && strcmp(x->state_hash, state_hash) != 0 &&
	    (is_hash_of_old(f, x->state_hash, report->state) || may_be_unchanged(x, report)))
		finding_hash_anew(f, x, state_hash);
	if (x && strcmp(x->state_hash, state_hash) == 0 && x->severity == report->severity) {
		take_unsaid(f, x, report);
		return 0;
	}
	x = x ? change(f, x, report, state_hash, &written) : begin(f, report, state_hash, &written);
	if (!x)
		return err_nomem(err);
	emit_report(f, x, written, report);
	return 0;
}

void findings_confirm(struct findings *f, enum finding_kind kind, const struct finding_subject *s)
{
	struct finding *x = findings_lookup(f, kind, s);

	if (x)
		finding_set_confirmed(x, true);
}

static void end_as(struct findings *f, enum finding_kind kind, const struct finding_subject *s, const char *why,
		   const struct blame *by)
{
	struct finding *x = findings_lookup(f, kind, s);

	if (x && is_replaced(x, s))
		end(f, x, NULL, end_reason_text(END_DELETED), &nobody);
	else if (x)
		end(f, x, s, why, by);
}

void findings_repaired(struct findings *f, enum finding_kind kind, const struct finding_subject *s, enum end_reason why,
		       const struct blame *by)
{
	end_as(f, kind, s, end_reason_text(why), by);
}

void findings_clear(struct findings *f, enum finding_kind kind, const struct finding_subject *s, enum end_reason why)
{
	end_as(f, kind, s, end_reason_text(why), &nobody);
}

void findings_accepted(struct findings *f, enum finding_kind kind, const struct finding_subject *s, str reason)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	const char *accepted = end_reason_text(END_ACCEPTED);
	const char *why = arena_printf(&a, "%s: %.*s", accepted, STR_ARG(reason)).p;

	end_as(f, kind, s, why ? why : accepted, &nobody);
}

void findings_set_span(struct findings *f, const struct time_span *span)
{
	bool is_wide = span && span->not_after_usec - span->not_before_usec >= SPAN_USEC_MIN;

	f->terms.span = is_wide ? *span : (struct time_span){ 0 };
}

const struct time_span *findings_span(const struct findings *f)
{
	return f->terms.span.not_before_usec ? &f->terms.span : NULL;
}

void findings_set_revisions(struct findings *f, const struct record_revision *revisions, size_t n)
{
	f->terms.revisions = revisions;
	f->terms.n_revisions = n;
}

void findings_name_clusters(struct findings *f, bool named)
{
	f->terms.cluster_named = named;
}

void findings_unconfirm(struct findings *f, str cluster)
{
	struct finding *x;
	size_t at = 0;

	while ((x = index_each(&f->by_key, &at))) {
		if (str_eq(x->subject.cluster, cluster))
			finding_set_confirmed(x, false);
	}
}

/* End some of the findings for which @over says so. They are collected first, because the table may not change while
 * it is walked. False: there may be more, which are left for the next time. */
static bool end_some(struct findings *f, findings_over *over, void *ctx)
{
	struct finding *x, *ending[FINDINGS_AT_ONCE];
	enum end_reason why[FINDINGS_AT_ONCE];
	size_t at = 0, n = 0;

	while (n < ARRAY_LEN(ending) && (x = index_each(&f->by_key, &at))) {
		if (over(ctx, x, &why[n]))
			ending[n++] = x;
	}
	for (size_t i = 0; i < n; i++)
		end(f, ending[i], NULL, end_reason_text(why[i]), &nobody);
	return n < ARRAY_LEN(ending);
}

bool findings_end_some(struct findings *f, struct findings_scan *s, findings_over *over, void *ctx)
{
	enum end_reason why;
	struct finding *x;

	for (size_t n = 0; n < FINDINGS_SOME; n++) {
		x = (struct finding *)findings_scan_next(s);
		if (!x)
			return true;
		if (over(ctx, x, &why))
			end(f, x, NULL, end_reason_text(why), &nobody);
	}
	return false;
}

void findings_end_where(struct findings *f, findings_over *over, void *ctx)
{
	struct findings_scan s;

	findings_scan_begin(f, &s);
	while (!findings_end_some(f, &s, over, ctx)) {
	}
	findings_scan_end(&s);
}

struct sweep {
	str cluster;
	findings_over *over;
	void *ctx;
};

static bool is_swept(void *ctx, const struct finding *x, enum end_reason *why)
{
	const struct sweep *s = ctx;

	return !x->confirmed && str_eq(x->subject.cluster, s->cluster) && s->over(s->ctx, x, why);
}

bool findings_sweep(struct findings *f, str cluster, findings_over *over, void *ctx)
{
	const struct finding_counters *c = findings_counters_of(f, cluster);

	/* All findings are walked only while some are unconfirmed. */
	return (c && !c->unconfirmed) || end_some(f, is_swept, &(struct sweep){ cluster, over, ctx });
}

struct unwatched {
	bool (*watched)(void *ctx, str cluster);
	void *ctx;
};

static bool is_unwatched(void *ctx, const struct finding *x, enum end_reason *why)
{
	const struct unwatched *u = ctx;

	*why = END_CLUSTER_GONE;
	return !u->watched(u->ctx, x->subject.cluster);
}

bool findings_end_unwatched(struct findings *f, bool (*watched)(void *ctx, str cluster), void *ctx)
{
	struct unwatched over = { watched, ctx };
	enum end_reason why;
	struct flap *flap = TAILQ_FIRST(&f->flapping.flaps), *next;

	for (; flap; flap = next) {
		next = TAILQ_NEXT(flap, link);
		if (!is_unwatched(&over, flap->of, &why))
			continue;
		if (flap->of->dormant)
			end_flapping(f, flap->of);
		else
			findings_end_to_flap(f, flap->of);
	}
	return end_some(f, is_unwatched, &over);
}
