/* A pattern and a text, parted by the first NUL. Whatever compiles must search without hanging; where PCRE2 does the
 * search, the breadth-first machine must find the same matches; and the automaton must say of the text and of its ends
 * whether they match. */
#include "text/re2_dfa.h"

#include <errno.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define TEXT_MOST 4096

static void same_as_machine(struct re2_search *s, const struct re2_prog *prog)
{
	struct re2_search by_machine = *s;
	struct re2_span spans[64];
	struct err err;
	int r, r2;

	if (s->n_spans > ARRAY_LEN(spans))
		return;
	by_machine.spans = spans;
	r = re2_search_from(s, 0, &err);
	r2 = re2_vm_search(prog, &by_machine, 0, &err);
	if (r < 0 || r2 < 0)
		return; /* a limit */
	if (r != r2 || (r == 1 && memcmp(spans, s->spans, s->n_spans * sizeof(*spans)) != 0))
		abort();
}

static void automaton_agrees(struct re2_dfa *d, const struct re2 *re, str text)
{
	struct re2_search s;
	struct err err;
	int r = re2_dfa_matches(d, text, UINT64_MAX), by_machine;

	if (r == -EAGAIN || re2_search_init(&s, re, text, &err) < 0)
		return;
	by_machine = re2_vm_search(d->p, &s, 0, &err);
	re2_search_done(&s);
	if (by_machine >= 0 && by_machine != r)
		abort();
}

static void same_as_automaton(const struct re2_prog *prog, const struct re2 *re, str text)
{
	struct re2_dfa *d = NULL;

	if (re2_dfa_new(prog, &d) < 0)
		return;
	for (size_t from = 0; from <= text.n && from < 8; from++)
		automaton_agrees(d, re, str_sub(text, from, text.n));
	automaton_agrees(d, re, text); /* over what is there already */
	if (d->arena.used > RE2_DFA_BYTES)
		abort();
	re2_dfa_free(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(re2_freep) struct re2 *re = NULL;
	CLEANUP(buf_done) struct buf out = BUF_INIT((size_t)1 << 20);
	str input = { (const char *)data, size }, pattern, text = { "", 0 };
	struct limits lim = LIMITS_DEFAULT;
	ptrdiff_t nul = str_find_byte(input, '\0');
	struct re2_prog *prog = NULL;
	struct re2_search s;
	struct err err;

	lim.regex_match_limit = 10000;
	pattern = nul < 0 ? input : str_sub(input, 0, (size_t)nul);
	if (nul >= 0)
		text = str_sub(input, (size_t)nul + 1, size);
	if (text.n > TEXT_MOST || re2_compile(pattern, &lim, &re, &out, &err) < 0)
		return 0;
	(void)!re2_replace_all(re, text, STR("[$1${x}]"), false, &out, &err);
	if (re->root->size > 10000 || re2_search_init(&s, re, text, &err) < 0)
		return 0;
	if (re2_prog_new(re, &prog, &err) == 0) {
		if (re->code && s.utf8)
			same_as_machine(&s, prog);
		same_as_automaton(prog, re, text);
	}
	re2_prog_free(prog);
	re2_search_done(&s);
	return 0;
}
