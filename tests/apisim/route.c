/* Taking a URL apart. */
#include "route.h"

#include "faults.h"

#include <stdio.h>

struct parts {
	char *p[HTTP_PATH_PARTS];
	size_t n;
};

/* Cuts req->path_parts at its slashes. False when there are too many. */
static bool split(struct request *req, struct parts *parts)
{
	char *at;

	free(req->path_parts);
	req->path_parts = str_dup(str_from(req->path));
	if (!req->path_parts)
		return false;
	at = req->path_parts;
	while (*at == '/')
		at++;
	while (*at) {
		char *end = strchr(at, '/');

		if (parts->n == HTTP_PATH_PARTS)
			return false;
		parts->p[parts->n++] = at;
		if (!end)
			break;
		*end = '\0';
		at = end + 1;
	}
	return true;
}

static const char *verb_of(const struct request *req)
{
	if (strcmp(req->method, "GET") == 0 || strcmp(req->method, "HEAD") == 0) {
		if (!req->res)
			return "get";
		if (!req->name && http_query_true(req, "watch"))
			return "watch";
		return req->name ? "get" : "list";
	}
	if (strcmp(req->method, "POST") == 0)
		return "create";
	if (strcmp(req->method, "PUT") == 0)
		return "update";
	if (strcmp(req->method, "PATCH") == 0)
		return "patch";
	if (strcmp(req->method, "DELETE") == 0)
		return req->name ? "delete" : "deletecollection";
	return req->method;
}

static enum MHD_Result apply_fault(struct request *req, const struct fault *fault)
{
	struct refusal refusal;

	switch (fault->kind) {
	case FAULT_DROP:
		return MHD_NO;
	case FAULT_FUTURE:
		(void)refuse_future(&refusal, req->sim->rv + 1000000, req->sim->rv);
		return http_refusal(req, &refusal);
	case FAULT_STALL:
		req->stall_until_ms = now_ms() + fault->stall_ms;
		if (!vec_push(&req->sim->stalled, req))
			return MHD_NO;
		req->suspended = true;
		MHD_suspend_connection(req->conn);
		return MHD_YES;
	case FAULT_ANSWER:
		return http_given(req, fault);
	default:
		break;
	}
	(void)refuse(&refusal, fault->status, fault->reason ? fault->reason : reason_of_code(fault->status), "%s",
		     fault->message ? fault->message : "apisim was told to refuse this request");
	refusal.retry_after = fault->retry_after;
	return http_refusal(req, &refusal);
}

/* Counts the request and lets a fault have it first. False when a fault answered; *ret is then the result. */
static bool pass_faults(struct request *req, enum MHD_Result *ret)
{
	const struct fault *fault;
	char label[256] = "";

	req->verb = verb_of(req);
	if (req->stall_checked)
		return true;
	req->stall_checked = true;
	if (req->res)
		resource_label(req->res, label, sizeof(label));
	stats_count(&req->sim->stats, req->verb, label);
	fault = faults_take(&req->sim->faults, req);
	if (!fault)
		return true;
	switch (fault->kind) {
	case FAULT_SHAPE:
		req->shape = fault->shape;
		req->shaped = true;
		return true;
	case FAULT_REPEAT:
	case FAULT_ENDLESS:
	case FAULT_ITEM:
	case FAULT_PLAIN:
	case FAULT_NO_MARK:
		req->fault = fault;
		return true;
	default:
		*ret = apply_fault(req, fault);
		return false;
	}
}

/* As kube-apiserver while it fills the cache of a custom resource. */
static bool is_initializing(const struct request *req, struct refusal *refusal)
{
	const struct sim *sim = req->sim;

	if (!req->res || !req->res->custom || now_ms() - sim->started_ms >= sim->opt.initializing_ms)
		return false;
	(void)refuse(refusal, 429, "TooManyRequests", "storage is (re)initializing");
	refusal->retry_after = 1;
	return true;
}

static enum MHD_Result get_one(struct request *req)
{
	struct refusal refusal;
	char key[640];
	struct rev *rev;

	if (req->sub && strcmp(req->sub, "status") != 0)
		return http_not_found(req);
	(void)snprintf(key, sizeof(key), "%s%s%s", req->ns ? req->ns : "", req->ns ? "/" : "", req->name);
	rev = table_get(&req->res->table, str_from(key));
	if (rev)
		return http_rev(req, 200, rev);
	(void)refuse_not_found(&refusal, req->res, req->name);
	return http_refusal(req, &refusal);
}

/* [namespaces/<ns>/]<plural>[/<name>[/<subresource>]] */
static enum MHD_Result route_resource(struct request *req, const char *group, char **p, size_t n)
{
	bool bare = strcmp(p[0], "namespaces") == 0 && n == 3 &&
		    (strcmp(p[2], "status") == 0 || strcmp(p[2], "finalize") == 0);
	struct refusal refusal;
	enum MHD_Result r;

	if (strcmp(p[0], "namespaces") == 0 && n >= 3 && !bare) {
		req->ns = p[1];
		p += 2;
		n -= 2;
	}
	req->res = resource_find(&req->sim->resources, group, req->version, p[0]);
	req->name = n > 1 ? p[1] : NULL;
	req->sub = n > 2 ? p[2] : NULL;
	if (!pass_faults(req, &r))
		return r;
	if (is_initializing(req, &refusal))
		return http_refusal(req, &refusal);
	if (strcmp(group, "authorization.k8s.io") == 0 && strcmp(p[0], "selfsubjectaccessreviews") == 0 &&
	    strcmp(req->method, "POST") == 0)
		return access_review_serve(req);
	if (!req->res || n > 3 || (req->ns && !req->res->namespaced) || (req->name && req->res->namespaced && !req->ns))
		return http_not_found(req);
	if (strcmp(req->verb, "list") == 0)
		return list_serve(req);
	if (strcmp(req->verb, "watch") == 0)
		return watch_serve(req);
	if (strcmp(req->verb, "get") == 0)
		return get_one(req);
	if (strcmp(req->method, "POST") == 0 || strcmp(req->method, "PUT") == 0 || strcmp(req->method, "PATCH") == 0 ||
	    strcmp(req->method, "DELETE") == 0)
		return write_serve(req);
	(void)refuse(&refusal, 405, "MethodNotAllowed",
		     "the server does not allow this method on the requested resource");
	return http_refusal(req, &refusal);
}

static enum MHD_Result version_serve(struct request *req)
{
	return http_json(req, 200,
			 json_pack("{s:s, s:s, s:s, s:s, s:s}", "major", "1", "minor", "32", "gitVersion",
				   "v1.32.0+apisim", "platform", "linux/amd64", "compiler", "gcc"));
}

static enum MHD_Result route_parts(struct request *req, struct parts *parts)
{
	char **p = parts->p;
	size_t n = parts->n;
	bool core = n > 0 && strcmp(p[0], "api") == 0, named = n > 0 && strcmp(p[0], "apis") == 0;
	size_t skip = core ? 2 : 3;
	enum MHD_Result r;

	if (n > skip && (core || named)) {
		req->version = p[skip - 1];
		return route_resource(req, core ? "" : p[1], p + skip, n - skip);
	}
	if (!pass_faults(req, &r))
		return r;
	if (n == 1 && strcmp(p[0], "version") == 0)
		return version_serve(req);
	if (n == 1 && (strcmp(p[0], "healthz") == 0 || strcmp(p[0], "livez") == 0 || strcmp(p[0], "readyz") == 0))
		return http_text(req, 200, "ok");
	if (n == 1 && core)
		return discovery_api(req);
	if (n == 1 && named)
		return discovery_apis(req);
	if (n == 2 && core)
		return discovery_version(req, "", p[1]);
	if (n == 2 && named)
		return discovery_group(req, p[1]);
	if (n == 3 && named)
		return discovery_version(req, p[1], p[2]);
	return http_not_found(req);
}

enum MHD_Result route(struct request *req)
{
	struct parts parts = { 0 };

	if (!split(req, &parts))
		return http_not_found(req);
	if (parts.n == 2 && strcmp(parts.p[0], "_apisim") == 0)
		return control_serve(req, parts.p[1]);
	return route_parts(req, &parts);
}
