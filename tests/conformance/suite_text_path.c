/* text/path_to_list: field paths. */
#include "suite_text.h"

#include "text/path_to_list.h"

void judge_path_to_list(val line, struct verdict *v)
{
	val want = line_list(line, "list", v), error = VAL_GET(line, "error");
	str *list;
	size_t n;
	struct err err;
	int r = path_to_list(val_str(line_text(line, "path", v)), v->arena, &list, &n, &err);

	if (r < 0 || val_exists(error)) {
		verdict_text(v, val_str(error), r < 0 ? str_from(err.msg) : STR("no error"));
		return;
	}
	if (n != val_count(want))
		verdict_failf(v, STR("the list of the line"), "%zu parts", n);
	for (size_t i = 0; i < n && v->outcome == PASSED; i++)
		verdict_text(v, val_str(val_at(want, (uint32_t)i)), list[i]);
}
