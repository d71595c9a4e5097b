/* A text, as whatever may be in an object.
 *
 *   - Steps grow with the length of the text, and no more.
 *   - What is hidden stays so when harmless lines follow, and when there are no steps left.
 *   - What is told of all places is the same as what is said of the worst, and lies within the text. */
#include "mask/shapes.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define STEPS_A_BYTE 400 /* a name of two letters with a value costs some 60, and may be read in four encodings */
#define STEPS_AT_LEAST 1000

#define CHECK(cond)                                                                                                    \
	do {                                                                                                           \
		if (!(cond))                                                                                           \
			abort();                                                                                       \
	} while (0)

struct worst {
	enum mask_shape shape;
	size_t size;
};

static void report(void *ctx, const struct mask_found *found)
{
	struct worst *w = ctx;

	CHECK(found->shape != SHAPE_PLAIN && found->rule && found->at <= w->size && found->n <= w->size - found->at);
	w->shape = found->shape > w->shape ? found->shape : w->shape;
}

static enum mask_shape with_more(str text)
{
	static const char more[] = "\nthese lines are harmless\nand the last ones\n";
	char *longer = malloc(text.n + sizeof(more));
	enum mask_shape shape;

	CHECK(longer);
	if (text.n)
		memcpy(longer, text.p, text.n);
	memcpy(longer + text.n, more, sizeof(more) - 1);
	shape = mask_shape(NULL, (str){ longer, text.n + sizeof(more) - 1 });
	free(longer);
	return shape;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	str text = { (const char *)data, size };
	uint64_t limit = STEPS_AT_LEAST + STEPS_A_BYTE * size, steps = limit, none = 0;
	struct mask_fields counted = { .steps = &steps }, out = { .steps = &none };
	struct mask_found found = mask_shape_why(&counted, text);
	struct worst worst = { .size = size };

	CHECK(steps > 0 && (found.rule != NULL) == (found.shape != SHAPE_PLAIN));
	mask_shape_each(NULL, text, report, &worst);
	CHECK(worst.shape == found.shape);
	CHECK(found.shape == SHAPE_PLAIN || with_more(text) != SHAPE_PLAIN);
	CHECK(mask_shape(&out, text) == SHAPE_SECRET);
	(void)mask_is_option(NULL, text);
	return 0;
}
