/* Lists in pages, tables and watch-list form. */
#include "list.h"

#include "endless.h"
#include "piece.h"
#include "route.h"

#include "base/strmap.h"

#include <errno.h>
#include <inttypes.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <zlib.h>

#define GZIP_INPUT ((size_t)64 << 10)
#define TOKEN_MAX 700

void rev_list_done(rev_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		rev_unref(list->p[i]);
	vec_done(list);
}

int parse_version(const char *text, uint64_t *ret, struct refusal *refusal)
{
	char *end;

	*ret = 0;
	if (!text || !*text)
		return 0;
	errno = 0;
	*ret = strtoull(text, &end, 10);
	if (*end || errno || text[0] < '0' || text[0] > '9')
		return refuse(refusal, 400, "BadRequest", "resourceVersion: Invalid value: \"%s\": must be a number",
			      text);
	return 0;
}

/* --- the objects at a version --- */

/* What changed since @rv: for each key its state at @rv (NULL: was not there). The oldest event above @rv tells. */
static bool undo_since(const struct table *t, uint64_t rv, struct strmap *undo)
{
	uint64_t first = table_number_after(t, rv);

	for (uint64_t i = t->newest; i-- > first;) {
		const struct event *e = table_event(t, i);

		if (!strmap_put(undo, e->cur->key, e->prev, NULL))
			return false;
	}
	return true;
}

static bool in_scope(const struct list_query *q, str key)
{
	if (q->ns.n && !(str_has_prefix(key, q->ns) && key.n > q->ns.n && key.p[q->ns.n] == '/'))
		return false;
	return q->after.n == 0 || str_cmp(key, q->after) > 0;
}

static int by_key(const void *a, const void *b)
{
	const struct rev *const *x = a, *const *y = b;

	return str_cmp((*x)->key, (*y)->key);
}

typedef VEC(struct rev *) candidate_list; /* borrowed */

/* All objects in scope at q->rv, in key order. */
static bool candidates(const struct table *t, const struct list_query *q, struct strmap *undo, candidate_list *out)
{
	const struct strmap_entry *e;
	bool added = false;
	size_t at = 0;
	str from = q->after.n ? q->after : q->ns;

	if (!undo_since(t, q->rv, undo))
		return false;
	for (const struct object *o = table_seek(t, from); o; o = o->next[0]) {
		struct rev *rev = o->rev;

		if (q->ns.n && !str_has_prefix(rev->key, q->ns))
			break;
		if (undo->n && strmap_has(undo, rev->key))
			continue;
		if (in_scope(q, rev->key) && !vec_push(out, rev))
			return false;
	}
	while ((e = strmap_each(undo, &at))) {
		struct rev *rev = e->value;

		if (!rev || !in_scope(q, rev->key))
			continue;
		if (!vec_push(out, rev))
			return false;
		added = true;
	}
	if (added)
		qsort(out->p, out->n, sizeof(out->p[0]), by_key);
	return true;
}

int list_collect(const struct resource *res, const struct list_query *q, rev_list *ret, size_t *remaining)
{
	struct strmap undo = { 0 };
	candidate_list all = { 0 };
	bool ok = candidates(&res->table, q, &undo, &all);
	size_t i = 0;

	for (; ok && i < all.n && (q->limit == 0 || ret->n < q->limit); i++) {
		if (!selector_matches(q->selector, all.p[i]))
			continue;
		ok = vec_push(ret, all.p[i]);
		if (ok)
			(void)rev_ref(all.p[i]);
	}
	if (remaining)
		*remaining = ok ? all.n - i : 0;
	vec_done(&all);
	strmap_done(&undo);
	return ok ? 0 : -ENOMEM;
}

/* --- continue tokens: base64url of {"v", "rv", "start", "epoch"} --- */

/* Of tokens that are good for nothing but the fault that gave them out: expired at once. */
#define NO_EPOCH ((uint64_t)INT64_MAX)

static void token_encode(uint64_t rv, str start, uint64_t epoch, char *to)
{
	unsigned char json[TOKEN_MAX / 4 * 3];
	int n = snprintf((char *)json, sizeof(json),
			 "{\"v\":\"meta.k8s.io/v1\",\"rv\":%" PRIu64 ",\"epoch\":%" PRIu64 ",\"start\":\"%.*s\"}", rv,
			 epoch, STR_ARG(start));

	*to = '\0';
	if (n < 0 || (size_t)n >= sizeof(json))
		return;
	EVP_EncodeBlock((unsigned char *)to, json, n);
	for (char *p = to; *p; p++)
		*p = *p == '+' ? '-' : *p == '/' ? '_' : *p;
	to[strcspn(to, "=")] = '\0';
}

static json_t *token_decode(const char *token)
{
	unsigned char text[TOKEN_MAX + 4], json[TOKEN_MAX + 4];
	size_t n = strlen(token);
	int out;

	if (n > TOKEN_MAX)
		return NULL;
	for (size_t i = 0; i < n; i++)
		text[i] = (unsigned char)(token[i] == '-' ? '+' : token[i] == '_' ? '/' : token[i]);
	while (n % 4)
		text[n++] = '=';
	out = EVP_DecodeBlock(json, text, (int)n);
	return out < 0 ? NULL : json_loadb((char *)json, (size_t)out, JSON_DISABLE_EOF_CHECK, NULL);
}

/* --- sending a list --- */

struct list_body {
	struct sim *sim;
	struct resource *res;
	char alt_head[336]; /* replaces the text up to rev.version_end; empty: the stored version */
	rev_list items;
	size_t at; /* 0: before the head; i: item i - 1 was started; items.n + 1: the tail was started */
	char *head;
	char *given;     /* NULL, or the text to send for one item */
	size_t given_at; /* its place */
	struct piece piece;
	bool gzip, finished;
	z_stream z;
	char input[GZIP_INPUT];
};

static const char list_tail[] = "]}\n";

static void body_free(void *cls)
{
	struct list_body *b = cls;

	if (b->gzip)
		deflateEnd(&b->z);
	piece_done(&b->piece);
	rev_list_done(&b->items);
	resource_unref(b->res);
	free(b->head);
	free(b->given);
	free(b);
}

/* The items of a built-in list carry neither apiVersion nor kind, as the real server's; custom resources do. */
static void item_slices(const struct list_body *b, size_t at, struct piece *p)
{
	const struct rev *rev = b->items.p[at];

	if (at > 0)
		piece_add(p, STR(","));
	if (b->given && at == b->given_at) {
		piece_add(p, str_from(b->given));
		return;
	}
	if (!b->res->custom) {
		piece_add(p, STR("{"));
		piece_add(p, str_sub(rev->text, rev->kind_end + 1, rev->text.n));
		return;
	}
	piece_add(p, str_from(b->alt_head));
	piece_add(p, *b->alt_head ? str_sub(rev->text, rev->version_end, rev->text.n) : rev->text);
}

static bool next_piece(struct list_body *b)
{
	if (b->at == b->items.n + 2)
		return false;
	if (b->at == 0)
		piece_add(&b->piece, str_from(b->head));
	else if (b->at == b->items.n + 1)
		piece_add(&b->piece, str_from(list_tail));
	else
		item_slices(b, b->at - 1, &b->piece);
	b->at++;
	return true;
}

static uint64_t body_size(const struct list_body *b)
{
	uint64_t n = strlen(b->head) + strlen(list_tail);

	for (size_t i = 0; i < b->items.n; i++) {
		struct piece p = { 0 };

		item_slices(b, i, &p);
		for (unsigned s = 0; s < p.n; s++)
			n += p.slices[s].n;
	}
	return n;
}

static size_t read_plain(struct list_body *b, char *to, size_t max)
{
	size_t n = 0;

	while (n < max && (piece_pending(&b->piece) || next_piece(b)))
		n += piece_take(&b->piece, to + n, max - n);
	b->sim->stats.list_bytes += n;
	return n;
}

static ssize_t read_gzip(struct list_body *b, char *to, size_t max)
{
	b->z.next_out = (Bytef *)to;
	b->z.avail_out = max > UINT32_MAX ? UINT32_MAX : (uInt)max;
	max = b->z.avail_out;
	while (b->z.avail_out > 0 && !b->finished) {
		int r;

		if (b->z.avail_in == 0) {
			b->z.next_in = (Bytef *)b->input;
			b->z.avail_in = (uInt)read_plain(b, b->input, sizeof(b->input));
		}
		r = deflate(&b->z, b->z.avail_in == 0 ? Z_FINISH : Z_NO_FLUSH);
		if (r == Z_STREAM_END)
			b->finished = true;
		else if (r != Z_OK && r != Z_BUF_ERROR)
			return (ssize_t)MHD_CONTENT_READER_END_WITH_ERROR;
	}
	if (b->z.avail_out == max)
		return (ssize_t)MHD_CONTENT_READER_END_OF_STREAM;
	return (ssize_t)(max - b->z.avail_out);
}

static ssize_t read_body(void *cls, uint64_t pos, char *to, size_t max)
{
	struct list_body *b = cls;
	size_t n;

	(void)pos;
	if (b->gzip)
		return read_gzip(b, to, max);
	n = read_plain(b, to, max);
	return n ? (ssize_t)n : (ssize_t)MHD_CONTENT_READER_END_OF_STREAM;
}

static enum MHD_Result send_list(struct request *req, struct list_body *b)
{
	uint64_t size = body_size(b);
	struct MHD_Response *response;
	enum MHD_Result r;

	b->gzip = size >= req->sim->opt.gzip_min && http_accepts_gzip(req) &&
		  deflateInit2(&b->z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK;
	response = body_response(req, b->gzip ? MHD_SIZE_UNKNOWN : size, read_body, b, body_free);
	if (!response) {
		body_free(b);
		return MHD_NO;
	}
	MHD_add_response_header(response, "Content-Type", "application/json");
	MHD_add_response_header(response, "Cache-Control", "no-cache, private");
	if (b->gzip)
		MHD_add_response_header(response, "Content-Encoding", "gzip");
	r = MHD_queue_response(req->conn, 200, response);
	MHD_destroy_response(response);
	return r;
}

/* --- the request --- */

struct list_request {
	struct selector selector;
	struct list_query query;
	json_t *token;
	bool inconsistent;     /* the continuation shows the present, not the version of the first page */
	enum fault_kind fault; /* FAULT_KINDS: none */
};

static int read_token(struct request *req, const char *text, struct list_request *l, struct refusal *refusal)
{
	const struct table *t = &req->res->table;
	const char *start;
	uint64_t rv, epoch;

	l->token = token_decode(text);
	start = json_string_value(json_object_get(l->token, "start"));
	if (!start)
		return refuse(refusal, 400, "BadRequest", "continue key is not valid: \"%.200s\"", text);
	rv = (uint64_t)json_integer_value(json_object_get(l->token, "rv"));
	epoch = (uint64_t)json_integer_value(json_object_get(l->token, "epoch"));
	l->query.after = str_from(start);
	l->query.rv = rv ? rv : req->sim->rv;
	l->inconsistent = rv == 0;
	if (rv == 0 || (rv >= t->window_rv && epoch == req->sim->continue_epoch))
		return 0;
	(void)refuse(
		refusal, 410, "Expired",
		"the continue token is too old for a consistent list: start again without it, or go on with the token "
		"of this answer and accept an inconsistent list");
	token_encode(0, l->query.after, req->sim->continue_epoch, refusal->token);
	return -1;
}

/* Which version the list shows, by the parameters resourceVersion and resourceVersionMatch. */
static int read_version(struct request *req, struct list_request *l, struct refusal *refusal)
{
	const char *text = http_query(req, "resourceVersion"), *match = http_query(req, "resourceVersionMatch");
	uint64_t rv;

	if (parse_version(text, &rv, refusal) < 0)
		return -1;
	if (match && *match && (!text || !*text))
		return refuse_invalid(
			refusal, req->res, NULL, "resourceVersionMatch",
			"Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided");
	if (match && *match && strcmp(match, "Exact") != 0 && strcmp(match, "NotOlderThan") != 0)
		return refuse_invalid(refusal, req->res, NULL, "resourceVersionMatch", "Unsupported value: \"%s\"",
				      match);
	l->query.rv = req->sim->rv;
	if (rv == 0)
		return 0;
	if (rv > req->sim->rv)
		return refuse_future(refusal, rv, req->sim->rv);
	/* Without a match, a limit makes the version exact. */
	if (match && *match ? strcmp(match, "Exact") != 0 : l->query.limit == 0)
		return 0;
	if (rv < req->res->table.window_rv)
		return refuse(refusal, 410, "Expired", "The resourceVersion for the provided list is too old.");
	l->query.rv = rv;
	return 0;
}

static int read_request(struct request *req, struct list_request *l, struct refusal *refusal)
{
	const char *limit = http_query(req, "limit"), *token = http_query(req, "continue");
	const char *version = http_query(req, "resourceVersion");
	char *end;

	l->fault = req->fault ? req->fault->kind : FAULT_KINDS;
	if (l->fault == FAULT_REPEAT || l->fault == FAULT_ENDLESS)
		token = NULL;
	l->query.selector = &l->selector;
	l->query.ns = str_from(req->ns ? req->ns : "");
	if (limit && *limit) {
		l->query.limit = strtoull(limit, &end, 10);
		if (*end || *limit == '-')
			return refuse(refusal, 400, "BadRequest", "limit: Invalid value: \"%s\"", limit);
	}
	if (selector_parse(http_query(req, "labelSelector"), http_query(req, "fieldSelector"), &l->selector, refusal) <
	    0)
		return -1;
	if (!token || !*token)
		return read_version(req, l, refusal);
	if (version && *version && strcmp(version, "0") != 0)
		return refuse(refusal, 400, "BadRequest",
			      "specifying resource version is not allowed when using continue");
	return read_token(req, token, l, refusal);
}

/* The token for what comes behind @items; false when nothing does. */
static bool next_token(const struct request *req, const struct list_request *l, const rev_list *items, size_t remaining,
		       char to[TOKEN_MAX + 8])
{
	str last = items->n ? items->p[items->n - 1]->key : STR("");

	if (l->fault == FAULT_REPEAT)
		token_encode(1, STR("again"), NO_EPOCH, to);
	else if (l->fault == FAULT_ENDLESS)
		token_encode(1, last, NO_EPOCH, to);
	else if (remaining)
		token_encode(l->inconsistent ? 0 : l->query.rv, last, req->sim->continue_epoch, to);
	else
		return false;
	return true;
}

/* The text before the first item. */
static char *list_head(const struct request *req, const struct list_request *l, const rev_list *items, size_t remaining)
{
	struct buf b = BUF_INIT(4096);
	char gv[320], token[TOKEN_MAX + 8];

	group_version(req->res->group, req->version, gv, sizeof(gv));
	buf_printf(&b, "{\"kind\":\"%s\",\"apiVersion\":\"%s\",\"metadata\":{\"resourceVersion\":\"%" PRIu64 "\"",
		   req->res->list_kind, gv, l->query.rv);
	if (next_token(req, l, items, remaining, token))
		buf_printf(&b, ",\"continue\":\"%s\"", token);
	if (remaining && l->selector.all.n == 0)
		buf_printf(&b, ",\"remainingItemCount\":%zu", remaining);
	buf_add_cstr(&b, "},\"items\":[");
	return buf_steal(&b);
}

static int collect(struct request *req, struct list_request *l, rev_list *ret, size_t *remaining)
{
	if (l->fault == FAULT_ENDLESS)
		return endless_page(req, l->query.limit, ret);
	return list_collect(req->res, &l->query, ret, remaining);
}

static struct list_body *make_body(struct request *req, struct list_request *l)
{
	struct list_body *b = calloc(1, sizeof(*b));
	bool given = l->fault == FAULT_ITEM;
	size_t remaining = 0;
	char gv[320];

	if (!b)
		return NULL;
	b->sim = req->sim;
	b->res = resource_ref(req->res);
	group_version(req->res->group, req->version, gv, sizeof(gv));
	if (strcmp(gv, req->res->api_version) != 0)
		(void)snprintf(b->alt_head, sizeof(b->alt_head), "{\"apiVersion\":\"%s\"", gv);
	if (given) {
		b->given = str_dup(str_from(req->fault->text));
		b->given_at = req->fault->at;
	}
	if (collect(req, l, &b->items, &remaining) == 0)
		b->head = list_head(req, l, &b->items, l->query.limit && b->items.n ? remaining : 0);
	if (b->head && (!given || b->given))
		return b;
	body_free(b);
	return NULL;
}

enum MHD_Result list_serve(struct request *req)
{
	struct list_request l = { 0 };
	struct refusal refusal;
	struct list_body *body = NULL;
	int r = read_request(req, &l, &refusal);

	if (r == 0)
		body = make_body(req, &l);
	if (r == 0 && !body)
		r = refuse_nomem(&refusal);
	selector_done(&l.selector);
	json_decref(l.token);
	return r < 0 ? http_refusal(req, &refusal) : send_list(req, body);
}
