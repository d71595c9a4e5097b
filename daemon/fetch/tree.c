/* Files and folders are nodes of one table, with folder and name as the key. So the memory for a path grows linearly
 * with the path, and removing a folder takes time proportional to its content. */
#include "daemon/fetch/tree.h"

#include "base/assert.h"
#include "base/index.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "mask/foreign.h"

#include <errno.h>
#include <sys/queue.h>

#define NAME_BYTES_MAX 255
#define SHOWN_MAX 120 /* bytes of a path in a message */

LIST_HEAD(node_list, node);

struct node {
	LIST_ENTRY(node) link; /* links the node in its folder */
	struct node *folder;   /* NULL: it is the root */
	struct node_list inside;
	char *path; /* the whole path of a file; NULL: it is a folder */
	char *text;
	size_t path_n, text_n, key_n;
	char key[]; /* the address of its folder, then its name */
};

struct tree {
	struct node *top;
	struct index nodes; /* all nodes but the root */
	size_t n_files, bytes, left_out;
	VEC(struct tree_file) sorted; /* empty: it has to be sorted again */
};

struct node_key {
	char bytes[sizeof(struct node *) + NAME_BYTES_MAX];
	size_t n;
};

static str key_of(const void *thing)
{
	const struct node *n = thing;

	return (str){ n->key, n->key_n };
}

/* The key of @name in @folder. A name that is not valid gets a key that no node has. */
static struct node_key make_key(const struct node *folder, str name)
{
	struct node_key k;
	size_t n = name.n < NAME_BYTES_MAX ? name.n : NAME_BYTES_MAX;

	memcpy(k.bytes, &folder, sizeof(folder));
	memcpy(k.bytes + sizeof(folder), name.p, n);
	k.n = sizeof(folder) + n;
	return k;
}

static struct node *find(const struct tree *t, const struct node *folder, str name)
{
	struct node_key k = make_key(folder, name);

	return name.n > NAME_BYTES_MAX ? NULL : index_get(&t->nodes, (str){ k.bytes, k.n });
}

static void node_free(struct node *n)
{
	free(n->path);
	free(n->text);
	free(n);
}

/* Make a folder, or a node that becomes a file. NULL without memory. */
static struct node *node_new(struct tree *t, struct node *folder, str name)
{
	struct node_key k = make_key(folder, name);
	struct node *n = calloc(1, sizeof(*n) + k.n);

	if (!n)
		return NULL;
	n->folder = folder;
	n->key_n = k.n;
	memcpy(n->key, k.bytes, k.n);
	if (folder && !index_put(&t->nodes, n, NULL)) {
		free(n);
		return NULL;
	}
	if (folder)
		LIST_INSERT_HEAD(&folder->inside, n, link);
	return n;
}

static void count_out(struct tree *t, const struct node *n)
{
	if (!n->path)
		return;
	ASSERT(t->n_files > 0);
	t->n_files--;
	t->bytes -= n->text_n;
}

/* Free a node and all below it; folders are at most TREE_DEPTH_MAX deep. */
static void drop(struct tree *t, struct node *n)
{
	struct node *below;

	while ((below = LIST_FIRST(&n->inside)))
		drop(t, below); /* NOLINT(clang-analyzer-unix.Malloc): it takes itself off the list */
	if (!n->folder)
		return;
	LIST_REMOVE(n, link);
	index_remove(&t->nodes, key_of(n));
	count_out(t, n);
	node_free(n);
}

/* Remove folders that became empty: they exist only while they contain something. */
static void drop_empty(struct tree *t, struct node *folder)
{
	while (folder->folder && LIST_EMPTY(&folder->inside)) {
		struct node *above = folder->folder;

		drop(t, folder);
		folder = above;
	}
}

int tree_new(struct tree **ret, struct err *err)
{
	struct tree *t = calloc(1, sizeof(*t));

	if (!t)
		return err_nomem(err);
	t->nodes = INDEX_OF(key_of);
	t->top = node_new(t, NULL, STR(""));
	if (!t->top) {
		free(t);
		return err_nomem(err);
	}
	*ret = t;
	return 0;
}

void tree_free(struct tree *t)
{
	if (!t)
		return;
	drop(t, t->top);
	node_free(t->top);
	index_done(&t->nodes);
	vec_done(&t->sorted);
	free(t);
}

/* ---- names ---- */

static int refuse(str path, const char *why, struct err *err)
{
	CLEANUP(buf_done) struct buf shown = BUF_INIT(4 * SHOWN_MAX);

	foreign_quote(foreign_bytes(path), SHOWN_MAX, &shown);
	return err_set(err, EINVAL, "the path '%s' %s", buf_str(&shown).p, why);
}

/* Whether @s has a control character, also one of Latin-1, which terminals interpret; in UTF-8 these have two bytes. */
static bool has_control_character(str s)
{
	while (s.n > 0) {
		size_t n;
		uint32_t c = utf8_decode(s, &n);

		if (c < ' ' || (c >= 0x7F && c < 0xA0))
			return true;
		s = str_sub(s, n, s.n);
	}
	return false;
}

static int check_parts(str path, struct err *err)
{
	str rest = path, part;
	size_t n = 0;

	while (str_next_part(&rest, '/', &part)) {
		if (part.n == 0 || str_eq(part, STR(".")) || str_eq(part, STR("..")))
			return refuse(path, "has a part that is empty, '.' or '..'", err);
		if (part.n > NAME_BYTES_MAX)
			return refuse(path, "has a part of more than 255 bytes", err);
		if (++n > TREE_DEPTH_MAX)
			return refuse(path, "has more than 32 parts", err);
	}
	return 0;
}
_Static_assert(TREE_DEPTH_MAX == 32 && NAME_BYTES_MAX == 255 && TREE_PATH_MAX == 1024, "messages say so");

static int check_path(str path, struct err *err)
{
	if (path.n == 0)
		return refuse(path, "is empty", err);
	if (path.n > TREE_PATH_MAX)
		return refuse(path, "has more than 1024 bytes", err);
	if (!utf8_valid(path))
		return refuse(path, "is not UTF-8", err);
	if (has_control_character(path))
		return refuse(path, "has a control character", err);
	if (str_find_byte(path, '\\') >= 0)
		return refuse(path, "has a backslash", err);
	return check_parts(path, err);
}

/* ---- adding ---- */

/* Check the limits for a file that replaces @old, if there is one. */
static int check_limits(const struct tree *t, const struct node *old, str path, size_t n, struct err *err)
{
	CLEANUP(buf_done) struct buf shown = BUF_INIT(4 * SHOWN_MAX);

	foreign_quote(foreign_bytes(path), SHOWN_MAX, &shown);
	if (n > TREE_FILE_MAX)
		return err_set(err, E2BIG, "the file '%s' has more than %zu MiB", buf_str(&shown).p,
			       TREE_FILE_MAX >> 20);
	if (!old && t->n_files >= TREE_FILES_MAX)
		return err_set(err, E2BIG, "there are more than %d files", TREE_FILES_MAX);
	if (n > TREE_BYTES_MAX - (t->bytes - (old ? old->text_n : 0)))
		return err_set(err, E2BIG, "the files have more than %zu MiB together", TREE_BYTES_MAX >> 20);
	return 0;
}

/* Find the folder of @path, and make the missing ones. *name: the file's name. */
static int make_folders(struct tree *t, str path, struct node **ret, str *name, struct err *err)
{
	struct node *at = t->top;
	str rest = path;

	while (str_next_part(&rest, '/', name) && rest.p) {
		struct node *next = find(t, at, *name);

		if (next && next->path)
			return refuse(path, "is below what is a file", err);
		if (!next)
			next = node_new(t, at, *name);
		if (!next) {
			drop_empty(t, at);
			return err_nomem(err);
		}
		at = next;
	}
	*ret = at;
	return 0;
}

static char *copy(str s)
{
	char *p = malloc(s.n + 1);

	if (!p)
		return NULL;
	if (s.n)
		memcpy(p, s.p, s.n);
	p[s.n] = '\0';
	return p;
}

/* Put both texts into @n, a file or a new node. Without memory they are freed. */
static bool fill(struct tree *t, struct node *n, char *path, size_t path_n, char *text, size_t text_n)
{
	if (!path || !text) {
		free(path);
		free(text);
		return false;
	}
	count_out(t, n);
	free(n->path);
	free(n->text);
	n->path = path;
	n->path_n = path_n;
	n->text = text;
	n->text_n = text_n;
	t->n_files++;
	t->bytes += text_n;
	return true;
}

static int put(struct tree *t, struct node *folder, str name, str path, str text, struct err *err)
{
	struct node *n = find(t, folder, name);
	int r;

	if (n && !n->path)
		return refuse(path, "is a folder already", err);
	r = check_limits(t, n, path, text.n, err);
	if (r < 0)
		return r;
	if (!n)
		n = node_new(t, folder, name);
	if (!n)
		return err_nomem(err);
	if (fill(t, n, copy(path), path.n, copy(text), text.n))
		return 0; /* NOLINT(clang-analyzer-unix.Malloc): the table has it */
	if (!n->path)
		drop(t, n);
	return err_nomem(err);
}

int tree_add(struct tree *t, str path, str text, struct err *err)
{
	struct node *folder;
	str name;
	int r = check_path(path, err);

	if (r < 0)
		return r;
	r = make_folders(t, path, &folder, &name, err);
	if (r < 0)
		return r;
	t->sorted.n = 0;
	r = put(t, folder, name, path, text, err);
	if (r < 0)
		drop_empty(t, folder);
	return r;
}

void tree_remove(struct tree *t, str path)
{
	struct node *at = t->top;
	struct node *folder;
	str part;

	while (at && path.n > 0 && str_next_part(&path, '/', &part))
		at = find(t, at, part);
	if (!at)
		return;
	t->sorted.n = 0;
	folder = at->folder;
	drop(t, at);
	if (folder)
		drop_empty(t, folder);
}

void tree_leave_out(struct tree *t)
{
	t->left_out++;
}

size_t tree_left_out(const struct tree *t)
{
	return t->left_out;
}

size_t tree_bytes(const struct tree *t)
{
	return t->bytes;
}

/* ---- looking at them ---- */

static int by_path(const void *a, const void *b)
{
	return str_cmp(((const struct tree_file *)a)->path, ((const struct tree_file *)b)->path);
}

static bool gather(struct tree *t)
{
	const struct node *n;
	size_t at = 0;

	while ((n = index_each(&t->nodes, &at))) {
		if (n->path && !vec_push(&t->sorted, (struct tree_file){ .path = { n->path, n->path_n },
									 .text = { n->text, n->text_n } }))
			return false;
	}
	return true;
}

const struct tree_file *tree_files(struct tree *t, size_t *n)
{
	*n = 0;
	if (t->n_files == 0)
		return NULL;
	if (t->sorted.n == 0) {
		if (!gather(t)) {
			t->sorted.n = 0;
			return NULL;
		}
		qsort(t->sorted.p, t->sorted.n, sizeof(*t->sorted.p), by_path);
	}
	ASSERT(t->sorted.n == t->n_files);
	*n = t->sorted.n;
	return t->sorted.p;
}
