/* Parses the files of a configuration ahead. */
#include "config/cfg_internal.h"

#include "base/file.h"
#include "base/hash.h"

struct parsed_file {
	str path;
	uint64_t text; /* the hash of the file's text */
	struct node *root;
	bool urls;
	const struct node *list;          /* the list "accepted" of the file; NULL: it has none */
	struct accepted_change *accepted; /* one for each item of the list; an empty id marks an item with a mistake */
};

struct cfg_parsed {
	struct arena arena;
	VEC(struct parsed_file) files; /* the files without mistakes */
};

static void read_accepted(struct cfg_parsed *x, struct parsed_file *f)
{
	const struct node *list = f->root->kind == NODE_MAP ? node_get(f->root, "accepted") : NULL;

	if (!list || list->kind != NODE_LIST)
		return;
	f->accepted = arena_array(&x->arena, list->n, sizeof(*f->accepted));
	for (size_t i = 0; f->accepted && i < list->n; i++) {
		if (!cfg_accepted_ahead(list->items[i], &x->arena, &f->accepted[i]))
			f->accepted[i].id[0] = '\0';
	}
	f->list = f->accepted ? list : NULL;
}

static void parse(struct cfg_parsed *x, const char *path, const struct limits *limits)
{
	CLEANUP(freep) char *text = NULL;
	struct problems problems = { 0 };
	struct parsed_file f = { .path = arena_str(&x->arena, str_from(path)) };
	struct err err;
	size_t n;

	if (!f.path.p || file_read(path, limits->file_bytes, &text, &n, &err) < 0)
		return;
	f.text = hash_bytes(text, n, hash_seed());
	if (node_parse((str){ text, n }, f.path.p, limits, &x->arena, &f.root, &problems, &err) == 0 &&
	    !problems_any(&problems)) {
		f.urls = cfg_may_have_urls(f.root);
		read_accepted(x, &f);
		(void)!vec_push(&x->files, f);
	}
	problems_done(&problems);
}

struct cfg_parsed *cfg_parsed_new(const char *path, const struct limits *limits)
{
	CLEANUP(arena_done) struct arena names = ARENA_INIT(0);
	struct cfg_parsed *x = calloc(1, sizeof(*x));
	const char *const *files;
	struct err err;
	size_t n;

	if (!x)
		return NULL;
	arena_init(&x->arena, 0, 0);
	if (cfg_files(path, &names, &files, &n, &err) < 0)
		return x;
	for (size_t i = 0; i < n; i++)
		parse(x, files[i], limits);
	return x;
}

void cfg_parsed_free(struct cfg_parsed *x)
{
	if (!x)
		return;
	vec_done(&x->files);
	arena_done(&x->arena);
	free(x);
}

struct node *cfg_parsed_root(const struct cfg_parsed *x, const char *path, uint64_t text, bool *urls)
{
	for (size_t i = 0; x && i < x->files.n; i++) {
		const struct parsed_file *f = &x->files.p[i];

		if (f->text != text || !str_eq(f->path, str_from(path)))
			continue;
		*urls = f->urls;
		return f->root;
	}
	return NULL;
}

const struct accepted_change *cfg_parsed_accepted(const struct cfg_parsed *x, const struct node *list, size_t i)
{
	for (size_t k = 0; x && k < x->files.n; k++) {
		if (x->files.p[k].list == list)
			return x->files.p[k].accepted[i].id[0] ? &x->files.p[k].accepted[i] : NULL;
	}
	return NULL;
}
