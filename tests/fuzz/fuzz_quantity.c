/* Two quantities, parted by a newline: a - b + b is a, and what is printed reads back as the same number. */
#include "text/quantity.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void reads_back(const struct quantity *q, struct arena *a)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT((size_t)1 << 20);
	struct quantity again;
	struct err err;

	quantity_string(q, a, &text);
	/* Above 10^18 a decimal suffix does not exist, and Kubernetes prints the number without one. */
	if (text.error || q->exponent > 20 || q->digits.n > 36 || q->format != QUANTITY_DECIMAL_EXPONENT)
		return;
	if (quantity_parse(buf_str(&text), a, &again, &err) < 0 || quantity_compare(q, &again) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(arena_done) struct arena a;
	CLEANUP(buf_done) struct buf text = BUF_INIT((size_t)1 << 20);
	str input = { (const char *)data, size }, first, second;
	struct quantity x, y, z;
	struct err err;

	arena_init(&a, 0, (size_t)256 << 20);
	if (!str_next_part(&input, '\n', &first) || quantity_parse(first, &a, &x, &err) < 0)
		return 0;
	(void)quantity_value(&x);
	(void)quantity_milli_value(&x);
	(void)quantity_as_float(&x);
	quantity_dec_string(&x, &text);
	reads_back(&x, &a);
	if (!str_next_part(&input, '\n', &second) || quantity_parse(second, &a, &y, &err) < 0)
		return 0;
	if (quantity_compare(&x, &y) != -quantity_compare(&y, &x))
		abort();
	if (quantity_sub(&x, &y, &a, &z, &err) < 0 || quantity_add(&z, &y, &a, &z, &err) < 0)
		return 0;
	if (quantity_compare(&x, &z) != 0)
		abort();
	return 0;
}
