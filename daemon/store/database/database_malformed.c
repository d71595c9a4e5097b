/* Rows that are none of ours: a page of another table in the place of one, or a text with other bytes. */
#include "daemon/store/database/database_internal.h"

int malformed_note(struct malformed *m, sqlite3_stmt *s, struct err *err)
{
	sqlite3_value *key = sqlite3_value_dup(sqlite3_column_value(s, 0));

	if (key && vec_push(&m->keys, key))
		return 0;
	sqlite3_value_free(key);
	return err_nomem(err);
}

/* They are nobody's: without this they would be met again at every start. */
int malformed_remove(struct database *d, struct malformed *m, enum statement which, int r, struct err *err)
{
	if (r == 0 && m->keys.n)
		r = database_prepare(d, which, err);
	for (size_t i = 0; i < m->keys.n; i++) {
		if (r == 0) {
			(void)sqlite3_bind_value(d->statements[which], 1, m->keys.p[i]);
			r = database_run(d, which, err);
		}
		sqlite3_value_free(m->keys.p[i]);
	}
	vec_done(&m->keys);
	return r;
}
