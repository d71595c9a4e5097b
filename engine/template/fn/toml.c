/* Writes values as TOML documents. */
#include "template/fn/toml.h"

#include "base/ascii.h"
#include "go/layout.h"
#include "go/strconv.h"
#include "template/fn/date.h"

#include <errno.h>
#include <math.h>

/* The TOML type that the encoder gives a value. */
enum toml_type {
	TOML_NONE, /* nil */
	TOML_SCALAR,
	TOML_ARRAY,
	TOML_TABLE,
	TOML_TABLES, /* an array that has only tables */
	TOML_UNSUPPORTED,
};

/* The path of keys to a table, innermost first. */
struct toml_key {
	const struct toml_key *up;
	str name;
	size_t length;
};

struct toml {
	struct tmpl_call *c;
	struct buf out;
	unsigned depth;
	struct buf error; /* the encoder's error; empty: there is none */
};

/* ---- failing: the walk ends with -EINVAL and the text in error, or with the code of the call ---- */

static int toml_fail(struct toml *t, const char *fmt, const char *arg)
{
	buf_printf(&t->error, fmt, arg);
	return -EINVAL;
}

static int enter(struct toml *t)
{
	int r = tmpl_spend(t->c, 1);

	if (r < 0)
		return r;
	if (t->depth >= TVAL_DEPTH)
		return toml_fail(t, "toml: nested deeper than %s levels", "1000");
	t->depth++;
	return 0;
}

/* ---- types ---- */

/* Whether a type writes itself as text (encoding.TextMarshaler) and is no number. */
static bool is_marshaler(tval v)
{
	return v.type->json && v.type->text && (v.type->kind == TK_STRUCT || v.type->kind == TK_PTR);
}

static int type_of(struct toml *t, tval v, enum toml_type *ret);

static int type_of_array(struct toml *t, tval v, enum toml_type *ret)
{
	size_t n = tval_len(t->c->mem, v);
	bool tables = n > 0;
	int r = enter(t);

	for (size_t i = 0; r == 0 && i < n; i++) {
		enum toml_type item;

		r = type_of(t, tval_at(v, i), &item);
		if (r == 0 && item == TOML_NONE)
			r = toml_fail(t, "%s", "toml: cannot encode array with nil element");
		tables = tables && item == TOML_TABLE;
	}
	t->depth--;
	*ret = tables ? TOML_TABLES : TOML_ARRAY;
	return r;
}

static int type_of(struct toml *t, tval v, enum toml_type *ret)
{
	*ret = TOML_NONE;
	if (tval_is_nil_like(v))
		return 0;
	if (is_marshaler(v) || v.type == &tt_duration) {
		*ret = TOML_SCALAR;
		return 0;
	}
	switch (tval_kind(v)) {
	case TK_SLICE:
		return type_of_array(t, v, ret);
	case TK_MAP:
	case TK_STRUCT:
	case TK_PTR:
		*ret = TOML_TABLE;
		return 0;
	case TK_COMPLEX128:
		*ret = TOML_UNSUPPORTED;
		return toml_fail(t, "unsupported type: %s", tkind_name(tval_kind(v)));
	default:
		*ret = TOML_SCALAR;
		return 0;
	}
}

/* ---- text ---- */

static void add_quoted(struct toml *t, str s)
{
	buf_add_byte(&t->out, '"');
	for (size_t i = 0; i < s.n; i++) {
		unsigned char ch = (unsigned char)s.p[i];
		const char *at = ch ? strchr("\"\"\\\\\bb\tt\nn\ff\rr", ch) : NULL;

		if (ch == '"' || ch == '\\') {
			buf_add_byte(&t->out, '\\');
			buf_add_byte(&t->out, (char)ch);
		} else if (at && ch < ' ') {
			buf_add_byte(&t->out, '\\');
			buf_add_byte(&t->out, at[1]);
		} else if (ch < ' ' || ch == 0x7f) {
			buf_printf(&t->out, "\\u%04x", ch);
		} else {
			buf_add_byte(&t->out, (char)ch);
		}
	}
	buf_add_byte(&t->out, '"');
}

static void add_key(struct toml *t, str name)
{
	bool bare = name.n > 0;

	for (size_t i = 0; i < name.n; i++) {
		char ch = name.p[i];

		bare = bare && (ascii_is_letter(ch) || ascii_is_digit(ch) || ch == '_' || ch == '-');
	}
	if (bare)
		buf_add_str(&t->out, name);
	else
		add_quoted(t, name);
}

static int add_path(struct toml *t, const struct toml_key *key)
{
	const struct toml_key *at;

	for (size_t i = 1; i <= key->length; i++) {
		for (at = key; at->length > i; at = at->up)
			;
		if (i > 1)
			buf_add_byte(&t->out, '.');
		add_key(t, at->name);
	}
	return tmpl_spend(t->c, key->length * key->length / 64);
}

static void add_newline(struct toml *t)
{
	if (t->out.n)
		buf_add_byte(&t->out, '\n');
}

static void add_indent(struct toml *t, const struct toml_key *key)
{
	buf_fill(&t->out, ' ', 2 * (key->length - 1));
}

static void add_float(struct toml *t, double d)
{
	size_t start = t->out.n;

	if (signbit(d) && (isnan(d) || isinf(d)))
		buf_add_byte(&t->out, '-');
	if (isnan(d) || isinf(d)) {
		buf_add_cstr(&t->out, isnan(d) ? "nan" : "inf");
		return;
	}
	go_format_float(&t->out, d, 'f', -1);
	if (!t->out.error && !memchr(t->out.p + start, '.', t->out.n - start))
		buf_add_cstr(&t->out, ".0");
}

/* ---- values behind "key =" ---- */

static int add_element(struct toml *t, tval v);

static int add_array(struct toml *t, tval v)
{
	size_t n = tval_len(t->c->mem, v);
	int r = 0;

	buf_add_byte(&t->out, '[');
	for (size_t i = 0; r == 0 && i < n; i++) {
		r = add_element(t, tval_at(v, i));
		if (i + 1 < n)
			buf_add_cstr(&t->out, ", ");
	}
	buf_add_byte(&t->out, ']');
	return r;
}

/* Get the entries of a map, or the exported fields of a struct, in order. */
static int entries_of(struct toml *t, tval v, const struct tentry **ret, size_t *n)
{
	struct tentry *fields;

	if (tval_kind(v) == TK_MAP) {
		*ret = tmap_entries(t->c->mem, v, n);
		return *n == SIZE_MAX ? tmpl_nomem(t->c) : 0;
	}
	fields = arena_array(&t->c->mem->arena, v.type->n_fields + 1, sizeof(*fields));
	if (!fields)
		return tmpl_nomem(t->c);
	*n = 0;
	for (size_t i = 0; i < v.type->n_fields; i++) {
		const struct tfield *f = &v.type->fields[i];

		if (f->exported)
			fields[(*n)++] = (struct tentry){ .key = str_from(f->name), .value = f->get(t->c->mem, v) };
	}
	*ret = fields;
	return 0;
}

/* Find the entries that are tables, which must come after the others: *tables[i] is true for a table. */
static int split_entries(struct toml *t, const struct tentry *entries, size_t n, bool **tables)
{
	*tables = arena_array(&t->c->mem->arena, n + 1, sizeof(**tables));
	if (!*tables)
		return tmpl_nomem(t->c);
	for (size_t i = 0; i < n; i++) {
		enum toml_type type;
		int r = type_of(t, entries[i].value, &type);

		if (r < 0)
			return r;
		(*tables)[i] = type == TOML_TABLE || type == TOML_TABLES;
	}
	return 0;
}

/* Write { a = 1, b = 2 } with the encoder's commas: one follows each entry that is not the last of its half, and the
 * last direct one when tables follow; the comma of a nil that is left out is left out too. */
static int add_inline_table(struct toml *t, tval v)
{
	const struct tentry *entries;
	bool *tables = NULL;
	size_t n = 0;
	size_t left[2] = { 0 };
	int r = entries_of(t, v, &entries, &n);

	if (r == 0)
		r = split_entries(t, entries, n, &tables);
	if (r < 0)
		return r;
	for (size_t i = 0; tables && i < n; i++)
		left[tables[i]]++;
	buf_add_byte(&t->out, '{');
	for (int half = 0; half < 2; half++) {
		for (size_t i = 0; r == 0 && i < n; i++) {
			if (tables[i] != half)
				continue;
			left[half]--;
			if (tval_is_nil_like(entries[i].value))
				continue;
			add_key(t, entries[i].key);
			buf_add_cstr(&t->out, " = ");
			r = add_element(t, entries[i].value);
			if (left[half] || (half == 0 && left[1]))
				buf_add_cstr(&t->out, ", ");
		}
	}
	buf_add_byte(&t->out, '}');
	return r;
}

static int add_text(struct toml *t, tval v)
{
	CLEANUP(buf_done) struct buf text = tmpl_buf(t->c);

	v.type->text(t->c->mem, v, &text);
	add_quoted(t, buf_str(&text));
	return 0;
}

/* A dispatch switch. */
static int add_plain(struct toml *t, tval v)
{
	switch (tval_kind(v)) {
	case TK_STRING:
		add_quoted(t, v.s);
		return 0;
	case TK_BOOL:
		buf_add_cstr(&t->out, v.b ? "true" : "false");
		return 0;
	case TK_INT:
	case TK_INT32:
	case TK_INT64:
		buf_printf(&t->out, "%lld", (long long)v.i);
		return 0;
	case TK_UINT:
	case TK_UINT8:
	case TK_UINT32:
	case TK_UINT64:
		buf_printf(&t->out, "%llu", (unsigned long long)v.u);
		return 0;
	case TK_FLOAT64:
		add_float(t, v.d);
		return 0;
	case TK_SLICE:
		return add_array(t, v);
	case TK_MAP:
	case TK_STRUCT:
	case TK_PTR:
		return add_inline_table(t, v);
	default:
		return toml_fail(t, "unexpected type: %s", tval_type_name(v));
	}
}

static int add_element(struct toml *t, tval v)
{
	int r = enter(t);

	if (r < 0)
		return r;
	if (v.type == &tt_time)
		go_time_format(tmpl_time_of(v), GO_RFC3339_NANO, &t->out);
	else if (v.type == &tt_duration || (v.type && v.p && is_marshaler(v)))
		r = add_text(t, v);
	else
		r = add_plain(t, v);
	t->depth--;
	return r;
}

/* ---- tables ---- */

static int encode(struct toml *t, const struct toml_key *key, tval v);

static int add_table_body(struct toml *t, const struct toml_key *key, tval v)
{
	const struct tentry *entries;
	bool *tables;
	size_t n = 0;
	int r = entries_of(t, v, &entries, &n);

	if (r == 0)
		r = split_entries(t, entries, n, &tables);
	for (int half = 0; half < 2; half++) {
		for (size_t i = 0; r == 0 && i < n; i++) {
			struct toml_key below = { key, entries[i].key, key ? key->length + 1 : 1 };

			if (tables[i] == half && !tval_is_nil_like(entries[i].value))
				r = encode(t, &below, entries[i].value);
		}
	}
	return r;
}

static int add_table(struct toml *t, const struct toml_key *key, tval v)
{
	int r = 0;

	if (key) {
		if (key->length == 1)
			add_newline(t); /* between top-level tables */
		add_indent(t, key);
		buf_add_byte(&t->out, '[');
		r = add_path(t, key);
		buf_add_cstr(&t->out, "]\n");
	}
	return r < 0 ? r : add_table_body(t, key, v);
}

static int add_tables(struct toml *t, const struct toml_key *key, tval v)
{
	size_t n = tval_len(t->c->mem, v);
	int r = 0;

	if (!key)
		return toml_fail(t, "%s", "toml: top-level values must be Go maps or structs");
	for (size_t i = 0; r == 0 && i < n; i++) {
		add_newline(t);
		add_indent(t, key);
		buf_add_cstr(&t->out, "[[");
		r = add_path(t, key);
		buf_add_cstr(&t->out, "]]\n");
		if (r == 0)
			r = add_table_body(t, key, tval_at(v, i));
	}
	return r;
}

static int encode_inside(struct toml *t, const struct toml_key *key, tval v)
{
	enum toml_type type = TOML_SCALAR;
	int r = 0;

	if (tval_kind(v) == TK_COMPLEX128)
		return toml_fail(t, "unsupported type for key '': %s", "complex128");
	r = type_of(t, v, &type);
	if (r < 0 || type == TOML_NONE) /* a nil map or slice at the top has no text */
		return r < 0 || tval_kind(v) != TK_SLICE || key ? r : add_element(t, v);
	if (type == TOML_TABLE)
		return add_table(t, key, v);
	if (type == TOML_TABLES)
		return add_tables(t, key, v);
	if (!key)
		return add_element(t, v);
	add_indent(t, key);
	add_key(t, key->name);
	buf_add_cstr(&t->out, " = ");
	r = add_element(t, v);
	buf_add_byte(&t->out, '\n');
	return r;
}

static int encode(struct toml *t, const struct toml_key *key, tval v)
{
	int r = enter(t);

	if (r < 0)
		return r;
	r = encode_inside(t, key, v);
	t->depth--;
	return r;
}

int run_to_toml(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	CLEANUP(buf_done) struct buf error = tmpl_buf(c);
	struct toml t = { .c = c, .out = out, .error = error };
	int r;

	(void)n;
	if (tval_is_nil(args[0]))
		return tmpl_fail(c, "reflect: call of reflect.Value.Type on zero Value");
	r = encode(&t, NULL, args[0]);
	out = t.out;
	error = t.error;
	if (r < 0 && !error.n)
		return r;
	return tmpl_ret_buf(c, error.n ? &error : &out, ret);
}
