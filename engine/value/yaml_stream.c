/* Cutting a stream of documents at its marks. */
#include "value/yaml.h"

static bool is_separator(str line)
{
	return str_has_prefix(line, STR("---"));
}

/* White space and a comment may follow the "---". */
static bool is_bad_separator(str line)
{
	str behind = str_trim(str_sub(line, 3, line.n));

	return behind.n > 0 && behind.p[0] != '#';
}

bool yaml_next_part(str *rest, size_t *line, struct yaml_part *part)
{
	size_t at = 0;

	if (!rest->p)
		return false;
	*part = (struct yaml_part){ .text = *rest, .line = *line };
	while (at < rest->n) {
		const char *from = rest->p + at, *nl = memchr(from, '\n', rest->n - at);
		size_t n = nl ? (size_t)(nl - from) : rest->n - at;

		if (is_separator((str){ from, n })) {
			part->text = str_sub(*rest, 0, at);
			part->bad_separator = is_bad_separator((str){ from, n });
			*rest = nl ? str_sub(*rest, at + n + 1, rest->n) : (str){ "", 0 };
			(*line)++;
			return true;
		}
		at += n + (nl ? 1 : 0);
		*line += nl ? 1 : 0;
	}
	*rest = (str){ NULL, 0 };
	return true;
}
