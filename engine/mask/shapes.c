/* Decides what a text says about holding a secret, with the lexer. */
#include "mask/shapes.h"

#include "mask/lexer.h"

struct mask_found mask_shape_why(const struct mask_fields *fields, str text)
{
	struct lexer l = { .fields = fields, .text = text };

	lexer_run(&l);
	return l.found;
}

enum mask_shape mask_shape(const struct mask_fields *fields, str text)
{
	return mask_shape_why(fields, text).shape;
}

void mask_shape_each(const struct mask_fields *fields, str text,
		     void (*report)(void *ctx, const struct mask_found *found), void *ctx)
{
	struct lexer l = { .fields = fields, .text = text, .report = report, .ctx = ctx };

	lexer_run(&l);
}

bool mask_is_option(const struct mask_fields *fields, str text)
{
	size_t from = 0, end;

	while (from < text.n && text.p[from] == '-')
		from++;
	for (end = from; end < text.n && is_name(text.p[end]);)
		end++;
	return from > 0 && from < text.n && end == text.n &&
	       mask_name(fields, str_sub(text, from, text.n)) >= NAME_TEXTS;
}
