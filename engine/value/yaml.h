/* YAML text <-> documents, as sigs.k8s.io/yaml 1.6 (on go-yaml 2.4) reads and writes it, byte for byte.
 * The corpora text/yaml_parse and text/yaml_emit decide.
 *
 * The scanner is our own. libyaml gives events, but its texts of errors, its positions, and what it takes for a key
 * differ from go-yaml's port of an older version in too many places to be corrected from outside, and it copies every
 * scalar. Tests compare the two on texts that both accept. */
#ifndef VALUE_YAML_H
#define VALUE_YAML_H

#include "base/buf.h"
#include "base/limits.h"
#include "value/doc.h"

struct yaml_options {
	const struct limits *limits; /* required: file_bytes, depth, document_nodes, arena_bytes */
	struct key_table *keys;      /* may be NULL */
	bool strict;                 /* a repeated key is an error (YAMLToJSONStrict) */
	/* every number becomes a double, as when a template's output is decoded (interface{} through JSON without
	 * UseNumber) */
	bool numbers_as_double;
	bool uints_as_double; /* whole numbers above int64 become doubles, as in an unstructured object of Kubernetes */
	/* keep the numbers of YAML, before JSON: 1e3 stays a double, infinities and NaN are allowed. For a reader
	 * that knows which fields are text (yaml_scalar_text) */
	bool yaml_numbers;
	bool valid_text; /* bytes of a !!binary that are no UTF-8 become U+FFFD at once */
	bool *rest;      /* set to whether anything follows the document, which is not read; may be NULL */
};

/* Decode the first document of @text into a new document in *ret, with the meaning of yaml.YAMLToJSON: YAML 1.1
 * scalars, anchors expanded within limits, merge keys, keys turned into strings. An empty text is null. Strings are
 * UTF-8, except that a !!binary one holds the bytes that it encodes (JSON output has U+FFFD for those that are no
 * UTF-8, as Go's). Fails: EBADMSG with the text that go-yaml gives ("yaml: line 2: mapping values are not allowed in
 * this context"), E2BIG, ENOMEM. */
CHECKED int yaml_decode(str text, const struct yaml_options *o, struct doc **ret, struct err *err);

/* Append the text that @v gives a field of type string (yaml.Unmarshal into a Go string): a string as it is; "true"
 * or "false" for a boolean of YAML 1.1; numbers in decimal, fractions with 32 bit precision; "" for null. @v comes
 * from yaml_decode with yaml_numbers. False for lists and maps, which the original refuses. */
CHECKED bool yaml_scalar_text(val v, struct buf *out);

/* Append @v as yaml.Marshal writes it (keys in go-yaml's order, two spaces, "- " not indented, a final newline).
 * Fails: EINVAL with Go's text for a value that it cannot write; ENOMEM; E2BIG. */
CHECKED int yaml_encode(val v, struct buf *out, struct err *err);

/* As yaml_encode, but no text is refused or changed. Escapes are used for texts that YAML readers refuse or fold
 * (DEL, C1 controls, other line breaks than "\n"), for the key "<<", and for "<no value>", which is cut out of
 * rendered templates. Fails as yaml_encode for numbers and depths. */
CHECKED int yaml_encode_exact(val v, struct buf *out, struct err *err);

/* As yaml_encode_exact, for people: characters that are invisible, or that change the direction of text, are written
 * with escapes too. */
CHECKED int yaml_encode_shown(val v, struct buf *out, struct err *err);

/* As yaml_encode, but as yaml_encode_exact when a text is refused. */
CHECKED int yaml_encode_any(val v, struct buf *out, struct err *err);

/* Encode two values whose texts are to be compared: both as yaml_encode or, when that refuses one, both as
 * yaml_encode_exact. */
CHECKED int yaml_encode_both(val a, val b, struct buf *a_out, struct buf *b_out, struct err *err);

/* One document of a stream: its text and the line (from 1) on which it begins. */
struct yaml_part {
	str text;
	size_t line;
	/* more than a comment follows on the "---" line that ends the part: Kubernetes refuses such a stream */
	bool bad_separator;
};

/* Split a stream at "---" lines, which may have more text, as Kubernetes tools split files into documents. Start
 * with *rest = the whole text and *line = 1; false at the end. Parts without content are returned too. */
bool yaml_next_part(str *rest, size_t *line, struct yaml_part *part);

#endif
