/* Overwriting in place: the length stays. */
#include "base/hide.h"

#include <string.h>

#define SECRET_LEAST 4

void hide_secret(str secret, struct buf *text)
{
	size_t at = 0;
	ptrdiff_t found;

	while (secret.n >= SECRET_LEAST && (found = str_find(str_sub(buf_str(text), at, text->n), secret)) >= 0) {
		at += (size_t)found;
		memset(text->p + at, '*', secret.n);
		at += secret.n;
	}
}
