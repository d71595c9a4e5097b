/* Typed decoding of configuration documents, as encoding/json of Go does it behind sigs.k8s.io/yaml.
 *
 * The files of the comparison (metadata.yaml, overrides, the user's configuration) were defined by a Go program,
 * whose structs are their schema. A struct go_type describes such a struct. go_decode checks a document against it
 * with Go's rules and messages: field names match in any ASCII case, null sets nothing, strict decoding refuses
 * unknown fields, and a scalar that YAML reads as a number or boolean becomes text in a string field. The first
 * mistake in key order is reported. */
#ifndef REFERENCE_GO_DECODE_H
#define REFERENCE_GO_DECODE_H

#include "base/buf.h"
#include "value/val.h"

enum go_kind {
	GO_ANY,
	GO_STRING,
	GO_BOOL,
	GO_INT,
	GO_STRUCT,
	GO_SLICE,
	GO_MAP,
	GO_OPAQUE, /* a type with its own UnmarshalJSON: elem is decoded separately, never strictly */
};

struct go_field;

struct go_type {
	enum go_kind kind;
	const char *name;           /* the name that Go prints for the type, such as "[]compare.PartV1" */
	const char *label;          /* for structs: the name without its package */
	const struct go_type *elem; /* for slices, maps and opaque types */
	const struct go_field *fields;
	size_t n_fields;
};

struct go_field {
	const char *name;
	const struct go_type *type;
	bool omitempty;
	bool pointer; /* nil when absent, and then written as null */
	/* a field of an embedded struct behind a pointer: written only when a field of the struct is set */
	bool promoted;
	const char *embedded; /* the name of the embedded struct that has the field, for messages; NULL: none */
};

#define GO_FIELDS(array) .fields = (array), .n_fields = ARRAY_LEN(array)

extern const struct go_type go_string, go_bool, go_int, go_any;
extern const struct go_type go_string_slice; /* []string */
extern const struct go_type go_string_map;   /* map[string]string */
extern const struct go_type go_object;       /* map[string]interface {} */

struct go_decode_options {
	bool strict;         /* DisallowUnknownFields */
	bool from_yaml;      /* scalars become text where a string is wanted */
	bool case_sensitive; /* match field names exactly, as Kubernetes' own decoding does */
	str *mistake;        /* set to the document's own key of the first mistake; may be NULL */
	/* called for each unknown field that is ignored; may be NULL */
	void (*unknown)(void *ctx, str name, const struct go_type *type);
	void *ctx;
};

/* Decode @in as a value of @type: structs become maps of the fields that are set, under their canonical names. *ret
 * lives in @a and shares with @in. @message (may be NULL) receives the complete text ("json: unknown field \"x\"").
 * Fails: EINVAL with that text, ENOMEM. */
CHECKED int go_decode(val in, const struct go_type *type, const struct go_decode_options *o, struct arena *a, val *ret,
		      struct buf *message, struct err *err);

/* The value that encoding/json writes for a decoded value: it has all fields without omitempty, absent ones with
 * their zero value. VAL_ABSENT without memory. */
val go_encode(val v, const struct go_type *type, struct arena *a);

/* Append @v as fmt's %v prints it; @floats: its numbers are float64. */
void go_print(val v, bool floats, struct buf *out);
/* The dynamic type's name: "float64", "map[string]interface {}", "<nil>". */
const char *go_type_name(val v, bool floats);
/* How encoding/json names the kind of a value in its messages: "string", "number", "object", … */
const char *go_json_kind(val v);

#endif
