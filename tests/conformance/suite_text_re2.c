/* text/re2: Go's regexp. */
#include "suite_text.h"

#include "text/re2.h"

#define OUT_MAX (16u << 20)

static void fail_err(struct verdict *v, const struct err *err)
{
	verdict_fail(v, STR("success"), str_from(err->msg));
}

/* A list of texts as one, for comparing and for showing. */
static void show_strs(const str *list, size_t n, bool null, struct buf *out)
{
	if (null) {
		buf_add_cstr(out, "null");
		return;
	}
	for (size_t i = 0; i < n; i++) {
		buf_printf(out, "%zu:", list[i].n);
		buf_add_str(out, list[i]);
		buf_add_byte(out, ' ');
	}
}

static void show_list(val list, struct buf *out)
{
	if (!val_is_list(list)) {
		buf_add_cstr(out, "null");
		return;
	}
	for (uint32_t i = 0; i < val_count(list); i++) {
		str s = val_str(val_at(list, i));

		buf_printf(out, "%zu:", s.n);
		buf_add_str(out, s);
		buf_add_byte(out, ' ');
	}
}

val line_list(val line, const char *name, struct verdict *v)
{
	val plain = val_get(line, str_from(name)), encoded;
	val items[64];

	if (val_exists(plain))
		return plain;
	encoded = val_get(line, arena_printf(v->arena, "%s_b64", name));
	for (uint32_t i = 0; i < val_count(encoded) && i < 64; i++) {
		str bytes;

		items[i] = val_at(encoded, i);
		if (val_is_string(items[i]) && base64_decode(val_str(items[i]), v->arena, &bytes))
			items[i] = val_string(bytes);
	}
	return val_is_list(encoded) ? val_list(v->arena, items, val_count(encoded)) : (val){ 0 };
}

static void show_index(val index, struct buf *out)
{
	for (uint32_t i = 0; i < val_count(index); i++)
		buf_printf(out, "%lld ", (long long)val_at(index, i).i);
}

static void judge_names(const struct re2 *re, val line, struct verdict *v)
{
	val names = VAL_GET(line, "names");
	int64_t groups = VAL_GET(line, "num_groups").i;

	if (re2_groups(re) != groups) {
		verdict_failf(v, STR("groups"), "%u groups, want %lld", re2_groups(re), (long long)groups);
		return;
	}
	for (uint32_t i = 1; i <= re2_groups(re) && v->outcome == PASSED; i++) {
		str want = val_is_list(names) ? val_str(val_at(names, i)) : STR("");

		if (!str_eq(re2_group_name(re, i), want))
			verdict_fail(v, want, re2_group_name(re, i));
	}
}

static void judge_match(const struct re2 *re, val line, struct verdict *v)
{
	val all = VAL_GET(line, "find_all_index"), index = VAL_GET(line, "index"), find = line_list(line, "find", v);
	CLEANUP(buf_done) struct buf want = BUF_INIT(OUT_MAX);
	CLEANUP(buf_done) struct buf got = BUF_INIT(OUT_MAX);
	struct re2_search s;
	struct err err;
	int r, count = 0;

	if (re2_search_init(&s, re, val_str(line_text(line, "text", v)), &err) < 0) {
		fail_err(v, &err);
		return;
	}
	while ((r = re2_search_next(&s, &err)) == 1) {
		if (count == 0) {
			show_index(index, &want);
			for (uint32_t i = 0; i < s.n_spans; i++) {
				val part = val_at(find, i);

				buf_printf(&got, "%td %td ", s.spans[i].start, s.spans[i].end);
				if (val_is_null(part) ? s.spans[i].start >= 0
						      : !str_eq(val_str(part), re2_group(&s, i)))
					verdict_failf(v, val_str(part), "group %u differs", i);
			}
		}
		buf_printf(&got, "[%td %td]", s.spans[0].start, s.spans[0].end);
		count++;
	}
	for (uint32_t i = 0; i < val_count(all); i++)
		buf_printf(&want, "[%lld %lld]", (long long)val_at(val_at(all, i), 0).i,
			   (long long)val_at(val_at(all, i), 1).i);
	if (val_count(all) == 0 && val_is_list(index))
		buf_printf(&want, "[%lld %lld]", (long long)val_at(index, 0).i, (long long)val_at(index, 1).i);
	re2_search_done(&s);
	if (r < 0)
		fail_err(v, &err);
	else
		verdict_text(v, buf_str(&want), buf_str(&got));
}

static void judge_replace(const struct re2 *re, val line, struct verdict *v)
{
	static const char *const fields[] = { "out", "out_literal" };

	for (int literal = 0; literal < 2 && v->outcome == PASSED; literal++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(OUT_MAX);
		struct err err;

		if (re2_replace_all(re, val_str(line_text(line, "text", v)), val_str(line_text(line, "replace", v)),
				    literal == 1, &out, &err) < 0)
			fail_err(v, &err);
		else
			verdict_text(v, val_str(line_text(line, fields[literal], v)), buf_str(&out));
	}
}

static void judge_list(const struct re2 *re, val line, bool split, struct verdict *v)
{
	CLEANUP(buf_done) struct buf want = BUF_INIT(OUT_MAX);
	CLEANUP(buf_done) struct buf got = BUF_INIT(OUT_MAX);
	str text = val_str(line_text(line, "text", v)), *list = NULL;
	ptrdiff_t n = VAL_GET(line, "n").i;
	size_t count = 0;
	struct err err;
	int r = split ? re2_split(re, text, n, v->arena, &list, &count, &err)
		      : re2_find_all(re, text, n, v->arena, &list, &count, &err);

	if (r < 0) {
		fail_err(v, &err);
		return;
	}
	show_list(line_list(line, split ? "split" : "find_all", v), &want);
	show_strs(list, count, split ? n == 0 : count == 0, &got);
	verdict_text(v, buf_str(&want), buf_str(&got));
}

void judge_re2(val line, struct verdict *v)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(OUT_MAX);
	CLEANUP(re2_freep) struct re2 *re = NULL;
	val quoted = line_text(line, "quote_meta", v), want = line_text(line, "compile_error", v);
	struct err err;
	int r;

	if (val_exists(quoted)) {
		re2_quote_meta(val_str(line_text(line, "text", v)), &out);
		verdict_text(v, val_str(quoted), buf_str(&out));
		return;
	}
	r = re2_compile(val_str(line_text(line, "pattern", v)), v->limits, &re, &out, &err);
	if (val_exists(want)) {
		verdict_text(v, val_str(want), r < 0 ? buf_str(&out) : STR("no error"));
		return;
	}
	if (r < 0) {
		fail_err(v, &err);
		return;
	}
	if (val_exists(line_text(line, "replace", v)))
		judge_replace(re, line, v);
	else if (val_exists(line_list(line, "split", v)))
		judge_list(re, line, true, v);
	else if (val_exists(line_list(line, "find_all", v)))
		judge_list(re, line, false, v);
	else
		judge_names(re, line, v);
	if (v->outcome == PASSED && val_exists(VAL_GET(line, "index")))
		judge_match(re, line, v);
}
