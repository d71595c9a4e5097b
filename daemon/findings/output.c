/* Writing records in the form that the output has. */
#include "daemon/findings/output.h"

#include "base/printable.h"
#include "daemon/findings/clock.h"
#include "daemon/findings/journal_send.h"
#include "daemon/findings/line_out.h"
#include "daemon/findings/record_hide.h"
#include "mask/credentials.h"
#include "value/json.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-journal.h>
#include <time.h>
#include <unistd.h>

#define JOURNAL_SOCKET "/run/systemd/journal/socket"
#define OUTPUT_WAIT_MS 100

struct output {
	enum cfg_output form;
	bool colour;
	char shard[SHARD_TEXT_SIZE];
	int journal; /* a socket that is connected to the journal's; -1: there is none */
	ino_t inode; /* the inode of the journal's socket */
	struct line_out lines;
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

/* Whether standard output was closed at the start: main.c has then opened something in its place that cannot be
 * written to. */
static bool stdout_is_closed(void)
{
	int flags = fcntl(STDOUT_FILENO, F_GETFL);

	return flags < 0 || (flags & O_ACCMODE) == O_RDONLY;
}

static enum cfg_output form_of(enum cfg_output form)
{
	if (form != CFG_OUTPUT_AUTO)
		return form;
	return output_is_journal() || (stdout_is_closed() && access(JOURNAL_SOCKET, W_OK) == 0) ? CFG_OUTPUT_JOURNAL
												: CFG_OUTPUT_TEXT;
}

int output_check(enum cfg_output form, struct err *err)
{
	if (form_of(form) != CFG_OUTPUT_JOURNAL && stdout_is_closed())
		return err_set(err, EBADF, "records go to standard output, which is closed");
	if (form == CFG_OUTPUT_JOURNAL && access(JOURNAL_SOCKET, W_OK) < 0)
		return err_set(err, ENOENT, "the journal's socket %s: %s", JOURNAL_SOCKET, strerror(errno));
	return 0;
}

bool output_form_is_the_journal(enum cfg_output form)
{
	return form_of(form) == CFG_OUTPUT_JOURNAL;
}

void output_set(struct output *o, enum cfg_output form)
{
	o->form = form_of(form);
}

void output_set_shard(struct output *o, struct shard shard)
{
	(void)shard_text(shard, o->shard);
}

struct output *output_new(enum cfg_output form)
{
	struct output *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->journal = -1;
	o->lines = LINE_OUT_INIT(STDOUT_FILENO);
	o->colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
	output_set(o, form);
	return o;
}

static void disconnect(struct output *o)
{
	if (o->journal >= 0)
		close(o->journal);
	o->journal = -1;
}

void output_free(struct output *o)
{
	if (!o)
		return;
	disconnect(o);
	line_out_done(&o->lines);
	free(o);
}

bool output_is_the_journal(const struct output *o)
{
	return o->form == CFG_OUTPUT_JOURNAL;
}

/* ---- the journal ---- */

static int connect_journal(struct output *o)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = JOURNAL_SOCKET };

	o->journal = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (o->journal >= 0 && connect(o->journal, (struct sockaddr *)&address, sizeof(address)) == 0)
		return 0;
	int code = errno;

	disconnect(o);
	return -code;
}

/* libsystemd reports success when there is no socket, waits without end for a journal that does not read, and gives
 * an entry to whichever journal is there now, even if another journal got the entries before. So driftd has a
 * connection of its own, which shows all this before an entry is sent; everything that fits into a datagram goes
 * over it. A new socket in the old one's place may belong to a new journal, which has not seen what the old journal
 * was given. */
static int await_journal(struct output *o)
{
	struct pollfd ready = { .events = POLLOUT };
	struct stat st;

	if (stat(JOURNAL_SOCKET, &st) < 0)
		return -errno;
	if (o->journal >= 0 && st.st_ino != o->inode) {
		disconnect(o);
		o->inode = st.st_ino;
		return -ESTALE;
	}
	o->inode = st.st_ino;
	if (o->journal < 0) {
		int r = connect_journal(o);

		if (r < 0)
			return r;
	}
	ready.fd = o->journal;
	if (poll(&ready, 1, OUTPUT_WAIT_MS) <= 0)
		return -EAGAIN;
	return 0;
}

/* Whether the output has to say the shard: a record about a shard says it itself. */
static bool says_shard(const struct output *o, const struct record *r)
{
	return o->shard[0] && !record_get(r, "DRIFTD_SHARD").n;
}

/* MESSAGE as people read it in whatever shows journals: no character of it may change the order of the text that is
 * read, or hide some. {NULL, 0} without memory. */
static str message_of(const struct record *r, struct arena *a)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(LINE_OUT_MAX);

	printable_add(&text, r->text, "\n");
	return text.error ? (str){ NULL, 0 } : arena_str(a, buf_str(&text));
}

static int write_journal(struct output *o, const struct record *r)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct iovec v[RECORD_FIELDS_MAX + 6];
	int n = 0, status = await_journal(o);
	str head[6], message = message_of(r, &a);

	if (status < 0)
		return status;
	if (!message.p)
		return -ENOMEM;
	head[0] = arena_printf(&a, "MESSAGE=%.*s", STR_ARG(message));
	head[1] = arena_printf(&a, "MESSAGE_ID=%s", message_id(r->message));
	head[2] = arena_printf(&a, "PRIORITY=%d", r->priority);
	head[3] = STR("SYSLOG_IDENTIFIER=driftd");
	head[4] = arena_printf(&a, "DRIFTD_RECORD_ID=%s", r->id);
	head[5] = arena_printf(&a, "DRIFTD_SHARD=%s", o->shard);
	for (size_t i = 0; i < ARRAY_LEN(head) - !says_shard(o, r); i++) {
		if (!head[i].p)
			return -ENOMEM;
		v[n++] = (struct iovec){ (void *)head[i].p, head[i].n };
	}
	for (size_t i = 0; i < r->n_fields; i++) {
		const struct record_field *f = &r->fields[i];
		size_t name = strlen(f->name);
		char *p = arena_alloc(&a, name + 1 + f->value.n);

		if (!p)
			return -ENOMEM;
		memcpy(p, f->name, name);
		p[name] = '=';
		memcpy(p + name + 1, f->value.p, f->value.n);
		v[n++] = (struct iovec){ p, name + 1 + f->value.n };
	}
	status = journal_send(o->journal, v, (size_t)n);
	if (status == -EMSGSIZE)
		status = sd_journal_sendv(v, n);
	if (status < 0 && status != -EAGAIN)
		disconnect(o);
	return status;
}

/* ---- lines on standard output ---- */

/* Write a line. The whole line is searched for credentials once more, as everything that is printed
 * (daemon/last_exit.h). Then it goes to the descriptor directly: the streams of the C library wait for a reader that
 * does not read, and write a part twice. */
static int put(struct output *o, const struct record *r, struct buf *line)
{
	CLEANUP(buf_done) struct buf space = BUF_INIT(LINE_OUT_MAX);
	str shown = credentials_shown(buf_str(line), &space);
	int status = line->error ? line->error : space.error;

	if (status == 0 && fflush(stdout) != 0)
		status = errno ? -errno : -EIO;
	clearerr(stdout);
	if (status == 0)
		status = line_out_write(&o->lines, shown, r->id);
	buf_done(line);
	return status;
}

static void add_time(struct buf *out, const char *format)
{
	time_t now = (time_t)(clock_usec() / 1000000);
	struct tm tm;
	char text[64];

	localtime_r(&now, &tm);
	buf_add(out, text, strftime(text, sizeof(text), format, &tm));
}

const char *output_colour(int priority)
{
	return priority <= 3 ? "\033[1;31m" : priority == 4 ? "\033[1;33m" : priority == 5 ? "\033[1m" : "\033[32m";
}

static int write_text(struct output *o, const struct record *r)
{
	struct buf line = BUF_INIT(LINE_OUT_MAX);

	add_time(&line, "%H:%M:%S ");
	if (o->colour)
		buf_add_cstr(&line, output_colour(r->priority));
	printable_add(&line, r->text, "\n    ");
	if (o->colour)
		buf_add_cstr(&line, "\033[0m");
	if (r->details.n) {
		buf_add_cstr(&line, "\n    ");
		printable_add(&line, r->details, "\n    ");
	}
	buf_add_byte(&line, '\n');
	return put(o, r, &line);
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

static int write_json(struct output *o, const struct record *r)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct buf line = BUF_INIT(LINE_OUT_MAX);
	str message = message_of(r, &a);

	if (!message.p)
		return -ENOMEM;
	buf_printf(&line, "{\"__REALTIME_TIMESTAMP\":\"%lld\",\"MESSAGE\":", (long long)clock_usec());
	json_encode_string(message, JSON_PLAIN, &line);
	buf_printf(&line,
		   ",\"MESSAGE_ID\":\"%s\",\"PRIORITY\":\"%d\",\"SYSLOG_IDENTIFIER\":\"driftd\","
		   "\"DRIFTD_RECORD_ID\":\"%s\"",
		   message_id(r->message), r->priority, r->id);
	if (says_shard(o, r))
		buf_printf(&line, ",\"DRIFTD_SHARD\":\"%s\"", o->shard);
	for (size_t i = 0; i < r->n_fields; i++) {
		if (first_of_name(r, i))
			add_json_field(&line, r, i);
	}
	buf_add_cstr(&line, "}\n");
	return put(o, r, &line);
}

int output_await(struct output *o)
{
	return output_is_the_journal(o) ? await_journal(o) : 0;
}

static int write_shown(struct output *o, const struct record *r)
{
	switch (o->form) {
	case CFG_OUTPUT_JOURNAL:
		return write_journal(o, r);
	case CFG_OUTPUT_JSON:
		return write_json(o, r);
	default:
		return write_text(o, r);
	}
}

/* Credentials are searched for once more: an earlier version may have kept the record, or the credential was not
 * known when it was kept. */
int output_write(struct output *o, const struct record *r)
{
	struct record space;
	int status = write_shown(o, record_hide(r, &space));

	record_done(&space);
	return status;
}
