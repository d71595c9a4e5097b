/* JSON text <-> documents.
 *
 * The decoder is the hot path of the daemon: bytes of a list or watch straight into the document model. It accepts,
 * refuses and means what jansson does with JSON_DECODE_ANY | JSON_ALLOW_NUL: strict RFC 8259, valid UTF-8, no lone
 * surrogates, of equal keys the last wins; keys with a NUL are refused. Two differences: an integer outside int64
 * becomes a double, as in Kubernetes' decoding (jansson refuses it); a zero byte behind a number or a word is refused
 * (jansson drops it). Numbers beyond double's range
 * are refused. */
#ifndef VALUE_JSON_H
#define VALUE_JSON_H

#include "base/buf.h"
#include "base/limits.h"
#include "value/doc.h"
#include "value/json_pick.h"

/* Reads a value while it is passed over, so that it is not walked twice. */
struct json_reader {
	/* @end is the end of the text. Returns the end of the value, which must be where its closing bracket is; NULL:
	 * the value is passed over as usual. */
	const char *(*read)(void *ctx, const char *p, const char *end);
	void *ctx;
};

/* A part of the text that is not built: the value at this path is left out of the tree. Its raw text is put into *raw
 * when that is not NULL (it points into the input; {NULL, 0} when the path did not occur). The paths of one decoding
 * differ in their first key. */
struct json_skip {
	const char *const *path; /* keys from the root, NULL-terminated */
	str *raw;
	bool unchecked; /* of a list or map only quotes and brackets are followed: it may be no JSON */
	const struct json_reader *reader; /* of one that is unchecked; may be NULL */
};

struct json_options {
	const struct limits *limits;   /* required: object_bytes, depth, document_nodes, arena_bytes */
	struct key_table *keys;        /* may be NULL */
	const struct json_skip *skips; /* may be NULL */
	size_t n_skips;
	bool nul_in_keys; /* accept keys with a NUL, which jansson and the API refuse */
	/* What is built of an object, PICK_MEMBERS; NULL: all of it. It outlives the result, which may hold its keys,
	 * and picks what paths of skips lead through. Of a list or map that is not built, only quotes, brackets and
	 * their nesting are checked where it is plain ASCII on one line: commas, colons, numbers and which bracket
	 * closes which are not. All else is refused as ever: escapes, UTF-8, control characters, keys with a NUL,
	 * depth. It counts for no other limit than the bytes of the text. */
	const struct json_pick *pick;
};
/* The default options: no limits but the default ones, and nothing special. */
#define JSON_DEFAULTS (&(const struct json_options){ .limits = &LIMITS_DEFAULT })

/* Decode the whole of @text (one value, white space around it) into a new document in *ret.
 * Fails: EBADMSG with "line L column C: reason", E2BIG, ENOMEM. */
CHECKED int json_decode(str text, const struct json_options *o, struct doc **ret, struct err *err);

/* Decode one value at the start of @text into @a, and report in *used how many bytes it took (without white space
 * behind). For texts that hold several values; the tree borrows nothing from @text. @used may be NULL: then nothing but
 * white space is behind it. */
CHECKED int json_decode_value(str text, const struct json_options *o, struct arena *a, val *ret, size_t *used,
			      struct err *err);

/* A walk over the top level of a list response, which is not built: element after element of its array "items" is
 * handed out as text, which is not checked (one that is no JSON, or too deep, costs itself only), and at the end the
 * other members as one small tree. But for what is in the items it accepts the objects that json_decode accepts; how
 * many bytes the list may have is the caller's affair. The walk keeps @text and @a, which outlive it. */
struct json_list;

/* NULL: no memory. */
struct json_list *json_list_new(str text, const struct json_options *o, struct arena *a);
/* 1: *item is the next element, inside the text. 0: that was the last one, and *ret_rest is what else the list has.
 * After 0 or a failure it is not called again. Fails as json_decode. */
CHECKED int json_list_next(struct json_list *l, str *item, val *ret_rest, struct err *err);
/* Whether the array was there, so far. */
bool json_list_has_items(const struct json_list *l);
void json_list_free(struct json_list *l);

enum json_style {
	JSON_PLAIN, /* compact; only what RFC 8259 requires is escaped */
	JSON_TYPED, /* the same, but a double is written with a point or an exponent, so that it is read back as one */
	JSON_GO,    /* compact; as Go's encoding/json: <, >, & and U+2028, U+2029 escaped, its number format */
};

/* Append @v as JSON. Doubles are written as the shortest text that reads back the same; NaN and infinities as null
 * or (JSON_GO) fail with EINVAL "json: unsupported value: NaN" (JSON_GO). @indent: NULL for compact, else the text
 * of one level. */
CHECKED int json_encode(val v, enum json_style style, const char *indent, struct buf *out, struct err *err);

/* Append @s as a JSON string with its quotes. Invalid UTF-8 becomes U+FFFD. */
void json_encode_string(str s, enum json_style style, struct buf *out);

/* Append @d as Go's encoding/json and strconv do: shortest digits, exponent form below 1e-6 and from 1e21. */
void json_encode_double(double d, struct buf *out);

#endif
