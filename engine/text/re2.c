/* Compiles and searches, and chooses the matcher for each search. */
#include "text/re2.h"

#include "base/unicode.h"
#include "base/utf8.h"
#include "text/re2_dfa.h"

#include <errno.h>

int re2_compile(str pattern, const struct limits *lim, struct re2 **ret, struct buf *message, struct err *err)
{
	CLEANUP(re2_freep) struct re2 *re = calloc(1, sizeof(*re));
	int r;

	if (!re)
		return err_nomem(err);
	if (pattern.n > UINT32_MAX / 4)
		return err_set(err, E2BIG, "regular expression: longer than %u bytes", UINT32_MAX / 4);
	arena_init(&re->arena, 512 + 4 * pattern.n, lim->arena_bytes);
	re->match_limit = lim->regex_match_limit;
	re->pattern = arena_str(&re->arena, pattern);
	if (!re->pattern.p)
		return arena_error(&re->arena, err);
	r = re2_parse(re, message, err);
	if (r == 0)
		r = re2_pcre_compile(re, err);
	if (r < 0)
		return r;
	*ret = TAKE(re);
	return 0;
}

void re2_free(struct re2 *re)
{
	if (!re)
		return;
	pcre2_match_context_free(re->match_context);
	pcre2_code_free(re->code);
	re2_dfa_free(re->dfa);
	re2_prog_free(re->prog);
	arena_done(&re->arena);
	free(re);
}

uint32_t re2_groups(const struct re2 *re)
{
	return re->groups;
}

str re2_group_name(const struct re2 *re, uint32_t i)
{
	return i >= 1 && i <= re->groups ? re->names[i - 1] : STR("");
}

uint32_t re2_group_index(const struct re2 *re, str name)
{
	for (uint32_t i = 1; i <= re->groups && name.n > 0; i++) {
		if (str_eq(re->names[i - 1], name))
			return i;
	}
	return 0;
}

/* ---- searching ---- */

int re2_search_init(struct re2_search *s, const struct re2 *re, str text, struct err *err)
{
	*s = (struct re2_search){ .re = re, .text = text, .n_spans = re->groups + 1, .last_end = -1 };
	s->steps = (uint64_t)re->match_limit * RE2_STEPS_PER_MATCH_LIMIT;
	if (!text.p)
		s->text.p = "";
	s->utf8 = utf8_valid(text);
	s->spans = calloc(s->n_spans, sizeof(*s->spans));
	if (s->spans && re->code && s->utf8)
		s->pcre_data = pcre2_match_data_create_from_pattern(re->code, NULL);
	if (!s->spans || (re->code && s->utf8 && !s->pcre_data)) {
		re2_search_done(s);
		return err_nomem(err);
	}
	return 0;
}

void re2_search_done(struct re2_search *s)
{
	pcre2_match_data_free(s->pcre_data);
	free(s->spans);
	s->pcre_data = NULL;
	s->spans = NULL;
}

/* The program of @re, made when it is first needed. Two threads that need it at once make two and drop one. */
static int program(const struct re2 *re, const struct re2_prog **ret, struct err *err)
{
	_Atomic(struct re2_prog *) *shared = &((struct re2 *)re)->prog;
	struct re2_prog *p = *shared, *none = NULL;
	int r;

	if (!p) {
		r = re2_prog_new(re, &p, err);
		if (r < 0)
			return r;
		if (!atomic_compare_exchange_strong(shared, &none, p)) {
			re2_prog_free(p);
			p = none;
		}
	}
	*ret = p;
	return 0;
}

static void take_spans(struct re2_search *s, int matched_groups)
{
	const size_t *ovector = pcre2_get_ovector_pointer(s->pcre_data);

	for (uint32_t i = 0; i < s->n_spans; i++) {
		struct re2_span none = { -1, -1 };

		if (i < (uint32_t)matched_groups && ovector[2 * i] != PCRE2_UNSET)
			s->spans[i] = (struct re2_span){ (ptrdiff_t)ovector[2 * i], (ptrdiff_t)ovector[2 * i + 1] };
		else
			s->spans[i] = none;
	}
}

int re2_search_from(struct re2_search *s, size_t from, struct err *err)
{
	const struct re2_prog *prog;
	int r;

	if (from > s->text.n)
		return 0;
	if (s->pcre_data) {
		r = pcre2_match(s->re->code, (PCRE2_SPTR)s->text.p, s->text.n, from, PCRE2_NO_UTF_CHECK, s->pcre_data,
				s->re->match_context);
		if (r > 0)
			take_spans(s, r);
		if (r > 0 || r == PCRE2_ERROR_NOMATCH)
			return r > 0;
		/* The match limit was reached. Our machine has no limit that depends on the pattern's shape. A
		 * search that is catastrophic for PCRE2 here would be so again at the next place of the same text. */
		pcre2_match_data_free(s->pcre_data);
		s->pcre_data = NULL;
	}
	r = program(s->re, &prog, err);
	return r < 0 ? r : re2_vm_search(prog, s, from, err);
}

static size_t width_at(str text, size_t at)
{
	size_t width;

	(void)utf8_decode(str_sub(text, at, text.n), &width);
	return width;
}

int re2_search_next(struct re2_search *s, struct err *err)
{
	while (s->at <= s->text.n) {
		bool accept = true;
		int r = re2_search_from(s, s->at, err);

		if (r <= 0) {
			s->at = s->text.n + 1;
			return r;
		}
		if (s->spans[0].end == (ptrdiff_t)s->at) {
			size_t width = width_at(s->text, s->at);

			accept = s->spans[0].start != s->last_end;
			s->at = width > 0 ? s->at + width : s->text.n + 1;
		} else {
			s->at = (size_t)s->spans[0].end;
		}
		s->last_end = s->spans[0].end;
		if (accept)
			return 1;
	}
	return 0;
}

/* calls before an automaton is made: many expressions are used once, and making one takes as long */
#define DFA_AFTER 4
#define DFA_NEVER UINT8_MAX

/* The automaton of @re. 0; -EAGAIN: none yet, or never; -ENOMEM. Two threads that need it at once make two and drop
 * one. */
static int automaton(const struct re2 *re, struct re2_dfa **ret, struct err *err)
{
	struct re2 *shared = (struct re2 *)(uintptr_t)re;
	struct re2_dfa *d = shared->dfa, *none = NULL;
	const struct re2_prog *prog;
	uint8_t asked;
	int r;

	if (d) {
		*ret = d;
		return 0;
	}
	asked = atomic_load_explicit(&shared->asked, memory_order_relaxed);
	if (asked == DFA_NEVER || asked < DFA_AFTER) {
		if (asked != DFA_NEVER)
			atomic_store_explicit(&shared->asked, (uint8_t)(asked + 1), memory_order_relaxed);
		return -EAGAIN;
	}
	r = re->root->size > RE2_DFA_INST_MAX ? -E2BIG : program(re, &prog, err);
	if (r == 0)
		r = re2_dfa_new(prog, &d);
	if (r == -E2BIG) {
		atomic_store_explicit(&shared->asked, DFA_NEVER, memory_order_relaxed);
		return -EAGAIN;
	}
	if (r < 0)
		return err_nomem(err);
	if (!atomic_compare_exchange_strong(&shared->dfa, &none, d)) {
		re2_dfa_free(d);
		d = none;
	}
	*ret = d;
	return 0;
}

int re2_matches(const struct re2 *re, str text, struct err *err)
{
	struct re2_dfa *d = NULL;
	str found;
	int r = automaton(re, &d, err);

	if (r == 0)
		r = re2_dfa_matches(d, text, (uint64_t)re->match_limit * RE2_STEPS_PER_MATCH_LIMIT);
	if (r == -EAGAIN)
		return re2_find(re, text, &found, err);
	return r == -ENOMEM ? err_nomem(err) : r;
}

int re2_find(const struct re2 *re, str text, str *ret, struct err *err)
{
	CLEANUP(re2_search_done) struct re2_search s = { 0 };
	int r = re2_search_init(&s, re, text, err);

	if (r == 0)
		r = re2_search_from(&s, 0, err);
	if (r == 1)
		*ret = re2_group(&s, 0);
	return r;
}

/* ---- all matches ---- */

struct strs {
	VEC(str) v;
};

static int strs_give(struct strs *from, struct arena *a, str **ret, size_t *count, struct err *err)
{
	str *out = arena_array(a, from->v.n, sizeof(str));

	if (out && from->v.n)
		memcpy(out, from->v.p, from->v.n * sizeof(str));
	if (out) {
		*ret = out;
		*count = from->v.n;
	}
	vec_done(&from->v);
	return out ? 0 : err_nomem(err);
}

int re2_find_all(const struct re2 *re, str text, ptrdiff_t n, struct arena *a, str **ret, size_t *count,
		 struct err *err)
{
	CLEANUP(re2_search_done) struct re2_search s = { 0 };
	struct strs found = { 0 };
	int r = re2_search_init(&s, re, text, err);

	while (r == 0 && (n < 0 || found.v.n < (size_t)n)) {
		r = re2_search_next(&s, err);
		if (r <= 0)
			break;
		r = vec_push(&found.v, re2_group(&s, 0)) ? 0 : err_nomem(err);
	}
	if (r < 0) {
		vec_done(&found.v);
		return r;
	}
	return strs_give(&found, a, ret, count, err);
}

int re2_split(const struct re2 *re, str text, ptrdiff_t n, struct arena *a, str **ret, size_t *count, struct err *err)
{
	CLEANUP(re2_search_done) struct re2_search s = { 0 };
	struct strs pieces = { 0 };
	size_t begin = 0, end = 0, matches = 0;
	bool ok = true;
	int r = 0;

	if (n == 0)
		return strs_give(&pieces, a, ret, count, err);
	if (re->pattern.n > 0 && text.n == 0) {
		ok = vec_push(&pieces.v, STR(""));
		return ok ? strs_give(&pieces, a, ret, count, err) : err_nomem(err);
	}
	r = re2_search_init(&s, re, text, err);
	if (r < 0)
		return r;
	while (ok && (n < 0 || matches < (size_t)n)) {
		r = re2_search_next(&s, err);
		if (r <= 0 || (n > 0 && pieces.v.n == (size_t)n - 1))
			break;
		matches++;
		end = (size_t)s.spans[0].start;
		if (s.spans[0].end != 0)
			ok = vec_push(&pieces.v, str_sub(text, begin, end));
		begin = (size_t)s.spans[0].end;
	}
	if (ok && r >= 0 && end != text.n)
		ok = vec_push(&pieces.v, str_sub(text, begin, text.n));
	if (r < 0 || !ok) {
		vec_done(&pieces.v);
		return r < 0 ? r : err_nomem(err);
	}
	return strs_give(&pieces, a, ret, count, err);
}

/* ---- replacing ---- */

/* Read the name or number behind a $, in braces or not; *rest moves behind it. False: the $ stands for itself. */
static bool template_name(str t, str *name, str *rest)
{
	bool brace = t.n > 0 && t.p[0] == '{';
	size_t i = 0, width;

	if (brace)
		t = str_sub(t, 1, t.n);
	for (; i < t.n; i += width) {
		uint32_t c = utf8_decode(str_sub(t, i, t.n), &width);

		if (c != '_' && !unicode_is_letter(c) && !unicode_is_digit(c))
			break;
	}
	if (i == 0 || (brace && (i == t.n || t.p[i] != '}')))
		return false;
	*name = str_sub(t, 0, i);
	*rest = str_sub(t, i + brace, t.n);
	return true;
}

/* The number that @name spells, or -1. */
static int64_t template_number(str name)
{
	int64_t n = 0;

	if (name.n > 1 && name.p[0] == '0')
		return -1;
	for (size_t i = 0; i < name.n; i++) {
		if (name.p[i] < '0' || name.p[i] > '9' || n >= 100000000)
			return -1;
		n = n * 10 + (name.p[i] - '0');
	}
	return n;
}

static void add_named_group(const struct re2_search *s, str name, struct buf *out)
{
	for (uint32_t i = 1; i < s->n_spans; i++) {
		if (str_eq(s->re->names[i - 1], name) && s->spans[i].start >= 0) {
			buf_add_str(out, re2_group(s, i));
			return;
		}
	}
}

/* Expand: append @with for the match that @s holds. */
static void expand(const struct re2_search *s, str with, struct buf *out)
{
	for (;;) {
		ptrdiff_t dollar = str_find_byte(with, '$');
		str name, rest;
		int64_t number;

		if (dollar < 0)
			break;
		buf_add_str(out, str_sub(with, 0, (size_t)dollar));
		with = str_sub(with, (size_t)dollar + 1, with.n);
		if (with.n > 0 && with.p[0] == '$') {
			buf_add_byte(out, '$');
			with = str_sub(with, 1, with.n);
			continue;
		}
		if (!template_name(with, &name, &rest)) {
			buf_add_byte(out, '$');
			continue;
		}
		with = rest;
		number = template_number(name);
		if (number < 0)
			add_named_group(s, name, out);
		else if (number < s->n_spans)
			buf_add_str(out, re2_group(s, (uint32_t)number));
	}
	buf_add_str(out, with);
}

int re2_replace_all(const struct re2 *re, str text, str with, bool literal, struct buf *out, struct err *err)
{
	CLEANUP(re2_search_done) struct re2_search s = { 0 };
	size_t last_end = 0, at = 0;
	int r = re2_search_init(&s, re, text, err);

	while (r == 0 && at <= text.n && !out->error) {
		size_t start, end, width;

		r = re2_search_from(&s, at, err);
		if (r <= 0)
			break;
		r = 0;
		start = (size_t)s.spans[0].start;
		end = (size_t)s.spans[0].end;
		buf_add_str(out, str_sub(text, last_end, start));
		/* Nothing is inserted for an empty match directly behind another match. */
		if (end > last_end || start == 0) {
			if (literal)
				buf_add_str(out, with);
			else
				expand(&s, with, out);
		}
		last_end = end;
		width = width_at(text, at);
		if (at + width > end)
			at += width;
		else
			at = at + 1 > end ? at + 1 : end;
	}
	if (r < 0)
		return r;
	buf_add_str(out, str_sub(text, last_end, text.n));
	return buf_error(out, "text with replacements", err);
}

void re2_quote_meta(str text, struct buf *out)
{
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] != '\0' && strchr("\\.+*?()|[]{}^$", text.p[i]))
			buf_add_byte(out, '\\');
		buf_add_byte(out, text.p[i]);
	}
}
