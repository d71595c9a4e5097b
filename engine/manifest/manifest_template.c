/* Recognizes templates of manifests by braces where YAML has no use for them. */
#include "manifest/manifest_set_internal.h"

/* Whether a value or a line begins at @at of @line, so that YAML would read what follows. */
static bool begins_value(str line, size_t at)
{
	str before = str_trim(str_sub(line, 0, at));

	return !before.n || before.p[before.n - 1] == ':' || before.p[before.n - 1] == '-' ||
	       str_find(before, STR("{{")) >= 0;
}

/* How many lines away braces may be from the line that YAML cannot read. Braces elsewhere are in a text that YAML
 * can read, and are not the reason. */
#define NEAR 2

const char *manifest_template_kind(str text, size_t line, size_t *at)
{
	size_t from = 0;

	for (size_t end, n = 1; from < text.n; from = end + 1, n++) {
		ptrdiff_t length = str_find_byte(str_sub(text, from, text.n), '\n'), braces;
		str one;

		end = length < 0 ? text.n : from + (size_t)length;
		one = str_sub(text, from, end);
		braces = str_find(one, STR("{{"));
		if (braces < 0 || str_has_prefix(str_trim(one), STR("#")) || !begins_value(one, (size_t)braces) ||
		    (line && (n + NEAR < line || n > line + NEAR)))
			continue;
		*at = from + (size_t)braces;
		return "\"{{\" outside of a text: this is a template, and no manifest; helm template renders charts, "
		       "kustomize build what it is used in";
	}
	return NULL;
}
