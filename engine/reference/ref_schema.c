/* The tables of fields that metadata.yaml is decoded with. */
#include "reference/ref_schema.h"

/* Types have the names of the Go types, because messages show them. */

#define SLICE(id, of, text) static const struct go_type id = { .kind = GO_SLICE, .name = (text), .elem = &(of) }

/* ---- both versions ---- */

static const struct go_field path_fields[] = {
	{ .name = "pathToKey", .type = &go_string },
	{ .name = "isPrefix", .type = &go_bool, .omitempty = true },
};
static const struct go_type path_type = {
	.kind = GO_STRUCT, .name = "compare.ManifestPathV1", .label = "ManifestPathV1", GO_FIELDS(path_fields)
};

/* ---- version 1 ---- */

static const struct go_field config1_fields[] = {
	{ .name = "ignore-unspecified-fields", .type = &go_bool, .omitempty = true },
	{ .name = "fieldsToOmitRefs", .type = &go_string_slice, .omitempty = true },
};
static const struct go_type config1_type = { .kind = GO_STRUCT,
					     .name = "compare.ReferenceTemplateConfigV1",
					     .label = "ReferenceTemplateConfigV1",
					     GO_FIELDS(config1_fields) };
static const struct go_field template1_fields[] = {
	{ .name = "path", .type = &go_string },
	{ .name = "description", .type = &go_string, .omitempty = true },
	{ .name = "config", .type = &config1_type, .omitempty = true },
};
static const struct go_type template1_type = { .kind = GO_STRUCT,
					       .name = "compare.ReferenceTemplateV1",
					       .label = "ReferenceTemplateV1",
					       GO_FIELDS(template1_fields) };
SLICE(templates1_type, template1_type, "[]*compare.ReferenceTemplateV1");

static const struct go_type component_kind_type = { .kind = GO_STRING, .name = "compare.ComponentTypeV1" };
static const struct go_field component1_fields[] = {
	{ .name = "name", .type = &go_string },
	{ .name = "type", .type = &component_kind_type, .omitempty = true },
	{ .name = "requiredTemplates", .type = &templates1_type, .omitempty = true },
	{ .name = "optionalTemplates", .type = &templates1_type, .omitempty = true },
};
static const struct go_type component1_type = {
	.kind = GO_STRUCT, .name = "compare.ComponentV1", .label = "ComponentV1", GO_FIELDS(component1_fields)
};
SLICE(components1_type, component1_type, "[]compare.ComponentV1");

static const struct go_field part1_fields[] = {
	{ .name = "name", .type = &go_string },
	{ .name = "components", .type = &components1_type },
};
static const struct go_type part1_type = {
	.kind = GO_STRUCT, .name = "compare.PartV1", .label = "PartV1", GO_FIELDS(part1_fields)
};
SLICE(parts1_type, part1_type, "[]compare.PartV1");

SLICE(paths1_type, path_type, "[]*compare.ManifestPathV1");
static const struct go_type omit_items1_type = { .kind = GO_MAP,
						 .name = "map[string][]*compare.ManifestPathV1",
						 .elem = &paths1_type };
static const struct go_field omit1_fields[] = {
	{ .name = "defaultOmitRef", .type = &go_string, .omitempty = true },
	{ .name = "items", .type = &omit_items1_type, .omitempty = true },
};
static const struct go_type omit1_type = {
	.kind = GO_STRUCT, .name = "compare.FieldsToOmitV1", .label = "FieldsToOmitV1", GO_FIELDS(omit1_fields)
};

static const struct go_field reference1_fields[] = {
	{ .name = "apiVersion", .type = &go_string, .omitempty = true },
	{ .name = "parts", .type = &parts1_type },
	{ .name = "templateFunctionFiles", .type = &go_string_slice, .omitempty = true },
	{ .name = "fieldsToOmit", .type = &omit1_type, .omitempty = true, .pointer = true },
};
const struct go_type ref_schema_v1 = {
	.kind = GO_STRUCT, .name = "compare.ReferenceV1", .label = "ReferenceV1", GO_FIELDS(reference1_fields)
};

/* ---- version 2 ---- */

static const struct go_type inline_type = { .kind = GO_STRING, .name = "compare.inlineDiffType" };
static const struct go_type inline_option_type = { .kind = GO_STRING, .name = "compare.InlineDiffOption" };
SLICE(inline_options_type, inline_option_type, "[]compare.InlineDiffOption");
static const struct go_field per_field_fields[] = {
	{ .name = "pathToKey", .type = &go_string, .omitempty = true },
	{ .name = "inlineDiffFunc", .type = &inline_type, .omitempty = true },
	{ .name = "inlineDiffOptions", .type = &inline_options_type, .omitempty = true },
};
static const struct go_type per_field_type = {
	.kind = GO_STRUCT, .name = "compare.PerFieldConfigV2", .label = "PerFieldConfigV2", GO_FIELDS(per_field_fields)
};
SLICE(per_fields_type, per_field_type, "[]*compare.PerFieldConfigV2");
static const struct go_field config2_fields[] = {
	{ .name = "perField", .type = &per_fields_type, .omitempty = true },
	{ .name = "ignore-unspecified-fields",
	  .type = &go_bool,
	  .omitempty = true,
	  .embedded = "ReferenceTemplateConfigV1" },
	{ .name = "fieldsToOmitRefs",
	  .type = &go_string_slice,
	  .omitempty = true,
	  .embedded = "ReferenceTemplateConfigV1" },
};
static const struct go_type config2_type = { .kind = GO_STRUCT,
					     .name = "compare.ReferenceTemplateConfigV2",
					     .label = "ReferenceTemplateConfigV2",
					     GO_FIELDS(config2_fields) };
static const struct go_field template2_fields[] = {
	{ .name = "config", .type = &config2_type, .omitempty = true },
	{ .name = "path", .type = &go_string, .embedded = "ReferenceTemplateV1" },
	{ .name = "description", .type = &go_string, .omitempty = true, .embedded = "ReferenceTemplateV1" },
};
static const struct go_type template2_type = { .kind = GO_STRUCT,
					       .name = "compare.ReferenceTemplateV2",
					       .label = "ReferenceTemplateV2",
					       GO_FIELDS(template2_fields) };
SLICE(templates2_type, template2_type, "[]*compare.ReferenceTemplateV2");

/* Each group has a decoder of its own, which is not strict, so that unknown fields of its templates are accepted. */
#define GROUP(id, text) static const struct go_type id = { .kind = GO_OPAQUE, .name = (text), .elem = &templates2_type }
GROUP(all_of_type, "compare.AllOf");
GROUP(all_or_none_of_type, "compare.AllOrNoneOf");
GROUP(any_of_type, "compare.AnyOf");
GROUP(any_one_of_type, "compare.AnyOneOf");
GROUP(none_of_type, "compare.NoneOf");
GROUP(one_of_type, "compare.OneOf");

/* ORDER ref_group */
const char *const ref_v2_groups[REF_V2_GROUPS] = { "allOf", "allOrNoneOf", "anyOf", "anyOneOf", "noneOf", "oneOf" };

static const struct go_field component2_fields[] = {
	{ .name = "name", .type = &go_string },
	{ .name = "description", .type = &go_string, .omitempty = true },
	{ .name = "oneOf", .type = &one_of_type, .omitempty = true },
	{ .name = "noneOf", .type = &none_of_type, .omitempty = true },
	{ .name = "allOf", .type = &all_of_type, .omitempty = true },
	{ .name = "anyOf", .type = &any_of_type, .omitempty = true },
	{ .name = "anyOneOf", .type = &any_one_of_type, .omitempty = true },
	{ .name = "allOrNoneOf", .type = &all_or_none_of_type, .omitempty = true },
};
static const struct go_type component2_type = {
	.kind = GO_STRUCT, .name = "compare.ComponentV2", .label = "ComponentV2", GO_FIELDS(component2_fields)
};
SLICE(components2_type, component2_type, "[]*compare.ComponentV2");

static const struct go_field part2_fields[] = {
	{ .name = "name", .type = &go_string },
	{ .name = "description", .type = &go_string, .omitempty = true },
	{ .name = "components", .type = &components2_type },
};
static const struct go_type part2_type = {
	.kind = GO_STRUCT, .name = "compare.PartV2", .label = "PartV2", GO_FIELDS(part2_fields)
};
SLICE(parts2_type, part2_type, "[]*compare.PartV2");

static const struct go_field entry_fields[] = {
	{ .name = "pathToKey", .type = &go_string, .promoted = true, .embedded = "ManifestPathV1" },
	{ .name = "isPrefix", .type = &go_bool, .omitempty = true, .promoted = true, .embedded = "ManifestPathV1" },
	{ .name = "include", .type = &go_string, .omitempty = true },
};
static const struct go_type entry_type = { .kind = GO_STRUCT,
					   .name = "compare.FieldsToOmitV2Entry",
					   .label = "FieldsToOmitV2Entry",
					   GO_FIELDS(entry_fields) };
SLICE(entries_type, entry_type, "[]*compare.FieldsToOmitV2Entry");
static const struct go_type omit_items2_type = { .kind = GO_MAP,
						 .name = "map[string][]*compare.FieldsToOmitV2Entry",
						 .elem = &entries_type };
static const struct go_field omit2_fields[] = {
	{ .name = "defaultOmitRef", .type = &go_string, .omitempty = true },
	{ .name = "items", .type = &omit_items2_type, .omitempty = true },
};
static const struct go_type omit2_type = {
	.kind = GO_STRUCT, .name = "compare.FieldsToOmitV2", .label = "FieldsToOmitV2", GO_FIELDS(omit2_fields)
};

static const struct go_field reference2_fields[] = {
	{ .name = "apiVersion", .type = &go_string, .omitempty = true },
	{ .name = "parts", .type = &parts2_type },
	{ .name = "templateFunctionFiles", .type = &go_string_slice, .omitempty = true },
	{ .name = "fieldsToOmit", .type = &omit2_type, .omitempty = true, .pointer = true },
};
const struct go_type ref_schema_v2 = {
	.kind = GO_STRUCT, .name = "compare.ReferenceV2", .label = "ReferenceV2", GO_FIELDS(reference2_fields)
};
