/* Times and printed events by examples: tests/data/events/triples. */
#include "support/triples.h"

#include "daemon/events/event_print.h"
#include "daemon/events/event_time.h"
#include "go/layout.h"

#include <time.h>

/* The program is a text, the input is what time it is. */
static int run_times(const struct triple *t, struct arena *a, struct buf *out)
{
	struct go_stamp now;
	struct err err;
	int64_t usec;
	int r;

	(void)a;
	if (!go_rfc3339_parse(str_trim(t->input), &now, out))
		return -1;
	r = event_time_parse(t->program, now.sec * 1000000 + now.nsec / 1000, &usec, &err);
	if (r < 0)
		return triple_error(r, &err, out);
	go_rfc3339_format(usec / 1000000, (int32_t)(usec % 1000000 * 1000), 0, out);
	return 0;
}

/* The program is how it is printed: the form, and what else there is of "colour", "host" and "utc". The input is the
 * fields, a line each: "NAME=value" with \n and so on; the one without a name is the time in usec. */
static int run_print(const struct triple *t, struct arena *a, struct buf *out)
{
	struct event_style style = { .colour = str_find(t->program, STR(" colour")) >= 0,
				     .host = str_find(t->program, STR(" host")) >= 0,
				     .utc = str_find(t->program, STR(" utc")) >= 0 };
	ptrdiff_t blank = str_find_byte(t->program, ' ');
	str form = str_sub(t->program, 0, blank < 0 ? t->program.n : (size_t)blank), rest = t->input, line;
	struct event e;

	if (!event_form_parse(arena_str(a, form).p, &style.form))
		return -1;
	event_init(&e);
	e.usec = INT64_C(1772463906789000);
	while (str_next_part(&rest, '\n', &line)) {
		if (!triple_unescape(line, a, &line))
			return -1;
		event_add(&e, line);
	}
	event_print(&e, &style, out);
	event_done(&e);
	return out->error;
}

int main(void)
{
	static const struct triple_file files[] = {
		{ "times", run_times },
		{ "print", run_print },
	};

	(void)setenv("TZ", "Europe/Berlin", 1);
	tzset();
	return triples_main(TEST_DATA "/events/triples", files, ARRAY_LEN(files));
}
