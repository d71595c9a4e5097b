/* Makes nodes of libyaml's events. */
#include "value/node.h"

#include "base/index.h"
#include "base/strmap.h"

#include <errno.h>
#include <stdio.h>
#include <yaml.h>

#define DEPTH_MAX 64
#define LOCATE_DEPTH_MAX 1000 /* for documents that another reader has accepted, which may be nested deeper */

struct reader {
	yaml_parser_t parser;
	yaml_event_t event;
	const char *file;
	struct arena *arena;
	struct problems *problems;
	struct err *err;
	str text;
	int depth_max;
	struct strmap *anchors;      /* name -> node; NULL: aliases and repeated keys are mistakes */
	const struct node *repeated; /* the first key that occurs twice in its map; only with @anchors */
};

void node_problem(const struct node *at, struct problems *problems, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	problems_add(problems, "%s:%zu:%zu: %s", at->file, at->line, at->column, text);
}

str node_where(const struct node *n, struct arena *a)
{
	return arena_printf(a, "%s:%zu:%zu", n->file, n->line, n->column);
}

const struct node *node_get(const struct node *map, const char *key)
{
	for (size_t i = 0; map && map->kind == NODE_MAP && i < map->n; i++) {
		if (str_eq(map->keys[i]->text, str_from(key)))
			return map->values[i];
	}
	return NULL;
}

bool node_is_null(const struct node *n)
{
	return !n || (n->kind == NODE_SCALAR && n->plain &&
		      (n->text.n == 0 || str_eq(n->text, STR("~")) || str_eq(n->text, STR("null"))));
}

/* Whether a tab precedes the first other character of this line, which is counted from 0. */
static bool begins_with_tab(str text, size_t line)
{
	str row = { 0 };

	for (size_t i = 0; i <= line; i++) {
		if (!str_next_part(&text, '\n', &row))
			return false;
	}
	while (str_has_prefix(row, STR(" ")))
		row = str_sub(row, 1, row.n);
	return str_has_prefix(row, STR("\t"));
}

static int bad(struct reader *r, yaml_mark_t at, const char *what)
{
	problems_add(r->problems, "%s:%zu:%zu: %s%s", r->file, at.line + 1, at.column + 1, what,
		     begins_with_tab(r->text, at.line) ? "; YAML is indented by spaces, not by tabs" : "");
	return err_set(r->err, EBADMSG, "%s is not valid YAML", r->file);
}

static int next(struct reader *r)
{
	yaml_event_delete(&r->event);
	if (yaml_parser_parse(&r->parser, &r->event))
		return 0;
	r->event.type = YAML_NO_EVENT;
	if (r->parser.error == YAML_MEMORY_ERROR)
		return err_nomem(r->err);
	return bad(r, r->parser.problem_mark, r->parser.problem ? r->parser.problem : "invalid YAML");
}

static struct node *new_node(struct reader *r, enum node_kind kind)
{
	struct node *n = arena_zalloc(r->arena, sizeof(*n));

	if (!n)
		return NULL;
	n->kind = kind;
	n->file = r->file;
	n->line = r->event.start_mark.line + 1;
	n->column = r->event.start_mark.column + 1;
	return n;
}

static int read_node(struct reader *r, int depth, struct node **ret);

static int read_scalar(struct reader *r, struct node **ret)
{
	struct node *n = new_node(r, NODE_SCALAR);

	if (!n)
		return err_nomem(r->err);
	n->plain = r->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	n->text = arena_str(r->arena, (str){ (const char *)r->event.data.scalar.value, r->event.data.scalar.length });
	if (!n->text.p)
		return err_nomem(r->err);
	*ret = n;
	return 0;
}

/* Room for one more pointer behind @n: the arrays double within the arena. */
static bool grow(struct reader *r, struct node ***array, size_t n)
{
	struct node **more;

	if (n & (n - 1) || (n && n < 4))
		return true;
	more = arena_array(r->arena, n ? n * 2 : 4, sizeof(*more));
	if (!more)
		return false;
	if (n)
		memcpy(more, *array, n * sizeof(*more));
	*array = more;
	return true;
}

static int read_list(struct reader *r, int depth, struct node **ret)
{
	struct node *n = new_node(r, NODE_LIST);

	if (!n)
		return err_nomem(r->err);
	for (;;) {
		int e = next(r);

		if (e < 0)
			return e;
		if (r->event.type == YAML_SEQUENCE_END_EVENT)
			break;
		if (!grow(r, &n->items, n->n))
			return err_nomem(r->err);
		e = read_node(r, depth, &n->items[n->n]);
		if (e < 0)
			return e;
		n->n++;
	}
	*ret = n;
	return 0;
}

static int repeated(struct reader *r, const struct node *first)
{
	char what[80];

	(void)snprintf(what, sizeof(what), "this key appears twice here; first at %zu:%zu", first->line, first->column);
	return bad(r, r->event.start_mark, what);
}

static str text_of(const void *node)
{
	return ((const struct node *)node)->text;
}

/* Read a key. @seen: the keys of the map so far; where there may be anchors, keys are compared later. */
static int read_key(struct reader *r, struct index *seen, struct node **ret)
{
	const struct node *first = NULL;
	int e;

	if (r->event.type != YAML_SCALAR_EVENT)
		return bad(r, r->event.start_mark, "a key must be a plain text");
	if (!r->anchors)
		first = index_get(seen, (str){ (const char *)r->event.data.scalar.value, r->event.data.scalar.length });
	if (first)
		return repeated(r, first);
	e = read_scalar(r, ret);
	if (e < 0 || r->anchors)
		return e;
	return index_put(seen, *ret, NULL) ? 0 : err_nomem(r->err);
}

static int by_text(const void *a, const void *b)
{
	const struct node *x = *(const struct node *const *)a, *y = *(const struct node *const *)b;
	int order = str_cmp(x->text, y->text);

	return order                ? order
	       : x->line != y->line ? (x->line < y->line ? -1 : 1)
				    : (x->column > y->column) - (x->column < y->column);
}

/* Keep the first repeated key of @map, unless one was found before. */
static int note_repeated(struct reader *r, const struct node *map)
{
	CLEANUP(freep) struct node **keys = NULL;

	if (!r->anchors || r->repeated || map->n < 2)
		return 0;
	keys = malloc(map->n * sizeof(*keys));
	if (!keys)
		return err_nomem(r->err);
	memcpy(keys, map->keys, map->n * sizeof(*keys));
	qsort(keys, map->n, sizeof(*keys), by_text);
	for (size_t i = 1; i < map->n && !r->repeated; i++) {
		if (str_eq(keys[i - 1]->text, keys[i]->text))
			r->repeated = keys[i];
	}
	return 0;
}

static int read_map(struct reader *r, int depth, struct node **ret)
{
	CLEANUP(index_done) struct index seen = INDEX_OF(text_of);
	struct node *n = new_node(r, NODE_MAP);

	if (!n)
		return err_nomem(r->err);
	for (;;) {
		int e = next(r);

		if (e < 0)
			return e;
		if (r->event.type == YAML_MAPPING_END_EVENT)
			break;
		if (!grow(r, &n->keys, n->n) || !grow(r, &n->values, n->n))
			return err_nomem(r->err);
		e = read_key(r, &seen, &n->keys[n->n]);
		if (e < 0 || (e = next(r)) < 0 || (e = read_node(r, depth, &n->values[n->n])) < 0)
			return e;
		n->n++;
	}
	*ret = n;
	return note_repeated(r, n);
}

/* Read an alias, which gives the node that it names. */
static int read_alias(struct reader *r, struct node **ret)
{
	struct node *n;

	if (!r->anchors)
		return bad(r, r->event.start_mark, "aliases are not allowed here");
	n = strmap_get(r->anchors, str_from((const char *)r->event.data.alias.anchor));
	if (!n)
		return bad(r, r->event.start_mark, "no such anchor");
	*ret = n;
	return 0;
}

static int read_content(struct reader *r, int depth, struct node **ret)
{
	switch (r->event.type) {
	case YAML_SCALAR_EVENT:
		return read_scalar(r, ret);
	case YAML_SEQUENCE_START_EVENT:
		return read_list(r, depth + 1, ret);
	case YAML_MAPPING_START_EVENT:
		return read_map(r, depth + 1, ret);
	default:
		return read_alias(r, ret);
	}
}

static const char *anchor_of(const yaml_event_t *e)
{
	switch (e->type) {
	case YAML_SCALAR_EVENT:
		return (const char *)e->data.scalar.anchor;
	case YAML_SEQUENCE_START_EVENT:
		return (const char *)e->data.sequence_start.anchor;
	case YAML_MAPPING_START_EVENT:
		return (const char *)e->data.mapping_start.anchor;
	default:
		return NULL;
	}
}

/* Reads the node whose first event is the current one. */
static int read_node(struct reader *r, int depth, struct node **ret)
{
	const char *anchor = r->anchors ? anchor_of(&r->event) : NULL;
	CLEANUP(freep) char *name = anchor ? str_dup(str_from(anchor)) : NULL;
	int e;

	if (anchor && !name)
		return err_nomem(r->err);
	if (depth >= r->depth_max)
		return bad(r, r->event.start_mark, "nested too deeply");
	e = read_content(r, depth, ret);
	if (e == 0 && name && !strmap_put(r->anchors, str_from(name), *ret, NULL))
		e = err_nomem(r->err);
	return e;
}

/* Skip to the first content of the stream: *ret stays NULL when there is none. */
static int read_document(struct reader *r, struct node **ret)
{
	int e;

	do {
		e = next(r);
		if (e < 0)
			return e;
		if (r->event.type == YAML_STREAM_END_EVENT)
			return 0;
	} while (r->event.type == YAML_STREAM_START_EVENT || r->event.type == YAML_DOCUMENT_START_EVENT);
	return read_node(r, 0, ret);
}

/* Read a text; *ret stays NULL when it has no content. */
static int read_text(struct reader *r, str text, struct node **ret)
{
	int e;

	if (!yaml_parser_initialize(&r->parser))
		return err_nomem(r->err);
	r->text = text;
	yaml_parser_set_input_string(&r->parser, (const unsigned char *)text.p, text.n);
	e = read_document(r, ret);
	yaml_event_delete(&r->event);
	yaml_parser_delete(&r->parser);
	return e;
}

int node_parse(str text, const char *file, const struct limits *limits, struct arena *a, struct node **ret,
	       struct problems *problems, struct err *err)
{
	struct reader r = { .file = file, .arena = a, .problems = problems, .err = err, .depth_max = DEPTH_MAX };
	struct node *root = NULL;
	int e;

	if (text.n > limits->file_bytes) {
		problems_add(problems, "%s: larger than %zu bytes", file, limits->file_bytes);
		return err_set(err, EBADMSG, "%s is too large", file);
	}
	e = read_text(&r, text, &root);
	if (e == 0 && (!root || node_is_null(root))) {
		root = arena_zalloc(a, sizeof(*root));
		if (root)
			*root = (struct node){ .kind = NODE_MAP, .file = file, .line = 1, .column = 1 };
		else
			e = err_nomem(err);
	}
	if (e == 0)
		*ret = root;
	return e;
}

/* ---- places of values that another reader decoded ---- */

static const struct node *member(const struct node *map, str key, const struct node **ret_key, int depth);

/* A member that comes from the merge key "<<", whose value is a map, or a list of maps of which the first counts. */
static const struct node *merged_member(const struct node *from, str key, const struct node **ret_key, int depth)
{
	const struct node *found = NULL;

	if (from->kind == NODE_MAP)
		return member(from, key, ret_key, depth + 1);
	for (size_t i = 0; from->kind == NODE_LIST && !found && i < from->n; i++)
		found = member(from->items[i], key, ret_key, depth + 1);
	return found;
}

static const struct node *member(const struct node *map, str key, const struct node **ret_key, int depth)
{
	const struct node *merged = NULL;

	for (size_t i = 0; map->kind == NODE_MAP && i < map->n; i++) {
		if (str_eq(map->keys[i]->text, key)) {
			*ret_key = map->keys[i];
			return map->values[i];
		}
		if (map->keys[i]->plain && str_eq(map->keys[i]->text, STR("<<")))
			merged = map->values[i];
	}
	return merged && depth < DEPTH_MAX ? merged_member(merged, key, ret_key, depth) : NULL;
}

static const struct node *deepest(const struct node *n, struct path p)
{
	const struct node *place = n;

	for (size_t i = 0; n && i < p.n; i++) {
		const struct path_segment *s = &p.segments[i];

		if (s->kind == PATH_KEY) {
			n = member(n, s->text, &place, 0);
		} else {
			n = n->kind == NODE_LIST && s->index < n->n ? n->items[s->index] : NULL;
			place = n ? n : place;
		}
	}
	return place;
}

/* Read the first document of a text that another reader accepts: *ret stays NULL when libyaml does not accept it.
 * Fails: ENOMEM. */
static int read_foreign(str text, struct arena *a, struct node **ret, const struct node **ret_repeated)
{
	struct problems ignored = { 0 };
	struct strmap anchors = { 0 };
	struct err err;
	struct reader r = { .file = "",
			    .arena = a,
			    .problems = &ignored,
			    .err = &err,
			    .depth_max = LOCATE_DEPTH_MAX,
			    .anchors = &anchors };
	int e = read_text(&r, text, ret);

	strmap_done(&anchors);
	problems_done(&ignored);
	*ret_repeated = e == 0 ? r.repeated : NULL;
	return e == -ENOMEM ? e : 0;
}

bool node_locate(str text, struct path p, size_t *line, size_t *column)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	const struct node *repeated, *place;
	struct node *root = NULL;

	if (read_foreign(text, &a, &root, &repeated) < 0 || !root)
		return false;
	place = deepest(root, p);
	*line = place->line;
	*column = place->column;
	return true;
}

int node_repeated_key(str text, struct arena *a, str *key, size_t *line, size_t *column)
{
	const struct node *repeated;
	struct node *root = NULL;

	if (read_foreign(text, a, &root, &repeated) < 0)
		return -ENOMEM;
	if (!repeated)
		return 0;
	*key = repeated->text;
	*line = repeated->line;
	*column = repeated->column;
	return 1;
}

int node_refuse_repeated_keys(str text, struct err *err)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	size_t line, column;
	str key;
	int r = node_repeated_key(text, &a, &key, &line, &column);

	if (r < 0)
		return err_nomem(err);
	return r ? err_set(err, EBADMSG, "line %zu column %zu: the key '%.*s' stands there twice", line, column,
			   STR_ARG(key))
		 : 0;
}
