#include "value/yaml.h"

/* "---" at the start of a line, and what may follow it. */
static bool is_separator(str line)
{
	return str_has_prefix(line, STR("---")) && (line.n == 3 || line.p[3] == ' ' || line.p[3] == '\t' || line.p[3] == '\r');
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
