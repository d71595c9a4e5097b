/* Prints what all control commands have in common. */
#include "daemon/control/output.h"

#include "base/hex.h"
#include "base/printable.h"
#include "daemon/findings/finding.h"
#include "go/duration.h"
#include "go/layout.h"
#include "go/url.h"
#include "value/json.h"
#include "value/yaml.h"

#include <errno.h>
#include <stdio.h>

#define ID_BYTES_MIN 4 /* characters that identify a finding (docs/api.md) */

const struct option_word control_doc_words[] = { { "json", FORM_JSON }, { "yaml", FORM_YAML }, { 0 } };

int control_take_time(const struct given *g, void *to)
{
	int64_t *ns = to;

	if (go_duration_parse(str_from(g->value), ns, NULL) && *ns > 0)
		return COMMAND_GOES_ON;
	return command_line_wrong(g->line, "a time such as 90s or 5m is expected, not", g->value);
}

str control_text(val map, const char *name)
{
	return val_str(val_get(map, str_from(name)));
}

int control_print(struct buf *out, struct err *err)
{
	if (buf_error(out, "output", err) < 0)
		return -err->code;
	if (fwrite(out->p ? out->p : "", 1, out->n, stdout) != out->n || fflush(stdout) != 0)
		return err_set(err, EIO, "standard output: %s", strerror(errno));
	return 0;
}

int control_print_doc(const struct doc *d, enum control_form form, struct err *err)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(CONTROL_OUTPUT_MAX), shown = BUF_INIT(CONTROL_OUTPUT_MAX);
	int r = form == FORM_YAML ? yaml_encode_shown(d->root, &out, err)
				  : json_encode(d->root, JSON_PLAIN, "  ", &out, err);

	if (r < 0)
		return r;
	if (form == FORM_YAML)
		return control_print(&out, err);
	printable_json_add(&shown, buf_str(&out), false);
	buf_add_byte(&shown, '\n');
	return control_print(&shown, err);
}

int64_t control_age(str since, int64_t now)
{
	CLEANUP(buf_done) struct buf why = BUF_INIT(1024);
	struct go_stamp stamp;

	if (!go_rfc3339_parse(since, &stamp, &why) || stamp.sec > now)
		return 0;
	return now - stamp.sec;
}

bool control_several_clusters(val items)
{
	for (uint32_t i = 1; i < val_count(items); i++) {
		if (!str_eq(control_text(val_at(items, i), "cluster"), control_text(val_at(items, 0), "cluster")))
			return true;
	}
	return false;
}

void control_line(struct buf *out, const char *heading, str value)
{
	if (!value.n)
		return;
	buf_printf(out, "%-13s", heading);
	printable_add(out, value, "\n             ");
	buf_add_byte(out, '\n');
}

str control_split_name(str name, str *namespace)
{
	ptrdiff_t slash = str_find_byte(name, '/');

	if (slash < 0)
		return name;
	*namespace = str_sub(name, 0, (size_t)slash);
	return str_sub(name, (size_t)slash + 1, name.n);
}

bool control_is_id(str word)
{
	return word.n >= ID_BYTES_MIN && word.n < FINDING_ID_SIZE && hex_is(word);
}

int control_get_finding(const char *socket, str id, struct doc **ret, struct err *err)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(1024);

	buf_add_cstr(&path, "/api/v1/findings/");
	go_url_escape(&path, id, GO_URL_PATH_SEGMENT);
	return control_get_built(control_socket(socket), &path, ret, err);
}

void control_print_notes(const char *program, val list)
{
	val notes = VAL_GET(list, "notes");

	for (uint32_t i = 0; i < val_count(notes); i++) {
		CLEANUP(buf_done) struct buf text = BUF_INIT(1u << 16);

		printable_add(&text, val_str(val_at(notes, i)), "\\n");
		fprintf(stderr, "%s: %.*s\n", program, STR_ARG(buf_str(&text)));
	}
}
