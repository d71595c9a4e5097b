/* Finds the shape of a text by reading it with a mark in each slot: a word that is not in the text. Where the value
 * has a mark, the text of that slot is inserted later. */
#include "value/yaml_shape.h"

#include "value/yaml_decode.h"
#include "value/yaml_parse.h"

#include <errno.h>

/* A word that can replace the text of a slot, and has the same length for every number; "\z" is no escape. */
#define MARK "zslot"
#define MARK_BYTES (sizeof(MARK) - 1 + 2)

#define SLOT_MAX 512 /* the most bytes of a slot: less than any limit of the scanner for one scalar */
#define NO_SLOT SPANS_MAX

/* A piece of a scalar: text, or the content of a slot. */
struct piece {
	str text;
	size_t slot; /* NO_SLOT: the piece is text */
};

/* A value with slots in it. */
struct part {
	val value;   /* the value with the marks, as it was read */
	uint32_t at; /* the index of the value in the list or map around it */
	uint32_t n;
	union {
		const struct part *inner; /* for a list or map: the @n values that have slots in them */
		const struct piece *pieces;
	};
	enum yaml_tag tag; /* a scalar: */
	bool implicit;
};

struct yaml_shape {
	/* the arena of the document has all of the shape; its values may be shared with other documents */
	struct doc *doc;
	str text; /* the text without the slots */
	size_t n;
	/* how many bytes of the text are between the slots: before each slot, and before the end */
	const size_t *before;
	const struct part *root; /* NULL: no value has a slot */
};

/* ---- what may be a slot ---- */

enum { LETTER = 1, INNER = 2 };

/* The characters of slots: they end no scalar, begin no other kind of scalar, and reading does not change them. A
 * colon, which would end a scalar before a blank, is never at the end. */
static const uint8_t classes[256] = {
	['a' ... 'z'] = LETTER | INNER,
	['A' ... 'Z'] = LETTER | INNER,
	['0' ... '9'] = LETTER | INNER,
	['-'] = INNER,
	['.'] = INNER,
	['_'] = INNER,
	['/'] = INNER,
	[':'] = INNER,
	['@'] = INNER,
	['+'] = INNER,
	['='] = INNER,
};

static bool is_letter(char c)
{
	return classes[(unsigned char)c] & LETTER;
}

static bool is_inner(char c)
{
	return classes[(unsigned char)c] & INNER;
}

/* The place behind the last letter of those from @from on, where there is one. */
static size_t run_end(str text, size_t from, size_t to)
{
	size_t end = from;

	for (size_t i = from; i < to && is_inner(text.p[i]); i++)
		end = is_letter(text.p[i]) ? i + 1 : end;
	return end;
}

static bool is_blank(str text, size_t i)
{
	return i >= text.n || text.p[i] == ' ' || text.p[i] == '\t' || text.p[i] == '\n' || text.p[i] == '\r';
}

/* Whether the text that ends at @end is probably a key: a slot in a key would be useless. */
static bool is_key(str text, size_t end)
{
	bool quoted = end < text.n && (text.p[end] == '"' || text.p[end] == '\'');

	end += quoted;
	return end < text.n && text.p[end] == ':' && (quoted || is_blank(text, end + 1));
}

static void add_runs(str text, struct span x, struct spans *ret)
{
	for (size_t i = x.from, end; i < x.to; i = end) {
		end = i + 1;
		if (!is_letter(text.p[i]))
			continue;
		end = run_end(text, i, x.to);
		if (end - i <= SLOT_MAX && !is_key(text, end) && !spans_add(ret, i, end))
			return;
	}
}

bool yaml_slot_may_be(str text)
{
	return text.n > 0 && text.n <= SLOT_MAX && is_letter(text.p[0]) && run_end(text, 0, text.n) == text.n;
}

void yaml_slots_keep(str text, struct spans *spans)
{
	struct spans kept;

	kept.n = 0; /* the rest is filled as far as it is used */
	for (size_t i = 0; i < spans->n; i++) {
		ASSERT(spans->at[i].to <= text.n);
		add_runs(text, spans->at[i], &kept);
	}
	spans->n = kept.n;
	memcpy(spans->at, kept.at, kept.n * sizeof(kept.at[0]));
}

/* ---- making one ---- */

struct maker {
	struct yaml_shape *shape;
	struct yaml_tree tree; /* the tree of the text with marks */
	/* the parts of the lists and maps that are being examined, innermost last */
	VEC(struct part) parts;
	/* for each slot, the scalar that begins with it, or has only text before it */
	const struct yaml_node *of[SPANS_MAX];
	bool seen[SPANS_MAX]; /* for each slot, whether a value has it */
	bool failed;
	bool no_memory; /* the reason was lack of memory, unless the document's arena says so */
};

static void *fail(struct maker *m)
{
	m->failed = true;
	return NULL;
}

/* Find the first mark in @text; -1: there is none. *slot is SPANS_MAX or more if the mark has no slot. */
static ptrdiff_t find_mark(str text, size_t *slot)
{
	ptrdiff_t at = str_find(text, STR(MARK));
	const char *digits = text.p + at + sizeof(MARK) - 1;

	*slot = SPANS_MAX;
	if (at >= 0 && (size_t)at + MARK_BYTES <= text.n && digits[0] >= 'a' && digits[1] >= 'a' && digits[1] <= 'z')
		*slot = (size_t)(digits[0] - 'a') * 26 + (size_t)(digits[1] - 'a');
	return at;
}

static void note_nodes(struct maker *m)
{
	for (size_t i = 0; i < m->tree.nodes.n; i++) {
		const struct yaml_node *node = &m->tree.nodes.p[i];
		size_t slot;

		if (node->kind == YAML_NODE_SCALAR && find_mark(node->text, &slot) >= 0 && slot < SPANS_MAX)
			m->of[slot] = node;
	}
}

static struct piece *add_pieces(struct maker *m, str text, size_t *n)
{
	size_t most = 2 * (text.n / MARK_BYTES) + 1;
	struct piece *pieces = arena_array(&m->shape->doc->arena, most, sizeof(*pieces));
	ptrdiff_t at;
	size_t slot;

	*n = 0;
	if (!pieces)
		return fail(m);
	while ((at = find_mark(text, &slot)) >= 0) {
		if (slot >= m->shape->n || m->seen[slot])
			return fail(m);
		m->seen[slot] = true;
		if (at > 0)
			pieces[(*n)++] = (struct piece){ str_sub(text, 0, (size_t)at), NO_SLOT };
		pieces[(*n)++] = (struct piece){ .slot = slot };
		text = str_sub(text, (size_t)at + MARK_BYTES, text.n);
	}
	if (text.n)
		pieces[(*n)++] = (struct piece){ text, NO_SLOT };
	return pieces;
}

/* Find the slots of a scalar. False: it has none, or there was a failure. */
static bool scalar_part(struct maker *m, val v, struct part *ret)
{
	const struct yaml_node *node;
	size_t n = 0, slot;

	if (!val_is_string(v) || find_mark(val_str(v), &slot) < 0)
		return false;
	node = slot < SPANS_MAX ? m->of[slot] : NULL;
	if (!node || !str_eq(node->text, val_str(v)) || (node->tag != YAML_TAG_NONE && node->tag != YAML_TAG_STR)) {
		m->failed = true;
		return false;
	}
	*ret = (struct part){ .value = v, .tag = node->tag, .implicit = node->implicit };
	ret->pieces = add_pieces(m, val_str(v), &n);
	ret->n = (uint32_t)n;
	return ret->pieces != NULL;
}

static const struct part *keep_parts(struct maker *m, size_t base)
{
	size_t n = m->parts.n - base;
	struct part *kept = arena_array(&m->shape->doc->arena, n, sizeof(*kept));

	if (!kept)
		return fail(m);
	memcpy(kept, m->parts.p + base, n * sizeof(*kept));
	m->parts.n = base;
	return kept;
}

/* As scalar_part, for any value. The recursion is as deep as the document, whose depth its decoder has bounded. */
static bool find_part(struct maker *m, val v, struct part *ret)
{
	size_t base = m->parts.n;
	struct part inner;

	if (!val_count(v))
		return scalar_part(m, v, ret);
	for (uint32_t i = 0; i < v.n && !m->failed; i++) {
		if (!find_part(m, v.kind == VAL_MAP ? v.members[i].value : v.items[i], &inner))
			continue;
		inner.at = i;
		if (!vec_push(&m->parts, inner))
			m->failed = m->no_memory = true;
	}
	if (m->failed || m->parts.n == base)
		return false;
	*ret = (struct part){ .value = v, .n = (uint32_t)(m->parts.n - base) };
	ret->inner = keep_parts(m, base);
	return ret->inner != NULL;
}

static bool find_parts(struct maker *m)
{
	struct yaml_shape *s = m->shape;
	struct part root, *kept;
	bool has;

	note_nodes(m);
	has = find_part(m, s->doc->root, &root);
	if (m->failed)
		return false;
	for (size_t i = 0; i < s->n; i++) {
		if (!m->seen[i])
			return false; /* the slot is in a key, in a comment, or in text that is not read */
	}
	if (!has)
		return true;
	kept = arena_alloc(&s->doc->arena, sizeof(*kept));
	if (!kept)
		return false;
	*kept = root;
	s->root = kept;
	return true;
}

/* Copy @text with marks in its slots, and without the slots. */
static bool mark_slots(str text, const struct spans *slots, struct buf *marked, struct buf *bare, size_t *before)
{
	for (size_t i = 0; i <= slots->n; i++) {
		str piece = spans_gap(slots, text, i);
		const char digits[2] = { (char)('a' + i / 26), (char)('a' + i % 26) };

		before[i] = piece.n;
		buf_add_str(bare, piece);
		buf_add_str(marked, piece);
		if (i == slots->n)
			break;
		buf_add_cstr(marked, MARK);
		buf_add(marked, digits, sizeof(digits));
	}
	return !bare->error && !marked->error;
}

/* Whether @text may have the mark, as it is or as an escape. */
static bool may_have_mark(str text)
{
	return str_find(text, STR(MARK)) >= 0 || str_find_byte(text, '\\') >= 0;
}

static bool make(struct maker *m, str text, const struct spans *slots, const struct yaml_options *o)
{
	CLEANUP(buf_done) struct buf marked = BUF_INIT(o->limits->file_bytes);
	CLEANUP(buf_done) struct buf bare = BUF_INIT(o->limits->file_bytes);
	struct yaml_options own = *o;
	struct yaml_shape *s = m->shape;
	size_t *before;
	struct err err;
	int r;

	s->doc = doc_new(4 * text.n + 1024, o->limits->arena_bytes);
	m->no_memory = !s->doc;
	if (!s->doc)
		return false;
	s->n = slots->n;
	s->before = before = arena_array(&s->doc->arena, slots->n + 1, sizeof(*before));
	if (!before || !mark_slots(text, slots, &marked, &bare, before) || may_have_mark(buf_str(&bare))) {
		m->no_memory = bare.error == -ENOMEM || marked.error == -ENOMEM;
		return false;
	}
	s->text = arena_str(&s->doc->arena, buf_str(&bare));
	own.keys = NULL; /* the keys of a table may be freed earlier */
	r = s->text.p ? yaml_decode_tree(buf_str(&marked), &own, s->doc, &m->tree, &err) : -1;
	m->no_memory = r == -ENOMEM;
	return r == 0 && !m->tree.rest &&
	       find_parts(m); /* how far text behind the document is examined depends on its place */
}

int yaml_shape_new(str text, const struct spans *slots, const struct yaml_options *o, struct yaml_shape **ret,
		   struct err *err)
{
	CLEANUP(yaml_shape_freep) struct yaml_shape *s = calloc(1, sizeof(*s));
	struct maker m = { .shape = s };
	bool made;

	ASSERT(!o->strict && !o->rest && !o->yaml_numbers);
	*ret = NULL;
	if (!s)
		return err_nomem(err);
	made = make(&m, text, slots, o);
	vec_done(&m.parts);
	yaml_tree_done(&m.tree);
	if (!made)
		return m.no_memory || s->doc->arena.failed ? err_nomem(err) : 0;
	*ret = TAKE(s);
	return 0;
}

void yaml_shape_free(struct yaml_shape *s)
{
	if (!s)
		return;
	doc_unref(s->doc);
	free(s);
}

size_t yaml_shape_bytes(const struct yaml_shape *s)
{
	return sizeof(*s) + doc_bytes(s->doc);
}

/* ---- decoding by one ---- */

struct filling {
	const str *slots; /* the texts of the slots */
	const struct yaml_options *o;
	struct arena *arena;
};

static bool fits(const struct yaml_shape *s, str text, const struct spans *slots)
{
	const char *bare = s->text.p;

	if (slots->n != s->n)
		return false;
	for (size_t i = 0; i <= s->n; i++) {
		if (!str_eq(spans_gap(slots, text, i), (str){ bare, s->before[i] }))
			return false;
		bare += s->before[i];
	}
	return true;
}

static str piece_text(const struct filling *f, const struct piece *p)
{
	return p->slot == NO_SLOT ? p->text : f->slots[p->slot];
}

static bool fill_scalar(const struct filling *f, const struct part *p, val *ret)
{
	struct yaml_node node = { .kind = YAML_NODE_SCALAR, .tag = (uint8_t)p->tag, .implicit = p->implicit };
	struct err err;
	size_t n = 0;
	char *to;

	for (uint32_t i = 0; i < p->n; i++)
		n += piece_text(f, &p->pieces[i]).n;
	to = arena_alloc(f->arena, n);
	if (!to)
		return false;
	node.text = (str){ to, n };
	for (uint32_t i = 0; i < p->n; i++) {
		str piece = piece_text(f, &p->pieces[i]);

		memcpy(to, piece.p, piece.n);
		to += piece.n;
	}
	return yaml_decode_leaf(&node, f->o, f->arena, ret, &err) == 0;
}

static bool fill(const struct filling *f, const struct part *p, val *ret);

static bool fill_list(const struct filling *f, const struct part *p, val *ret)
{
	val *items = arena_array(f->arena, p->value.n, sizeof(*items));

	if (!items)
		return false;
	memcpy(items, p->value.items, p->value.n * sizeof(*items));
	for (uint32_t i = 0; i < p->n; i++) {
		if (!fill(f, &p->inner[i], &items[p->inner[i].at]))
			return false;
	}
	*ret = (val){ .kind = VAL_LIST, .n = p->value.n, .items = items };
	return true;
}

static bool fill_map(const struct filling *f, const struct part *p, val *ret)
{
	struct member *m = arena_array(f->arena, p->value.n, sizeof(*m));

	if (!m)
		return false;
	memcpy(m, p->value.members, p->value.n * sizeof(*m));
	for (uint32_t i = 0; i < p->n; i++) {
		if (!fill(f, &p->inner[i], &m[p->inner[i].at].value))
			return false;
	}
	*ret = val_map_sorted(m, p->value.n);
	return true;
}

static bool fill(const struct filling *f, const struct part *p, val *ret)
{
	if (val_is_map(p->value))
		return fill_map(f, p, ret);
	return val_is_list(p->value) ? fill_list(f, p, ret) : fill_scalar(f, p, ret);
}

bool yaml_shape_fill(const struct yaml_shape *s, const str *slots, size_t n, const struct yaml_options *o,
		     struct arena *a, val *ret)
{
	struct filling f = { slots, o, a };

	ASSERT(n == s->n);
	*ret = s->doc->root;
	return !s->root || fill(&f, s->root, ret);
}

struct doc *yaml_shape_doc(const struct yaml_shape *s)
{
	return s->doc;
}

bool yaml_shape_decode(const struct yaml_shape *s, str text, const struct spans *slots, const struct yaml_options *o,
		       struct doc **ret)
{
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	str texts[SPANS_MAX];
	struct err err;

	if (text.n > o->limits->file_bytes || !fits(s, text, slots))
		return false;
	for (size_t i = 0; i < slots->n; i++)
		texts[i] = str_sub(text, slots->at[i].from, slots->at[i].to);
	doc = doc_new(2 * text.n + 256, o->limits->arena_bytes);
	if (!doc || doc_share(doc, s->doc, &err) < 0)
		return false;
	if (!yaml_shape_fill(s, texts, slots->n, o, &doc->arena, &doc->root))
		return false;
	*ret = TAKE(doc);
	return true;
}
