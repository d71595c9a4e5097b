/* Converts JSON text to documents and back.
 *
 * The decoder is the hot path of the daemon: bytes of a list or watch straight into the document model. It accepts,
 * refuses and means what jansson does with JSON_DECODE_ANY | JSON_ALLOW_NUL: strict RFC 8259, valid UTF-8, no lone
 * surrogates; of equal keys the last wins; keys with a NUL are refused. There are two differences: an integer
 * outside int64 becomes a double, as in Kubernetes' decoding (jansson refuses it); a zero byte behind a number or a
 * word is refused (jansson drops it). Numbers beyond double's range are refused. */
#ifndef VALUE_JSON_H
#define VALUE_JSON_H

#include "base/buf.h"
#include "base/limits.h"
#include "value/doc.h"
#include "value/json_pick.h"

/* Reads a value while the decoder skips it, so that it is not walked twice. */
struct json_reader {
	/* @end is the end of the text. Returns the end of the value, which must be where its closing bracket is;
	 * NULL: the decoder skips the value as usual. */
	const char *(*read)(void *ctx, const char *p, const char *end);
	void *ctx;
};

/* A part of the text that the decoder skips: the value at this path is left out of the tree. Its raw text is put
 * into *raw when that is not NULL (it points into the input; {NULL, 0} when the path did not occur). The paths of
 * one decoding differ in their first key. */
struct json_skip {
	const char *const *path; /* keys from the root, NULL-terminated */
	str *raw;
	bool unchecked; /* in a list or map, check only quotes and brackets: the raw text may be no JSON */
	const struct json_reader *reader; /* reads a value that is unchecked; may be NULL */
};

struct json_options {
	const struct limits *limits;   /* required: object_bytes, depth, document_nodes, arena_bytes */
	struct key_table *keys;        /* may be NULL */
	const struct json_skip *skips; /* may be NULL */
	size_t n_skips;
	bool nul_in_keys; /* accept keys with a NUL, which jansson and the API refuse */
	/* The members of an object that are built, PICK_MEMBERS; NULL: all. The pick outlives the result, which may
	 * hold its keys, and picks the members through which the paths of @skips lead. A list or map that is not
	 * built is checked less where it is plain ASCII on one line: only quotes, brackets and their nesting are
	 * checked, but not commas, colons, numbers, and which kind of bracket closes which. Errors in escapes,
	 * UTF-8, control characters, keys with a NUL and depth are found as ever. Such a list or map counts for no
	 * limit but the bytes of the text. */
	const struct json_pick *pick;
};
/* The default options: the default limits, and nothing special. */
#define JSON_DEFAULTS (&(const struct json_options){ .limits = &LIMITS_DEFAULT })

/* Decode the whole of @text (one value, white space around it) into a new document in *ret.
 * Fails: EBADMSG with "line L column C: reason", E2BIG, ENOMEM. */
CHECKED int json_decode(str text, const struct json_options *o, struct doc **ret, struct err *err);

/* Decode one value at the start of @text into @a, and put into *used how many bytes it took (without white space
 * behind it): for texts that hold several values. The tree borrows nothing from @text. @used may be NULL: then only
 * white space may follow the value. */
CHECKED int json_decode_value(str text, const struct json_options *o, struct arena *a, val *ret, size_t *used,
			      struct err *err);

/* A walk over the top level of a list response, without building it: it returns the elements of its array "items"
 * one by one as text, and at the end the other members as one small tree. Elements are not checked, so that one that
 * is no JSON, or too deep, affects only itself. Apart from the items the walk accepts the objects that json_decode
 * accepts; the caller bounds the bytes of the list. The walk keeps @text and @a, which must outlive it. */
struct json_list;

/* Begin a walk. NULL: no memory. */
struct json_list *json_list_new(str text, const struct json_options *o, struct arena *a);
/* 1: *item is the next element, inside the text. 0: there are no more, and *ret_rest has the other members of the
 * list. Do not call it again after 0 or a failure. Fails as json_decode. */
CHECKED int json_list_next(struct json_list *l, str *item, val *ret_rest, struct err *err);
/* Whether the array "items" has been found so far. */
bool json_list_has_items(const struct json_list *l);
void json_list_free(struct json_list *l);

enum json_style {
	JSON_PLAIN, /* compact; only what RFC 8259 requires is escaped */
	/* JSON_PLAIN, but a double is written with a point or an exponent, so that it is read back as a double */
	JSON_TYPED,
	JSON_GO, /* compact; as Go's encoding/json: <, >, & and U+2028, U+2029 escaped, its number format */
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
