/* Any texts as the files of a module, "=== NAME" ahead of each: they generate objects, which can be written, or one
 * error. Text ahead of the first is taken for a bundle. */
#include "kubegen/kg_output.h"
#include "kubegen/kg_reference.h"
#include "support/memory_folder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FILES_MAX 32
#define MODULES_MAX 4

/* Small ceilings: many small inputs find more than a few slow ones. */
static const struct limits limits = { .file_bytes = 1u << 16,
				      .object_bytes = 1u << 16,
				      .depth = 100,
				      .document_nodes = 1u << 14,
				      .arena_bytes = 64u << 20 };

/* The files behind the marks, as a map of texts. */
static val split(str text, struct arena *a)
{
	struct member members[FILES_MAX];
	size_t n = 0;

	while (n < FILES_MAX) {
		ptrdiff_t mark = str_find(text, STR("=== ")), line, end;

		if (mark < 0)
			break;
		text = str_sub(text, (size_t)mark + 4, text.n);
		line = str_find_byte(text, '\n');
		if (line < 0)
			break;
		members[n].key = key_make(NULL, a, str_sub(text, 0, (size_t)line));
		text = str_sub(text, (size_t)line + 1, text.n);
		end = str_find(text, STR("=== "));
		members[n++].value = val_string(str_sub(text, 0, end < 0 ? text.n : (size_t)end));
	}
	return val_map(a, members, n);
}

static struct kg_module *generate(const struct kg_instance *instance, const val *files)
{
	struct kg_folder folder = memory_folder(files);
	struct kg_module *m = NULL;
	struct err err;
	int r = kg_module_generate(instance, &folder, &limits, NULL, &m, &err);

	if ((r == 0) != (m != NULL) || (r < 0 && !*err.msg))
		abort();
	for (size_t i = 0; m && i < m->n_manifests; i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(64u << 20);

		if (val_exists(m->manifests[i].list) &&
		    kg_write(instance, &m->manifests[i], i % 2 ? KG_JSON : KG_YAML, &out, &err) == -ENOMEM)
			abort();
	}
	return m;
}

static void generate_all(const struct kg_bundle *b, const val *files)
{
	CLEANUP(kg_reference_done) struct kg_reference r = { 0 };
	struct kg_module *modules[MODULES_MAX] = { 0 };
	bool whole = b->n_modules <= MODULES_MAX;
	struct err err;

	for (size_t i = 0; i < b->n_modules && i < MODULES_MAX; i++) {
		modules[i] = generate(&b->modules[i].instance, files);
		whole &= modules[i] != NULL;
	}
	if (whole && kg_reference_make(b, modules, &r, &err) == 0 && !kg_reference_find(&r, STR(KG_REFERENCE_METADATA)))
		abort();
	for (size_t i = 0; i < MODULES_MAX; i++)
		kg_module_free(modules[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	CLEANUP(kg_bundle_freep) struct kg_bundle *b = NULL;
	str text = { (const char *)data, size };
	ptrdiff_t mark = str_find(text, STR("=== "));
	struct kg_instance instance = { .name = STR("i"), .source_dir = STR("m"), .path = STR("m") };
	val files = split(text, &a);
	struct err err;

	if (mark > 0 && kg_bundle_parse(str_sub(text, 0, (size_t)mark), STR("b.yml"), &limits, NULL, &b, &err) == 0)
		generate_all(b, &files);
	else
		kg_module_free(generate(&instance, &files));
	return 0;
}
