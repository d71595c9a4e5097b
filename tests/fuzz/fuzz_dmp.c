/* Two texts, parted by the first NUL: what is equal and deleted is the first one, what is equal and inserted the second
 * one. */
#include "base/utf8.h"
#include "text/dmp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(const struct dmp_diffs *diffs, enum dmp_op op, str want)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT((size_t)64 << 20);

	for (size_t i = 0; i < diffs->n; i++) {
		if (diffs->p[i].op == DMP_EQUAL || diffs->p[i].op == op)
			dmp_text(&diffs->p[i], &text);
	}
	if (utf8_valid(want) && !text.error && !str_eq(buf_str(&text), want))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	str input = { (const char *)data, size }, a, b = { "", 0 };
	struct limits lim = LIMITS_DEFAULT;
	ptrdiff_t nul = str_find_byte(input, '\0');
	struct dmp_diffs diffs;
	struct err err;

	a = nul < 0 ? input : str_sub(input, 0, (size_t)nul);
	if (nul >= 0)
		b = str_sub(input, (size_t)nul + 1, size);
	if (dmp_diff(a, b, &lim, &diffs, &err) < 0)
		return 0;
	expect(&diffs, DMP_DELETE, a);
	expect(&diffs, DMP_INSERT, b);
	dmp_diffs_done(&diffs);
	return 0;
}
