/* Any text: both ways of the parser agree; decode; what is accepted, encode and decode again: the same value comes
 * back. */
#include "support/yaml_ways.h"
#include "value/yaml.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Line breaks of other kinds, marks, control characters and broken bytes are changed on the way, by design. */
static bool is_plain_ascii(str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if ((s.p[i] < ' ' || s.p[i] > '~') && s.p[i] != '\n' && s.p[i] != '\t')
			return false;
	}
	return true;
}

/* Values that come back as they were: no such text, no key longer than a reader takes, no negative zero, no number that
 * is printed like an unsigned integer. */
static bool is_faithful(val v)
{
	if (v.kind == VAL_DOUBLE)
		return v.d != 0 && (v.d < 0x1p63 || v.d >= 0x1p64);
	if (v.kind == VAL_STRING)
		return is_plain_ascii(val_str(v));
	for (uint32_t i = 0; i < val_count(v); i++) {
		if (v.kind == VAL_MAP && (v.members[i].key->n > 1000 || !is_plain_ascii(key_str(v.members[i].key))))
			return false;
		if (!is_faithful(v.kind == VAL_MAP ? v.members[i].value : v.items[i]))
			return false;
	}
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(doc_unrefp) struct doc *first = NULL;
	CLEANUP(doc_unrefp) struct doc *strict = NULL;
	CLEANUP(doc_unrefp) struct doc *second = NULL;
	CLEANUP(buf_done) struct buf text = BUF_INIT(16 << 20);
	struct limits limits = LIMITS_DEFAULT;
	struct yaml_options o = { .limits = &limits };
	str input = { (const char *)data, size };
	struct err err = { 0 };

	if (!yaml_ways_agree(input))
		abort();
	limits.document_nodes = 100000;
	if (yaml_decode(input, &o, &first, &err) < 0)
		return 0;
	o.strict = true;
	(void)!yaml_decode(input, &o, &strict, &err);
	o.strict = false;
	if (yaml_encode(first->root, &text, &err) < 0)
		return 0;
	if (!is_faithful(first->root))
		(void)!yaml_decode(buf_str(&text), &o, &second, &err);
	else if (yaml_decode(buf_str(&text), &o, &second, &err) < 0 || !val_equal(first->root, second->root))
		abort();
	return 0;
}
