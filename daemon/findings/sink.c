/* Writing records in the form that the output has. */
#include "daemon/findings/sink.h"

#include "base/buf.h"
#include "value/json.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/uio.h>
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-journal.h>
#include <time.h>
#include <unistd.h>

#define JOURNAL_SOCKET "/run/systemd/journal/socket"
#define LINE_MAX_BYTES (2u << 20)

struct sink {
	enum cfg_output output;
	bool colour;
	struct sink_counters counters;
};

/* systemd connects standard output of a service to the journal and says which file that is in $JOURNAL_STREAM
 * (sd_journal(3)). */
static bool output_is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long dev, ino;
	struct stat st;

	return stream && sscanf(stream, "%llu:%llu", &dev, &ino) == 2 && fstat(STDOUT_FILENO, &st) == 0 &&
	       st.st_dev == dev && st.st_ino == ino;
}

int sink_set_output(struct sink *s, enum cfg_output output, struct err *err)
{
	if (output == CFG_OUTPUT_JOURNAL && access(JOURNAL_SOCKET, W_OK) < 0)
		return err_set(err, ENOENT, "the journal's socket %s: %s", JOURNAL_SOCKET, strerror(errno));
	s->output = output;
	if (output == CFG_OUTPUT_AUTO)
		s->output = output_is_journal() ? CFG_OUTPUT_JOURNAL : CFG_OUTPUT_TEXT;
	return 0;
}

int sink_new(enum cfg_output output, struct sink **ret, struct err *err)
{
	CLEANUP(sink_freep) struct sink *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return err_nomem(err);
	r = sink_set_output(s, output, err);
	if (r < 0)
		return r;
	s->colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
	*ret = TAKE(s);
	return 0;
}

void sink_free(struct sink *s)
{
	free(s);
}

/* ---- the journal ---- */

static bool write_journal(const struct record *r)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct iovec v[RECORD_FIELDS_MAX + 5];
	int n = 0;
	str head[4];

	head[0] = arena_printf(&a, "MESSAGE=%.*s", STR_ARG(r->text));
	head[1] = arena_printf(&a, "MESSAGE_ID=%s", message_id(r->message));
	head[2] = arena_printf(&a, "PRIORITY=%d", r->priority);
	head[3] = STR("SYSLOG_IDENTIFIER=driftd");
	for (size_t i = 0; i < ARRAY_LEN(head); i++) {
		if (!head[i].p)
			return false;
		v[n++] = (struct iovec){ (void *)head[i].p, head[i].n };
	}
	for (size_t i = 0; i < r->n_fields; i++) {
		const struct record_field *f = &r->fields[i];
		size_t name = strlen(f->name);
		char *p = arena_alloc(&a, name + 1 + f->value.n);

		if (!p)
			return false;
		memcpy(p, f->name, name);
		p[name] = '=';
		memcpy(p + name + 1, f->value.p, f->value.n);
		v[n++] = (struct iovec){ p, name + 1 + f->value.n };
	}
	return sd_journal_sendv(v, n) >= 0;
}

/* ---- lines on standard output ---- */

static bool put(struct buf *line)
{
	bool ok = !line->error && fwrite(line->p, 1, line->n, stdout) == line->n && fflush(stdout) == 0;

	buf_done(line);
	return ok;
}

static void add_time(struct buf *out, const char *format)
{
	struct timespec now;
	struct tm tm;
	char text[64];

	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &tm);
	buf_add(out, text, strftime(text, sizeof(text), format, &tm));
}

static const char *colour_of(int priority)
{
	return priority <= 3 ? "\033[1;31m" : priority == 4 ? "\033[1;33m" : priority == 5 ? "\033[1m" : "\033[32m";
}

/* Text of a tenant may hold terminal controls: nothing but printable characters reaches the terminal. */
static void add_printable(struct buf *out, str s)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		bool c1 = c == 0xC2 && i + 1 < s.n && (unsigned char)s.p[i + 1] < 0xA0;

		if (c == '\n')
			buf_add_cstr(out, "\n    ");
		else if (c1)
			buf_printf(out, "\\u%04x", (unsigned char)s.p[++i]);
		else if (c < 0x20 || c == 0x7F)
			buf_printf(out, "\\x%02x", c);
		else
			buf_add_byte(out, (char)c);
	}
}

static bool write_text(const struct sink *s, const struct record *r)
{
	struct buf line = BUF_INIT(LINE_MAX_BYTES);

	add_time(&line, "%H:%M:%S ");
	if (s->colour)
		buf_add_cstr(&line, colour_of(r->priority));
	add_printable(&line, r->text);
	if (s->colour)
		buf_add_cstr(&line, "\033[0m");
	if (r->details.n) {
		buf_add_cstr(&line, "\n    ");
		add_printable(&line, r->details);
	}
	buf_add_byte(&line, '\n');
	return put(&line);
}

static bool first_of_name(const struct record *r, size_t i)
{
	for (size_t j = 0; j < i; j++) {
		if (strcmp(r->fields[j].name, r->fields[i].name) == 0)
			return false;
	}
	return true;
}

/* A field that occurs several times becomes an array, as in journalctl -o json. */
static void add_json_field(struct buf *line, const struct record *r, size_t i)
{
	const char *name = r->fields[i].name;
	size_t count = 0;

	for (size_t j = i; j < r->n_fields; j++)
		count += strcmp(r->fields[j].name, name) == 0;
	buf_printf(line, ",\"%s\":%s", name, count > 1 ? "[" : "");
	for (size_t j = i, k = 0; j < r->n_fields; j++) {
		if (strcmp(r->fields[j].name, name) != 0)
			continue;
		if (k++ > 0)
			buf_add_byte(line, ',');
		json_encode_string(r->fields[j].value, JSON_PLAIN, line);
	}
	if (count > 1)
		buf_add_byte(line, ']');
}

static bool write_json(const struct record *r)
{
	struct buf line = BUF_INIT(LINE_MAX_BYTES);
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	buf_printf(&line, "{\"__REALTIME_TIMESTAMP\":\"%lld\",\"MESSAGE\":",
		   (long long)now.tv_sec * 1000000 + now.tv_nsec / 1000);
	json_encode_string(r->text, JSON_PLAIN, &line);
	buf_printf(&line, ",\"MESSAGE_ID\":\"%s\",\"PRIORITY\":\"%d\",\"SYSLOG_IDENTIFIER\":\"driftd\"",
		   message_id(r->message), r->priority);
	for (size_t i = 0; i < r->n_fields; i++) {
		if (first_of_name(r, i))
			add_json_field(&line, r, i);
	}
	buf_add_cstr(&line, "}\n");
	return put(&line);
}

void sink_write(struct sink *s, const struct record *r)
{
	bool ok;

	switch (s->output) {
	case CFG_OUTPUT_JOURNAL:
		ok = write_journal(r);
		break;
	case CFG_OUTPUT_JSON:
		ok = write_json(r);
		break;
	default:
		ok = write_text(s, r);
	}
	s->counters.records[r->priority & 7]++;
	s->counters.write_failures += !ok;
}

const struct sink_counters *sink_counters(const struct sink *s)
{
	return &s->counters;
}
