/* Escapes text, so that a template does not take parts of it for actions. */
#include "text/template_escape.h"

void template_escape(str text, struct buf *out)
{
	ptrdiff_t at;

	while ((at = str_find(text, STR("{{"))) >= 0) {
		buf_add(out, text.p, (size_t)at);
		buf_add_cstr(out, "{{ \"{{\" }}");
		text = str_sub(text, (size_t)at + 2, text.n);
	}
	buf_add_str(out, text);
}
