/* The functions for regular expressions. Those without "must" panic on a bad pattern, except regexMatch, which is
 * then false. */
#include "template/fn/fn.h"

#include "base/utf8.h"
#include "go/quote.h"
#include "text/re2.h"

#include <errno.h>

/* Whether Go quotes a pattern with backquotes. */
static bool can_backquote(str s)
{
	while (s.n) {
		size_t len;
		uint32_t ch = utf8_decode(s, &len);

		if ((len == 1 && (ch == UTF8_REPLACEMENT || (ch < ' ' && ch != '\t') || ch == '`' || ch == 0x7f)) ||
		    ch == 0xfeff)
			return false;
		s = str_sub(s, len, s.n);
	}
	return true;
}

static int bad_pattern(struct tmpl_call *c, str pattern, bool must, str message)
{
	CLEANUP(buf_done) struct buf text = tmpl_buf(c);

	if (must)
		return tmpl_fail_str(c, message);
	buf_add_cstr(&text, "regexp: Compile(");
	if (can_backquote(pattern)) {
		buf_add_byte(&text, '`');
		buf_add_str(&text, pattern);
		buf_add_byte(&text, '`');
	} else {
		go_quote(&text, pattern);
	}
	buf_add_cstr(&text, "): ");
	buf_add_str(&text, message);
	return text.error ? tmpl_nomem(c) : tmpl_fail_str(c, buf_str(&text));
}

static bool is_must(const struct tmpl_call *c)
{
	return str_has_prefix(str_from(c->fn->name), STR("must"));
}

static int run_quote_meta(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);

	(void)n;
	re2_quote_meta(args[0].s, &out);
	return tmpl_ret_buf(c, &out, ret);
}

bool fn_takes_pattern(const struct tmpl_fn *fn)
{
	return fn >= fn_regex.rows && fn < fn_regex.rows + fn_regex.n && fn->run != run_quote_meta;
}

/* Compile the expression args[0], for the text args[1]: 0 with *ret, which *owned frees if it was made for this
 * call; -EBADMSG with Go's text in @message; or the failure of the call. */
static int compile_quietly(struct tmpl_call *c, const tval *args, struct re2 **owned, const struct re2 **ret,
			   struct buf *message)
{
	struct err err;
	int r = tmpl_spend(c, (args[0].s.n + args[1].s.n) / 64 + 1);

	if (r < 0)
		return r;
	*ret = c->pattern;
	if (*ret)
		return 0;
	r = tmpl_spend(c, args[0].s.n);
	if (r < 0)
		return r;
	r = re2_compile(args[0].s, c->limits, owned, message, &err);
	*ret = *owned;
	if (r < 0 && r != -EBADMSG)
		*c->err = err;
	return r;
}

/* As compile_quietly, but a bad pattern is the failure of the call. */
static int compile(struct tmpl_call *c, const tval *args, struct re2 **owned, const struct re2 **ret)
{
	CLEANUP(buf_done) struct buf message = tmpl_buf(c);
	int r = compile_quietly(c, args, owned, ret, &message);

	return r == -EBADMSG ? bad_pattern(c, args[0].s, is_must(c), buf_str(&message)) : r;
}

static int run_match(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(re2_freep) struct re2 *owned = NULL;
	CLEANUP(buf_done) struct buf message = tmpl_buf(c);
	const struct re2 *re = NULL;
	int r = compile_quietly(c, args, &owned, &re, &message);

	(void)n;
	if (r == -EBADMSG && is_must(c))
		return tmpl_fail_str(c, buf_str(&message));
	if (r == 0)
		r = re2_matches(re, args[1].s, c->err);
	if (r < 0 && r != -EBADMSG)
		return r;
	*ret = tval_bool(r == 1);
	return 0;
}

static int run_find(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(re2_freep) struct re2 *owned = NULL;
	const struct re2 *re = NULL;
	str found = STR("");
	int r = compile(c, args, &owned, &re);

	(void)n;
	if (r == 0)
		r = re2_find(re, args[1].s, &found, c->err);
	if (r < 0)
		return r;
	*ret = tval_string(r == 1 ? found : STR(""));
	return 0;
}

static int ret_strings(struct tmpl_call *c, const str *parts, size_t n, tval *ret)
{
	tval *items;
	int r = tmpl_spend(c, n);

	if (r < 0)
		return r;
	items = tmpl_items(c, n);
	if (!items)
		return tmpl_nomem(c);
	for (size_t i = 0; i < n; i++)
		items[i] = tval_string(parts[i]);
	*ret = tval_slice(&tt_strings, items, n);
	return 0;
}

/* Return all matches; the nil slice when there are none. */
static int run_find_all(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(re2_freep) struct re2 *owned = NULL;
	const struct re2 *re = NULL;
	str *parts = NULL;
	size_t count = 0;
	int r = compile(c, args, &owned, &re);

	(void)n;
	if (r == 0)
		r = re2_find_all(re, args[1].s, (ptrdiff_t)args[2].i, &c->mem->arena, &parts, &count, c->err);
	if (r < 0)
		return r;
	if (!count) {
		*ret = tval_nil_of(&tt_strings);
		return 0;
	}
	return ret_strings(c, parts, count, ret);
}

static int run_split(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(re2_freep) struct re2 *owned = NULL;
	const struct re2 *re = NULL;
	str *parts = NULL;
	size_t count = 0;
	int r = compile(c, args, &owned, &re);

	(void)n;
	if (r == 0 && args[2].i == 0) {
		*ret = tval_nil_of(&tt_strings);
		return 0;
	}
	if (r == 0)
		r = re2_split(re, args[1].s, (ptrdiff_t)args[2].i, &c->mem->arena, &parts, &count, c->err);
	return r < 0 ? r : ret_strings(c, parts, count, ret);
}

static int replace(struct tmpl_call *c, const tval *args, bool literal, tval *ret)
{
	CLEANUP(re2_freep) struct re2 *owned = NULL;
	const struct re2 *re = NULL;
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	int r = compile(c, args, &owned, &re);

	if (r == 0)
		r = re2_replace_all(re, args[1].s, args[2].s, literal, &out, c->err);
	return r < 0 ? r : tmpl_ret_buf(c, &out, ret);
}

static int run_replace(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return replace(c, args, false, ret);
}

static int run_replace_literal(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return replace(c, args, true, ret);
}

#define TWO                                                                                                            \
	{                                                                                                              \
		&tt_string, &tt_string                                                                                 \
	}
#define TWO_AND_COUNT                                                                                                  \
	{                                                                                                              \
		&tt_string, &tt_string, &tt_int                                                                        \
	}
#define THREE                                                                                                          \
	{                                                                                                              \
		&tt_string, &tt_string, &tt_string                                                                     \
	}

static const struct tmpl_fn rows[] = {
	{ "mustRegexFind", run_find, TWO, false, &tt_string, "as regexFind; a bad pattern fails" },
	{ "mustRegexFindAll", run_find_all, TWO_AND_COUNT, false, &tt_strings, "as regexFindAll; a bad pattern fails" },
	{ "mustRegexMatch", run_match, TWO, false, &tt_bool, "as regexMatch; a bad pattern fails" },
	{ "mustRegexReplaceAll", run_replace, THREE, false, &tt_string, "as regexReplaceAll; a bad pattern fails" },
	{ "mustRegexReplaceAllLiteral", run_replace_literal, THREE, false, &tt_string,
	  "as regexReplaceAllLiteral; a bad pattern fails" },
	{ "mustRegexSplit", run_split, TWO_AND_COUNT, false, &tt_strings, "as regexSplit; a bad pattern fails" },
	{ "regexFind", run_find, TWO, false, &tt_string, "the first match of a pattern in a text" },
	{ "regexFindAll", run_find_all, TWO_AND_COUNT, false, &tt_strings,
	  "at most so many matches of a pattern; -1: all" },
	{ "regexMatch", run_match, TWO, false, &tt_bool, "whether a pattern matches in a text" },
	{ "regexQuoteMeta",
	  run_quote_meta,
	  { &tt_string },
	  false,
	  &tt_string,
	  "a pattern that matches the text literally" },
	{ "regexReplaceAll", run_replace, THREE, false, &tt_string, "pattern, text, replacement with $1, ${name}" },
	{ "regexReplaceAllLiteral", run_replace_literal, THREE, false, &tt_string,
	  "pattern, text, replacement as it stands" },
	{ "regexSplit", run_split, TWO_AND_COUNT, false, &tt_strings,
	  "a text split at matches, into at most so many parts; -1: all" },
};
TMPL_FN_FAMILY(fn_regex, rows);
