/* Stores the choice of a revision as JSON, in a file of its own. */
#include "config/source_choice.h"

#include "base/assert.h"
#include "config/source_request.h"
#include "config/source_write.h"
#include "value/json.h"
#include "value/json_out.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define CHOICE_MAX ((size_t)64 << 10)

static void set_id(char to[SOURCE_ID_SIZE], str id)
{
	bool good = source_id_is_good(id);

	if (good)
		memcpy(to, id.p, id.n);
	to[good ? id.n : 0] = '\0';
}

void source_choice_take(struct source_choice *c, str id)
{
	char was[SOURCE_ID_SIZE];
	size_t keep = 0;

	ASSERT(c->n_before <= SOURCE_BEFORE_MAX);
	memcpy(was, c->in_force, sizeof(was));
	set_id(c->in_force, id);
	for (size_t i = 0; i < c->n_before; i++) {
		if (strcmp(c->before[i], was) != 0 && strcmp(c->before[i], c->in_force) != 0)
			memmove(c->before[keep++], c->before[i], SOURCE_ID_SIZE);
	}
	c->n_before = keep;
	if (!*was || strcmp(was, c->in_force) == 0)
		return;
	c->n_before += c->n_before < SOURCE_BEFORE_MAX;
	memmove(c->before[1], c->before[0], (c->n_before - 1) * SOURCE_ID_SIZE);
	memcpy(c->before[0], was, SOURCE_ID_SIZE);
}

bool source_choice_equal(const struct source_choice *a, const struct source_choice *b)
{
	bool equal = strcmp(a->in_force, b->in_force) == 0 && strcmp(a->refused, b->refused) == 0 &&
		     a->pinned == b->pinned && a->held == b->held && a->lost == b->lost && a->n_before == b->n_before;

	for (size_t i = 0; equal && i < a->n_before; i++)
		equal = strcmp(a->before[i], b->before[i]) == 0;
	return equal;
}

void source_choice_path(const char *state_dir, str name, struct buf *out)
{
	buf_printf(out, "%s/references/%.*s.json", state_dir, STR_ARG(name));
}

static int read_choice(str text, struct source_choice *ret, struct err *err)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(1 << 20);
	struct source_choice c = { 0 };
	val v, before;
	int r = json_decode_value(text, JSON_DEFAULTS, &a, &v, NULL, err);

	if (r < 0)
		return r;
	set_id(c.in_force, val_str(VAL_GET(v, "inForce")));
	if (VAL_GET(v, "pinned").kind != VAL_BOOL || (val_str(VAL_GET(v, "inForce")).n && !*c.in_force))
		return err_set(err, EINVAL, "it does not say which revision is in force");
	set_id(c.refused, val_str(VAL_GET(v, "refused")));
	c.held = val_is_true(VAL_GET(v, "held"));
	c.lost = val_is_true(VAL_GET(v, "lost"));
	c.pinned = val_is_true(VAL_GET(v, "pinned"));
	before = VAL_GET(v, "before");
	for (uint32_t i = 0; val_is_list(before) && i < val_count(before) && c.n_before < SOURCE_BEFORE_MAX; i++) {
		set_id(c.before[c.n_before], val_str(val_at(before, i)));
		c.n_before += *c.before[c.n_before] != '\0';
	}
	*ret = c;
	return 0;
}

static int load_kept(const char *state_dir, str name, struct source_choice *ret, struct err *err)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(4096);
	CLEANUP(freep) char *text = NULL;
	size_t n;
	int r;

	source_choice_path(state_dir, name, &path);
	r = source_store_read(state_dir, &path, CHOICE_MAX, &text, &n, err);
	return r < 0 ? r : read_choice((str){ text, n }, ret, err);
}

/* Load the choice from the last request to driftd-fetch, which names the revision in force at that time. Return
 * false if it does not. */
static bool load_asked(const char *state_dir, str name, struct source_choice *ret)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(4096);
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	CLEANUP(freep) char *text = NULL;
	struct source_request asked;
	struct err err;
	size_t n;

	buf_printf(&path, "%s/" SOURCE_REQUEST_FILE, state_dir);
	if (source_store_read(state_dir, &path, SOURCE_REQUEST_MAX, &text, &n, &err) < 0 ||
	    source_request_read((str){ text, n }, &a, &asked, &err) < 0)
		return false;
	*ret = (struct source_choice){ .lost = true };
	for (size_t i = 0; i < asked.n; i++) {
		if (str_eq(asked.wishes[i].source.name, name))
			set_id(ret->in_force, asked.wishes[i].in_force);
	}
	return *ret->in_force != '\0';
}

int source_choice_load(const char *state_dir, str name, struct source_choice *ret, struct err *err)
{
	int r = load_kept(state_dir, name, ret, err);

	return r < 0 && r != -ENOMEM && load_asked(state_dir, name, ret) ? 0 : r;
}

/* Make the folder of all choices in the state folder, which exists already. */
static int make_folder(const char *state_dir, struct err *err)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(4096);
	int r;

	buf_printf(&path, "%s/references", state_dir);
	r = buf_error(&path, "the path of the state", err);
	if (r == 0 && mkdir(path.p, 0700) < 0 && errno != EEXIST)
		r = err_set(err, errno, "make folder '%s': %s", path.p, strerror(errno));
	return r;
}

int source_choice_save(const char *state_dir, str name, const struct source_choice *c, struct err *err)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(4096), text = BUF_INIT(CHOICE_MAX);
	int r;

	json_open(&text, NULL, '{');
	json_text(&text, "inForce", str_from(c->in_force));
	json_text(&text, "refused", str_from(c->refused));
	json_bool(&text, "held", c->held);
	json_bool(&text, "lost", c->lost);
	json_bool(&text, "pinned", c->pinned);
	json_open(&text, "before", '[');
	for (size_t i = 0; i < c->n_before; i++)
		json_item(&text, str_from(c->before[i]));
	buf_add_cstr(&text, "]}\n");
	source_choice_path(state_dir, name, &path);
	r = buf_error(&text, "which revision is in force", err);
	if (r == 0)
		r = buf_error(&path, "the path of the state", err);
	if (r == 0)
		r = make_folder(state_dir, err);
	return r < 0 ? r : source_write(path.p, 0600, buf_str(&text), err);
}
