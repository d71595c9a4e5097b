/* Typed decoding of configuration documents, as Go's encoding/json does it behind sigs.k8s.io/yaml.
 *
 * The files of the comparison (metadata.yaml, overrides, the user's configuration) were defined by a Go program whose
 * structs are their schema. A struct go_type describes such a struct; go_decode checks a document against it with Go's
 * rules and texts: field names match without regard to ASCII case, null sets nothing, unknown fields are refused where
 * decoding is strict, and a scalar that YAML reads as a number or boolean reaches a string field as text. The first
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
	GO_OPAQUE, /* a type with its own UnmarshalJSON: elem is decoded apart, never strictly */
};

struct go_field;

struct go_type {
	enum go_kind kind;
	const char *name;           /* as Go prints the type: "[]compare.PartV1" */
	const char *label;          /* structs: the name without package */
	const struct go_type *elem; /* slices, maps, opaque types */
	const struct go_field *fields;
	size_t n_fields;
};

struct go_field {
	const char *name;
	const struct go_type *type;
	bool omitempty;
	bool pointer;         /* nil when absent: written as null */
	bool promoted;        /* of an embedded struct behind a pointer: written only when one of them is set */
	const char *embedded; /* name of the embedded struct that it is of, for messages; NULL: none */
};

#define GO_FIELDS(array) .fields = (array), .n_fields = ARRAY_LEN(array)

extern const struct go_type go_string, go_bool, go_int, go_any;
extern const struct go_type go_string_slice; /* []string */
extern const struct go_type go_string_map;   /* map[string]string */
extern const struct go_type go_object;       /* map[string]interface {} */

struct go_decode_options {
	bool strict;         /* DisallowUnknownFields */
	bool from_yaml;      /* scalars become text where a string is wanted */
	bool case_sensitive; /* field names; Kubernetes' own decoding */
	str *mistake;        /* set to the key of the first mistake, of the document itself; may be NULL */
	void (*unknown)(void *ctx, str name, const struct go_type *type); /* a field that is passed over; may be NULL */
	void *ctx;
};

/* @in as a value of @type in *ret: structs are maps of the fields that are set, under their canonical names. Lives in
 * @a and shares with @in. @message (may be NULL) receives the complete text ("json: unknown field \"x\""). Fails:
 * EINVAL with that text, ENOMEM. */
CHECKED int go_decode(val in, const struct go_type *type, const struct go_decode_options *o, struct arena *a, val *ret,
		      struct buf *message, struct err *err);

/* A decoded value as encoding/json writes it: fields without omitempty always, absent ones as their zero value.
 * VAL_ABSENT without memory. */
val go_encode(val v, const struct go_type *type, struct arena *a);

/* Append @v as fmt's %v prints it; @floats: its numbers are float64. */
void go_print(val v, bool floats, struct buf *out);
/* The dynamic type's name: "float64", "map[string]interface {}", "<nil>". */
const char *go_type_name(val v, bool floats);
/* "string", "number", "object", …: how encoding/json names what it read. */
const char *go_json_kind(val v);

#endif
