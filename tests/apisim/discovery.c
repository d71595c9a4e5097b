/* /api, /apis and their resource lists, old and aggregated. */
#include "route.h"

#include <stdio.h>

static const char *const verbs[] = {
	"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"
};
static const char *const status_verbs[] = { "get", "patch", "update" };

static json_t *string_list_json(const char *const *p, size_t n)
{
	json_t *out = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(out, json_string(p[i]));
	return out;
}

#define LITERALS_JSON(a) string_list_json((a), ARRAY_LEN(a))

/* The groups with a version, each once, in table order; "" among them. */
typedef VEC(const char *) names;

static bool contains(const names *list, const char *name)
{
	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->p[i], name) == 0)
			return true;
	return false;
}

static names groups_of(const struct resource_set *set)
{
	names out = { 0 };

	for (size_t i = 0; i < set->rows.n; i++)
		if (set->rows.p[i]->versions.n && !contains(&out, set->rows.p[i]->group))
			(void)vec_push(&out, set->rows.p[i]->group);
	return out;
}

static names versions_of(const struct resource_set *set, const char *group)
{
	names out = { 0 };

	for (size_t i = 0; i < set->rows.n; i++) {
		const struct resource *res = set->rows.p[i];

		for (size_t v = 0; strcmp(res->group, group) == 0 && v < res->versions.n; v++)
			if (!contains(&out, res->versions.p[v]))
				(void)vec_push(&out, res->versions.p[v]);
	}
	return out;
}

/* --- the classic documents --- */

static json_t *version_ref(const char *group, const char *version)
{
	char gv[320];

	group_version(group, version, gv, sizeof(gv));
	return json_pack("{s:s, s:s}", "groupVersion", gv, "version", version);
}

static json_t *group_json(const struct resource_set *set, const char *group)
{
	names versions = versions_of(set, group);
	json_t *list = json_array(), *out;

	for (size_t i = 0; i < versions.n; i++)
		json_array_append_new(list, version_ref(group, versions.p[i]));
	out = json_pack("{s:s, s:o, s:o}", "name", group, "versions", list, "preferredVersion",
			versions.n ? version_ref(group, versions.p[0]) : json_object());
	vec_done(&versions);
	return out;
}

static json_t *resource_json(const struct resource *res)
{
	json_t *out = json_pack("{s:s, s:s, s:b, s:s, s:o}", "name", res->plural, "singularName", res->singular,
				"namespaced", res->namespaced, "kind", res->kind, "verbs", LITERALS_JSON(verbs));

	if (res->short_names.n)
		json_object_set_new(out, "shortNames",
				    string_list_json((const char *const *)res->short_names.p, res->short_names.n));
	return out;
}

static json_t *status_json(const struct resource *res)
{
	char name[300];

	(void)snprintf(name, sizeof(name), "%s/status", res->plural);
	return json_pack("{s:s, s:s, s:b, s:s, s:o}", "name", name, "singularName", "", "namespaced", res->namespaced,
			 "kind", res->kind, "verbs", LITERALS_JSON(status_verbs));
}

enum MHD_Result discovery_version(struct request *req, const char *group, const char *version)
{
	const struct resource_set *set = &req->sim->resources;
	json_t *list = json_array();
	char gv[320];

	for (size_t i = 0; i < set->rows.n; i++) {
		const struct resource *res = set->rows.p[i];

		if (strcmp(res->group, group) != 0 || !resource_serves(res, version))
			continue;
		json_array_append_new(list, resource_json(res));
		if (resource_has_status(res, version))
			json_array_append_new(list, status_json(res));
	}
	if (json_array_size(list) == 0) {
		json_decref(list);
		return http_not_found(req);
	}
	group_version(group, version, gv, sizeof(gv));
	return http_json(req, 200,
			 json_pack("{s:s, s:s, s:s, s:o}", "kind", "APIResourceList", "apiVersion", "v1",
				   "groupVersion", gv, "resources", list));
}

enum MHD_Result discovery_group(struct request *req, const char *group)
{
	json_t *out = group_json(&req->sim->resources, group);

	if (json_array_size(json_object_get(out, "versions")) == 0 || !*group) {
		json_decref(out);
		return http_not_found(req);
	}
	json_object_set_new(out, "kind", json_string("APIGroup"));
	json_object_set_new(out, "apiVersion", json_string("v1"));
	return http_json(req, 200, out);
}

/* --- the aggregated document --- */

static json_t *response_kind(const struct resource *res, const char *version)
{
	return json_pack("{s:s, s:s, s:s}", "group", res->group, "version", version, "kind", res->kind);
}

static json_t *aggregated_resource(const struct resource *res, const char *version)
{
	json_t *out = json_pack("{s:s, s:o, s:s, s:s, s:o}", "resource", res->plural, "responseKind",
				response_kind(res, version), "scope", res->namespaced ? "Namespaced" : "Cluster",
				"singularResource", res->singular, "verbs", LITERALS_JSON(verbs));

	if (res->short_names.n)
		json_object_set_new(out, "shortNames",
				    string_list_json((const char *const *)res->short_names.p, res->short_names.n));
	if (resource_has_status(res, version))
		json_object_set_new(out, "subresources",
				    json_pack("[{s:s, s:o, s:o}]", "subresource", "status", "responseKind",
					      response_kind(res, version), "verbs", LITERALS_JSON(status_verbs)));
	return out;
}

/* The groups that a document shows: the core group, or all others but the hidden ones. */
static names shown_groups(struct sim *sim, bool core)
{
	names all = groups_of(&sim->resources), out = { 0 };

	for (size_t i = 0; i < all.n; i++)
		if (core == !*all.p[i] && !faults_take_group(&sim->faults, FAULT_HIDE, all.p[i], NULL))
			(void)vec_push(&out, all.p[i]);
	vec_done(&all);
	return out;
}

static json_t *aggregated_version_json(struct sim *sim, const char *group, const char *version)
{
	const struct fault *stale = faults_take_group(&sim->faults, FAULT_STALE, group, version);
	const struct resource_set *set = &sim->resources;
	json_t *resources = json_array();

	for (size_t i = 0; i < set->rows.n && !(stale && stale->empty); i++)
		if (strcmp(set->rows.p[i]->group, group) == 0 && resource_serves(set->rows.p[i], version))
			json_array_append_new(resources, aggregated_resource(set->rows.p[i], version));
	return json_pack("{s:s, s:o, s:s}", "version", version, "resources", resources, "freshness",
			 stale ? "Stale" : "Current");
}

static json_t *aggregated_group(struct sim *sim, const char *group)
{
	const struct resource_set *set = &sim->resources;
	names versions = versions_of(set, group);
	json_t *list = json_array(), *meta = json_pack("{s:n}", "creationTimestamp");

	if (*group)
		json_object_set_new(meta, "name", json_string(group));
	for (size_t v = 0; v < versions.n; v++)
		json_array_append_new(list, aggregated_version_json(sim, group, versions.p[v]));
	vec_done(&versions);
	return json_pack("{s:o, s:o}", "metadata", meta, "versions", list);
}

/* The apidiscovery.k8s.io version that is asked for first; NULL: the classic document. */
static const char *aggregated_version(const struct request *req)
{
	const char *accept = http_header(req, "Accept");
	const char *v2, *beta;

	if (!accept || !req->sim->opt.aggregated_discovery || !strstr(accept, "as=APIGroupDiscoveryList"))
		return NULL;
	v2 = strstr(accept, "v=v2;");
	beta = strstr(accept, "v=v2beta1");
	if (!v2)
		return beta ? "v2beta1" : NULL;
	return !beta || v2 < beta ? "v2" : "v2beta1";
}

static enum MHD_Result aggregated(struct request *req, const char *version, bool core)
{
	names groups = shown_groups(req->sim, core);
	json_t *items = json_array();
	char api_version[64], type[128];

	for (size_t i = 0; i < groups.n; i++)
		json_array_append_new(items, aggregated_group(req->sim, groups.p[i]));
	vec_done(&groups);
	(void)snprintf(api_version, sizeof(api_version), "apidiscovery.k8s.io/%s", version);
	(void)snprintf(type, sizeof(type), "application/json;g=apidiscovery.k8s.io;v=%s;as=APIGroupDiscoveryList",
		       version);
	return http_json_as(req, 200,
			    json_pack("{s:s, s:s, s:{}, s:o}", "kind", "APIGroupDiscoveryList", "apiVersion",
				      api_version, "metadata", "items", items),
			    type);
}

enum MHD_Result discovery_api(struct request *req)
{
	const char *version = aggregated_version(req);

	if (version)
		return aggregated(req, version, true);
	return http_json(req, 200,
			 json_pack("{s:s, s:[s], s:[{s:s, s:s}]}", "kind", "APIVersions", "versions", "v1",
				   "serverAddressByClientCIDRs", "clientCIDR", "0.0.0.0/0", "serverAddress",
				   "127.0.0.1"));
}

enum MHD_Result discovery_apis(struct request *req)
{
	const char *version = aggregated_version(req);
	names groups;
	json_t *list;

	if (version)
		return aggregated(req, version, false);
	groups = shown_groups(req->sim, false);
	list = json_array();
	for (size_t i = 0; i < groups.n; i++)
		json_array_append_new(list, group_json(&req->sim->resources, groups.p[i]));
	vec_done(&groups);
	return http_json(req, 200,
			 json_pack("{s:s, s:s, s:o}", "kind", "APIGroupList", "apiVersion", "v1", "groups", list));
}
