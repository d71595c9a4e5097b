/* An output and a journal that do as they are told, and a clock that stands until it is moved: what is sent and what
 * can be read of it. For programs that are linked with a --wrap of each of these. */
#ifndef SUPPORT_FAKE_JOURNAL_H
#define SUPPORT_FAKE_JOURNAL_H

#include "base/strmap.h"
#include "base/vec.h"
#include "daemon/findings/clock.h"
#include "daemon/findings/finding_record.h"
#include "daemon/findings/output.h"
#include "daemon/store/journal/journal_lookup.h"

#include <stdio.h>
#include <string.h>

struct fake_entry {
	char id[RECORD_ID_SIZE], event[24], finding[FINDING_ID_SIZE], message[160];
	bool resent, not_durable, merged;
	int64_t usec;
	str record; /* record_encode */
};

static struct {
	uint64_t now_ms;
	bool is_journal, is_away;                 /* the output is the journal; it cannot be read */
	bool has_no_index;                        /* what it has is met only among the last entries */
	int write_fails, await_fails, look_fails; /* negated codes */
	size_t unread;                            /* of the last entries: they cannot be read yet */
	int64_t reach_usec;
	size_t opened, looks, walks;
	struct arena arena;
	VEC(struct fake_entry) entries;
} fake;

static inline void fake_begin(void)
{
	vec_done(&fake.entries);
	arena_done(&fake.arena);
	memset(&fake, 0, sizeof(fake));
	fake.arena = ARENA_INIT(0);
	fake.is_journal = true;
	fake.now_ms = 100000000;
	clock_set(1000000000 * INT64_C(1000000), fake.now_ms * 1000000);
}

static inline void fake_end(void)
{
	vec_done(&fake.entries);
	arena_done(&fake.arena);
}

/* The wall clock goes on with the steady one. */
static inline void fake_pass(uint64_t ms)
{
	fake.now_ms += ms;
	clock_set(clock_usec() + (int64_t)ms * 1000, fake.now_ms * 1000000);
}

/* The record as if it had been written by somebody. */
static inline void fake_add(const struct record *r)
{
	struct buf bytes = BUF_INIT((size_t)4 << 20);
	struct fake_entry e = { .usec = clock_usec() };
	str finding = record_get(r, "DRIFTD_DRIFT_ID");

	memcpy(e.id, r->id, sizeof(e.id));
	(void)snprintf(e.event, sizeof(e.event), "%.*s", STR_ARG(record_get(r, "DRIFTD_EVENT")));
	(void)snprintf(e.finding, sizeof(e.finding), "%.*s", STR_ARG(finding));
	(void)snprintf(e.message, sizeof(e.message), "%.*s", STR_ARG(r->text));
	e.resent = record_get(r, "DRIFTD_RESENT").n;
	e.not_durable = record_get(r, "DRIFTD_NOT_DURABLE").n;
	e.merged = record_get(r, "DRIFTD_MERGED").n;
	record_encode(r, &bytes);
	e.record = arena_str(&fake.arena, buf_str(&bytes));
	buf_done(&bytes);
	(void)vec_push(&fake.entries, e);
}

/* The last @n that it was given are lost. */
static inline void fake_lose(size_t n)
{
	fake.entries.n -= n;
}

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker's names */
uint64_t __wrap_uv_hrtime(void);
bool __wrap_output_is_the_journal(const struct output *o);
int __wrap_output_await(struct output *o);
int __wrap_output_write(struct output *o, const struct record *r);
struct sd_journal *__wrap_journal_open(void);
struct sd_journal *__wrap_journal_open_with(const char *id);
bool __wrap_journal_can_read(const char *id);
void __wrap_journal_close(struct sd_journal *j);
int __wrap_journal_has(struct sd_journal *j, const char *id);
int __wrap_journal_read_tail(struct sd_journal *j, struct strmap *ids);
int64_t __wrap_journal_reach(struct sd_journal *j, const char *now);
int __wrap_journal_each(struct sd_journal *j, enum journal_order order,
			int (*each)(void *ctx, struct record *r, int64_t usec, struct err *err), void *ctx,
			struct err *err);
void __wrap_journal_boot_id(char ret[33]);

uint64_t __wrap_uv_hrtime(void)
{
	return fake.now_ms * 1000000;
}

bool __wrap_output_is_the_journal(const struct output *o)
{
	(void)o;
	return fake.is_journal;
}

int __wrap_output_await(struct output *o)
{
	(void)o;
	return fake.await_fails;
}

int __wrap_output_write(struct output *o, const struct record *r)
{
	(void)o;
	if (fake.write_fails == 0)
		fake_add(r);
	return fake.write_fails;
}

struct sd_journal *__wrap_journal_open(void)
{
	fake.opened += !fake.is_away;
	return fake.is_away ? NULL : (struct sd_journal *)&fake;
}

void __wrap_journal_close(struct sd_journal *j)
{
	fake.opened -= j != NULL;
}

static inline bool fake_has(const char *id)
{
	for (size_t i = 0; i + fake.unread < fake.entries.n; i++) {
		if (strcmp(fake.entries.p[i].id, id) == 0)
			return true;
	}
	return false;
}

int __wrap_journal_has(struct sd_journal *j, const char *id)
{
	(void)j;
	fake.looks++;
	return fake.look_fails ? fake.look_fails : !fake.has_no_index && fake_has(id);
}

bool __wrap_journal_can_read(const char *id)
{
	return !fake.is_away && fake_has(id);
}

struct sd_journal *__wrap_journal_open_with(const char *id)
{
	return __wrap_journal_can_read(id) ? __wrap_journal_open() : NULL;
}

int __wrap_journal_read_tail(struct sd_journal *j, struct strmap *ids)
{
	(void)j;
	for (size_t i = 0; i + fake.unread < fake.entries.n; i++)
		(void)!strmap_put(ids, str_from(fake.entries.p[i].id), ids, NULL);
	return 0;
}

int64_t __wrap_journal_reach(struct sd_journal *j, const char *now)
{
	(void)j;
	(void)now;
	return fake.reach_usec;
}

int __wrap_journal_each(struct sd_journal *j, enum journal_order order,
			int (*each)(void *ctx, struct record *r, int64_t usec, struct err *err), void *ctx,
			struct err *err)
{
	size_t n = fake.entries.n - fake.unread;
	int status = 0;

	(void)j;
	fake.walks++;
	for (size_t i = 0; status == 0 && i < n; i++) {
		const struct fake_entry *e = &fake.entries.p[order == JOURNAL_LATEST_FIRST ? n - i - 1 : i];
		enum finding_kind kind;
		struct record r;

		status = record_decode(e->record, &r, err);
		if (status == 0 && record_kind(&r, &kind))
			status = each(ctx, &r, e->usec, err);
		record_done(&r);
	}
	return status < 0 ? status : 0;
}

void __wrap_journal_boot_id(char ret[33])
{
	(void)snprintf(ret, 33, "%032d", 7);
}
/* NOLINTEND(bugprone-reserved-identifier) */

#endif
