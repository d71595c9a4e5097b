/* Prints results of evaluations for people. */
#include "cel/cel.h"

#include "cel/cel_func.h"
#include "cel/cel_net.h"
#include "cel/cel_time.h"
#include "go/strconv.h"
#include "go/url.h"
#include "text/quantity.h"
#include "value/json.h"

static void print(cv v, struct arena *a, struct buf *out, unsigned depth);

static void print_list(cv v, struct arena *a, struct buf *out, unsigned depth)
{
	buf_add_byte(out, '[');
	for (uint32_t i = 0; i < cv_count(v); i++) {
		if (i)
			buf_add_cstr(out, ", ");
		print(cv_item(a, v, i), a, out, depth + 1);
	}
	buf_add_byte(out, ']');
}

static void print_map(cv v, struct arena *a, struct buf *out, unsigned depth)
{
	buf_add_byte(out, '{');
	for (uint32_t i = 0; i < cv_count(v); i++) {
		cv key, value;

		cv_entry_at(a, v, i, &key, &value);
		if (i)
			buf_add_cstr(out, ", ");
		print(key, a, out, depth + 1);
		buf_add_cstr(out, ": ");
		print(value, a, out, depth + 1);
	}
	buf_add_byte(out, '}');
}

static void print_number(cv v, struct buf *out)
{
	size_t from = out->n;

	if (v.kind == CV_INT) {
		buf_printf(out, "%lld", (long long)v.i);
	} else if (v.kind == CV_UINT) {
		buf_printf(out, "%lluu", (unsigned long long)v.u);
	} else {
		go_format_float(out, v.d, 'g', -1);
		if (out->p && !strpbrk(out->p + from, ".eIN"))
			buf_add_cstr(out, ".0");
	}
}

/* name("text") */
static void print_opaque(cv v, struct arena *a, struct buf *out)
{
	switch (v.kind) {
	case CV_IP:
		buf_add_cstr(out, "ip(\"");
		cel_ip_format(v.ip, out);
		break;
	case CV_CIDR:
		buf_add_cstr(out, "cidr(\"");
		cel_cidr_format(v.cidr, out);
		break;
	case CV_URL:
		buf_add_cstr(out, "url(\"");
		buf_add_str(out, v.url->text);
		break;
	case CV_QUANTITY:
		buf_add_cstr(out, "quantity(\"");
		quantity_string(v.quantity, a, out);
		break;
	case CV_SEMVER:
		buf_add_cstr(out, "semver(\"");
		semver_write(&v.semver->version, out);
		break;
	case CV_TIMESTAMP:
		buf_add_cstr(out, "timestamp(\"");
		cel_timestamp_format(v, out);
		break;
	default:
		buf_add_cstr(out, "duration(\"");
		cel_duration_format(v.i, out);
	}
	buf_add_cstr(out, "\")");
}

static void print_bytes(cv v, struct buf *out)
{
	buf_add_cstr(out, "b\"");
	for (uint32_t i = 0; i < v.n; i++) {
		unsigned char c = (unsigned char)v.s[i];

		if (c < ' ' || c > '~' || c == '"' || c == '\\')
			buf_printf(out, "\\x%02x", c);
		else
			buf_add_byte(out, (char)c);
	}
	buf_add_byte(out, '"');
}

static void print(cv v, struct arena *a, struct buf *out, unsigned depth)
{
	struct err err;

	if (depth > 500 || out->error)
		return;
	switch ((enum cv_kind)v.kind) {
	case CV_ERROR:
		buf_add_cstr(out, "error: ");
		if (v.err)
			buf_add_str(out, v.err->text);
		break;
	case CV_NULL:
		buf_add_cstr(out, "null");
		break;
	case CV_BOOL:
		buf_add_cstr(out, v.b ? "true" : "false");
		break;
	case CV_INT:
	case CV_UINT:
	case CV_DOUBLE:
		print_number(v, out);
		break;
	case CV_STRING:
		json_encode_string(cv_str(v), JSON_PLAIN, out);
		break;
	case CV_BYTES:
		print_bytes(v, out);
		break;
	case CV_LIST:
		print_list(v, a, out, depth);
		break;
	case CV_MAP:
		print_map(v, a, out, depth);
		break;
	case CV_TYPE:
		buf_add_str(out, cv_str(v));
		break;
	case CV_OPTIONAL:
		buf_add_cstr(out, v.ref ? "optional.of(" : "optional.none()");
		if (v.ref) {
			print(*v.ref, a, out, depth + 1);
			buf_add_byte(out, ')');
		}
		break;
	case CV_OPAQUE:
		if (json_encode(*v.val, JSON_PLAIN, NULL, out, &err) < 0)
			buf_add_cstr(out, "?");
		break;
	case CV_FORMAT:
		buf_add_cstr(out, "format");
		break;
	default:
		print_opaque(v, a, out);
	}
}

void cel_print(cv v, struct arena *a, struct buf *out)
{
	print(v, a, out, 0);
}
