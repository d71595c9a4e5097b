/* Writing verbs over HTTP. */
#include "list.h"
#include "patch.h"
#include "route.h"
#include "write.h"

#include <stdio.h>

/* The fieldManager parameter, else the User-Agent up to its first slash. */
static void manager_of(const struct request *req, char *to, size_t n)
{
	const char *manager = http_query(req, "fieldManager");
	const char *agent = http_header(req, "User-Agent");

	if (manager && *manager)
		(void)snprintf(to, n, "%s", manager);
	else
		(void)snprintf(to, n, "%.*s", agent ? (int)strcspn(agent, "/") : 7, agent ? agent : "unknown");
}

static struct rev *existing(const struct write *w)
{
	char key[640];

	(void)snprintf(key, sizeof(key), "%s%s%s", w->ns ? w->ns : "", w->ns ? "/" : "", w->name);
	return table_get(&w->res->table, str_from(key));
}

static enum MHD_Result serve_create(struct request *req, const struct write *w)
{
	json_auto_t *obj = NULL;
	CLEANUP(rev_unrefp) struct rev *rev = NULL;
	struct refusal refusal;

	if (req->name)
		return http_not_found(req);
	if (http_body(req, &obj, &refusal) < 0 || write_create(w, obj, &rev, &refusal) < 0)
		return http_refusal(req, &refusal);
	return http_rev(req, 201, rev);
}

static enum MHD_Result serve_update(struct request *req, const struct write *w)
{
	json_auto_t *obj = NULL;
	CLEANUP(rev_unrefp) struct rev *rev = NULL;
	struct refusal refusal;

	if (http_body(req, &obj, &refusal) < 0 || write_update(w, obj, &rev, &refusal) < 0)
		return http_refusal(req, &refusal);
	return http_rev(req, 200, rev);
}

typedef int patch_fn(json_t *doc, json_t *patch, json_t **ret, struct refusal *refusal);

static patch_fn *patch_of(const struct request *req, struct refusal *refusal)
{
	const char *type = http_header(req, "Content-Type");
	size_t n = type ? strcspn(type, "; ") : 0;
	static const struct {
		const char *type;
		patch_fn *fn;
	} rows[] = {
		{ "application/json-patch+json", patch_json },
		{ "application/merge-patch+json", patch_merge },
		{ "application/strategic-merge-patch+json", patch_strategic },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows) - (req->res->custom ? 1 : 0); i++)
		if (strlen(rows[i].type) == n && strncmp(rows[i].type, type, n) == 0)
			return rows[i].fn;
	(void)refuse(refusal, 415, "UnsupportedMediaType",
		     "the body of the request was in an unknown format - accepted media types include: "
		     "application/json-patch+json, application/merge-patch+json%s",
		     req->res->custom ? "" : ", application/strategic-merge-patch+json");
	return NULL;
}

/* The object as a client of this API version sees it. */
static json_t *parse_as(const struct write *w, const struct rev *rev)
{
	json_t *obj = rev_parse(rev);
	char gv[320];

	group_version(w->res->group, w->version, gv, sizeof(gv));
	if (obj)
		json_object_set_new(obj, "apiVersion", json_string(gv));
	return obj;
}

static enum MHD_Result serve_patch(struct request *req, const struct write *w)
{
	struct refusal refusal;
	patch_fn *fn = patch_of(req, &refusal);
	json_auto_t *doc = NULL, *patch = NULL, *next = NULL;
	CLEANUP(rev_unrefp) struct rev *rev = NULL;
	struct rev *before = existing(w);

	if (!fn)
		return http_refusal(req, &refusal);
	patch = json_loadb(req->body.p ? req->body.p : "", req->body.n, JSON_ALLOW_NUL, NULL);
	if (!patch) {
		(void)refuse(&refusal, 400, "BadRequest", "the patch is not JSON");
		return http_refusal(req, &refusal);
	}
	if (!before) {
		(void)refuse_not_found(&refusal, req->res, req->name);
		return http_refusal(req, &refusal);
	}
	doc = parse_as(w, before);
	if (!doc)
		return MHD_NO;
	if (fn(doc, patch, &next, &refusal) < 0 || write_update(w, next, &rev, &refusal) < 0)
		return http_refusal(req, &refusal);
	return http_rev(req, 200, rev);
}

/* The DeleteOptions' preconditions. */
static int check_preconditions(const struct request *req, const struct rev *rev, struct refusal *refusal)
{
	json_auto_t *options = req->body.n ? json_loadb(req->body.p, req->body.n, 0, NULL) : NULL;
	json_auto_t *obj = rev_parse(rev);
	json_t *meta = json_object_get(obj, "metadata"), *want = json_object_get(options, "preconditions");
	static const char *const keys[] = { "uid", "resourceVersion" };

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		json_t *value = json_object_get(want, keys[i]);

		if (value && !json_equal(value, json_object_get(meta, keys[i])))
			return refuse_object(
				refusal, req->res, req->name, 409, "Conflict",
				"Operation cannot be fulfilled on %s \"%s\": the precondition on %s does not hold",
				req->res->plural, req->name, keys[i]);
	}
	return 0;
}

static json_t *deleted_status(const struct request *req, const struct rev *rev)
{
	json_auto_t *obj = rev_parse(rev);
	json_t *uid = json_object_get(json_object_get(obj, "metadata"), "uid");
	json_t *details = json_pack("{s:s, s:s}", "name", req->name, "kind", req->res->plural);

	if (*req->res->group)
		json_object_set_new(details, "group", json_string(req->res->group));
	if (uid)
		json_object_set(details, "uid", uid);
	return json_pack("{s:s, s:s, s:{}, s:s, s:o}", "kind", "Status", "apiVersion", "v1", "metadata", "status",
			 "Success", "details", details);
}

static enum MHD_Result serve_delete(struct request *req, const struct write *w)
{
	CLEANUP(rev_unrefp) struct rev *rev = rev_ref(existing(w));
	CLEANUP(rev_unrefp) struct rev *marked = NULL;
	struct refusal refusal;

	if (!rev) {
		(void)refuse_not_found(&refusal, req->res, req->name);
		return http_refusal(req, &refusal);
	}
	if (check_preconditions(req, rev, &refusal) < 0 || write_delete(w, rev, &marked, &refusal) < 0)
		return http_refusal(req, &refusal);
	if (marked)
		return http_rev(req, 200, marked);
	return http_json(req, 200, deleted_status(req, rev));
}

static enum MHD_Result serve_delete_collection(struct request *req, const struct write *w)
{
	struct selector selector = { 0 };
	struct list_query q = { .selector = &selector, .ns = str_from(req->ns ? req->ns : ""), .rv = req->sim->rv };
	rev_list all = { 0 };
	struct refusal refusal;
	int r = selector_parse(http_query(req, "labelSelector"), http_query(req, "fieldSelector"), &selector, &refusal);

	if (r == 0 && list_collect(req->res, &q, &all, NULL) < 0)
		r = refuse_nomem(&refusal);
	for (size_t i = 0; r == 0 && i < all.n; i++) {
		CLEANUP(rev_unrefp) struct rev *marked = NULL;

		r = write_delete(w, all.p[i], &marked, &refusal);
	}
	rev_list_done(&all);
	selector_done(&selector);
	if (r < 0)
		return http_refusal(req, &refusal);
	return http_json(req, 200,
			 json_pack("{s:s, s:s, s:{}, s:s}", "kind", "Status", "apiVersion", "v1", "metadata", "status",
				   "Success"));
}

enum MHD_Result write_serve(struct request *req)
{
	const char *dry = http_query(req, "dryRun");
	char manager[160];
	struct write w = { .sim = req->sim,
			   .res = req->res,
			   .version = req->version,
			   .ns = req->ns,
			   .name = req->name,
			   .sub = req->sub,
			   .manager = manager,
			   .dry_run = dry && strcmp(dry, "All") == 0 };

	manager_of(req, manager, sizeof(manager));
	if (req->sub && (strcmp(req->sub, "status") != 0 || !resource_has_status(req->res, req->version)))
		return http_not_found(req);
	if (strcmp(req->verb, "create") == 0)
		return serve_create(req, &w);
	if (strcmp(req->verb, "deletecollection") == 0)
		return serve_delete_collection(req, &w);
	if (!req->name)
		return http_not_found(req);
	if (strcmp(req->verb, "update") == 0)
		return serve_update(req, &w);
	if (strcmp(req->verb, "patch") == 0)
		return serve_patch(req, &w);
	if (strcmp(req->verb, "delete") == 0 && !req->sub)
		return serve_delete(req, &w);
	return http_not_found(req);
}

enum MHD_Result access_review_serve(struct request *req)
{
	json_auto_t *review = NULL;
	struct refusal refusal;
	json_t *asked;
	const char *verb, *group, *plural;
	char label[256];
	bool allowed;

	if (http_body(req, &review, &refusal) < 0)
		return http_refusal(req, &refusal);
	asked = json_object_get(json_object_get(review, "spec"), "resourceAttributes");
	verb = json_string_value(json_object_get(asked, "verb"));
	group = json_string_value(json_object_get(asked, "group"));
	plural = json_string_value(json_object_get(asked, "resource"));
	(void)snprintf(label, sizeof(label), "%s%s%s", plural ? plural : "", group && *group ? "." : "",
		       group ? group : "");
	allowed = !faults_forbid(&req->sim->faults, verb ? verb : "", label);
	json_object_set_new(review, "status", json_pack("{s:b}", "allowed", allowed));
	return http_json(req, 201, json_incref(review));
}
