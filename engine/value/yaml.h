/* YAML text <-> documents, as sigs.k8s.io/yaml (on go-yaml 2.4) reads and writes it, byte for byte; libyaml underneath.
 * The corpora text/yaml_parse and text/yaml_emit decide. */
#ifndef VALUE_YAML_H
#define VALUE_YAML_H

#include "base/buf.h"
#include "base/limits.h"
#include "value/doc.h"

struct yaml_options {
	const struct limits *limits;  /* required: file_bytes, depth, document_nodes, arena_bytes */
	struct key_table *keys;       /* may be NULL */
	bool strict;                  /* a repeated key is an error (YAMLToJSONStrict) */
	bool numbers_as_double;       /* every number becomes a double: what a template's output is decoded to (interface{} through
	                                 JSON without UseNumber) */
};

/* Decode the first document of @text into a new document in *ret, with the meaning of yaml.YAMLToJSON: YAML 1.1 scalars, anchors
 * expanded within limits, merge keys, keys turned into strings. An empty text is null.
 * Fails: EBADMSG with the text that go-yaml gives ("yaml: line 2: mapping values are not allowed in this context"), E2BIG, ENOMEM. */
CHECKED int yaml_decode(str text, const struct yaml_options *o, struct doc **ret, struct err *err);

/* Append @v as yaml.Marshal writes it (keys in go-yaml's order, two spaces, "- " not indented, a final newline).
 * Fails: EINVAL with Go's text for what it cannot write; ENOMEM; E2BIG. */
CHECKED int yaml_encode(val v, struct buf *out, struct err *err);

/* One document of a stream: its text and the line (from 1) on which it begins. */
struct yaml_part {
	str text;
	size_t line;
};

/* Split a stream at lines that are "---" (and what may follow it), as Kubernetes tools split files into documents. Start with
 * *rest = the whole text and *line = 1; false at the end. Parts without content are given too. */
bool yaml_next_part(str *rest, size_t *line, struct yaml_part *part);

#endif
