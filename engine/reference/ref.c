/* Makes, counts and frees references, whatever they are made of, and hashes them. */
#include "reference/ref.h"

#include "base/assert.h"
#include "base/hex.h"
#include "reference/ref_plain.h"
#include "reference/ref_schema.h"
#include "reference/ref_shapes.h"

#include <errno.h>
#define OPENSSL_SUPPRESS_DEPRECATED /* for SHA256_Init() and the like, see reference_hash() */
#include <openssl/sha.h>
#include <stdatomic.h>

struct reference *reference_new(const struct limits *limits, str name, size_t bytes)
{
	struct reference *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	atomic_store(&r->refs, 1);
	arena_init(&r->arena, bytes, limits->arena_bytes);
	r->name = arena_str(&r->arena, name);
	if (r->name.p)
		return r;
	reference_unref(r);
	return NULL;
}

/* Not with EVP, which initialises the whole library and reads its configuration: that takes longer than all else
 * here. */
int reference_hash(struct reference *r, str text, struct err *err)
{
	unsigned char digest[SHA256_DIGEST_LENGTH];
	SHA256_CTX sha;

	if (!SHA256_Init(&sha) || !SHA256_Update(&sha, text.p, text.n) || !SHA256_Final(digest, &sha))
		return err_set(err, EIO, "SHA-256 is not available");
	hex_write(digest, sizeof(digest), r->hash);
	return 0;
}

struct reference *reference_ref(struct reference *r)
{
	uint32_t before = atomic_fetch_add_explicit(&r->refs, 1, memory_order_relaxed);

	ASSERT(before > 0 && before < UINT32_MAX);
	return r;
}

void reference_unref(struct reference *r)
{
	uint32_t before;

	if (!r)
		return;
	before = atomic_fetch_sub_explicit(&r->refs, 1, memory_order_acq_rel);
	ASSERT(before > 0);
	if (before > 1)
		return;
	for (size_t i = 0; i < r->n_templates; i++) {
		if (r->templates[i]->use != REF_TEMPLATE)
			continue;
		tmpl_free(r->templates[i]->text->tmpl);
		tmpl_footprint_done(&r->templates[i]->text->footprint);
		ref_plain_free(r->templates[i]->text->plain);
	}
	for (size_t i = 0; i < r->n_shared; i++)
		reference_unref(r->shared[i]);
	ref_shapes_free(r->shapes);
	arena_done(&r->arena);
	free(r);
}

const char *ref_group_name(enum ref_group g)
{
	ASSERT(g <= REF_ONE_OF);
	if (g == REF_V1_REQUIRED)
		return "Required";
	return g == REF_V1_OPTIONAL ? "Optional" : ref_v2_groups[g - REF_ALL_OF];
}
