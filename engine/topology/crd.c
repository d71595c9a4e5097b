/* Reads in a CustomResourceDefinition what it says about its objects, without copying it. */
#include "topology/crd.h"

#include "value/identity.h"

/* Whether a group may have definitions. The API server's own groups that look like such a group are known by name. */
bool crd_may_define(str api_version)
{
	static const char *const built_in[] = {
		"admissionregistration",
		"apiextensions",
		"apiregistration",
		"authentication",
		"authorization",
		"certificates",
		"coordination",
		"discovery",
		"events",
		"flowcontrol.apiserver",
		"internal.apiserver",
		"metrics",
		"networking",
		"node",
		"rbac.authorization",
		"resource",
		"scheduling",
		"storage",
		"storagemigration",
	};
	str group = group_version_of(api_version).group;

	if (str_find_byte(group, '.') < 0)
		return false;
	if (!str_has_suffix(group, STR(".k8s.io")))
		return true;
	group.n -= sizeof(".k8s.io") - 1;
	for (size_t i = 0; i < ARRAY_LEN(built_in); i++) {
		if (str_eq(group, str_from(built_in[i])))
			return false;
	}
	return true;
}

bool crd_is(val object)
{
	return str_eq(val_str(VAL_GET(object, "kind")), CRD_KIND);
}

bool crd_is_for(val crd, str api_version, str kind)
{
	str group = val_str(val_dig(crd, "spec", "group", NULL));

	return api_version.n > group.n && str_has_prefix(api_version, group) && api_version.p[group.n] == '/' &&
	       str_eq(val_str(val_dig(crd, "spec", "names", "kind", NULL)), kind);
}

val crd_schema(val crd, str api_version, str kind)
{
	val versions = val_dig(crd, "spec", "versions", NULL);
	str version = group_version_of(api_version).version;

	if (!crd_is_for(crd, api_version, kind))
		return (val){ 0 };
	for (uint32_t i = 0; i < val_count(versions); i++) {
		val v = val_at(versions, i), served = VAL_GET(v, "served");

		if (str_eq(val_str(VAL_GET(v, "name")), version) && val_is_true(served))
			return val_dig(v, "schema", "openAPIV3Schema", NULL);
	}
	return (val){ 0 };
}
