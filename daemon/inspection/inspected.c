/* A set of lines: uid, blank, version. */
#include "daemon/inspection/inspected.h"

#include "base/strmap.h"

#include <stdlib.h>

struct inspected {
	struct strmap lines; /* line -> the set itself */
};

int inspected_new(str bytes, struct inspected **ret, struct err *err)
{
	struct inspected *s = calloc(1, sizeof(*s));
	bool ok = s != NULL;
	str line;

	while (ok && bytes.n && str_next_part(&bytes, '\n', &line))
		ok = line.n == 0 || strmap_put(&s->lines, line, s, NULL);
	if (!ok) {
		inspected_free(s);
		return err_nomem(err);
	}
	*ret = s;
	return 0;
}

void inspected_free(struct inspected *s)
{
	if (!s)
		return;
	strmap_done(&s->lines);
	free(s);
}

/* Whether the text has neither blanks nor line ends, like all uids and versions of a server (RFC 1123, RFC 4122).
 * Others are not noted. */
static bool is_word(str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] <= ' ')
			return false;
	}
	return s.n > 0;
}

void inspected_add(str uid, str version, struct buf *out)
{
	if (!is_word(uid) || !is_word(version))
		return;
	buf_add_str(out, uid);
	buf_add_byte(out, ' ');
	buf_add_str(out, version);
	buf_add_byte(out, '\n');
}

bool inspected_has(const struct inspected *s, str uid, str version)
{
	CLEANUP(buf_done) struct buf line = BUF_INIT(4096);

	inspected_add(uid, version, &line);
	return line.n && !line.error && strmap_has(&s->lines, str_sub(buf_str(&line), 0, line.n - 1));
}

void inspected_write(const struct inspected *s, struct buf *out)
{
	const struct strmap_entry *e;
	size_t at = 0;

	while ((e = strmap_each(&s->lines, &at))) {
		buf_add(out, e->key, e->n);
		buf_add_byte(out, '\n');
	}
}
