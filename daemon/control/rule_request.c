/* Makes the JSON of a request about rules from options. */
#include "daemon/control/control_internal.h"

#include "base/limits.h"
#include "value/json.h"

#include <errno.h>
#include <stdlib.h>

#define BODY_BYTES_MAX ((size_t)16 << 20) /* the daemon reports a rule that is too large */

void rule_request_init(struct rule_request *r, enum rule_request_kind kind)
{
	*r = (struct rule_request){ .kind = kind, .body = BUF_INIT(BODY_BYTES_MAX) };
	buf_add_byte(&r->body, kind == RULE_CREATE ? '{' : '[');
}

void rule_request_done(struct rule_request *r)
{
	buf_done(&r->body);
}

/* Append JSON as the user gave it, for the daemon to read. It is only parsed here to report a mistake with its
 * option. */
static int add_json(struct buf *out, const char *name, const char *text, struct err *err)
{
	struct doc *d = NULL;

	if (json_decode(str_from(text), JSON_DEFAULTS, &d, err) < 0)
		return err_wrap(err, "--%s is no JSON", name);
	doc_unref(d);
	buf_add_cstr(out, text);
	return 0;
}

static int add_integer(struct buf *out, const char *name, const char *text, struct err *err)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(text, &end, 10);
	if (errno || end == text || *end)
		return err_set(err, EINVAL, "--%s '%s' is not an integer", name, text);
	buf_printf(out, "%ld", n);
	return 0;
}

static int add_value(struct buf *out, const char *name, const char *value, struct err *err)
{
	str field = str_from(name);

	if (str_eq(field, STR("actions")) || str_eq(field, STR("conditions")))
		return add_json(out, name, value, err);
	if (str_eq(field, STR("priority")))
		return add_integer(out, name, value, err);
	if (str_eq(field, STR("sensitive")))
		buf_add_cstr(out, "true");
	else
		json_encode_string(str_from(value), JSON_PLAIN, out);
	return 0;
}

int rule_request_add(struct rule_request *r, const char *name, const char *value, struct err *err)
{
	struct buf *out = &r->body;
	int status = 0;

	buf_add_cstr(out, r->fields++ ? "," : "");
	if (r->kind == RULE_CREATE)
		buf_printf(out, "\"%s\":", name);
	else
		buf_printf(out, "{\"op\":\"%s\",\"path\":\"/%s\"", r->kind == RULE_SET ? "replace" : "remove", name);
	if (r->kind == RULE_SET)
		buf_add_cstr(out, ",\"value\":");
	if (r->kind != RULE_UNSET)
		status = add_value(out, name, value, err);
	if (r->kind != RULE_CREATE)
		buf_add_byte(out, '}');
	return status;
}

int rule_request_end(struct rule_request *r, str *ret, struct err *err)
{
	buf_add_byte(&r->body, r->kind == RULE_CREATE ? '}' : ']');
	*ret = buf_str(&r->body);
	return buf_error(&r->body, "a request", err);
}
