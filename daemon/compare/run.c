/* Comparing objects: one, and all on several threads. */
#include "daemon/compare/run.h"

#include "base/assert.h"
#include "base/key.h"
#include "base/utf8.h"
#include "compare/lookup.h"
#include "config/part.h"
#include "go/zoneinfo.h"
#include "rules/crd_schema.h"
#include "text/json_patch.h"
#include "text/k8s_print.h"
#include "text/slug.h"
#include "text/unified_diff.h"
#include "value/json.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define NAME_MAX_BYTES (SIZE_MAX / 2) /* an object's identity may be as long as the object */
#define PROGRESS_FIRST_MS 1000
#define PROGRESS_EVERY_MS 200

/* The names that diff prints for files which exist only in memory, and their time. */
#define MERGED_FOLDER "/tmp/MERGED-0"
#define LIVE_FOLDER "/tmp/LIVE-0"
#define NO_TIME "1970-01-01 00:00:00.000000000 +0000"

/* ---- objects by version and kind ---- */

struct same_kind {
	VEC(uint32_t) objects;
};

struct compare_index {
	struct strmap kinds; /* identity_kind_key -> struct same_kind */
};

static void index_free(struct compare_index *x)
{
	const struct strmap_entry *e;
	size_t at = 0;

	if (!x)
		return;
	while ((e = strmap_each(&x->kinds, &at))) {
		struct same_kind *k = e->value;

		vec_done(&k->objects);
		free(k);
	}
	strmap_done(&x->kinds);
	free(x);
}

static bool index_add(struct compare_index *x, val object, uint32_t i, struct buf *key)
{
	struct identity id = identity_of(object);
	struct same_kind *k = identity_kind_get(&x->kinds, id.api_version, id.kind);

	if (k)
		return vec_push(&k->objects, i);
	buf_clear(key);
	identity_kind_key(id.api_version, id.kind, key);
	if (key->error == -E2BIG)
		return true; /* no look-up finds a kind of such a name */
	k = calloc(1, sizeof(*k));
	if (k && !key->error && strmap_put(&x->kinds, buf_str(key), k, NULL))
		return vec_push(&k->objects, i);
	free(k);
	return false;
}

static struct compare_index *index_new(const struct compare_input *in)
{
	CLEANUP(buf_done) struct buf key = BUF_INIT(IDENTITY_BYTES_MAX);
	struct compare_index *x = calloc(1, sizeof(*x));

	for (size_t i = 0; x && i < in->objects.n; i++) {
		if (!index_add(x, in->objects.p[i], (uint32_t)i, &key)) {
			index_free(x);
			x = NULL;
		}
	}
	return x;
}

/* ---- one thread ---- */

struct compare_worker {
	struct compare_run *run;
	struct key_table *keys;
	struct arena found; /* results of look-ups for one object */
	struct compare_result *result;
	val object; /* the object that is judged, */
	val edited; /* the object after inspection rules have edited it */
	int error;
	struct err err;
};

static void trace(void *ctx, const char *text)
{
	struct compare_worker *w = ctx;

	if (!string_list_add(&w->result->trace, str_from(text)))
		w->error = -ENOMEM;
}

static void trace_lookup(struct compare_worker *w, const struct tmpl_lookup *q, size_t n)
{
	CLEANUP(freep) char *text = NULL;

	if (!w->run->verbose || w->run->mask) /* what is asked for may be a value of the object */
		return;
	if (asprintf(&text, "lookupCRs \"%.*s\" \"%.*s\" \"%.*s\" \"%.*s\" located %zu objects",
		     STR_ARG(q->api_version), STR_ARG(q->kind), STR_ARG(q->namespace), STR_ARG(q->name), n) < 0) {
		text = NULL;
		w->error = -ENOMEM;
		return;
	}
	trace(w, text);
}

/* Fails with EAGAIN, and the reason, when the objects of the kind were not read: then the absence of one proves
 * nothing. */
static int look_at_kind(struct compare_worker *w, const struct tmpl_lookup *q, struct err *err)
{
	const struct compare_known *known = w->run->input->known;
	const char *why = known ? compare_known_why(known, q->api_version, q->kind) : NULL;

	if (!why)
		return 0;
	w->result->waits = true;
	return err_set(err, EAGAIN, "objects of kind %.*s of %.*s are not known: %s", STR_ARG(utf8_cut(q->kind, 64)),
		       STR_ARG(utf8_cut(q->api_version, 64)), why);
}

static int look_up(void *ctx, const struct tmpl_lookup *q, const val **ret, size_t *n, struct err *err)
{
	struct compare_worker *w = ctx;
	const val *objects = w->run->input->objects.p;
	const struct compare_index *x = w->run->index;
	const struct same_kind *k = x ? identity_kind_get(&x->kinds, q->api_version, q->kind) : NULL;
	size_t most = k ? k->objects.n : 0;
	val *found;
	int r = look_at_kind(w, q, err);

	if (r < 0)
		return r;
	found = arena_array(&w->found, most, sizeof(*found));
	if (!found)
		return err_nomem(err);
	*n = 0;
	for (size_t i = 0; i < most; i++) {
		const struct identity id = identity_of(objects[k->objects.p[i]]);

		if (lookup_matches(q, &id))
			found[(*n)++] = objects[k->objects.p[i]];
	}
	*ret = found;
	trace_lookup(w, q, *n);
	return 0;
}

/* ---- one object ---- */

static int set_error(struct compare_result *r, str text, struct err *err)
{
	r->state = VERDICT_ERROR;
	r->error = str_dup(text);
	return r->error ? 0 : err_nomem(err);
}

static int fail_printing(struct compare_result *r, const struct err *why, struct err *err)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(64 << 10);

	buf_printf(&text, "error occurered during diff: %s", why->msg);
	if (text.error)
		return err_nomem(err);
	return set_error(r, buf_str(&text), err);
}

static int file_name(val object, struct buf *out, struct err *err)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(NAME_MAX_BYTES);
	struct identity id = identity_of(object);
	int r;

	identity_text(&id, &text);
	r = buf_error(&text, "the object's identity", err);
	if (r < 0)
		return r;
	slug_make(buf_str(&text), out);
	buf_add(out, "", 0); /* a name of no characters is a text, too */
	return buf_error(out, "the file name", err);
}

static int built_in_diff(const struct compare_run *run, str name, str merged, str live, struct buf *out,
			 struct err *err)
{
	buf_add_cstr(out, "diff -u -N " MERGED_FOLDER "/");
	buf_add_str(out, name);
	buf_add_cstr(out, " " LIVE_FOLDER "/");
	buf_add_str(out, name);
	buf_add_cstr(out, "\n--- " MERGED_FOLDER "/");
	buf_add_str(out, name);
	buf_add_cstr(out, "\t" NO_TIME "\n+++ " LIVE_FOLDER "/");
	buf_add_str(out, name);
	buf_add_cstr(out, "\t" NO_TIME "\n");
	return unified_diff(merged, live, run->limits, out, err);
}

static int external_diff(const struct compare_run *run, val object, str name, str merged, str live,
			 struct compare_result *r, struct buf *out, struct err *err)
{
	CLEANUP(buf_done) struct buf id = BUF_INIT(NAME_MAX_BYTES);
	struct identity identity = identity_of(object);
	struct err why;
	int status = compare_external(run->external, name.p, merged, live, out, &why);

	if (status < 0) {
		r->fatal = true;
		return set_error(r, str_from(why.msg), err);
	}
	if (r->drifted == (status == 1))
		return 0;
	identity_text(&identity, &id);
	if (id.error)
		return err_nomem(err);
	if (asprintf(&r->warning,
		     "%.*s: Internally we found %s but the external tool responded with an exit code of %d",
		     STR_ARG(buf_str(&id)), r->drifted ? "a difference" : "no difference", status) < 0) {
		r->warning = NULL;
		return err_nomem(err);
	}
	return 0;
}

/* What is written alike on both sides is no difference, as to the original, which compares the texts: line breaks that
 * YAML folds, a negative zero, integers beyond 64 bits. Where values are masked, what they hide decides. */
static int finish(const struct compare_run *run, struct verdict *v, str merged, str live, struct compare_result *r,
		  struct err *err)
{
	CLEANUP(buf_done) struct buf expected = BUF_INIT(run->limits->diff_bytes);
	CLEANUP(buf_done) struct buf actual = BUF_INIT(run->limits->diff_bytes);
	int rc;

	if (!r->drifted || !str_eq(merged, live))
		return 0;
	if (run->mask) {
		rc = k8s_print_any(v->expected, v->actual, run->managed_fields, &v->arena, &expected, &actual, err);
		if (rc < 0)
			return rc;
		if (!str_eq(buf_str(&expected), buf_str(&actual)))
			return 0;
	}
	r->drifted = false;
	r->state = VERDICT_COMPLIANT;
	compare_events_done(&r->events);
	r->events = (struct compare_events){ 0 };
	return 0;
}

static int print_diff(struct compare_worker *w, val object, struct verdict *v, struct compare_result *r)
{
	const struct compare_run *run = w->run;
	CLEANUP(buf_done) struct buf merged = BUF_INIT(run->limits->diff_bytes);
	CLEANUP(buf_done) struct buf live = BUF_INIT(run->limits->diff_bytes);
	CLEANUP(buf_done) struct buf name = BUF_INIT(NAME_MAX_BYTES);
	CLEANUP(buf_done) struct buf out = BUF_INIT(run->limits->diff_bytes);
	val expected = v->expected, actual = v->actual;
	struct err why;
	int rc;

	if (!r->drifted && !run->external)
		return 0;
	if (run->mask && !mask_sides(v->mask, expected, actual, v->sensitive, &v->arena, &expected, &actual))
		return err_nomem(&w->err);
	rc = k8s_print_any(expected, actual, run->managed_fields, &v->arena, &merged, &live, &why);
	if (rc == 0)
		rc = finish(run, v, buf_str(&merged), buf_str(&live), r, &why);
	if (rc == -ENOMEM)
		return err_nomem(&w->err);
	if (rc < 0)
		return fail_printing(r, &why, &w->err);
	if (!r->drifted && !run->external)
		return 0;
	rc = file_name(object, &name, &w->err);
	if (rc < 0)
		return rc;
	if (run->external)
		rc = external_diff(run, object, buf_str(&name), buf_str(&merged), buf_str(&live), r, &out, &w->err);
	else
		rc = built_in_diff(run, buf_str(&name), buf_str(&merged), buf_str(&live), &out, &why);
	if (rc == -E2BIG)
		return fail_printing(r, &why, &w->err);
	if (rc < 0)
		return err_nomem(&w->err);
	if (out.n)
		r->diff = str_dup(buf_str(&out)); /* kept until all is judged: without the room that it grew by */
	return out.n && !r->diff ? err_nomem(&w->err) : 0;
}

static bool wants_patch(const struct compare_run *run, const struct ref_template *t)
{
	for (size_t i = 0; i < run->generate_for->v.n; i++) {
		if (str_eq(t->path, str_from(run->generate_for->v.p[i])))
			return true;
	}
	return false;
}

static int make_patch(struct compare_worker *w, struct verdict *v, struct compare_result *r)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(w->run->limits->diff_bytes);
	struct err why;
	val patch;
	bool merges;
	int rc;

	if (!wants_patch(w->run, v->template))
		return 0;
	merges = json_merge_expresses(v->expected, v->actual);
	r->patch_type = merges ? "mergepatch" : "rfc6902";
	patch = merges ? json_merge_diff(&v->arena, v->expected, v->actual)
		       : json_patch_members(&v->arena, v->expected, v->actual);
	if (!val_exists(patch))
		return err_nomem(&w->err);
	rc = json_encode(patch, JSON_GO, NULL, &text, &why);
	if (rc == -ENOMEM)
		return err_nomem(&w->err);
	if (rc < 0)
		return fail_printing(r, &why, &w->err);
	r->patch = buf_steal(&text);
	return r->patch ? 0 : err_nomem(&w->err);
}

static int keep_overrides(const struct verdict *v, struct compare_result *r, struct err *err)
{
	if (!v->n_overrides)
		return 0;
	r->overrides = calloc(v->n_overrides, sizeof(*r->overrides));
	if (!r->overrides)
		return err_nomem(err);
	memcpy(r->overrides, v->overrides, v->n_overrides * sizeof(*r->overrides));
	r->n_overrides = v->n_overrides;
	return 0;
}

/* Where all that differs is accepted no difference is left to print. */
static int accept(struct compare_worker *w, val object, const struct verdict *v, struct compare_result *r)
{
	int rc = compare_accept(w->run->accepted, object, v, &r->accepted, &w->err);

	if (rc < 0 || !r->drifted) /* what is written alike is no difference */
		r->accepted.n = 0;
	if (rc < 0 || !r->accepted.n || !r->accepted.all)
		return rc;
	r->drifted = false;
	free(TAKE(r->diff));
	return 0;
}

static int keep_result(struct compare_worker *w, val object, struct verdict *v, struct compare_result *r)
{
	int rc;

	r->state = v->state;
	r->template = v->template;
	r->drifted = v->state == VERDICT_DRIFTED;
	r->fatal = v->override_fault;
	if (v->state == VERDICT_ERROR)
		return set_error(r, w->run->mask ? v->error : v->error_detail, &w->err);
	if (v->state != VERDICT_COMPLIANT && v->state != VERDICT_DRIFTED)
		return 0;
	rc = keep_overrides(v, r, &w->err);
	if (rc == 0)
		rc = print_diff(w, object, v, r);
	if (rc == 0 && w->run->accepted)
		rc = accept(w, object, v, r);
	return rc < 0 ? rc : make_patch(w, v, r);
}

static int review(void *ctx, struct verdict *v, const struct mask_fields *mask, uint64_t *steps, struct err *err)
{
	struct compare_worker *w = ctx;
	struct identity id = identity_of(w->object);
	val schema = crd_table_schema(&w->run->input->schemas, id.api_version, id.kind);

	return compare_review(w->run->review, w->object, w->edited, schema, v, mask, steps, &w->result->events, err);
}

static void refer(struct compare_worker *w, const struct ref_template *t, uint8_t how)
{
	struct compare_result *r = w->result;

	if (!r->referenced)
		r->referenced = calloc(matcher_reference(w->run->matcher)->n_templates, sizeof(*r->referenced));
	if (r->referenced)
		r->referenced[t->index] |= how;
	else
		w->error = -ENOMEM;
}

static void found_owner(void *ctx, const struct ref_template *t)
{
	refer(ctx, t, COMPARE_BY_OWNER);
}

static void found_subject(void *ctx, const struct ref_template *t)
{
	refer(ctx, t, COMPARE_BY_SUBJECT);
}

struct compare_worker *compare_worker_new(struct compare_run *run, struct key_table *keys)
{
	struct compare_worker *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->run = run;
	w->keys = keys;
	arena_init(&w->found, 0, run->limits->arena_bytes);
	return w;
}

void compare_worker_free(struct compare_worker *w)
{
	if (w)
		arena_done(&w->found);
	free(w);
}

size_t compare_run_candidates(const struct compare_run *run, const struct identity *id,
			      const struct ref_template **manual, const struct ref_template *const **ret)
{
	*manual = run->manual ? identity_get(run->manual, id) : NULL;
	*ret = manual;
	return *manual ? 1 : matcher_candidates(run->matcher, id, ret);
}

/* ---- inspection ---- */

static int begin_inspection(struct compare_worker *w, val object)
{
	const struct compare_run *run = w->run;
	const struct compare_input *in = run->input;
	const struct identity id = identity_of(object);
	struct compare_candidates c = { .of = matcher_reference(run->matcher) };
	const struct ref_template *const *candidates, *manual;

	w->edited = object;
	if (!HAS_INSPECTION || !run->inspection)
		return 0;
	/* the results of a pipeline are elsewhere, and it inspects nothing */
	ASSERT(w->result >= run->results && w->result < run->results + run->n_results);
	c.n = compare_run_candidates(run, &id, &manual, &candidates);
	c.only = c.n == 1 ? candidates[0] : NULL;
	return compare_inspect(run->inspection, object, in->names.p[w->result - run->results], &c, &w->edited, &w->err);
}

static int end_inspection(struct compare_worker *w, const struct verdict *v)
{
	if (!HAS_INSPECTION || !w->run->inspection)
		return 0;
	return compare_inspected(w->run->inspection, w->result->waits ? NULL : v, &w->err);
}

static int judge(struct compare_worker *w, val object)
{
	struct compare_run *run = w->run;
	struct compare_env env = { .limits = run->limits,
				   .keys = w->keys,
				   .lookup = look_up,
				   .ctx = w,
				   .zones = &go_zoneinfo,
				   .overrides = run->overrides,
				   .manual = run->manual,
				   .correlated = object,
				   .mask = run->mask,
				   .review = run->review ? review : NULL,
				   .managed_fields = run->managed_fields,
				   .trace = run->verbose ? trace : NULL };
	CLEANUP(verdict_done) struct verdict v = { 0 };
	int r;

	matcher_owner_references(run->matcher, object, found_owner, w);
	matcher_subjects(run->matcher, object, found_subject, w);
	r = begin_inspection(w, object);
	if (r == 0)
		r = compare_object(run->matcher, w->edited, &env, &v, &w->err);
	if (r == 0)
		r = keep_result(w, object, &v, w->result);
	if (r == 0)
		r = end_inspection(w, &v);
	arena_reset(&w->found);
	return r < 0 ? r : w->error;
}

int compare_worker_judge(struct compare_worker *w, val object, struct compare_result *ret, struct err *err)
{
	int r;

	w->object = object;
	w->result = ret;
	w->error = 0;
	w->err = (struct err){ 0 };
	r = judge(w, object);
	if (r == -ENOMEM && !w->err.code)
		err_nomem(&w->err);
	if (r < 0)
		*err = w->err;
	return r;
}

/* ---- results ---- */

void compare_result_done(struct compare_result *r)
{
	free(r->diff);
	free(r->error);
	free(r->patch);
	free(r->warning);
	free(r->overrides);
	free(r->referenced);
	string_list_done(&r->trace);
	compare_events_done(&r->events);
	compare_acceptances_done(&r->accepted);
	*r = (struct compare_result){ 0 };
}

int compare_run_expect(struct compare_run *run, size_t n, struct err *err)
{
	struct compare_result *more;

	if (n <= run->results_max)
		return 0;
	more = reallocarray(run->results, n, sizeof(*more));
	if (!more)
		return err_nomem(err);
	run->results = more;
	run->results_max = n;
	return 0;
}

static int note_references(struct compare_run *run, struct compare_result *r, struct err *err)
{
	size_t n = matcher_reference(run->matcher)->n_templates;

	if (!r->referenced)
		return 0;
	if (!run->referenced)
		run->referenced = calloc(n, sizeof(*run->referenced));
	if (!run->referenced)
		return err_nomem(err);
	for (size_t i = 0; i < n; i++)
		run->referenced[i] |= r->referenced[i];
	free(r->referenced);
	r->referenced = NULL;
	return 0;
}

int compare_run_take(struct compare_run *run, struct compare_result *result, struct err *err)
{
	int r = 0;

	if (run->n_results == run->results_max)
		r = compare_run_expect(run, run->n_results * 2 + 64, err);
	if (r == 0)
		r = note_references(run, result, err);
	if (r < 0)
		return r;
	run->results[run->n_results++] = *result;
	*result = (struct compare_result){ 0 };
	return 0;
}

/* ---- all of them ---- */

struct thread {
	struct compare_worker *worker;
	struct key_table *keys;
	struct err err;
	int error;
	pthread_t id;
};

static void thread_done(struct thread *t)
{
	compare_worker_free(t->worker);
	key_table_free(t->keys);
}

static void *work(void *arg)
{
	struct thread *t = arg;
	struct compare_run *run = t->worker->run;
	size_t i;

	while (!atomic_load(&run->stop) && (i = atomic_fetch_add(&run->next, 1)) < run->input->objects.n) {
		t->error = compare_worker_judge(t->worker, run->input->objects.p[i], &run->results[i], &t->err);
		if (t->error < 0)
			atomic_store(&run->stop, true);
		atomic_fetch_add(&run->done, 1);
	}
	return NULL;
}

uint64_t compare_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* For a person who waits: nothing in the first second, and nothing stays on the screen. */
static void show_progress(const struct compare_run *run)
{
	const struct timespec pause = { .tv_nsec = PROGRESS_EVERY_MS * 1000000L };
	uint64_t start = compare_now_ms();
	bool shown = false;
	size_t done;

	while ((done = atomic_load(&run->done)) < run->input->objects.n && !atomic_load(&run->stop)) {
		nanosleep(&pause, NULL);
		if (compare_now_ms() - start < PROGRESS_FIRST_MS)
			continue;
		fprintf(stderr, "\rcompared %zu of %zu objects", done, run->input->objects.n);
		fflush(stderr);
		shown = true;
	}
	if (shown)
		fputs("\r\033[K", stderr);
}

static int start_threads(struct compare_run *run, struct thread *threads, unsigned n, unsigned *started,
			 struct err *err)
{
	for (unsigned i = 0; i < n; i++) {
		struct thread *t = &threads[i];
		int r;

		t->keys = key_table_new();
		t->worker = t->keys ? compare_worker_new(run, t->keys) : NULL;
		r = t->worker ? pthread_create(&t->id, NULL, work, t) : ENOMEM;
		if (r) {
			thread_done(t);
			if (r == ENOMEM)
				return err_nomem(err);
			if (i)
				return 0; /* fewer will do */
			return err_set(err, r, "start a thread: %s", strerror(r));
		}
		(*started)++;
	}
	return 0;
}

/* Whether a template, or an override that is one, may ask for other objects. */
bool compare_run_looks_up(const struct compare_run *run)
{
	const struct reference *ref = matcher_reference(run->matcher);

	for (size_t i = 0; i < ref->n_templates; i++) {
		if (ref->templates[i]->text->footprint.n_lookups)
			return true;
	}
	for (size_t i = 0; run->overrides && i < overrides_count(run->overrides); i++) {
		if (str_eq(overrides_at(run->overrides, i)->type, STR("go-template")))
			return true;
	}
	return false;
}

bool compare_run_reads_schemas(const struct compare_run *run)
{
	const struct reference *ref = matcher_reference(run->matcher);

	for (size_t i = 0; run->review && i < ref->n_templates; i++) {
		str api_version = ref->templates[i]->identity.api_version;

		if (!api_version.n || crd_may_define(api_version))
			return true;
	}
	return false;
}

/* Without a second thread the objects' own table of keys serves, so that equal keys are one pointer. */
static int run_here(struct compare_run *run, struct err *err)
{
	struct thread t = { .worker = compare_worker_new(run, run->input->keys) };

	if (!t.worker)
		return err_nomem(err);
	work(&t);
	compare_worker_free(t.worker);
	if (t.error < 0)
		*err = t.err;
	return t.error;
}

static int run_threads(struct compare_run *run, unsigned n, struct err *err)
{
	CLEANUP(freep) struct thread *threads = calloc(n, sizeof(*threads));
	unsigned started = 0;
	int r;

	if (!threads)
		return err_nomem(err);
	r = start_threads(run, threads, n, &started, err);
	if (r < 0)
		atomic_store(&run->stop, true);
	else if (run->progress)
		show_progress(run);
	for (unsigned i = 0; i < started; i++) {
		pthread_join(threads[i].id, NULL);
		if (threads[i].error < 0 && r == 0) {
			*err = threads[i].err;
			r = threads[i].error;
		}
		thread_done(&threads[i]);
	}
	return r;
}

int compare_run_all(struct compare_run *run, unsigned threads, struct err *err)
{
	unsigned n = compare_run_threads(threads);
	int r = compare_run_expect(run, run->input->objects.n + 1, err);

	if (r < 0)
		return r;
	memset(run->results, 0, run->results_max * sizeof(*run->results));
	run->n_results = run->input->objects.n;
	if (HAS_INSPECTION && run->inspection)
		r = compare_inspection_add(run->inspection, run->input, err);
	if (r < 0)
		return r;
	if (compare_run_looks_up(run)) {
		run->index = index_new(run->input);
		if (!run->index)
			return err_nomem(err);
	}
	r = n == 1 && !run->progress ? run_here(run, err) : run_threads(run, n, err);
	for (size_t i = 0; i < run->n_results && r == 0; i++)
		r = note_references(run, &run->results[i], err);
	return r;
}

void compare_run_done(struct compare_run *run)
{
	for (size_t i = 0; i < run->n_results; i++)
		compare_result_done(&run->results[i]);
	free(run->results);
	free(run->referenced);
	index_free(run->index);
	*run = (struct compare_run){ 0 };
}
