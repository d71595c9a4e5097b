/* The text functions by examples: tests/data/text/triples. */
#include "support/triples.h"

#include "text/dmp.h"
#include "text/inline_diff.h"
#include "text/json_patch.h"
#include "text/k8s_print.h"
#include "text/path_to_list.h"
#include "text/quantity.h"
#include "text/re2.h"
#include "text/semver.h"
#include "text/slug.h"
#include "text/unified_diff.h"
#include "value/json.h"

#include <errno.h>
#include <inttypes.h>

static const struct limits limits = LIMITS_DEFAULT;

static void add_list(const str *list, size_t n, struct buf *out)
{
	for (size_t i = 0; i < n; i++) {
		if (i)
			buf_add_byte(out, ' ');
		json_encode_string(list[i], JSON_PLAIN, out);
	}
}

/* ---- regular expressions ---- */

/* The spans of each match with those of its groups: "[0 3, 0 1, -]". */
static void add_spans(const struct re2_search *s, struct buf *out)
{
	for (uint32_t i = 0; i < s->n_spans; i++) {
		buf_add_cstr(out, i ? ", " : out->n ? " [" : "[");
		if (s->spans[i].start < 0)
			buf_add_byte(out, '-');
		else
			buf_printf(out, "%td %td", s->spans[i].start, s->spans[i].end);
	}
	buf_add_byte(out, ']');
}

static int search_all(const struct re2 *re, str text, struct buf *out, struct err *err)
{
	struct re2_search s;
	int r = re2_search_init(&s, re, text, err);

	if (r < 0)
		return r;
	while ((r = re2_search_next(&s, err)) == 1)
		add_spans(&s, out);
	re2_search_done(&s);
	if (out->n == 0)
		buf_add_cstr(out, "none");
	return r;
}

static int run_re2_find(const struct triple *t, struct arena *a, struct buf *out)
{
	CLEANUP(re2_freep) struct re2 *re = NULL;
	struct err err;
	int r = re2_compile(t->program, &limits, &re, NULL, &err);

	(void)a;
	if (r == 0)
		r = search_all(re, t->input, out, &err);
	return r < 0 ? triple_error(r, &err, out) : 0;
}

/* The input is the replacement, a newline and the text. */
static int run_re2_replace(const struct triple *t, struct arena *a, struct buf *out)
{
	CLEANUP(re2_freep) struct re2 *re = NULL;
	struct err err;
	str text = t->input, with;
	int r = re2_compile(t->program, &limits, &re, NULL, &err);

	(void)a;
	(void)str_next_part(&text, '\n', &with);
	if (r == 0)
		r = re2_replace_all(re, text, with, false, out, &err);
	return r < 0 ? triple_error(r, &err, out) : 0;
}

static int run_re2_split(const struct triple *t, struct arena *a, struct buf *out)
{
	CLEANUP(re2_freep) struct re2 *re = NULL;
	struct err err;
	size_t n = 0;
	str *list = NULL;
	int r = re2_compile(t->program, &limits, &re, NULL, &err);

	if (r == 0)
		r = re2_split(re, t->input, -1, a, &list, &n, &err);
	if (r < 0)
		return triple_error(r, &err, out);
	add_list(list, n, out);
	return 0;
}

/* ---- versions ---- */

/* "1.2.3-a+b 1 2 3 a b" */
static int parsed_version(int r, const struct semver *v, const struct err *err, struct buf *out)
{
	if (r < 0)
		return triple_error(r, err, out);
	semver_write(v, out);
	buf_printf(out, " %" PRIu64 " %" PRIu64 " %" PRIu64 " \"%.*s\" \"%.*s\"", v->major, v->minor, v->patch,
		   STR_ARG(v->pre), STR_ARG(v->metadata));
	return 0;
}

static int run_semver_parse(const struct triple *t, struct arena *a, struct buf *out)
{
	struct semver v;
	struct err err;
	int r = semver_parse(t->program, &v, &err);

	(void)a;
	return parsed_version(r, &v, &err, out);
}

static int run_semver_strict(const struct triple *t, struct arena *a, struct buf *out)
{
	struct semver v;
	struct err err;
	int r = semver_parse_strict(t->program, &v, &err);

	(void)a;
	return parsed_version(r, &v, &err, out);
}

static int run_semver_compare(const struct triple *t, struct arena *a, struct buf *out)
{
	struct semver x, y;
	struct err err;
	int r = semver_parse(t->program, &x, &err);

	(void)a;
	if (r == 0)
		r = semver_parse(t->input, &y, &err);
	if (r < 0)
		return triple_error(r, &err, out);
	r = semver_compare(&x, &y);
	buf_add_cstr(out, r < 0 ? "<" : r > 0 ? ">" : "=");
	return 0;
}

static int run_semver_constraint(const struct triple *t, struct arena *a, struct buf *out)
{
	bool satisfied;
	struct err err;
	int r = semver_compare_constraint(t->program, t->input, &satisfied, &err);

	(void)a;
	if (r < 0)
		return triple_error(r, &err, out);
	buf_add_cstr(out, satisfied ? "true" : "false");
	return 0;
}

/* ---- quantities ---- */

/* String(), format, Value(), MilliValue(), AsDec(). */
static int run_quantity_parse(const struct triple *t, struct arena *a, struct buf *out)
{
	struct quantity q;
	struct err err;
	int r = quantity_parse(t->program, a, &q, &err);

	if (r < 0)
		return triple_error(r, &err, out);
	quantity_string(&q, a, out);
	buf_printf(out, " %s %" PRId64 " %" PRId64 " ", quantity_format_name(q.format), quantity_value(&q),
		   quantity_milli_value(&q));
	quantity_dec_string(&q, out);
	return 0;
}

/* Program < = > input, then the sum and the difference. */
static int run_quantity_math(const struct triple *t, struct arena *a, struct buf *out)
{
	struct quantity x, y, sum, difference;
	struct err err;
	int r = quantity_parse(t->program, a, &x, &err), order;

	if (r == 0)
		r = quantity_parse(t->input, a, &y, &err);
	if (r == 0)
		r = quantity_add(&x, &y, a, &sum, &err);
	if (r == 0)
		r = quantity_sub(&x, &y, a, &difference, &err);
	if (r < 0)
		return triple_error(r, &err, out);
	order = quantity_compare(&x, &y);
	buf_add_cstr(out, order < 0 ? "< " : order > 0 ? "> " : "= ");
	quantity_string(&sum, a, out);
	buf_add_byte(out, ' ');
	quantity_string(&difference, a, out);
	return 0;
}

/* ---- names and paths ---- */

static int run_slug(const struct triple *t, struct arena *a, struct buf *out)
{
	(void)a;
	slug_make(t->program, out);
	return 0;
}

static int run_path_to_list(const struct triple *t, struct arena *a, struct buf *out)
{
	struct err err;
	str *list;
	size_t n;
	int r = path_to_list(t->program, a, &list, &n, &err);

	if (r < 0)
		return triple_error(r, &err, out);
	add_list(list, n, out);
	return 0;
}

/* ---- differences ---- */

static int run_unified_diff(const struct triple *t, struct arena *a, struct buf *out)
{
	struct err err;
	int r = unified_diff(t->program, t->input, &limits, out, &err);

	(void)a;
	return r < 0 ? triple_error(r, &err, out) : 0;
}

/* The score, then each difference behind its sign. */
static int run_dmp(const struct triple *t, struct arena *a, struct buf *out)
{
	struct dmp_diffs diffs = { 0 };
	size_t score;
	struct err err;
	int r = dmp_diff(t->program, t->input, &limits, &diffs, &err);

	(void)a;
	if (r == 0)
		r = dmp_score(t->program, t->input, &limits, &score, &err);
	if (r == 0)
		buf_printf(out, "%zu", score);
	for (size_t i = 0; r == 0 && i < diffs.n; i++) {
		CLEANUP(buf_done) struct buf text = BUF_INIT(TRIPLES_OUT_MAX);

		dmp_text(&diffs.p[i], &text);
		buf_printf(out, " %c", "-=+"[diffs.p[i].op + 1]);
		json_encode_string(buf_str(&text), JSON_PLAIN, out);
	}
	dmp_diffs_done(&diffs);
	return r < 0 ? triple_error(r, &err, out) : 0;
}

/* The result, then what each group has captured. */
static int run_inline(enum inline_func func, const struct triple *t, struct arena *a, struct buf *out)
{
	struct inline_captures caps = { .arena = a };
	struct err err;
	int r = inline_validate(func, t->program, &limits, out, &err);

	if (r == 0 && out->n) {
		out->n -= str_has_suffix(buf_str(out), STR("\n"));
		return -EINVAL;
	}
	if (r == 0)
		r = inline_diff(func, t->program, t->input, &limits, &caps, out, &err);
	for (size_t i = 0; r == 0 && i < caps.groups.n; i++) {
		buf_printf(out, "\n%.*s: ", STR_ARG(caps.groups.p[i].name));
		add_list(caps.groups.p[i].values.p, caps.groups.p[i].values.n, out);
	}
	inline_captures_done(&caps);
	return r < 0 ? triple_error(r, &err, out) : 0;
}

static int run_inline_regex(const struct triple *t, struct arena *a, struct buf *out)
{
	return run_inline(INLINE_REGEX, t, a, out);
}

static int run_inline_capturegroups(const struct triple *t, struct arena *a, struct buf *out)
{
	return run_inline(INLINE_CAPTUREGROUPS, t, a, out);
}

/* ---- patches ---- */

static int run_json_patch(const struct triple *t, struct arena *a, struct buf *out)
{
	struct err err;
	int r = json_patch_apply(t->program, t->input, &limits, out, &err);

	(void)a;
	return r < 0 ? triple_error(r, &err, out) : 0;
}

static int run_json_merge_patch(const struct triple *t, struct arena *a, struct buf *out)
{
	struct err err;
	int r = json_merge_patch(t->input, t->program, &limits, out, &err);

	(void)a;
	return r < 0 ? triple_error(r, &err, out) : 0;
}

static int run_json_create_merge_patch(const struct triple *t, struct arena *a, struct buf *out)
{
	struct err err;
	int r = json_create_merge_patch(t->program, t->input, &limits, out, &err);

	(void)a;
	return r < 0 ? triple_error(r, &err, out) : 0;
}

/* Both texts, the program's and the input's, with a line of "===" between them. */
static int run_k8s_print(const struct triple *t, struct arena *a, struct buf *out)
{
	CLEANUP(buf_done) struct buf live_text = BUF_INIT(TRIPLES_OUT_MAX);
	struct json_options o = { .limits = &limits };
	struct err err;
	val merged, live;
	size_t used;
	int r = json_decode_value(t->program, &o, a, &merged, &used, &err);

	if (r == 0)
		r = json_decode_value(t->input, &o, a, &live, &used, &err);
	if (r == 0)
		r = k8s_print(merged, live, false, a, out, &live_text, &err);
	if (r < 0)
		return triple_error(r, &err, out);
	buf_add_cstr(out, "===\n");
	buf_add_str(out, buf_str(&live_text));
	return 0;
}

static const struct triple_file files[] = {
	{ "re2_find", run_re2_find },
	{ "re2_replace", run_re2_replace },
	{ "re2_split", run_re2_split },
	{ "semver_parse", run_semver_parse },
	{ "semver_strict", run_semver_strict },
	{ "semver_compare", run_semver_compare },
	{ "semver_constraint", run_semver_constraint },
	{ "quantity_parse", run_quantity_parse },
	{ "quantity_math", run_quantity_math },
	{ "slug", run_slug },
	{ "path_to_list", run_path_to_list },
	{ "unified_diff", run_unified_diff },
	{ "dmp", run_dmp },
	{ "inline_regex", run_inline_regex },
	{ "inline_capturegroups", run_inline_capturegroups },
	{ "json_patch", run_json_patch },
	{ "json_merge_patch", run_json_merge_patch },
	{ "json_create_merge_patch", run_json_create_merge_patch },
	{ "k8s_print", run_k8s_print },
};

int main(void)
{
	return triples_main(TEST_DATA "/text/triples", files, ARRAY_LEN(files));
}
