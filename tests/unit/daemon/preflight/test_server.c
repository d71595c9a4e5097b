/* What is found out about a server before a start: tests/data/preflight/triples. The program is the configuration
 * and, behind "---", its rules.yaml; the input is what the server answers (support/answers.h), and "user: ..." the
 * entry of the kubeconfig. Of its only cluster, c, the rows come out. */
#include "daemon/preflight/checks.h"
#include "daemon/preflight/server.h"

#include "base/number.h"
#include "support/answers.h"
#include "support/triples.h"

#include <openssl/evp.h>
#include <time.h>

/* ---- a folder with the configuration ---- */

/* Both files of the configuration. */
static void write_config(const char *folder, str program)
{
	static const str mark = { "\n---\n", 5 };
	ptrdiff_t at = str_find(program, mark);
	size_t n = at < 0 ? program.n : (size_t)at + 1;

	answers_file(folder, "driftd.yaml", str_sub(program, 0, n));
	if (at >= 0)
		answers_file(folder, "rules.yaml", str_sub(program, (size_t)at + mark.n, program.n));
}

static const char *token_that_ends(int64_t in_s, struct arena *a)
{
	unsigned char text[128];
	char claims[64];
	int n = snprintf(claims, sizeof(claims), "{\"exp\":%lld}", (long long)time(NULL) + in_s);

	n = EVP_EncodeBlock(text, (const unsigned char *)claims, n);
	while (n && text[n - 1] == '=')
		n--;
	return arena_printf(a, "{token: e30.%.*s.c2ln}", n, (const char *)text).p;
}

static const char *user_of(str input, struct arena *a)
{
	static const str mark = { "user: ", 6 };
	int64_t in_s;
	str line;

	while (str_next_part(&input, '\n', &line)) {
		if (!str_has_prefix(line, mark))
			continue;
		line = str_sub(line, mark.n, line.n);
		return int64_parse(line, &in_s) ? token_that_ends(in_s, a) : arena_str(a, line).p;
	}
	return "{token: t}";
}

/* ---- what comes of it ---- */

/* What is another one each time is left out: the server's address, the folder, and days. */
static void print_text(str text, unsigned port, const char *folder, struct buf *out)
{
	char server[64];
	const char *left_out[] = { server, folder, "20" };

	(void)snprintf(server, sizeof(server), "https://127.0.0.1:%u", port);
	while (text.n) {
		size_t n = 0;

		for (size_t i = 0; i < ARRAY_LEN(left_out) && !n; i++)
			n = str_has_prefix(text, str_from(left_out[i])) ? strlen(left_out[i]) : 0;
		if (n == 2)
			return;
		if (!n)
			buf_add_byte(out, text.p[0]);
		text = str_sub(text, n ? n : 1, text.n);
	}
}

static void print(const struct checks *c, unsigned port, const char *folder, struct buf *out)
{
	static const char *const results[] = { "ok", "warning", "FAILED" };

	for (size_t i = 0; i < c->rows.n; i++) {
		const struct check_row *row = &c->rows.p[i];

		ASSERT(str_eq(row->cluster, STR("c")));
		buf_printf(out, "%s %.*s: ", results[row->result], STR_ARG(row->what));
		print_text(row->detail, port, folder, out);
		buf_add_byte(out, '\n');
	}
	buf_printf(out, "%zu failed, %zu denied%s\n", c->n_failed, c->n_denied, c->no_memory ? ", no memory" : "");
}

static void check(const struct cfg *cfg, const struct limits *limits, struct key_table *keys, struct checks *out)
{
	struct server *s;
	uv_loop_t loop;
	struct err err;

	ASSERT(uv_loop_init(&loop) == 0);
	s = server_new(&loop, cfg, &cfg->clusters[0], limits, keys, out);
	ASSERT(s && server_check(s, &err) == 0);
	server_close(s);
	(void)uv_run(&loop, UV_RUN_DEFAULT);
	ASSERT(uv_loop_close(&loop) == 0);
	checks_sort(out);
}

static int run_server(const struct triple *t, struct arena *a, struct buf *out)
{
	const struct limits limits = LIMITS_DEFAULT;
	CLEANUP(checks_done) struct checks checks = { 0 };
	CLEANUP(cfg_unrefp) struct cfg *cfg = NULL;
	CLEANUP(key_table_freep) struct key_table *keys = key_table_new();
	char folder[] = "/tmp/preflight-XXXXXX", path[64];
	const char *file = path;
	struct problems problems = { 0 };
	struct answers server;
	struct err err;

	ASSERT(keys && mkdtemp(folder));
	(void)snprintf(path, sizeof(path), "%s/driftd.yaml", folder);
	write_config(folder, t->program);
	answers_begin(&server, t->input);
	answers_kubeconfig(&server, folder, user_of(t->input, a));
	if (cfg_load(&file, 1, &limits, keys, &cfg, &problems, &err) < 0) {
		fprintf(stderr, "%s: %s\n", err.msg, problems_text(&problems));
		abort();
	}
	check(cfg, &limits, keys, &checks);
	print(&checks, server.port, folder, out);
	answers_end(&server);
	answers_remove(folder);
	return 0;
}

static const struct triple_file files[] = {
	{ "server", run_server },
};

int main(void)
{
	return triples_main(TEST_DATA "/preflight/triples", files, ARRAY_LEN(files));
}
