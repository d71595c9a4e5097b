/* Packs and unpacks texts with zstd. */
#include "pack/pack.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <zdict.h>
#include <zstd.h>
#include <zstd_errors.h>

#define LEVEL 1
#define ENTROPY_BYTES 2048 /* the most bytes of a dictionary besides its texts: more than was ever seen */
#define DICT_MIN 1024
/* the most work space that is kept: few texts need more, which is freed after use */
#define KEEP_BYTES ((size_t)1 << 20)

struct pack_dict {
	_Atomic uint32_t refs;
	ZSTD_CDict *pack;
	ZSTD_DDict *unpack;
};

static void dict_free(struct pack_dict *d)
{
	(void)ZSTD_freeCDict(d->pack);
	(void)ZSTD_freeDDict(d->unpack);
	free(d);
}

int pack_dict_load(str bytes, struct pack_dict **ret, struct err *err)
{
	struct pack_dict *d = calloc(1, sizeof(*d));

	if (!d)
		return err_nomem(err);
	atomic_init(&d->refs, 1);
	d->pack = ZSTD_createCDict(bytes.p, bytes.n, LEVEL);
	d->unpack = ZSTD_createDDict(bytes.p, bytes.n);
	if (!d->pack || !d->unpack) {
		dict_free(d);
		return err_nomem(err);
	}
	*ret = d;
	return 0;
}

/* Choose whole samples, evenly from all, until @max is reached. Measured on pods, their texts pack as well as the
 * most frequent parts that a search among them finds, which takes thirty times as long. */
static size_t choose(str samples, const size_t *sizes, size_t n, char *out, size_t max)
{
	size_t step = samples.n / max + 1, done = 0, at = 0;

	for (size_t i = 0; i < n && done < max; at += sizes[i++]) {
		size_t part = sizes[i] < max - done ? sizes[i] : max - done;

		if (i % step)
			continue;
		memcpy(out + done, samples.p + at, part);
		done += part;
	}
	return done;
}

int pack_dict_make(str samples, const size_t *sizes, size_t n, size_t size, struct buf *out, struct err *err)
{
	CLEANUP(freep) char *texts = malloc(PACK_DICT_MAX), *dict = malloc(PACK_DICT_MAX);
	unsigned count = n < PACK_SAMPLES_MAX ? (unsigned)n : PACK_SAMPLES_MAX;
	const ZDICT_params_t params = { .compressionLevel = LEVEL };
	size_t made;

	if (!texts || !dict)
		return err_nomem(err);
	size = size < PACK_DICT_MAX ? size : PACK_DICT_MAX;
	if (size < DICT_MIN + ENTROPY_BYTES || samples.n < size)
		return 0;
	made = choose(samples, sizes, count, texts, size - ENTROPY_BYTES);
	made = ZDICT_finalizeDictionary(dict, size, texts, made, samples.p, sizes, count, params);
	if (!ZDICT_isError(made))
		buf_add(out, dict, made);
	return 0;
}

int pack_dict_new(str samples, const size_t *sizes, size_t n, size_t size, struct pack_dict **ret, struct err *err)
{
	CLEANUP(buf_done) struct buf bytes = BUF_INIT(PACK_DICT_MAX);
	int r = pack_dict_make(samples, sizes, n, size, &bytes, err);

	*ret = NULL;
	if (r == 0)
		r = buf_error(&bytes, "a dictionary", err);
	return r < 0 || !bytes.n ? r : pack_dict_load(buf_str(&bytes), ret, err);
}

struct pack_dict *pack_dict_ref(struct pack_dict *d)
{
	if (d)
		(void)atomic_fetch_add_explicit(&d->refs, 1, memory_order_relaxed);
	return d;
}

void pack_dict_unref(struct pack_dict *d)
{
	if (d && atomic_fetch_sub_explicit(&d->refs, 1, memory_order_acq_rel) == 1)
		dict_free(d);
}

size_t pack_dict_bytes(const struct pack_dict *d)
{
	return d ? sizeof(*d) + ZSTD_sizeof_CDict(d->pack) + ZSTD_sizeof_DDict(d->unpack) : 0;
}

/* ---- packing ---- */

struct packer {
	ZSTD_CCtx *pack;
	ZSTD_DCtx *unpack;
	char *space;
	size_t n_space;
};

struct packer *packer_new(void)
{
	CLEANUP(packer_freep) struct packer *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->pack = ZSTD_createCCtx();
	p->unpack = ZSTD_createDCtx();
	if (!p->pack || !p->unpack)
		return NULL;
	/* The packed text stores no size and no id of its dictionary: its owner knows both. */
	(void)ZSTD_CCtx_setParameter(p->pack, ZSTD_c_contentSizeFlag, 0);
	(void)ZSTD_CCtx_setParameter(p->pack, ZSTD_c_dictIDFlag, 0);
	(void)ZSTD_CCtx_setParameter(p->pack, ZSTD_c_compressionLevel, LEVEL);
	return TAKE(p);
}

void packer_free(struct packer *p)
{
	if (!p)
		return;
	(void)ZSTD_freeCCtx(p->pack);
	(void)ZSTD_freeDCtx(p->unpack);
	free(p->space);
	free(p);
}

void packer_add_sums(struct packer *p)
{
	(void)ZSTD_CCtx_setParameter(p->pack, ZSTD_c_checksumFlag, 1);
}

/* Make room for @n bytes. False without memory. */
static bool make_space(struct packer *p, size_t n)
{
	size_t size = n < 65536 ? 65536 : n;

	if (p->n_space >= n && (p->n_space <= KEEP_BYTES || n > KEEP_BYTES))
		return true;
	free(p->space);
	p->space = malloc(size);
	p->n_space = p->space ? size : 0;
	return p->space;
}

int packer_pack(struct packer *p, const struct pack_dict *dict, str text, str *ret, struct err *err)
{
	size_t n;

	if (!make_space(p, text.n + 1))
		return err_nomem(err);
	(void)ZSTD_CCtx_refCDict(p->pack, dict ? dict->pack : NULL);
	n = ZSTD_compress2(p->pack, p->space, text.n, text.p, text.n);
	if (ZSTD_isError(n))
		return ZSTD_getErrorCode(n) == ZSTD_error_memory_allocation
			       ? err_nomem(err)
			       : err_set(err, EFBIG, "not shorter when packed");
	*ret = (str){ p->space, n };
	return 0;
}

int packer_unpack(struct packer *p, const struct pack_dict *dict, str packed, size_t n, str *ret, struct err *err)
{
	size_t got;

	if (!make_space(p, n + 1))
		return err_nomem(err);
	got = dict ? ZSTD_decompress_usingDDict(p->unpack, p->space, n, packed.p, packed.n, dict->unpack)
		   : ZSTD_decompressDCtx(p->unpack, p->space, n, packed.p, packed.n);
	if (ZSTD_isError(got) && ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation)
		return err_nomem(err);
	if (got != n)
		return err_set(err, EBADMSG, "what was packed is damaged");
	*ret = (str){ p->space, n };
	return 0;
}
