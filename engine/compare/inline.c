/* Handles fields with functions of their own: fills capture groups of a reference with values of the live object. */
#include "compare/steps.h"

#include "base/number.h"
#include "compare/correlate.h"
#include "text/path_to_list.h"
#include "text/re2.h"
#include "text/slug.h"

#include <errno.h>
#include <stdio.h>

/* The function "regex" replaces the expression with the part of the live text that it matched. Users expect that the
 * text matches as a whole, so the expression is wrapped in what makes it match all of the text, wherever the
 * expression itself matches. */
#define WRAP_BEFORE "^(?s:.*?)(?:"
#define WRAP_AFTER ")(?s:.*)$"

/* A field that holds a regular expression. */
struct regex_field {
	const str *keys;
	size_t n_keys;
	val pattern, wrapped;
	bool matches;
};

struct inliner {
	const struct ref_text *text;
	const struct limits *limits;
	struct arena *arena;
	val live;
	const struct inline_trace *trace; /* may be NULL */
	struct regex_field *regexes;
	size_t n_regexes;
	struct err *err;
};

/* ---- a text in a document ---- */

static val child(val v, str key)
{
	int64_t index;

	if (val_is_list(v))
		return int64_parse(key, &index) && index >= 0 && index < v.n ? v.items[index] : (val){ 0 };
	return val_get(v, key);
}

static val text_at(val v, const str *keys, size_t n)
{
	for (size_t i = 0; i < n; i++)
		v = child(v, keys[i]);
	return val_is_string(v) ? v : (val){ 0 };
}

static val set_item(struct arena *a, val list, size_t index, val item)
{
	val *items = arena_array(a, list.n, sizeof(*items));

	if (!items)
		return (val){ 0 };
	memcpy(items, list.items, list.n * sizeof(*items));
	items[index] = item;
	list.items = items;
	return list;
}

/* Replace the text at @keys in @v with @text. VAL_ABSENT without memory. */
static val set_text(struct arena *a, val v, const str *keys, size_t n, val text)
{
	val changed;

	if (n == 0)
		return text;
	changed = set_text(a, child(v, keys[0]), keys + 1, n - 1, text); /* the recursion is as deep as the path */
	if (!val_exists(changed))
		return changed;
	for (uint32_t i = 0; i < v.n; i++) {
		int64_t index;

		if (val_is_list(v) && int64_parse(keys[0], &index) && index == i)
			return set_item(a, v, i, changed);
		if (val_is_map(v) && str_eq(key_str(v.members[i].key), keys[0]))
			return val_map_with(a, v, v.members[i].key, changed);
	}
	return (val){ 0 };
}

/* ---- lines that are left out ---- */

/* Remove from the value of @field what its options leave out. If the live object has no text there, there is nothing
 * to compare with, and the value stays. */
static int leave_out(struct inliner *in, const struct inline_field *field, const str *keys, size_t n, val *object)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(in->limits->template_output_bytes);
	str kept;
	int r;

	if (!val_exists(text_at(*object, keys, n)) || !val_exists(text_at(in->live, keys, n)))
		return 0;
	inline_leave_out(val_str(text_at(*object, keys, n)), field->options, &text);
	r = buf_error(&text, "a value", in->err);
	if (r < 0)
		return r;
	kept = arena_str(in->arena, buf_str(&text));
	*object = kept.p ? set_text(in->arena, *object, keys, n, val_string(kept)) : (val){ 0 };
	return val_exists(*object) ? 0 : err_nomem(in->err);
}

static int normalize(struct inliner *in, const struct inline_field *field, val *object)
{
	str *keys = NULL;
	size_t n = 0;
	struct err e;
	int r = path_to_list(field->path, in->arena, &keys, &n, &e);

	if (r < 0) /* inline_apply reports what is wrong */
		return r == -ENOMEM ? err_nomem(in->err) : 0;
	return leave_out(in, field, keys, n, object);
}

static int normalize_all(struct inliner *in, val *object)
{
	int r = 0;

	for (size_t i = 0; i < in->text->n_per_field && r == 0; i++)
		r = in->text->per_field[i].options ? normalize(in, &in->text->per_field[i], object) : 0;
	return r;
}

/* ---- regular expressions ---- */

/* Fill in @f when the field is in use and its expression is valid; otherwise the field is left to inline_apply,
 * which makes the messages. */
static int prepare(struct inliner *in, const struct inline_field *field, val rendered, struct regex_field *f,
		   bool *used)
{
	CLEANUP(buf_done) struct buf wrapped = BUF_INIT(in->limits->object_bytes);
	CLEANUP(re2_freep) struct re2 *re = NULL;
	str *keys = NULL, text;
	struct err e;
	val live, parent = rendered;
	int r = path_to_list(field->path, in->arena, &keys, &f->n_keys, &e);

	*used = false;
	if (r == -ENOMEM)
		return err_nomem(in->err);
	if (r < 0)
		return 0;
	f->keys = keys;
	f->pattern = text_at(rendered, keys, f->n_keys);
	live = text_at(in->live, keys, f->n_keys);
	for (size_t i = 0; i + 1 < f->n_keys; i++)
		parent = child(parent, keys[i]);
	if (!val_exists(f->pattern) || !val_exists(live) || !val_is_map(parent))
		return 0;
	r = re2_compile(val_str(f->pattern), in->limits, &re, NULL, &e);
	if (r == 0)
		r = re2_matches(re, val_str(live), &e);
	if (r < 0)
		return r == -ENOMEM ? err_nomem(in->err) : 0;
	f->matches = r > 0;
	buf_add_cstr(&wrapped, WRAP_BEFORE);
	buf_add_str(&wrapped, val_str(f->pattern));
	buf_add_cstr(&wrapped, WRAP_AFTER);
	if (wrapped.error)
		return buf_error(&wrapped, "inline diff", in->err);
	text = arena_str(in->arena, buf_str(&wrapped));
	if (!text.p)
		return err_nomem(in->err);
	f->wrapped = val_string(text);
	*used = true;
	return 0;
}

static int prepare_all(struct inliner *in, val rendered)
{
	in->regexes = arena_array(in->arena, in->text->n_per_field, sizeof(*in->regexes));
	if (!in->regexes)
		return err_nomem(in->err);
	for (size_t i = 0; i < in->text->n_per_field; i++) {
		struct regex_field f = { 0 };
		bool used = false;
		int r = 0;

		if (in->text->per_field[i].func == INLINE_REGEX)
			r = prepare(in, &in->text->per_field[i], rendered, &f, &used);
		if (r < 0)
			return r;
		if (used)
			in->regexes[in->n_regexes++] = f;
	}
	return 0;
}

static int put(struct inliner *in, val *object, const struct regex_field *f, val text)
{
	*object = set_text(in->arena, *object, f->keys, f->n_keys, text);
	return val_exists(*object) ? 0 : err_nomem(in->err);
}

static int wrap(struct inliner *in, val *object)
{
	int r = 0;

	for (size_t i = 0; i < in->n_regexes && r == 0; i++)
		r = put(in, object, &in->regexes[i], in->regexes[i].wrapped);
	return r;
}

/* Restore the expressions that did not match, because they are shown as they were written. */
static int unwrap(struct inliner *in, val *object)
{
	int r = 0;

	for (size_t i = 0; i < in->n_regexes && r == 0; i++) {
		const struct regex_field *f = &in->regexes[i];

		if (val_equal(text_at(*object, f->keys, f->n_keys), f->wrapped))
			r = put(in, object, f, f->pattern);
	}
	return r;
}

/* Apply the functions without sharing named groups, after a match in which one of them took no part. What an
 * expression matches is the live text; the other functions are applied alone. */
static int apply_apart(struct inliner *in, val *object, struct buf *problems)
{
	struct inline_field *others = arena_array(in->arena, in->text->n_per_field, sizeof(*others));
	size_t n = 0;
	int r = 0;

	if (!others)
		return err_nomem(in->err);
	for (size_t i = 0; i < in->text->n_per_field; i++) {
		if (in->text->per_field[i].func != INLINE_REGEX)
			others[n++] = in->text->per_field[i];
	}
	for (size_t i = 0; i < in->n_regexes && r == 0; i++) {
		const struct regex_field *f = &in->regexes[i];

		if (f->matches)
			r = put(in, object, f, text_at(in->live, f->keys, f->n_keys));
	}
	return r < 0 ? r
		     : inline_apply(others, n, *object, in->live, in->limits, in->trace, in->arena, object, problems,
				    in->err);
}

static int run(struct inliner *in, val *object, struct buf *problems)
{
	val original = *object, wrapped = *object, result;
	int r = wrap(in, &wrapped);

	if (r < 0)
		return r;
	r = inline_apply(in->text->per_field, in->text->n_per_field, wrapped, in->live, in->limits, in->trace,
			 in->arena, &result, problems, in->err);
	if (r == -EINVAL) {
		buf_clear(problems);
		*object = original;
		return apply_apart(in, object, problems);
	}
	if (r == 0) {
		*object = result;
		r = unwrap(in, object);
	}
	return r;
}

/* ---- reporting ---- */

struct tracing {
	const struct step_trace *to;
	const struct ref_template *t;
};

static void trace_line(const struct tracing *t, const char *fmt, ...) PRINTF(2, 3);

static void trace_line(const struct tracing *t, const char *fmt, ...)
{
	CLEANUP(freep) char *line = NULL;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&line, fmt, args) < 0)
		line = NULL;
	va_end(args);
	if (line)
		t->to->line(t->to->ctx, line);
}

static void trace_field(void *ctx, const struct inline_field *field)
{
	const struct tracing *t = ctx;

	trace_line(t, "Performing %s comparison for %.*s::%.*s",
		   field->func == INLINE_REGEX ? "regex" : "capturegroups", STR_ARG(t->t->path), STR_ARG(field->path));
}

static void trace_pair(void *ctx, str pattern, str value)
{
	trace_line(ctx, "Comparing Pattern '%.*s' to value '%.*s'", STR_ARG(pattern), STR_ARG(value));
}

int step_inline(const struct ref_template *t, val rendered, val live, const struct limits *limits,
		const struct step_trace *st, struct arena *a, val *ret, struct buf *message, struct err *err)
{
	CLEANUP(buf_done) struct buf problems = BUF_INIT(limits->template_output_bytes);
	struct tracing tracing = { st, t };
	const struct inline_trace trace = { trace_field, st->values ? trace_pair : NULL, &tracing };
	struct inliner in = { .text = t->text, .limits = limits, .arena = a, .live = live, .err = err };
	val object = rendered;
	int r;

	in.trace = st->line ? &trace : NULL;
	r = normalize_all(&in, &object);
	if (r == 0)
		r = prepare_all(&in, object);
	if (r == 0)
		r = run(&in, &object, &problems);
	if (r < 0)
		return r;
	if (problems.n) {
		CLEANUP(buf_done) struct buf name = BUF_INIT(1 << 20);
		struct identity id = identity_of(live);

		identity_text(&id, &name);
		buf_add_cstr(message, "failed to properly run inline diff functions for ");
		slug_make(buf_str(&name), message);
		buf_add_cstr(message, " some diff may be incorrect: ");
		buf_add_str(message, buf_str(&problems));
		if (name.error == -ENOMEM || message->error == -ENOMEM)
			return err_nomem(err);
		return err_set(err, EINVAL, "%.*s", STR_ARG(buf_str(message)));
	}
	*ret = object;
	return 0;
}
