/* Any text as a path: what is read is written and read again as the same path. */
#include "base/utf8.h"
#include "value/path.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool same_segment(const struct path_segment *a, const struct path_segment *b)
{
	return a->kind == b->kind && (a->kind == PATH_INDEX ? a->index == b->index : str_eq(a->text, b->text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(arena_done) struct arena a;
	CLEANUP(buf_done) struct buf text = BUF_INIT((size_t)16 << 20);
	struct path first, second;

	arena_init(&a, 0, 0);
	if (!path_parse((str){ (const char *)data, size }, &a, &first))
		return 0;
	for (size_t i = 0; i < first.n; i++) {
		/* A key without quotes may be any bytes; quotes turn what is no UTF-8 into U+FFFD. */
		if (first.segments[i].kind != PATH_INDEX && !utf8_valid(first.segments[i].text))
			return 0;
	}
	(void)path_get((val){ .kind = VAL_MAP }, first);
	path_format(first, &text);
	if (text.error || !path_parse(buf_str(&text), &a, &second) || first.n != second.n)
		abort();
	for (size_t i = 0; i < first.n; i++) {
		if (!same_segment(&first.segments[i], &second.segments[i]))
			abort();
	}
	return 0;
}
