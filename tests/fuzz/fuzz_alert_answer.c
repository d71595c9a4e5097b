/* What an Alertmanager answers: whatever it is, and however it is cut, the same alerts are found in it, each a valid
 * object of labels.
 *
 * The first byte of the input says how large the portions are. */
#include "daemon/alertmanager/alert_answer.h"

#include "value/json.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool ok)
{
	if (!ok)
		abort();
}

struct found {
	size_t n;
	uint64_t sum;
};

static bool on_each(void *ctx, uint64_t print, str labels)
{
	struct found *f = ctx;
	struct doc *doc;
	struct err err;

	check(json_decode(labels, JSON_DEFAULTS, &doc, &err) == 0 && val_is_map(doc->root));
	doc_unref(doc);
	f->n++;
	f->sum += print;
	return true;
}

static int read_all(str text, size_t portion, struct found *f)
{
	struct alert_answer a = { .each = on_each, .ctx = f, .origin = "o" };
	struct err err;
	int r = 0;

	alert_answer_init(&a);
	for (; r == 0 && text.n; text = str_sub(text, portion, text.n))
		r = alert_answer_feed(&a, str_sub(text, 0, portion), &err);
	if (r == 0)
		r = alert_answer_end(&a, &err);
	alert_answer_done(&a);
	return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct found whole = { 0 }, cut = { 0 };
	str text;

	if (!size)
		return 0;
	text = (str){ (const char *)data + 1, size - 1 };
	check(read_all(text, text.n + 1, &whole) == read_all(text, data[0] + 1u, &cut));
	check(whole.n == cut.n && whole.sum == cut.sum);
	return 0;
}
