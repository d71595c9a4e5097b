/* Splits an answer into alerts by brackets and quotes, and reads of an alert who posted it. */
#include "daemon/alertmanager/alert_answer.h"

#include "base/hex.h"
#include "daemon/alertmanager/alert.h"
#include "mask/foreign.h"
#include "value/json.h"

#include <errno.h>

static const struct limits item_limits = {
	.object_bytes = ALERT_ANSWER_ITEM_MAX, .depth = 32, .document_nodes = 8192, .arena_bytes = (size_t)4 << 20
};

void alert_answer_init(struct alert_answer *a)
{
	a->item = BUF_INIT(ALERT_ANSWER_ITEM_MAX);
}

void alert_answer_done(struct alert_answer *a)
{
	buf_done(&a->item);
}

/* ---- one alert ---- */

static bool is_id(struct foreign text)
{
	return foreign_size(text) == FINDING_ID_SIZE - 1 && hex_is(foreign_data(text));
}

/* The hash of the labels. False: one of them is no text. */
static bool print_of(val labels, uint64_t *ret)
{
	uint64_t print = 0;

	for (uint32_t i = 0; i < labels.n; i++) {
		val value = labels.members[i].value;

		if (value.kind != VAL_STRING)
			return false;
		print = alert_print_label(print, key_str(labels.members[i].key), foreign_data(foreign_of(value)));
	}
	*ret = print;
	return true;
}

static int report_alert(struct alert_answer *a, val labels, struct err *err)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(ALERT_ANSWER_ITEM_MAX * 2);
	uint64_t print;
	int r;

	if (!print_of(labels, &print))
		return 0;
	r = json_encode(labels, JSON_PLAIN, NULL, &text, err);
	if (r == 0)
		r = buf_error(&text, "labels of an alert", err);
	if (r < 0)
		return r;
	return a->each(a->ctx, print, buf_str(&text)) ? 0 : err_nomem(err);
}

/* Report the alert in the text, unless it cannot be read as one that @a->origin posted. */
static int read_item(struct alert_answer *a, struct err *err)
{
	CLEANUP(arena_done) struct arena arena = ARENA_INIT(item_limits.arena_bytes);
	const struct json_options o = { .limits = &item_limits };
	val v, labels, notes;
	int r = json_decode_value(buf_str(&a->item), &o, &arena, &v, NULL, err);

	if (r == -ENOMEM)
		return r;
	if (r < 0 || !val_is_map(v))
		return 0;
	labels = VAL_GET(v, "labels");
	notes = VAL_GET(v, "annotations");
	if (!val_is_map(labels) || !val_is_map(notes) || !is_id(foreign_of(VAL_GET(labels, "drift_id"))) ||
	    !foreign_is(foreign_of(VAL_GET(notes, ALERT_ORIGIN)), str_from(a->origin)))
		return 0;
	return report_alert(a, labels, err);
}

/* ---- between them ---- */

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static int refuse(struct err *err)
{
	return err_set(err, EPROTO, "the answer is not a list of alerts");
}

/* Read a character before the list, between its elements, or after it. */
static int feed_outside(struct alert_answer *a, char c, struct err *err)
{
	if (is_space(c))
		return 0;
	if (a->over)
		return refuse(err);
	if (!a->begun) {
		a->begun = c == '[';
		return a->begun ? 0 : refuse(err);
	}
	if (c == ']') {
		a->over = true;
		return 0;
	}
	if (c == ',')
		return 0;
	if (c != '{')
		return refuse(err);
	if (++a->count > ALERT_ANSWER_COUNT_MAX)
		return err_set(err, E2BIG, "the answer has more than %d alerts", ALERT_ANSWER_COUNT_MAX);
	a->depth = 1;
	buf_clear(&a->item);
	buf_add_byte(&a->item, c);
	return 0;
}

/* Whether the element ends with @c. */
static bool ends_with(struct alert_answer *a, char c)
{
	if (a->in_text) {
		a->in_text = a->escaped || c != '"';
		a->escaped = !a->escaped && c == '\\';
		return false;
	}
	if (c == '"')
		a->in_text = true;
	else if (c == '{' || c == '[')
		a->depth++;
	else if (c == '}' || c == ']')
		a->depth--;
	return a->depth == 0;
}

int alert_answer_feed(struct alert_answer *a, str bytes, struct err *err)
{
	int r = 0;

	a->bytes += bytes.n;
	if (a->bytes > ALERT_ANSWER_MAX)
		return err_set(err, E2BIG, "the answer is longer than %zu bytes", ALERT_ANSWER_MAX);
	for (size_t i = 0; r == 0 && i < bytes.n; i++) {
		if (!a->depth) {
			r = feed_outside(a, bytes.p[i], err);
			continue;
		}
		buf_add_byte(&a->item, bytes.p[i]);
		if (ends_with(a, bytes.p[i]))
			r = a->item.error ? buf_error(&a->item, "an alert of the answer", err) : read_item(a, err);
	}
	return r == 0 && a->item.error ? buf_error(&a->item, "an alert of the answer", err) : r;
}

int alert_answer_end(const struct alert_answer *a, struct err *err)
{
	return a->over ? 0 : refuse(err);
}
