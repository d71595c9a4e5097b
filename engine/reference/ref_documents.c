/* Finds the second document in texts of which only the first document counts. */
#include "base/buf.h"
#include "reference/ref_internal.h"
#include "value/yaml.h"

/* Whether a line has something in it that is neither a comment nor a mark of YAML. */
static bool has_content(str line)
{
	line = str_trim(line);
	return line.n && line.p[0] != '#' && !str_eq(line, STR("---")) && !str_eq(line, STR("..."));
}

/* The first line of @part, from 1, that has content; 0: none has. */
static size_t content_line(const struct yaml_part *part)
{
	str rest = part->text, line;

	for (size_t n = part->line; str_next_part(&rest, '\n', &line); n++) {
		if (has_content(line))
			return n;
	}
	return 0;
}

size_t ref_second_document(str text)
{
	struct yaml_part part;
	size_t line = 1;
	bool found = false;

	if (str_find(text, STR("\n---")) < 0)
		return 0;
	while (yaml_next_part(&text, &line, &part)) {
		size_t at = content_line(&part);

		if (at && found)
			return at;
		found |= at != 0;
	}
	return 0;
}

/* Replace the actions in @text with spaces, and keep its lines. */
static void blank_actions(str text, struct buf *out)
{
	bool inside = false;

	for (size_t i = 0; i < text.n; i++) {
		str rest = str_sub(text, i, text.n);

		if (!inside && str_has_prefix(rest, STR("{{"))) {
			inside = true;
		} else if (inside && str_has_prefix(rest, STR("}}"))) {
			buf_add_cstr(out, "  ");
			i++;
			inside = false;
			continue;
		}
		buf_add_byte(out, inside && text.p[i] != '\n' ? ' ' : text.p[i]);
	}
}

int ref_second_document_of_template(str text, size_t *ret, struct err *err)
{
	CLEANUP(buf_done) struct buf bare = BUF_INIT(text.n + 1);

	blank_actions(text, &bare);
	if (bare.error)
		return buf_error(&bare, "template", err);
	*ret = ref_second_document(buf_str(&bare));
	return 0;
}
