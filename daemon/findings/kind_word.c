/* Comparing names of kinds. */
#include "daemon/findings/kind_word.h"

bool kind_word_means(str word, str kind, str resource)
{
	ptrdiff_t dot = str_find_byte(resource, '.');

	return str_eq_nocase(word, kind) || str_eq_nocase(word, resource) ||
	       (dot >= 0 && str_eq_nocase(word, str_sub(resource, 0, (size_t)dot)));
}
