/* The steps from an object to its verdict, including the choice between several templates that may be for it. */
#include "compare/compare.h"

#include "base/assert.h"
#include "base/vec.h"
#include "compare/correlate.h"
#include "compare/overrides.h"
#include "compare/reads.h"
#include "compare/score.h"
#include "compare/steps.h"
#include "reference/ref_plain.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#define TEXT_MAX (1u << 20)
/* how many look-ups are kept as dependencies of one verdict */
#define LOOKUPS_MAX 10000
/* memory for the error that says that memory is used up */
#define TOO_LARGE_SLACK (LOOKUPS_MAX * sizeof(struct verdict_lookup) + 4096)

/* A candidate that has been tried. */
struct attempt {
	const struct ref_template *t;
	struct doc *rendered;
	val dot; /* the data that the template was rendered with */
	val expected, actual;
	const struct override **overrides;
	size_t n_overrides;
	bool drifted;
	bool merged;  /* false: it is only known whether the sides differ, and @expected is what was rendered */
	size_t score; /* the least possible score, until the attempt is scored */
	bool scored;
};

/* An object without the fields of an omit list, which most candidates share, and its size. */
struct omitted {
	struct omit_list by;
	val left; /* VAL_ABSENT: nothing has been omitted yet */
	size_t nodes, bytes;
};

struct judge {
	const struct compare_env *env;
	struct verdict *v;
	val object;
	const struct override *const *overrides; /* the overrides for the object, whatever the template */
	size_t n_overrides;
	VEC(struct attempt) attempts;
	VEC(struct verdict_lookup) lookups;
	struct omitted omitted;       /* the result for the last candidate */
	struct verdict_trial *trials; /* one for each candidate; NULL: they are not kept */
	size_t n_trials;
	struct read_part *read_set; /* one for each candidate; NULL: they are not kept */
	size_t n_read_parts;
	const struct ref_template *tried; /* the template that was tried last */
	uint64_t steps_left;
	struct mask_fields mask; /* the mask of the environment, which uses up @steps_left */
	struct reads reads;
	bool failed; /* a candidate failed: the verdict is an error */
	struct err *err;
};

const char *verdict_state_name(enum verdict_state s)
{
	static const char *const names[] = {
		[VERDICT_COMPLIANT] = "compliant", [VERDICT_DRIFTED] = "drifted", [VERDICT_UNMATCHED] = "unmatched",
		[VERDICT_EXCLUDED] = "excluded",   [VERDICT_ERROR] = "error",
	};

	_Static_assert(ARRAY_LEN(names) == VERDICT_ERROR + 1, "ORDER verdict_state");
	ASSERT(s < ARRAY_LEN(names));
	return names[s];
}

static void attempt_done(struct attempt *a)
{
	doc_unref(a->rendered);
}

static void trace(const struct judge *j, const char *fmt, ...) PRINTF(2, 3);

static void trace(const struct judge *j, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;
	int n;

	if (!j->env->trace)
		return;
	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n >= 0)
		j->env->trace(j->env->ctx, text);
	if (n >= 0)
		free(text);
}

/* ---- trials ---- */

/* Records the outcome of the candidate that is being tried. */
static void note_trial(struct judge *j, enum trial_outcome outcome, str why)
{
	if (!j->trials)
		return;
	ASSERT(j->n_trials > 0);
	j->trials[j->n_trials - 1].outcome = outcome;
	j->trials[j->n_trials - 1].why = arena_str(&j->v->arena, why);
}

static void begin_trial(struct judge *j, const struct ref_template *t)
{
	j->tried = t;
	if (j->trials)
		j->trials[j->n_trials++] = (struct verdict_trial){ .template = t, .outcome = TRIAL_FAILED };
}

/* Keep the trials in the verdict. The attempts are the candidates that matched, in the same order. */
static void keep_trials(struct judge *j)
{
	size_t at = 0;

	for (size_t i = 0; i < j->n_trials; i++) {
		struct verdict_trial *t = &j->trials[i];

		if (t->outcome != TRIAL_MATCHED)
			continue;
		t->differs = j->attempts.p[at].drifted;
		t->score = j->attempts.p[at].score;
		at++;
	}
	j->v->trials = j->trials;
	j->v->n_trials = j->n_trials;
}

/* ---- what is seen of the object ---- */

/* Let the candidate that is tried read all of the object until more is known. */
static void begin_read_part(struct judge *j)
{
	if (j->read_set)
		j->read_set[j->n_read_parts++] = (struct read_part){ .scope = READS_ALL };
}

static void note_read_part(struct judge *j, enum read_scope scope, val names, uint64_t hash)
{
	if (j->read_set && val_exists(names))
		j->read_set[j->n_read_parts - 1] = (struct read_part){ scope, names, hash };
}

/* Whether the rendered text is only merged with the object, without any other step. */
static bool is_only_merged(const struct attempt *a)
{
	return a->t->text->ignore_unspecified && !a->t->text->n_per_field && !a->n_overrides;
}

/* Note the names in what was rendered as what the candidate reads. Without this all of the object counts as read, as
 * with a field that has a function of its own. */
static void note_names(struct judge *j, const struct attempt *a)
{
	const struct ref_plain *plain = a->t->text->plain;
	val names;

	if (!j->read_set || !is_only_merged(a))
		return;
	if (plain && a->rendered == ref_plain_doc(plain)) {
		note_read_part(j, READS_NAMED, ref_plain_names(plain), ref_plain_names_hash(plain));
		return;
	}
	names = ref_names(a->expected, j->env->keys, &j->v->arena);
	note_read_part(j, READS_NAMED, names, val_hash(names));
}

/* Keep what the candidates read, except after an error, which may quote anything, and after a choice between several
 * differences, which depends on all of the object. */
static void keep_read_parts(struct judge *j)
{
	size_t n_drifted = 0;

	for (size_t i = 0; i < j->attempts.n && j->attempts.p[i].drifted; i++)
		n_drifted++;
	if (j->failed || (n_drifted > 1 && n_drifted == j->attempts.n))
		return;
	j->v->read_set = j->read_set;
	j->v->n_read_parts = j->n_read_parts;
}

/* ---- steps ---- */

#define STEPS_A_NODE 12 /* for all walks over a value, and for what is made of it */
#define BYTES_A_STEP 32

static void spend(struct judge *j, uint64_t n)
{
	j->steps_left -= n < j->steps_left ? n : j->steps_left;
}

/* Fail because the steps are used up. verdict_too_large() makes the message. */
static int out_of_steps(struct judge *j)
{
	return err_set(j->err, E2BIG, "out of steps");
}

static int spend_on_measure(struct judge *j, size_t nodes, size_t bytes)
{
	spend(j, nodes * STEPS_A_NODE + bytes / BYTES_A_STEP);
	return j->steps_left ? 0 : out_of_steps(j);
}

static int spend_on_value(struct judge *j, val v)
{
	size_t nodes = 0, bytes = 0;

	val_measure(v, &nodes, &bytes);
	return spend_on_measure(j, nodes, bytes);
}

/* The part of the object that is compared with @t. */
static int omit_for(struct judge *j, const struct ref_template *t, val *ret)
{
	const struct omit_list *by = &t->text->omit;
	struct omitted *o = &j->omitted;

	if (!val_exists(o->left) || o->by.paths != by->paths || o->by.n != by->n) {
		*o = (struct omitted){ .by = *by, .left = omit_fields(j->object, *by, &j->v->arena) };
		if (!val_exists(o->left))
			return err_nomem(j->err);
		val_measure(o->left, &o->nodes, &o->bytes);
	}
	*ret = o->left;
	return spend_on_measure(j, o->nodes, o->bytes);
}

static size_t least(size_t a, uint64_t b)
{
	return a < b ? a : (size_t)b;
}

/* ---- look-ups ---- */

static bool same_request(const struct verdict_lookup *l, const struct tmpl_lookup *r)
{
	return str_eq(l->api_version, r->api_version) && str_eq(l->kind, r->kind) &&
	       str_eq(l->namespace, r->namespace) && str_eq(l->name, r->name);
}

static int record_lookup(struct judge *j, const struct tmpl_lookup *r, struct err *err)
{
	struct arena *a = &j->v->arena;
	struct verdict_lookup l;

	for (size_t i = 0; i < j->lookups.n; i++) {
		if (same_request(&j->lookups.p[i], r))
			return 0;
	}
	if (j->lookups.n == LOOKUPS_MAX)
		return err_set(err, E2BIG, "more than %d different look-ups", LOOKUPS_MAX);
	l = (struct verdict_lookup){ arena_str(a, r->api_version), arena_str(a, r->kind), arena_str(a, r->namespace),
				     arena_str(a, r->name) };
	if (!l.api_version.p || !l.kind.p || !l.namespace.p || !l.name.p || !vec_push(&j->lookups, l))
		return err_nomem(err);
	return 0;
}

/* Look objects up for a template. Every request is a dependency of the verdict, whatever it finds. */
static int look_up(void *ctx, const struct tmpl_lookup *request, const val **ret, size_t *n, struct err *err)
{
	struct judge *j = ctx;
	size_t before = j->lookups.n;
	int r = record_lookup(j, request, err);

	if (r < 0)
		return r;
	if (!j->env->lookup) {
		*ret = NULL;
		*n = 0;
		return 0;
	}
	r = j->env->lookup(j->env->ctx, request, ret, n, err);
	if (r < 0 || j->lookups.n == before)
		return r;
	return reads_add(&j->reads, request, *ret, *n) ? 0 : err_nomem(err);
}

/* ---- errors of a candidate ---- */

/* The part of a template's error that quotes no values: they only come after the action that failed. */
static str without_values(str text)
{
	ptrdiff_t end = str_find(text, STR(">: "));

	return end < 0 ? str_sub(text, 0, 0) : str_sub(text, 0, (size_t)end + 1);
}

/* Keep the first failure of the object. @reader is the template that failed to read (NULL: another step failed);
 * @short_text is the message without what was rendered. */
static int fail(struct judge *j, const struct ref_template *t, const struct ref_template *reader, str short_text,
		str text)
{
	CLEANUP(buf_done) struct buf b = BUF_INIT(j->env->limits->template_output_bytes + TEXT_MAX);
	struct verdict *v = j->v;

	if (j->failed)
		return 0;
	j->failed = true;
	v->template = t;
	buf_add_cstr(&b, "template injection failed: ");
	buf_add_str(&b, text);
	if (b.error == -ENOMEM)
		return err_nomem(j->err);
	v->error_detail = arena_str(&v->arena, buf_str(&b));
	buf_clear(&b);
	if (reads_hidden(&j->reads, reader)) {
		str safe = without_values(short_text);

		buf_printf(&b,
			   "template injection failed: %.*s%stemplate %.*s, details withheld: it read what may not "
			   "be shown",
			   STR_ARG(safe), safe.n ? ": " : "", STR_ARG(t->path));
	} else {
		buf_add_cstr(&b, "template injection failed: ");
		buf_add_str(&b, short_text);
	}
	v->error = arena_str(&v->arena, buf_str(&b));
	return b.error != -ENOMEM && v->error.p && v->error_detail.p ? 0 : err_nomem(j->err);
}

static str complete_text(const struct buf *text, const struct err *e)
{
	return text->n ? buf_str(text) : str_from(e->msg);
}

/* ---- one candidate ---- */

static void note_exclusion(struct judge *j, const struct ref_template *t, str why)
{
	ptrdiff_t at = str_find(why, STR(TMPL_NO_MATCH_TEXT));

	if (!j->env->trace && !j->env->explain)
		return;
	why = at < 0 ? why : str_sub(why, (size_t)at + sizeof(TMPL_NO_MATCH_TEXT) - 1, why.n);
	if (j->env->mask && reads_hidden(&j->reads, t))
		why = STR("(withheld)");
	note_trial(j, TRIAL_EXCLUDED, why);
	trace(j, "Template %.*s excluded itself from matching: %.*s", STR_ARG(t->path), STR_ARG(why));
}

static int64_t now(void *ctx, int32_t *nanoseconds)
{
	const struct judge *j = ctx;

	return j->env->now(j->env->ctx, nanoseconds);
}

/* The environment of a template, with the steps that are left. */
static struct tmpl_env env_for(struct judge *j, struct limits *limits, uint64_t *steps)
{
	*limits = *j->env->limits;
	limits->template_steps = least(limits->template_steps, j->steps_left);
	limits->template_output_bytes = least(limits->template_output_bytes, j->steps_left / REF_STEPS_A_BYTE);
	return (struct tmpl_env){
		.limits = limits,
		.lookup = look_up,
		.now = j->env->now ? now : NULL,
		.ctx = j,
		.zones = j->env->zones,
		.steps = steps,
	};
}

/* Use the plain text of a template. *matched stays false when the template has to be executed. */
static int render_plain(struct judge *j, struct attempt *a, bool *matched)
{
	const struct ref_plain *plain = a->t->text->plain;
	struct ref_plain_value v;

	if (!plain || !ref_plain_render(plain, a->actual, j->env->limits, &j->v->arena, &v))
		return 0;
	spend(j, v.steps);
	a->dot = a->actual;
	a->rendered = doc_ref(ref_plain_doc(plain));
	a->expected = v.root;
	*matched = true;
	return spend_on_measure(j, v.nodes, v.bytes);
}

static int execute(struct judge *j, struct attempt *a, bool *matched)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(j->env->limits->template_output_bytes + TEXT_MAX);
	uint64_t steps = 0;
	struct limits limits;
	struct tmpl_env env = env_for(j, &limits, &steps);
	struct err e;
	int r;

	env.error_text = &text;
	a->dot = a->actual;
	r = ref_render(a->t, a->actual, &env, j->env->keys, &a->rendered, &e);
	spend(j, steps);
	*matched = r == 0;
	if (r == 0) {
		a->expected = a->rendered->root;
		return spend_on_value(j, a->expected);
	}
	if (r == -ENOMEM)
		return err_nomem(j->err);
	if (r == -TMPL_NO_MATCH) {
		note_read_part(j, READS_NOTHING, val_null(), 0);
		note_exclusion(j, a->t, buf_str(&text));
		return 0;
	}
	if (r == -E2BIG && j->steps_left == 0)
		/* the message would name the remaining steps, which mean nothing to a reader */
		return out_of_steps(j);
	return fail(j, a->t, a->t, r == -EBADMSG ? str_from(e.msg) : complete_text(&text, &e),
		    complete_text(&text, &e));
}

static int render(struct judge *j, struct attempt *a, bool *matched)
{
	int r;

	trace(j, "Executing template %.*s", STR_ARG(a->t->path));
	r = render_plain(j, a, matched);
	return r < 0 || *matched ? r : execute(j, a, matched);
}

/* Select the overrides of the object that are for this template. */
static int select_overrides(struct judge *j, struct attempt *a)
{
	a->overrides = arena_array(&j->v->arena, j->n_overrides, sizeof(*a->overrides));
	if (!a->overrides)
		return err_nomem(j->err);
	for (size_t i = 0; i < j->n_overrides; i++) {
		const struct override *o = j->overrides[i];

		if (!o->template_path.n || str_eq(o->template_path, a->t->path))
			a->overrides[a->n_overrides++] = o;
	}
	return 0;
}

static int apply_overrides(struct judge *j, struct attempt *a, struct buf *text, struct err *e)
{
	struct tmpl_env tmpl = { .limits = j->env->limits, .lookup = look_up, .ctx = j, .zones = j->env->zones };
	struct override_env env = {
		.limits = j->env->limits, .keys = j->env->keys, .tmpl = &tmpl, .live = a->actual, .arena = &j->v->arena
	};
	int r = 0;

	for (size_t i = 0; i < a->n_overrides && r == 0; i++) {
		bool fault = false;

		r = override_apply(a->overrides[i], a->expected, &env, &a->expected, &fault, text, e);
		if (r < 0 && r != -ENOMEM && fault && !j->failed)
			j->v->override_fault = true;
	}
	return r;
}

/* Apply the steps that change the expected side. */
static int adjust(struct judge *j, struct attempt *a, struct buf *text, struct err *e)
{
	const struct limits *limits = j->env->limits;
	struct arena *arena = &j->v->arena;
	struct step_trace step = { j->env->trace, j->env->ctx, !j->env->mask && !mask_is_secret(a->actual) };
	int r = 0;

	if (a->t->text->ignore_unspecified)
		r = step_merge(a->actual, a->expected, limits, arena, &a->expected, e);
	if (r == 0)
		r = apply_overrides(j, a, text, e);
	if (r == 0 && a->t->text->n_per_field)
		r = step_inline(a->t, a->expected, a->actual, limits, &step, arena, &a->expected, text, e);
	return r;
}

static val without_managed_fields(val v, struct arena *a)
{
	static const str keys[] = { { "metadata", 8 }, { "managedFields", 13 } };
	val metadata = VAL_GET(v, "metadata");

	if (!val_exists(VAL_GET(metadata, "managedFields")))
		return v;
	metadata = val_map_without(a, metadata, keys[1]);
	for (uint32_t i = 0; i < v.n && val_exists(metadata); i++) {
		if (str_eq(key_str(v.members[i].key), keys[0]))
			return val_map_with(a, v, v.members[i].key, metadata);
	}
	return (val){ 0 };
}

/* Omit fields on both sides, and compare them. */
static int finish(struct judge *j, struct attempt *a)
{
	struct arena *arena = &j->v->arena;

	a->expected = omit_fields(a->expected, a->t->text->omit, arena);
	if (!j->env->managed_fields && val_exists(a->expected)) {
		a->expected = without_managed_fields(a->expected, arena);
		a->actual = without_managed_fields(a->actual, arena);
	}
	if (!val_exists(a->expected) || !val_exists(a->actual))
		return err_nomem(j->err);
	a->drifted = changes_any(a->expected, a->actual);
	a->merged = true;
	return 0;
}

/* Find out whether the sides differ without merging them, which is enough for most comparisons. False: that is not
 * possible. */
static bool report_difference(struct judge *j, struct attempt *a)
{
	enum step_effect effect = STEP_UNKNOWN;
	val left;

	if (is_only_merged(a))
		effect = step_merge_effect(a->actual, a->expected, j->env->limits);
	if (effect == STEP_ADDS) {
		left = omit_fields(a->expected, a->t->text->omit, &j->v->arena);
		effect = left.members == a->expected.members && left.n == a->expected.n ? STEP_CHANGES : STEP_UNKNOWN;
	}
	a->drifted = effect == STEP_CHANGES;
	return effect != STEP_UNKNOWN;
}

/* Adjust the expected and the actual side, and compare them. *excluded: an override's template excluded itself. */
static int compare_sides(struct judge *j, struct attempt *a, bool *excluded)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(TEXT_MAX);
	struct err e;
	int r = adjust(j, a, &text, &e);

	if (r == -ENOMEM)
		return err_nomem(j->err);
	*excluded = r < 0;
	if (r == -TMPL_NO_MATCH) {
		note_exclusion(j, a->t, buf_str(&text));
		return 0;
	}
	return r < 0 ? fail(j, a->t, NULL, complete_text(&text, &e), complete_text(&text, &e)) : finish(j, a);
}

static int try_template(struct judge *j, const struct ref_template *t)
{
	CLEANUP(attempt_done)
	struct attempt a = { .t = t };
	bool matched = false, excluded = false;
	int r;

	begin_trial(j, t);
	begin_read_part(j);
	r = omit_for(j, t, &a.actual);
	if (r == 0)
		r = select_overrides(j, &a);
	if (r == 0)
		r = render(j, &a, &matched);
	if (r < 0 || !matched)
		return r;
	note_names(j, &a);
	if (!report_difference(j, &a))
		r = compare_sides(j, &a, &excluded);
	if (r < 0 || excluded)
		return r;
	if (!vec_push(&j->attempts, a))
		return err_nomem(j->err);
	note_trial(j, TRIAL_MATCHED, (str){ "", 0 });
	a.rendered = NULL;
	return 0;
}

/* Merge the sides of all attempts, because it matters what differs. */
static int merge_all(struct judge *j)
{
	int r = 0;

	for (size_t i = 0; i < j->attempts.n && r == 0; i++) {
		struct attempt *a = &j->attempts.p[i];
		bool drifted = a->drifted, failed = false;

		if (a->merged)
			continue;
		r = compare_sides(j, a, &failed);
		ASSERT(r < 0 || failed || a->drifted == drifted);
	}
	return r;
}

/* ---- the best of several ---- */

/* How one choice is made. All its scores use the same measure: if the texts are too long to be compared, it is the
 * size of what differs. */
struct choice {
	struct scorer scorer;
	size_t n; /* the choice is between the first @n attempts */
	bool by_text;
};

static struct choice choice_of(const struct judge *j, size_t n)
{
	const struct limits *limits = j->env->limits;
	struct choice c = { .scorer = { .managed_fields = j->env->managed_fields, .limits = *limits }, .n = n };
	size_t bytes = 0;

	for (size_t i = 0; i < n; i++)
		bytes += val_bytes(j->attempts.p[i].expected) + val_bytes(j->attempts.p[i].actual);
	c.scorer.limits.diff_steps = limits->choice_steps / (n ? n : 1);
	c.by_text = bytes <= limits->choice_bytes;
	return c;
}

static int score(struct judge *j, struct choice *c, struct attempt *a, struct err *err)
{
	if (!c->by_text)
		return changes_weigh(a->expected, a->actual, j->env->schema, &j->v->arena, &a->score, err);
	return score_text(&c->scorer, a->expected, a->actual, &j->v->arena, &a->score, err);
}

static int score_all(struct judge *j, struct choice *c)
{
	for (size_t i = 0; i < c->n; i++) {
		struct attempt *a = &j->attempts.p[i];
		struct err e;
		int r = a->drifted ? score(j, c, a, &e) : 0;

		if (r == -ENOMEM)
			return err_nomem(j->err);
		if (r < 0)
			return fail(j, a->t, NULL, str_from(e.msg), str_from(e.msg));
	}
	return 0;
}

/* The attempt without a known score that may be the best. NULL: by score and place, none can be better than @best. */
static struct attempt *most_promising(struct judge *j, const struct attempt *best)
{
	struct attempt *ret = NULL;

	for (size_t i = 0; i < j->attempts.n; i++) {
		struct attempt *a = &j->attempts.p[i];

		if (!a->scored && (!ret || a->score < ret->score))
			ret = a;
	}
	if (best && ret && (ret->score > best->score || (ret->score == best->score && ret > best)))
		return NULL;
	return ret;
}

/* Find the best of attempts that all differ, without the scores of those that cannot be it. False: something failed,
 * and all attempts have to be scored in their order to report it. */
static bool find_best(struct judge *j, struct choice *c, const struct attempt **ret)
{
	const struct attempt *best = NULL;
	struct attempt *a;
	struct err e;

	for (size_t i = 0; i < j->attempts.n; i++) {
		a = &j->attempts.p[i];
		if (score_least(a->expected, a->actual, &a->score, &e) < 0)
			return false;
	}
	while ((a = most_promising(j, best))) {
		if (score(j, c, a, &e) < 0)
			return false;
		a->scored = true;
		if (!best || a->score < best->score || (a->score == best->score && a < best))
			best = a;
	}
	*ret = best;
	return true;
}

static const struct attempt *best_of_scored(struct judge *j)
{
	const struct attempt *best = NULL;

	for (size_t i = 0; i < j->attempts.n; i++) {
		const struct attempt *a = &j->attempts.p[i];

		trace(j, " - %.*s - Diff score: %zu", STR_ARG(a->t->path), a->score);
		if (!best || (best->drifted && (!a->drifted || a->score < best->score)))
			best = a;
	}
	return best;
}

/* Choose an attempt by score. @all: every score has to be computed. */
static int choose_by_score(struct judge *j, bool all, const struct attempt **ret)
{
	struct choice c = choice_of(j, j->attempts.n);
	int r = 0;

	if (all || !c.by_text || !find_best(j, &c, ret)) {
		r = score_all(j, &c);
		*ret = best_of_scored(j);
	}
	scorer_done(&c.scorer);
	return r;
}

/* Choose an attempt. Scores are only needed if all differ, because the first one without a difference is the best. */
static int choose(struct judge *j, const struct attempt **ret)
{
	bool all = j->env->trace || j->env->explain;
	size_t n = 0;
	int r = 0;

	while (n < j->attempts.n && j->attempts.p[n].drifted)
		n++;
	if (all || n == j->attempts.n)
		r = merge_all(j);
	if (r < 0)
		return r;
	if (all || (n > 1 && n == j->attempts.n))
		return choose_by_score(j, all, ret);
	*ret = best_of_scored(j);
	return 0;
}

/* Choose the mask for the changes, because values that a template read may stand in its output under a harmless
 * name. */
static int choose_mask(struct judge *j, const struct attempt *a, struct mask_fields *ret)
{
	struct verdict *v = j->v;
	struct mask_fields *kept;
	uint64_t steps = 0;
	struct limits limits;
	struct tmpl_env env = env_for(j, &limits, &steps);
	bool too_many;

	*ret = j->mask;
	if (!j->env->mask)
		return 0;
	if (reads_mask(&j->reads, v->template, a->dot, &env, &v->arena, ret, &too_many, j->err) < 0)
		return -j->err->code;
	spend(j, steps);
	v->sensitive = v->sensitive || too_many;
	if (!ret->n_known)
		return 0;
	kept = arena_zalloc(&v->arena, sizeof(*kept));
	if (!kept)
		return err_nomem(j->err);
	*kept = *ret;
	kept->steps = NULL;
	v->mask = kept;
	return 0;
}

static int find_changes(struct judge *j, const struct attempt *a)
{
	struct verdict *v = j->v;
	struct mask_fields mask;
	int r = choose_mask(j, a, &mask);

	if (r == 0 && j->env->review)
		r = j->env->review(j->env->ctx, v, &mask, &j->steps_left, j->err);
	else if (r == 0)
		r = changes_find(v->expected, v->actual, j->env->schema, &mask, &v->arena, &v->changes, j->err);
	for (size_t i = 0; r == 0 && v->sensitive && i < v->changes.n; i++)
		v->changes.p[i].sensitive = true;
	return r < 0 || j->steps_left ? r : out_of_steps(j);
}

static void accept(struct judge *j, const struct attempt *a)
{
	struct verdict *v = j->v;

	v->template = a->t;
	v->state = a->drifted ? VERDICT_DRIFTED : VERDICT_COMPLIANT;
	v->rendered = doc_ref(a->rendered);
	v->expected = a->merged ? a->expected : a->actual; /* both sides are the same */
	v->actual = a->actual;
	v->overrides = a->overrides;
	v->n_overrides = a->n_overrides;
}

/* ---- the verdict ---- */

static void trace_matches(const struct judge *j)
{
	CLEANUP(buf_done) struct buf name = BUF_INIT(TEXT_MAX);
	struct identity id = identity_of(j->object);

	if (!j->env->trace)
		return;
	identity_text(&id, &name);
	if (name.error) /* a line of the trace may get lost, as in trace() */
		return;
	trace(j, "Found %zu matches for %.*s", j->attempts.n, STR_ARG(buf_str(&name)));
	if (!j->attempts.n && !j->failed)
		trace(j, "Skipping comparison of %.*s: doNotMatch returned by all templates", STR_ARG(buf_str(&name)));
}

static const struct ref_template *manual_template(const struct judge *j)
{
	struct identity id = identity_of(j->object);

	return j->env->manual ? identity_get(j->env->manual, &id) : NULL;
}

static int judge(struct judge *j, const struct ref_template *const *candidates, size_t n)
{
	const struct attempt *best = NULL;
	int r = 0;

	if (j->env->overrides)
		j->n_overrides = overrides_find(j->env->overrides, j->object, &j->overrides);
	if (j->env->explain) {
		j->trials = arena_array(&j->v->arena, n, sizeof(*j->trials));
		if (!j->trials)
			return err_nomem(j->err);
	}
	if (j->env->read_set) {
		j->read_set = arena_array(&j->v->arena, n, sizeof(*j->read_set));
		if (!j->read_set)
			return err_nomem(j->err);
	}
	for (size_t i = 0; i < n && r == 0; i++)
		r = try_template(j, candidates[i]);
	if (r < 0)
		return r;
	keep_read_parts(j);
	trace_matches(j);
	r = choose(j, &best);
	if (r < 0)
		return r;
	keep_trials(j);
	j->v->sensitive = reads_secret(&j->reads);
	if (j->failed)
		j->v->state = VERDICT_ERROR;
	else if (best)
		accept(j, best);
	else
		j->v->state = VERDICT_EXCLUDED;
	return j->v->state == VERDICT_DRIFTED ? find_changes(j, best) : 0;
}

static int keep_lookups(struct judge *j)
{
	struct verdict_lookup *copy = arena_array(&j->v->arena, j->lookups.n, sizeof(*copy));

	if (!copy)
		return err_nomem(j->err);
	if (j->lookups.n)
		memcpy(copy, j->lookups.p, j->lookups.n * sizeof(*copy));
	j->v->lookups = copy;
	j->v->n_lookups = j->lookups.n;
	return 0;
}

/* Report the limits as a verdict, because there may still be memory for all other objects. */
int verdict_too_large(struct verdict *v, const struct limits *limits, struct err *err)
{
	bool memory = v->arena.full;

	v->arena.max += TOO_LARGE_SLACK;
	v->state = VERDICT_ERROR;
	v->expected = v->actual = (val){ 0 };
	v->changes = (struct changes){ 0 };
	v->outcome = NULL;
	v->read_set = NULL;
	v->error = memory ? arena_printf(&v->arena, "comparing it needs more than %zu bytes of memory",
					 limits->arena_bytes)
			  : arena_printf(&v->arena, "comparing it takes more than %" PRIu64 " steps",
					 limits->evaluation_steps);
	v->error_detail = v->error;
	return v->error.p ? 0 : err_nomem(err);
}

static int too_large(struct judge *j)
{
	int r = verdict_too_large(j->v, j->env->limits, j->err);

	j->v->template = j->tried;
	return r < 0 ? r : keep_lookups(j);
}

int compare_object(const struct matcher *m, val object, const struct compare_env *env, struct verdict *ret,
		   struct err *err)
{
	CLEANUP(verdict_done) struct verdict v = { .state = VERDICT_UNMATCHED };
	struct judge j = {
		.env = env,
		.v = &v,
		.object = object,
		.reads = { .mask = &j.mask, .object = object },
		.steps_left = env->limits->evaluation_steps,
		.mask = env->mask ? *env->mask : (struct mask_fields){ 0 },
		.err = err,
	};
	const struct ref_template *const *candidates = NULL;
	const struct ref_template *manual = manual_template(&j);
	const struct identity id = identity_of(val_exists(env->correlated) ? env->correlated : object);
	size_t n = manual ? 1 : matcher_candidates(m, &id, &candidates);
	int r = 0;

	j.mask.steps = &j.steps_left;
	arena_init(&v.arena, 0, env->limits->arena_bytes);
	v.sensitive = reads_secret(&j.reads);
	v.mask = env->mask;
	if (n)
		r = judge(&j, manual ? &manual : candidates, n);
	if (r == 0)
		r = keep_lookups(&j);
	if ((r == -ENOMEM && v.arena.full) || r == -E2BIG)
		r = too_large(&j);
	v.steps = env->limits->evaluation_steps - j.steps_left;
	for (size_t i = 0; i < j.attempts.n; i++)
		attempt_done(&j.attempts.p[i]);
	vec_done(&j.attempts);
	vec_done(&j.lookups);
	reads_done(&j.reads);
	if (r < 0)
		return r;
	*ret = v;
	v = (struct verdict){ 0 };
	return 0;
}

void verdict_done(struct verdict *v)
{
	doc_unref(v->rendered);
	arena_done(&v->arena);
	*v = (struct verdict){ 0 };
}
