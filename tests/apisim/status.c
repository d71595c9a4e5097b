/* Building Status objects. */
#include "status.h"

#include "resources.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void copy(char *to, size_t n, const char *from)
{
	(void)snprintf(to, n, "%s", from ? from : "");
}

static int vrefuse(struct refusal *r, int code, const char *reason, const char *fmt, va_list ap)
{
	*r = (struct refusal){ .code = code, .reason = reason };
	(void)vsnprintf(r->message, sizeof(r->message), fmt, ap);
	return -1;
}

int refuse(struct refusal *r, int code, const char *reason, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vrefuse(r, code, reason, fmt, ap);
	va_end(ap);
	return -1;
}

static void set_details(struct refusal *r, const struct resource *res, const char *name)
{
	copy(r->name, sizeof(r->name), name);
	copy(r->group, sizeof(r->group), res->group);
	copy(r->kind, sizeof(r->kind), res->plural);
}

int refuse_object(struct refusal *r, const struct resource *res, const char *name, int code, const char *reason,
		  const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vrefuse(r, code, reason, fmt, ap);
	va_end(ap);
	set_details(r, res, name);
	return -1;
}

void resource_label(const struct resource *res, char *to, size_t n)
{
	(void)snprintf(to, n, "%s%s%s", res->plural, *res->group ? "." : "", res->group);
}

int refuse_not_found(struct refusal *r, const struct resource *res, const char *name)
{
	char label[256];

	resource_label(res, label, sizeof(label));
	return refuse_object(r, res, name, 404, "NotFound", "%s \"%s\" not found", label, name);
}

int refuse_invalid(struct refusal *r, const struct resource *res, const char *name, const char *field, const char *fmt,
		   ...)
{
	char why[512];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	(void)refuse_object(r, res, name, 422, "Invalid", "%s%s%s \"%s\" is invalid: %s: %s", res->kind,
			    *res->group ? "." : "", res->group, name ? name : "", field, why);
	copy(r->kind, sizeof(r->kind), res->kind);
	r->cause = "FieldValueInvalid";
	r->field = field;
	return -1;
}

int refuse_nomem(struct refusal *r)
{
	return refuse(r, 500, "InternalError", "out of memory");
}

int refuse_future(struct refusal *r, uint64_t asked, uint64_t current)
{
	(void)refuse(r, 504, "Timeout", "Too large resource version: %llu, current: %llu", (unsigned long long)asked,
		     (unsigned long long)current);
	r->cause = "ResourceVersionTooLarge";
	r->retry_after = 1;
	return -1;
}

const char *reason_of_code(int code)
{
	static const struct {
		int code;
		const char *reason;
	} rows[] = {
		{ 400, "BadRequest" },
		{ 401, "Unauthorized" },
		{ 403, "Forbidden" },
		{ 404, "NotFound" },
		{ 405, "MethodNotAllowed" },
		{ 406, "NotAcceptable" },
		{ 409, "Conflict" },
		{ 410, "Expired" },
		{ 413, "RequestEntityTooLarge" },
		{ 422, "Invalid" },
		{ 415, "UnsupportedMediaType" },
		{ 429, "TooManyRequests" },
		{ 500, "InternalError" },
		{ 503, "ServiceUnavailable" },
		{ 504, "Timeout" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].code == code)
			return rows[i].reason;
	return "";
}

static json_t *details_json(const struct refusal *r)
{
	json_t *details = json_object();

	if (*r->name)
		json_object_set_new(details, "name", json_string(r->name));
	if (*r->group)
		json_object_set_new(details, "group", json_string(r->group));
	if (*r->kind)
		json_object_set_new(details, "kind", json_string(r->kind));
	if (r->cause) {
		json_t *cause = json_pack("{s:s, s:s}", "reason", r->cause, "message",
					  r->field ? r->message : "Too large resource version");

		if (r->field)
			json_object_set_new(cause, "field", json_string(r->field));
		json_object_set_new(details, "causes", json_pack("[o]", cause));
	}
	if (r->retry_after)
		json_object_set_new(details, "retryAfterSeconds", json_integer((json_int_t)r->retry_after));
	return details;
}

json_t *refusal_json(const struct refusal *r)
{
	json_t *details = details_json(r);
	json_t *meta = json_object();
	json_t *status;

	if (*r->token)
		json_object_set_new(meta, "continue", json_string(r->token));
	status = json_pack("{s:s, s:s, s:o, s:s, s:s}", "kind", "Status", "apiVersion", "v1", "metadata", meta,
			   "status", "Failure", "message", r->message);
	if (r->reason && *r->reason)
		json_object_set_new(status, "reason", json_string(r->reason));
	if (json_object_size(details))
		json_object_set(status, "details", details);
	json_decref(details);
	json_object_set_new(status, "code", json_integer(r->code));
	return status;
}
