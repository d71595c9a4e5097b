/* A pattern with places, and behind a zero byte the values for them, each on a line: what its shape gives is what the
 * decoder gives. */
#include "support/yaml_filled.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define VALUES_MAX 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct limits limits = LIMITS_DEFAULT;
	const struct yaml_options o = { .limits = &limits, .valid_text = true, .uints_as_double = true };
	str input = { (const char *)data, size }, rest, values[VALUES_MAX];
	ptrdiff_t end = str_find_byte(input, '\0');
	size_t n = 0, known = 0;

	limits.document_nodes = 100000;
	if (end < 0)
		return 0;
	rest = str_sub(input, (size_t)end + 1, size);
	while (n < VALUES_MAX && str_next_part(&rest, '\n', &values[n]))
		n++;
	if (n > 0 && !filled_agree(str_sub(input, 0, (size_t)end), values, n, &o, &known))
		abort();
	return 0;
}
