/* Checking metadata as the original's typed decoder does, with its words. */
#include "daemon/compare/metadata.h"

#include "go/layout.h"
#include "reference/go_decode.h"

#include <errno.h>

/* ---- as the original decodes it ---- */

/* ObjectMeta of Kubernetes, as far as a person who writes an object can get its types wrong. */
static const struct go_field owner_fields[] = {
	{ .name = "apiVersion", .type = &go_string }, { .name = "kind", .type = &go_string },
	{ .name = "name", .type = &go_string },       { .name = "uid", .type = &go_string },
	{ .name = "controller", .type = &go_bool },   { .name = "blockOwnerDeletion", .type = &go_bool },
};
static const struct go_type owner_type = {
	.kind = GO_STRUCT, .name = "v1.OwnerReference", .label = "OwnerReference", GO_FIELDS(owner_fields)
};
static const struct go_type owners_type = { .kind = GO_SLICE, .name = "[]v1.OwnerReference", .elem = &owner_type };
static const struct go_type operation_type = { .kind = GO_STRING, .name = "v1.ManagedFieldsOperationType" };
static const struct go_field entry_fields[] = {
	{ .name = "manager", .type = &go_string },    { .name = "operation", .type = &operation_type },
	{ .name = "apiVersion", .type = &go_string }, { .name = "fieldsType", .type = &go_string },
	{ .name = "fieldsV1", .type = &go_any },      { .name = "subresource", .type = &go_string },
};
static const struct go_type entry_type = {
	.kind = GO_STRUCT, .name = "v1.ManagedFieldsEntry", .label = "ManagedFieldsEntry", GO_FIELDS(entry_fields)
};
static const struct go_type entries_type = { .kind = GO_SLICE, .name = "[]v1.ManagedFieldsEntry", .elem = &entry_type };
static const struct go_type uid_type = { .kind = GO_STRING, .name = "types.UID" };
static const struct go_field meta_fields[] = {
	{ .name = "name", .type = &go_string },
	{ .name = "generateName", .type = &go_string },
	{ .name = "namespace", .type = &go_string },
	{ .name = "selfLink", .type = &go_string },
	{ .name = "uid", .type = &uid_type },
	{ .name = "resourceVersion", .type = &go_string },
	{ .name = "generation", .type = &go_int },
	{ .name = "deletionGracePeriodSeconds", .type = &go_int },
	{ .name = "labels", .type = &go_string_map },
	{ .name = "annotations", .type = &go_string_map },
	{ .name = "ownerReferences", .type = &owners_type },
	{ .name = "finalizers", .type = &go_string_slice },
	{ .name = "managedFields", .type = &entries_type },
};
static const struct go_type meta_type = {
	.kind = GO_STRUCT, .name = "v1.ObjectMeta", .label = "ObjectMeta", GO_FIELDS(meta_fields)
};
static const struct go_field object_fields[] = {
	{ .name = "apiVersion", .type = &go_string },
	{ .name = "metadata", .type = &meta_type },
};
static const struct go_type object_type = { .kind = GO_STRUCT,
					    .name = "resource.metadataOnlyObject",
					    .label = "metadataOnlyObject",
					    GO_FIELDS(object_fields) };

/* ---- what nearly every object has ---- */

enum shape { SHAPE_TEXT, SHAPE_TEXTS, SHAPE_TIME, SHAPE_COUNT };

/* The most frequent fields. An object that has only these, each of the right type, needs no decoding, which would
 * take longer than everything else that is done when an object is read. */
static const struct {
	str name;
	enum shape shape;
} usual[] = {
	{ { "annotations", 11 }, SHAPE_TEXTS }, { { "creationTimestamp", 17 }, SHAPE_TIME },
	{ { "generateName", 12 }, SHAPE_TEXT }, { { "generation", 10 }, SHAPE_COUNT },
	{ { "labels", 6 }, SHAPE_TEXTS },       { { "name", 4 }, SHAPE_TEXT },
	{ { "namespace", 9 }, SHAPE_TEXT },     { { "resourceVersion", 15 }, SHAPE_TEXT },
	{ { "selfLink", 8 }, SHAPE_TEXT },      { { "uid", 3 }, SHAPE_TEXT },
};

static bool all_texts(val v)
{
	if (!val_is_map(v))
		return false;
	for (uint32_t i = 0; i < v.n; i++) {
		if (!val_is_string(v.members[i].value))
			return false;
	}
	return true;
}

static bool has_shape(val v, enum shape shape)
{
	struct go_stamp time;

	switch (shape) {
	case SHAPE_TEXTS:
		return all_texts(v);
	case SHAPE_TIME:
		return val_is_string(v) && go_rfc3339_parse(val_str(v), &time, NULL);
	case SHAPE_COUNT:
		return v.kind == VAL_INT;
	case SHAPE_TEXT:
	default:
		return val_is_string(v);
	}
}

static bool is_usual(str name, val v)
{
	for (size_t i = 0; i < ARRAY_LEN(usual); i++) {
		if (str_eq(usual[i].name, name))
			return has_shape(v, usual[i].shape);
	}
	return false;
}

static bool is_plain(val object)
{
	val metadata = VAL_GET(object, "metadata");

	if (!val_is_string(VAL_GET(object, "apiVersion")) || !val_is_map(metadata))
		return false;
	for (uint32_t i = 0; i < metadata.n; i++) {
		if (!is_usual(key_str(metadata.members[i].key), metadata.members[i].value))
			return false;
	}
	return true;
}

/* ---- the whole of it ---- */

static bool check_time(val v, struct buf *why)
{
	struct go_stamp time;

	if (!val_exists(v) || val_is_null(v))
		return true;
	if (val_is_string(v))
		return go_rfc3339_parse(val_str(v), &time, why);
	buf_printf(why, "json: cannot unmarshal %s into Go value of type string", go_json_kind(v));
	return false;
}

static bool check_entry_times(val entries, struct buf *why)
{
	for (uint32_t i = 0; i < val_count(entries); i++) {
		if (!check_time(VAL_GET(val_at(entries, i), "time"), why))
			return false;
	}
	return true;
}

int compare_metadata_check(val object, const struct limits *limits, struct buf *why, struct err *err)
{
	static const struct go_decode_options options = { .case_sensitive = true };
	val metadata = VAL_GET(object, "metadata"), ignored;
	struct arena a;
	struct err e;
	int r;

	if (is_plain(object))
		return 1;
	arena_init(&a, 0, limits->arena_bytes);
	r = go_decode(object, &object_type, &options, &a, &ignored, NULL, &e);
	arena_done(&a);
	if (r == -ENOMEM)
		return err_nomem(err);
	if (r < 0)
		buf_add_cstr(why, e.msg);
	return r == 0 && check_time(VAL_GET(metadata, "creationTimestamp"), why) &&
	       check_time(VAL_GET(metadata, "deletionTimestamp"), why) &&
	       check_entry_times(VAL_GET(metadata, "managedFields"), why);
}
