#include "template/fn/crypto.h"

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static int letter_value(char ch)
{
	const char *at = ch ? strchr(letters, ch) : NULL;

	return at ? (int)(at - letters) : -1;
}

static size_t skip_newlines(str s, size_t i)
{
	while (i < s.n && (s.p[i] == '\n' || s.p[i] == '\r'))
		i++;
	return i;
}

/* What follows the first '=' of a group that holds @have letters; the offset of the first wrong byte, or SIZE_MAX. */
static size_t check_padding(str s, size_t *i, size_t have)
{
	if (have < 2)
		return *i;
	++*i;
	if (have == 2) {
		*i = skip_newlines(s, *i);
		if (*i >= s.n || s.p[*i] != '=')
			return *i;
		++*i;
	}
	*i = skip_newlines(s, *i);
	return *i < s.n ? *i : SIZE_MAX;
}

/* One group of four; *n_out bytes of it are appended. SIZE_MAX, or the offset of the first wrong byte. */
static size_t decode_group(str s, size_t *i, unsigned char *out, size_t *n_out)
{
	uint32_t v = 0;
	size_t have = 0;
	size_t start = *i;
	size_t bad = SIZE_MAX;

	while (have < 4) {
		int d;

		*i = skip_newlines(s, *i);
		if (*i >= s.n) {
			if (have == 0)
				break;
			return s.n - have < start ? start : s.n - have;
		}
		if (s.p[*i] == '=') {
			bad = check_padding(s, i, have);
			break;
		}
		d = letter_value(s.p[*i]);
		if (d < 0)
			return *i;
		v = v << 6 | (uint32_t)d;
		have++;
		++*i;
	}
	if (bad != SIZE_MAX)
		return bad;
	*n_out = have < 2 ? 0 : have - 1;
	v <<= 6 * (4 - have);
	for (size_t k = 0; k < *n_out; k++)
		out[k] = (unsigned char)(v >> (16 - 8 * k));
	return SIZE_MAX;
}

int go_base64_decode(struct tmpl_call *c, str s, str *ret, size_t *capacity, size_t *bad)
{
	size_t cap = s.n / 4 * 3;
	unsigned char *out = arena_alloc(&c->mem->arena, cap + 3);
	size_t n = 0;
	size_t i = 0;
	int r = tmpl_spend(c, s.n / 64);

	if (r < 0)
		return r;
	if (!out)
		return tmpl_nomem(c);
	while (i < s.n) {
		size_t more = 0;

		*bad = decode_group(s, &i, out + n, &more);
		if (*bad != SIZE_MAX)
			return 1;
		n += more;
	}
	*ret = (str){ (char *)out, n };
	if (capacity)
		*capacity = cap;
	return 0;
}

void go_base64_encode(struct buf *out, str s)
{
	for (size_t i = 0; i < s.n; i += 3) {
		uint32_t v = (uint32_t)(unsigned char)s.p[i] << 16;

		if (i + 1 < s.n)
			v |= (uint32_t)(unsigned char)s.p[i + 1] << 8;
		if (i + 2 < s.n)
			v |= (unsigned char)s.p[i + 2];
		buf_add_byte(out, letters[v >> 18]);
		buf_add_byte(out, letters[v >> 12 & 63]);
		buf_add_byte(out, i + 1 < s.n ? letters[v >> 6 & 63] : '=');
		buf_add_byte(out, i + 2 < s.n ? letters[v & 63] : '=');
	}
}

/* ---- PEM ---- */

static str trim_right(str s)
{
	while (s.n && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t' || s.p[s.n - 1] == '\r'))
		s.n--;
	return s;
}

static str cut_line(str *rest)
{
	ptrdiff_t end = str_find_byte(*rest, '\n');
	str line = end < 0 ? *rest : str_sub(*rest, 0, (size_t)end);

	*rest = end < 0 ? (str){ "", 0 } : str_sub(*rest, (size_t)end + 1, rest->n);
	return trim_right(line);
}

/* Move *rest behind the next "-----BEGIN " that stands at the start of a line. */
static bool find_begin(str *rest)
{
	str mark = STR("\n-----BEGIN ");
	ptrdiff_t at;

	if (str_has_prefix(*rest, str_sub(mark, 1, mark.n))) {
		*rest = str_sub(*rest, mark.n - 1, rest->n);
		return true;
	}
	at = str_find(*rest, mark);
	if (at < 0)
		return false;
	*rest = str_sub(*rest, (size_t)at + mark.n, rest->n);
	return true;
}

static void skip_headers(str *body)
{
	for (;;) {
		str rest = *body;
		str line = cut_line(&rest);

		if (!rest.n || str_find_byte(line, ':') < 0)
			return;
		*body = rest;
	}
}

/* The block behind its type line: the base64 text up to the END line, with *rest moved behind that. */
static bool find_body(str *rest, str type, str *body)
{
	str text = *rest;
	ptrdiff_t end;
	str tail;

	skip_headers(&text);
	if (str_has_prefix(text, STR("-----END "))) {
		end = 0;
		tail = str_sub(text, 9, text.n);
	} else {
		end = str_find(text, STR("\n-----END "));
		if (end < 0)
			return false;
		tail = str_sub(text, (size_t)end + 10, text.n);
	}
	if (!str_has_prefix(tail, type) || !str_has_prefix(str_sub(tail, type.n, tail.n), STR("-----")))
		return false;
	tail = str_sub(tail, type.n + 5, tail.n);
	if (cut_line(&tail).n)
		return false;
	*body = str_sub(text, 0, (size_t)end);
	*rest = tail;
	return true;
}

static int decode_body(struct tmpl_call *c, str body, str *der)
{
	CLEANUP(buf_done) struct buf text = tmpl_buf(c);
	size_t bad;

	for (size_t i = 0; i < body.n; i++)
		if (body.p[i] != ' ' && body.p[i] != '\t')
			buf_add_byte(&text, body.p[i]);
	return go_base64_decode(c, buf_str(&text), der, NULL, &bad);
}

int tmpl_pem_decode(struct tmpl_call *c, str s, struct pem *ret)
{
	while (find_begin(&s)) {
		str rest = s;
		str line = cut_line(&rest);
		str body;
		struct pem block;
		int r = tmpl_spend(c, s.n / 64);

		if (r < 0)
			return r;
		if (!str_has_suffix(line, STR("-----")))
			continue;
		block.type = str_sub(line, 0, line.n - 5);
		if (!find_body(&rest, block.type, &body))
			continue;
		r = decode_body(c, body, &block.der);
		if (r > 0)
			continue;
		if (r == 0)
			*ret = block;
		return r;
	}
	return 1;
}

void tmpl_pem_encode(struct buf *out, const char *type, str der)
{
	buf_printf(out, "-----BEGIN %s-----\n", type);
	for (size_t i = 0; i < der.n; i += 48) {
		go_base64_encode(out, str_sub(der, i, i + 48));
		buf_add_byte(out, '\n');
	}
	buf_printf(out, "-----END %s-----\n", type);
}
