/* How records are kept: packed, with a dictionary that was made of other records. Every record that was packed with a
 * dictionary needs it.
 *
 *   the id, as it is (32) | 1 | the dictionary's id (4) | bytes of the rest (4), the lowest first | the rest, packed
 *
 * A record of some 1,300 bytes takes about 150. An unpacked record of an older driftd has a hexadecimal digit behind
 * its id, so that both forms may stand in one table, and SQL can ask for the id of either. Records are kept unpacked
 * until there are enough of them to make a dictionary; in a small database they stay so.
 *
 * A dictionary is stored in the transaction in which it is made, before anything is packed with it, and is never
 * removed. It is in two tables, with a sum, because otherwise a page that cannot be read would take all records with
 * it; while driftd runs it is in memory too (database_copy.c). Its id is random, because rows of two databases may
 * come together (database_salvage.c).
 */
#include "daemon/store/database/database_internal.h"

#include "daemon/findings/clock.h"

#include <errno.h>
#include <openssl/evp.h>
#include <sys/random.h>

#define RECORD_BYTES_MAX ((size_t)8 << 20)
#define ID_BYTES (RECORD_ID_SIZE - 1)
#define MARK '\1'
#define HEAD_BYTES (ID_BYTES + 1 + 4 + 4)
#define DICTIONARY_BYTES 16384
#define SAMPLES_BYTES ((size_t)32768) /* the least size of samples for a dictionary */
#define SAMPLES_MIN 20
#define DICTIONARIES_MAX 16
#define LOOK_ROWS 1024 /* the number of records after which the dictionary is judged */
#define SUM_BYTES 32

/* Whether the dictionary is bad for recent records, which may have changed: it does not even halve them. */
static bool is_poor(const struct packing *p)
{
	return p->packed_bytes > p->plain_bytes / 2;
}

static void forget_samples(struct packing *p)
{
	buf_done(&p->samples);
	vec_done(&p->sizes);
	p->samples = BUF_INIT(2 * SAMPLES_BYTES);
	p->sizes = (typeof(p->sizes)){ 0 };
}

static const struct dictionary *newest(const struct packing *p)
{
	return p->known.n ? &p->known.p[p->known.n - 1] : NULL;
}

static bool wants_samples(const struct packing *p)
{
	return (!p->known.n || p->wants_another) && p->known.n < DICTIONARIES_MAX && p->samples.n < SAMPLES_BYTES;
}

static void take_sample(struct packing *p, str text)
{
	size_t before = p->samples.n;

	if (!wants_samples(p) || text.n > SAMPLES_BYTES / 8)
		return;
	buf_add_str(&p->samples, text);
	if (p->samples.error || !vec_push(&p->sizes, text.n))
		buf_truncate(&p->samples, before);
}

static void count(struct packing *p, size_t plain, size_t packed)
{
	p->plain_bytes += plain;
	p->packed_bytes += packed;
	if (++p->rows < LOOK_ROWS)
		return;
	p->wants_another = is_poor(p);
	p->rows = p->plain_bytes = p->packed_bytes = 0;
}

static void add_number(struct buf *out, uint32_t n)
{
	for (int shift = 0; shift < 32; shift += 8)
		buf_add_byte(out, (char)(n >> shift & 0xFF));
}

static uint32_t number_at(const char *p)
{
	uint32_t n = 0;

	for (int i = 0; i < 4; i++)
		n |= (uint32_t)(unsigned char)p[i] << 8 * i;
	return n;
}

/* ---- records ---- */

static bool is_packed(str stored)
{
	return stored.n > HEAD_BYTES && stored.p[ID_BYTES] == MARK;
}

str database_packed(struct database *d, str record)
{
	struct packing *p = &d->packing;
	const struct dictionary *with = newest(p);
	struct err ignored;
	str text, packed;

	if (record.n <= HEAD_BYTES || is_packed(record) || record.n > RECORD_BYTES_MAX)
		return record;
	text = str_sub(record, ID_BYTES, record.n);
	take_sample(p, text);
	/* a record that packing does not make shorter is stored unpacked */
	if (!with || packer_pack(p->in, with->dict, text, &packed, &ignored) < 0)
		return record;
	count(p, text.n, packed.n);
	buf_clear(&p->packed);
	buf_add(&p->packed, record.p, ID_BYTES);
	buf_add_byte(&p->packed, MARK);
	add_number(&p->packed, with->id);
	add_number(&p->packed, (uint32_t)text.n);
	buf_add_str(&p->packed, packed);
	return p->packed.error || p->packed.n >= record.n ? record : buf_str(&p->packed);
}

static const struct dictionary *dictionary_of(const struct packing *p, uint32_t id)
{
	for (size_t i = 0; i < p->known.n; i++) {
		if (p->known.p[i].id == id)
			return &p->known.p[i];
	}
	return NULL;
}

int database_unpacked(struct database *d, str stored, str *ret, struct err *err)
{
	struct packing *p = &d->packing;
	const struct dictionary *with;
	uint32_t bytes;
	str text;
	int r;

	*ret = stored;
	if (!is_packed(stored))
		return 0;
	with = dictionary_of(p, number_at(stored.p + ID_BYTES + 1));
	bytes = number_at(stored.p + ID_BYTES + 5);
	if (!with || bytes > RECORD_BYTES_MAX)
		return 0;
	r = packer_unpack(p->out, with->dict, str_sub(stored, HEAD_BYTES, stored.n), bytes, &text, err);
	if (r < 0)
		return r == -EBADMSG ? 0 : r;
	buf_clear(&p->plain);
	buf_add(&p->plain, stored.p, ID_BYTES);
	buf_add_str(&p->plain, text);
	*ret = buf_str(&p->plain);
	return buf_error(&p->plain, "a record", err);
}

/* ---- dictionaries ---- */

static bool sum_of(str bytes, char ret[SUM_BYTES])
{
	unsigned char digest[EVP_MAX_MD_SIZE];

	if (EVP_Digest(bytes.p, bytes.n, digest, NULL, EVP_sha256(), NULL) != 1)
		return false;
	memcpy(ret, digest, SUM_BYTES);
	return true;
}

static int add_known(struct packing *p, uint32_t id, str bytes, struct err *err)
{
	struct dictionary x = { .id = id };
	int r = pack_dict_load(bytes, &x.dict, err);

	if (r < 0)
		return r;
	if (vec_push(&p->known, x))
		return 0;
	pack_dict_unref(x.dict);
	return err_nomem(err);
}

/* Keep the first intact copy of a dictionary, which may be stored twice. */
static int see_dictionary(void *ctx, sqlite3_stmt *s, struct err *err)
{
	struct database *d = ctx;
	uint32_t id = (uint32_t)sqlite3_column_int64(s, 0);
	str sum = database_column(s, 1), bytes = database_column(s, 2);
	char right[SUM_BYTES];

	if (!sum_of(bytes, right))
		return err_nomem(err);
	if (dictionary_of(&d->packing, id) || !str_eq(sum, (str){ right, sizeof(right) }))
		return 0;
	return add_known(&d->packing, id, bytes, err);
}

static int put_dictionary(struct database *d, uint32_t id, str bytes, struct err *err)
{
	static const enum statement tables[] = { PUT_DICTIONARY, PUT_DICTIONARY_AGAIN };
	char sum[SUM_BYTES];
	int r = sum_of(bytes, sum) ? 0 : err_nomem(err);

	for (size_t i = 0; r == 0 && i < ARRAY_LEN(tables); i++)
		r = DATABASE_RUN(d, tables[i], err, B_INT(id), B_INT(clock_usec()), B_BLOB(((str){ sum, sizeof(sum) })),
				 B_BLOB(bytes));
	return r;
}

int database_make_dictionary(struct database *d, struct err *err)
{
	CLEANUP(buf_done) struct buf bytes = BUF_INIT(PACK_DICT_MAX);
	struct packing *p = &d->packing;
	uint32_t id;
	int r;

	if (p->samples.n < SAMPLES_BYTES || p->sizes.n < SAMPLES_MIN)
		return 0;
	r = pack_dict_make(buf_str(&p->samples), p->sizes.p, p->sizes.n, DICTIONARY_BYTES, &bytes, err);
	forget_samples(p);
	if (r == 0)
		r = buf_error(&bytes, "a dictionary", err);
	if (r < 0 || !bytes.n)
		return r;
	while (getrandom(&id, sizeof(id), 0) != sizeof(id))
		;
	r = put_dictionary(d, id, buf_str(&bytes), err);
	if (r == 0)
		r = add_known(p, id, buf_str(&bytes), err);
	p->fresh = r == 0;
	p->wants_another = false;
	return r;
}

void database_end_dictionary(struct database *d, bool committed)
{
	struct packing *p = &d->packing;

	if (p->fresh && !committed)
		pack_dict_unref(p->known.p[--p->known.n].dict);
	p->fresh = false;
}

/* ---- what an older driftd kept ---- */

static int see_sample(void *ctx, sqlite3_stmt *s, struct err *err)
{
	(void)err;
	(void)database_packed(ctx, database_column(s, 0));
	return 0;
}

static void packed_record(sqlite3_context *to, int n, sqlite3_value **values)
{
	str record = { sqlite3_value_blob(values[0]), (size_t)sqlite3_value_bytes(values[0]) };
	str packed = database_packed(sqlite3_user_data(to), record);

	(void)n;
	sqlite3_result_blob64(to, packed.p, packed.n, SQLITE_TRANSIENT);
}

static int pack_last_records(struct database *d, struct err *err)
{
	int r = database_each(d, SOME_LAST_RECORDS, (struct bounds){ 0 }, see_sample, d, err);

	if (r == 0)
		r = database_make_dictionary(d, err);
	if (r < 0 || !newest(&d->packing))
		return r;
	if (sqlite3_create_function(d->db, "packed_record", 1, SQLITE_UTF8 | SQLITE_DIRECTONLY, d, packed_record, NULL,
				    NULL) != SQLITE_OK)
		return database_failed(d, err);
	return database_run_plain(d, PACK_LAST_RECORDS, err);
}

int database_pack_older(struct database *d, struct err *err)
{
	int r = database_begin(d, err);

	return r < 0 ? r : database_end(d, pack_last_records(d, err), err);
}

int database_open_packing(struct database *d, struct err *err)
{
	struct packing *p = &d->packing;

	*p = (struct packing){ .packed = BUF_INIT(RECORD_BYTES_MAX), .plain = BUF_INIT(RECORD_BYTES_MAX + ID_BYTES) };
	forget_samples(p);
	p->in = packer_new();
	p->out = packer_new();
	if (!p->in || !p->out)
		return err_nomem(err);
	packer_add_sums(p->in);
	return database_each(d, DICTIONARIES, (struct bounds){ 0 }, see_dictionary, d, err);
}

void database_close_packing(struct database *d)
{
	struct packing *p = &d->packing;

	for (size_t i = 0; i < p->known.n; i++)
		pack_dict_unref(p->known.p[i].dict);
	vec_done(&p->known);
	buf_done(&p->samples);
	vec_done(&p->sizes);
	buf_done(&p->packed);
	buf_done(&p->plain);
	packer_free(p->in);
	packer_free(p->out);
	*p = (struct packing){ 0 };
}
