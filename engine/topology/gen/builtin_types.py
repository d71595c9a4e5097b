#!/usr/bin/env python3
"""Write engine/topology/builtin_types.c: what is known of the types that Kubernetes has built in.

usage: builtin_types.py TABLES OPENAPI > ../builtin_types.c

TABLES is the folder with builtin-fields.tsv (conformance/manifests/tables): what each field is, and whether Go holds it as a pointer.
OPENAPI is what an API server of the same release says at /openapi/v2: of which type a field is, which kinds there are, what bytes are.
A default is what the servers filled in wherever a manifest had nothing, as far as that is one scalar: others are computed.
more-fields.tsv beside this script has the types that TABLES lacks. It says itself of which type a field is, and is put into what OPENAPI
says; its types follow those of TABLES.
"""
import json
import pathlib
import sys

SHAPES = {"struct": "TOPO_STRUCT", "list": "TOPO_LIST", "map": "TOPO_MAP"}
SCALARS = {"string": "TOPO_STRING", "integer": "TOPO_NUMBER", "number": "TOPO_NUMBER", "boolean": "TOPO_BOOLEAN", "time": "TOPO_TIME",
           "quantity": "TOPO_QUANTITY", "int-or-string": "TOPO_INT_OR_STRING", "object": "TOPO_ANY"}
SPECIAL = {"io.k8s.apimachinery.pkg.api.resource.Quantity": "quantity", "io.k8s.apimachinery.pkg.util.intstr.IntOrString": "int-or-string",
           "io.k8s.apimachinery.pkg.apis.meta.v1.Time": "time", "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime": "time"}
INTERNAL = "__internal"
META = "io.k8s.apimachinery.pkg.apis.meta.v1."
MORE = pathlib.Path(__file__).with_name("more-fields.tsv")
OF_OBJECTS = [("apiVersion", "string", "-"), ("kind", "string", "-"), ("metadata", "struct", META + "ObjectMeta")]


def default_of(filled):
    """One scalar, or "": others are computed."""
    try:
        value = json.loads(filled)
    except ValueError:
        return ""
    return filled if isinstance(value, (str, int, float, bool)) else ""


def read_table(path):
    types = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            name, field, kind, held, filled, _ = line.split("\t")
            types.setdefault(name, {})[field] = (kind, held, default_of(filled))
    return types


# ---- more-fields.tsv, in the words of OpenAPI ----


def referring(name):
    return {"$ref": "#/definitions/" + name}


def schema_of_word(word):
    """Of a scalar, or of a type."""
    of_words = {"bytes": {"type": "string", "format": "byte"}, "list": {"type": "array"}, "-": {}}
    names = {special: name for name, special in SPECIAL.items() if not name.endswith(".MicroTime")}
    if "." in word or word in names:
        return referring(names.get(word, word))
    return of_words.get(word, {"type": word})


def schema_of_more(kind, holds):
    first = kind.replace(",", " ").split()[0]
    if first == "map":
        held = kind.replace(",", " ").split()[2]
        return {"additionalProperties": schema_of_word(holds if held == "struct" else held)}
    if first in ("list", "set"):
        return {"items": schema_of_word(holds)}
    return schema_of_word(holds if first == "struct" else first)


def add_field(types, definitions, name, field, facts, holds):
    """A field that is there already only gets its default."""
    kind, held, filled = facts
    known = types.setdefault(name, {}).get(field)
    if known and (known[:2] != (kind, held) or known[2]):
        sys.exit(f"{MORE.name}: {name} {field} is {known}")
    types[name][field] = (kind, held, "" if filled == "-" else filled)
    if not known:
        definitions.setdefault(name, {}).setdefault("properties", {})[field] = schema_of_more(kind, holds)


def add_kind(types, definitions, name, group_version, kind):
    group, _, version = group_version.rpartition("/")
    for field, what, holds in OF_OBJECTS:
        if field not in types.get(name, {}):
            add_field(types, definitions, name, field, (what, "value", "-"), holds)
    kinds = definitions[name].setdefault("x-kubernetes-group-version-kind", [])
    kinds.append({"group": group, "kind": kind, "version": version})


def add_more(types, definitions):
    """What more-fields.tsv says. Returns the names of its types that are new."""
    before, named, package = set(types), set(), None

    def full(name):
        return name if "." in name else f"{package}.{name}"

    for line in MORE.read_text(encoding="utf-8").splitlines():
        words = line.split("\t")
        if not line or line.startswith("#"):
            continue
        if words[0] == "package":
            package = words[1]
        elif words[1] == ".":
            add_kind(types, definitions, full(words[0]), words[2], words[3])
        else:
            name, field, kind, held, filled, holds = words
            if holds[0].isupper() or "." in holds:
                holds = full(holds)
                named.add(holds)
            add_field(types, definitions, full(name), field, (kind, held, filled), holds)
    if named - set(types):
        sys.exit(f"{MORE.name}: no types {sorted(named - set(types))}")
    return sorted(set(types) - before)


# ---- a line of the table ----


def reference_of(schema):
    """The type that a schema refers to, also by way of allOf."""
    for part in [schema, *schema.get("allOf", [])]:
        if "$ref" in part:
            return part["$ref"].rsplit("/", 1)[1]
    return None


def value_of(schema, definitions):
    name = reference_of(schema)
    if name in SPECIAL:
        return SCALARS[SPECIAL[name]]
    if name:
        schema = definitions[name]
        if schema.get("properties"):
            return "TOPO_STRUCTS"
    if schema.get("format") == "byte":
        return "TOPO_BYTES"
    if schema.get("type") == "array":
        return "TOPO_LISTS"
    return SCALARS.get(schema.get("type"), "TOPO_ANY")


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def row(field, facts, schema, definitions, numbers):
    kind, held, filled = facts
    words = kind.replace(",", " ").split()
    shape = SHAPES.get(words[0]) or ("TOPO_LIST" if words[0] == "set" else "TOPO_SCALAR")
    inner = schema
    if shape == "TOPO_LIST":
        inner = schema["items"]
    elif shape == "TOPO_MAP":
        inner = schema.get("additionalProperties", {})
    out = [f'.name = "{field}"', f".shape = {shape}"]
    if shape != "TOPO_STRUCT":
        out.append(f".value = {value_of(inner, definitions)}")
    if words[0] == "set":
        out.append(".list = TOPO_SET")
    elif "keys" in words:
        out += [".list = TOPO_KEYED", f'.keys = "{kind.split("keys ")[1]}"']
    elif "atomic" in words:
        out.append(".list = TOPO_ATOMIC" if shape == "TOPO_LIST" else ".atomic = true")
    if held == "pointer":
        out.append(".pointer = true")
    if filled:
        out.append(f".otherwise = {quoted(filled)}")
    number = numbers.get(reference_of(inner))
    if number and shape == "TOPO_LIST" and definitions[reference_of(inner)].get("x-kubernetes-map-type") == "atomic":
        out.append(".whole_elements = true")
    if number:
        out.append(f".type = {number}")
    return "\t{ " + ", ".join(out) + " },"


def kinds_of(definitions, names):
    for name in names:
        for k in definitions[name].get("x-kubernetes-group-version-kind", []):
            if k["version"] != INTERNAL and not name.startswith(META):
                yield k["group"], k["kind"], k["version"], name


def lists_of(types):
    """The names of lists and their keys, the most keys of one first key first: for objects of a type that nobody knows."""
    found = set()
    for fields in types.values():
        for field, (kind, _, _) in fields.items():
            if kind.startswith("list with keys ") and not kind.endswith(" name"):
                found.add((field, kind.split("keys ")[1]))
    return sorted(found)


def main(tables, openapi):
    types = read_table(pathlib.Path(tables) / "builtin-fields.tsv")
    definitions = json.loads(pathlib.Path(openapi).read_text(encoding="utf-8"))["definitions"]
    names = sorted(types)
    names += add_more(types, definitions)
    numbers = {name: i + 1 for i, name in enumerate(names)}
    print("/* Written by gen/builtin_types.py; do not edit. */")
    print('#include "topology/builtin_types.h"\n')
    print("const struct builtin_field builtin_fields[] = {")
    ends, n = [], 0
    for name in names:
        print(f"\t/* {name} */")
        for field in sorted(types[name]):
            print(row(field, types[name][field], definitions[name]["properties"].get(field, {}), definitions, numbers))
            n += 1
        ends.append(n)
    print("};\n")
    print("const uint16_t builtin_ends[] = {")
    print("\t0,")
    for name, end in zip(names, ends):
        print(f"\t{end}, /* {numbers[name]}: {name} */")
    print("};\n")
    print(f"const uint16_t builtin_object_meta = {numbers[META + 'ObjectMeta']};")
    print(f"const uint16_t builtin_pod_template = {numbers['io.k8s.api.core.v1.PodTemplateSpec']};\n")
    print("const struct builtin_kind builtin_kinds[] = {")
    kinds = sorted(set(kinds_of(definitions, names)))
    for group, kind, version, name in kinds:
        print(f'\t{{ "{group}", "{kind}", "{version}", {numbers[name]} }},')
    print("};")
    print("const size_t n_builtin_kinds = ARRAY_LEN(builtin_kinds);\n")
    print("const struct builtin_list builtin_lists[] = {")
    for name, keys in lists_of(types):
        print(f'\t{{ "{name}", "{keys}" }},')
    print("};")
    print("const size_t n_builtin_lists = ARRAY_LEN(builtin_lists);")


main(*sys.argv[1:])
