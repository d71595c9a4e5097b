/* Reads and writes PEM, and base64 that counts steps. */
#include "template/fn/crypto.h"

#include "go/base64.h"

#include <errno.h>

int tmpl_base64_decode(struct tmpl_call *c, str s, str *ret, size_t *bad)
{
	int r = tmpl_spend(c, s.n / 64);

	if (r == 0)
		r = go_base64_decode(&go_base64_std, s, &c->mem->arena, ret, bad);
	return r == -ENOMEM ? tmpl_nomem(c) : r == -EBADMSG ? 1 : r;
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

/* Move *rest behind the next "-----BEGIN " at the start of a line. */
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

/* Find the block behind its type line: the base64 text up to the END line. *rest moves behind that. */
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

	for (size_t i = 0; i < body.n; i++)
		if (body.p[i] != ' ' && body.p[i] != '\t')
			buf_add_byte(&text, body.p[i]);
	return tmpl_base64_decode(c, buf_str(&text), der, NULL);
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
