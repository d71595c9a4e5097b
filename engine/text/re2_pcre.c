/* Makes a PCRE2 pattern with the same meaning from the syntax tree.
 *
 * Only constructs whose meaning depends on no table and no option of PCRE2 are written: code points by number, sets
 * as ranges with case folding already applied, assertions spelled out. Only the search itself is left to PCRE2:
 * Perl's backtracking finds the same match as RE2's leftmost-first rule, except for unbounded repetition of
 * something that can match the empty string. */
#include "text/re2_internal.h"

#include <errno.h>

#define PATTERN_MAX (1u << 20) /* a size far above PCRE2's own ceiling on the compiled form */
#define HEAP_KIB (64u * 1024)

static void emit_rune(struct buf *b, uint32_t c)
{
	if (c - '0' < 10 || (c | 0x20) - 'a' < 26)
		buf_add_byte(b, (char)c);
	else
		buf_printf(b, "\\x{%x}", c);
}

static void emit_set(struct buf *b, struct re2_set set)
{
	size_t before = b->n;

	buf_add_byte(b, '[');
	for (uint32_t i = 0; i < set.n; i++) {
		uint32_t lo = set.ranges[i].lo, hi = set.ranges[i].hi;

		/* Valid UTF-8 holds no surrogates, and PCRE2 refuses them. */
		if (lo >= 0xD800 && lo <= 0xDFFF)
			lo = 0xE000;
		if (hi >= 0xD800 && hi <= 0xDFFF)
			hi = 0xD7FF;
		if (lo > hi)
			continue;
		emit_rune(b, lo);
		if (hi > lo) {
			buf_add_byte(b, '-');
			emit_rune(b, hi);
		}
	}
	if (b->n == before + 1) {
		buf_truncate(b, before);
		buf_add_cstr(b, "(?!)");
	} else {
		buf_add_byte(b, ']');
	}
}

static void emit_literal(struct buf *b, const struct re2_node *n)
{
	for (uint32_t i = 0; i < n->n; i++) {
		uint32_t c = n->runes[i];

		if (c >= 0xD800 && c <= 0xDFFF) {
			buf_add_cstr(b, "(?!)");
			continue;
		}
		if (n->fold)
			buf_add_byte(b, '[');
		emit_rune(b, c);
		for (uint32_t f = unicode_simple_fold(c); n->fold && f != c; f = unicode_simple_fold(f))
			emit_rune(b, f);
		if (n->fold)
			buf_add_byte(b, ']');
	}
}

static void emit(struct buf *b, const struct re2_node *n);

static void emit_repeat(struct buf *b, const struct re2_node *n)
{
	buf_add_cstr(b, "(?:");
	emit(b, n->sub[0]);
	buf_add_byte(b, ')');
	if (n->max < 0)
		buf_printf(b, "{%d,}", n->min);
	else
		buf_printf(b, "{%d,%d}", n->min, n->max);
	if (n->lazy)
		buf_add_byte(b, '?');
}

static void emit_alternate(struct buf *b, const struct re2_node *n)
{
	buf_add_cstr(b, "(?:");
	for (uint32_t i = 0; i < n->n; i++) {
		if (i > 0)
			buf_add_byte(b, '|');
		emit(b, n->sub[i]);
	}
	buf_add_byte(b, ')');
}

/* Append a node. The recursion is bounded by the height of the tree, RE2_MAX_HEIGHT. */
static void emit(struct buf *b, const struct re2_node *n)
{
	static const char *const fixed[] = {
		[RE2_EMPTY] = "(?:)",           [RE2_ANY] = "(?s:.)",
		[RE2_ANY_NOT_NL] = "[^\\n]",    [RE2_BEGIN_LINE] = "(?:\\A|(?<=\\n))",
		[RE2_END_LINE] = "(?=\\n|\\z)", [RE2_BEGIN_TEXT] = "\\A",
		[RE2_END_TEXT] = "\\z",         [RE2_WORD] = "\\b",
		[RE2_NOT_WORD] = "\\B",         [RE2_ALTERNATE] = NULL,
	};
	_Static_assert(ARRAY_LEN(fixed) == RE2_ALTERNATE + 1, "ORDER re2_op");

	switch (n->op) {
	case RE2_LITERAL:
		emit_literal(b, n);
		break;
	case RE2_CLASS:
		emit_set(b, n->set);
		break;
	case RE2_CAPTURE:
		buf_add_byte(b, '(');
		emit(b, n->sub[0]);
		buf_add_byte(b, ')');
		break;
	case RE2_REPEAT:
		emit_repeat(b, n);
		break;
	case RE2_CONCAT:
		for (uint32_t i = 0; i < n->n; i++)
			emit(b, n->sub[i]);
		break;
	case RE2_ALTERNATE:
		emit_alternate(b, n);
		break;
	default:
		buf_add_cstr(b, fixed[n->op]);
	}
}

static int compile_text(struct re2 *re, const struct buf *text, struct err *err)
{
	pcre2_compile_context *cc = pcre2_compile_context_create(NULL);
	size_t offset;
	int code;

	if (!cc)
		return err_nomem(err);
	pcre2_set_parens_nest_limit(cc, 3 * RE2_MAX_HEIGHT);
	re->code = pcre2_compile((PCRE2_SPTR)text->p, text->n, PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C, &code, &offset, cc);
	pcre2_compile_context_free(cc);
	return !re->code && code == PCRE2_ERROR_NOMEMORY ? err_nomem(err) : 0;
}

int re2_pcre_compile(struct re2 *re, struct err *err)
{
	struct buf text = BUF_INIT(PATTERN_MAX);
	int r = 0;

	if (re->root->loops)
		return 0;
	emit(&text, re->root);
	buf_add_cstr(&text, "");
	if (text.error == -ENOMEM)
		r = err_nomem(err);
	else if (text.error == 0)
		r = compile_text(re, &text, err); /* refused as too large: our machine searches instead */
	buf_done(&text);
	if (r < 0 || !re->code)
		return r;
	re->match_context = pcre2_match_context_create(NULL);
	if (!re->match_context)
		return err_nomem(err);
	pcre2_set_match_limit(re->match_context, re->match_limit);
	pcre2_set_depth_limit(re->match_context, re->match_limit);
	pcre2_set_heap_limit(re->match_context, HEAP_KIB);
	return 0;
}
