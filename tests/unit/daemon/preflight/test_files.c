/* Which files a configuration needs, and what is said of those that cannot be read or run. Whoever runs this may be
 * root, who can read anything: a file that cannot be read is one that is not there. */
#include "daemon/preflight/files.h"

#include "rules/rule_file.h"
#include "support/edited_file.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/driftd-files-XXXXXX"; /* PrivateTmp=yes hides it from the service */

static void put(const char *name, mode_t mode, const char *text)
{
	edited_file_put(&(struct edited_file){ name, text }, NULL, NULL);
	assert_int_equal(chmod(name, mode), 0);
}

static int enter_folder(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	return chdir(folder);
}

static int leave_folder(void **state)
{
	char command[64];

	(void)state;
	(void)snprintf(command, sizeof(command), "rm -rf %s", folder);
	return chdir("/") < 0 || system(command) != 0;
}

/* ---- which there are ---- */

static const char kubeconfig[] = "current-context: main\n"
				 "clusters: [{name: c, cluster: {server: \"https://h\", certificate-authority: ca}}]\n"
				 "contexts: [{name: main, context: {cluster: c, user: u}}]\n";

static void add_line(struct buf *out, const struct file_to_check *x)
{
	const char *path = strrchr(x->path, '/');

	buf_printf(out, "%.*s|%s|%s%s%s%s\n", STR_ARG(x->cluster), x->what, path ? path + 1 : x->path,
		   x->run ? "|run" : "", x->maybe ? "|maybe" : "", x->found ? "" : "|not found");
}

static void expect_gathered(const struct cfg *cfg, const char *web, const char *expected)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1 << 16);
	struct files f;
	struct err err;

	assert_int_equal(files_gather(cfg, "driftd.yaml", web, &f, &err), 0);
	for (size_t i = 0; i < f.list.n; i++)
		add_line(&out, &f.list.p[i]);
	files_done(&f);
	assert_string_equal(buf_str(&out).p, expected);
}

static void test_gather(void **state)
{
	const struct cfg_reference references[] = {
		{ .path = STR("metadata.yaml") },
		{ .manifests.path = STR("deployed") },
		{ .path = STR("published"), .published.source.kind = SOURCE_GIT },
		{ .helm.given = true },
	};
	const struct cfg_event_rules event_rules[] = { { .path = STR("scaling.yaml") } };
	struct rule_file file = { .path = "rules.yaml" }, of_settings = { 0 };
	struct rule_file *const rule_files[] = { &file, &of_settings };
	const struct cfg_cluster clusters[] = { { .name = STR("token"), .kubeconfig = STR("token.yaml") },
						{ .name = STR("cert"), .kubeconfig = STR("cert.yaml") },
						{ .name = STR("env") } };
	const struct cfg cfg = {
		.references = references,
		.n_references = ARRAY_LEN(references),
		.event_rules = event_rules,
		.n_event_rules = ARRAY_LEN(event_rules),
		.rule_files = rule_files,
		.n_rule_files = ARRAY_LEN(rule_files),
		.inspection.built_in = STR("built-in.yaml"),
		.clusters = clusters,
		.n_clusters = ARRAY_LEN(clusters),
		.leader = { .ca_file = STR("l1"),
			    .cert_file = STR("l2"),
			    .key_file = STR("l3"),
			    .password_file = STR("l4"),
			    .hash_key_file = STR("l5") },
		.alertmanager = { .ca_file = STR("a1"), .bearer_token_file = STR("a5") },
	};
	char text[512];

	(void)state;
	put("driftd.yaml", 0644, "");
	assert_int_equal(mkdir("conf.d", 0755), 0);
	put("conf.d/more.yaml", 0644, "");
	(void)snprintf(text, sizeof(text), "%susers: [{name: u, user: {tokenFile: token}}]\n", kubeconfig);
	put("token.yaml", 0644, text);
	(void)snprintf(text, sizeof(text), "%susers: [{name: u, user: {client-certificate: crt, client-key: key}}]\n",
		       kubeconfig);
	put("cert.yaml", 0644, text);
	(void)snprintf(text, sizeof(text),
		       "%susers: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: plug, "
		       "interactiveMode: Never}}}]\n",
		       kubeconfig);
	put("exec.yaml", 0644, text);
	assert_int_equal(setenv("KUBECONFIG", "exec.yaml:absent.yaml", 1), 0);
	expect_gathered(&cfg, "web.yaml",
			"|configuration|driftd.yaml\n"
			"|configuration|more.yaml\n"
			"|reference|metadata.yaml|not found\n"
			"|manifests|deployed|not found\n"
			"|event rules|scaling.yaml|not found\n"
			"|validation rules|rules.yaml|not found\n"
			"|inspection rules|built-in.yaml|not found\n"
			"|certificate authority of etcd|l1|not found\n"
			"|client certificate for etcd|l2|not found\n"
			"|client key for etcd|l3|not found\n"
			"|password for etcd|l4|not found\n"
			"|key of the hashes|l5|not found\n"
			"|certificate authority of Alertmanager|a1|not found\n"
			"|token for Alertmanager|a5|not found\n"
			"|web configuration|web.yaml|not found\n"
			"token|kubeconfig|token.yaml\n"
			"token|certificate authority|ca|not found\n"
			"token|token|token|not found\n"
			"cert|kubeconfig|cert.yaml\n"
			"cert|certificate authority|ca|not found\n"
			"cert|client certificate|crt|not found\n"
			"cert|client key|key|not found\n"
			"env|kubeconfig|exec.yaml|maybe\n"
			"env|kubeconfig|absent.yaml|maybe|not found\n"
			"env|certificate authority|ca|not found\n"
			"env|credential plugin|plug|run|not found\n");
	expect_gathered(&(const struct cfg){ 0 }, NULL,
			"|configuration|driftd.yaml\n"
			"|configuration|more.yaml\n");
}

static void test_gather_fails(void **state)
{
	const struct cfg_cluster clusters[] = { { .name = STR("c"), .kubeconfig = STR("nothing.yaml") },
						{ .name = STR("d"), .kubeconfig = STR("token.yaml") } };
	const struct cfg cfg = { .clusters = clusters, .n_clusters = ARRAY_LEN(clusters) };
	struct files f;
	struct err err;

	(void)state;
	assert_int_equal(files_gather(&cfg, "driftd.yaml", NULL, &f, &err), -ENOENT);
	files_done(&f);
}

/* Modes, owners and where links lead are those before the account changes. */
static void test_found(void **state)
{
	const struct cfg cfg = { .inspection.built_in = STR("link") };
	struct files f;
	struct err err;

	(void)state;
	put("target", 01640, "");
	assert_int_equal(symlink("target", "link"), 0);
	assert_int_equal(files_gather(&cfg, "other.yaml", NULL, &f, &err), 0);
	assert_int_equal(f.list.n, 2);
	assert_false(f.list.p[0].found);
	assert_string_equal(f.list.p[0].real, "other.yaml");
	assert_true(f.list.p[1].found);
	assert_string_equal(f.list.p[1].path, "link");
	assert_string_equal(strrchr(f.list.p[1].real, '/'), "/target");
	assert_int_equal(f.list.p[1].real[0], '/');
	assert_int_equal(f.list.p[1].mode, 01640);
	assert_int_equal(f.list.p[1].owner, geteuid());
	files_done(&f);
}

/* ---- what is said of them ---- */

/* "RESULT DETAIL" of each row; @n files at once. */
static void expect_rows(struct file_to_check *list, size_t n, bool as_service, const char *expected)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1 << 16);
	CLEANUP(checks_done) struct checks rows = { 0 };
	struct files f = { 0 };

	for (size_t i = 0; i < n; i++) {
		list[i].cluster = STR("c");
		list[i].what = "token";
		list[i].real = list[i].real ? list[i].real : list[i].path;
		assert_true(vec_push(&f.list, list[i]));
	}
	files_check(&f, as_service, &rows);
	for (size_t i = 0; i < rows.rows.n; i++) {
		const struct check_row *row = &rows.rows.p[i];

		buf_printf(&out, "%s%.*s %.*s: %.*s", i ? "\n" : "", STR_ARG(row->cluster),
			   row->result == CHECK_FAILED    ? 6
			   : row->result == CHECK_WARNING ? 7
							  : 2,
			   row->result == CHECK_FAILED    ? "failed"
			   : row->result == CHECK_WARNING ? "warning"
							  : "ok",
			   STR_ARG(row->detail));
	}
	files_done(&f);
	if (!strstr(buf_str(&out).p, expected) || strchr(buf_str(&out).p, '\n'))
		fail_msg("'%s' instead of '%s'", buf_str(&out).p, expected);
}

static void test_looked_at(void **state)
{
	static const struct {
		struct file_to_check file;
		const char *expected;
	} cases[] = {
		{ { .path = "readable" }, " ok: 1 file: all can be read" },
		{ { .path = "absent" }, "c failed: absent: " },
		{ { .path = "absent" }, " cannot read it: No such file or directory" },
		{ { .path = "absent", .found = true }, " cannot read it: No such file or directory" },
		{ { .path = "absent", .maybe = true }, " ok: 1 file: all can be read" },
		{ { .path = "readable/x", .maybe = true }, " cannot read it: Not a directory" },
		{ { .path = "./program", .run = true }, " ok: 1 file: all can be read" },
		{ { .path = "./readable", .run = true }, " cannot run it: Permission denied" },
		{ { .path = "./readable", .run = true, .found = true, .owner = 0, .group = 0, .mode = 0640 },
		  " cannot run it: it, or a folder on the way, forbids it (owner root, group root, mode 0640)" },
		{ { .path = "./readable", .run = true, .found = true, .owner = 4000000001, .group = 4000000001 },
		  "(owner ?, group ?, mode 0000)" },
		{ { .path = "./folder", .run = true }, " cannot run it: Is a directory" },
		{ { .path = "program", .run = true }, "c failed: program: not in PATH (/nowhere:" },
		{ { .path = "sh", .run = true }, " ok: 1 file: all can be read" },
	};

	(void)state;
	put("readable", 0644, "");
	put("program", 0755, "");
	assert_int_equal(mkdir("folder", 0755), 0);
	assert_int_equal(setenv("PATH", "/nowhere:/usr/bin:/bin", 1), 0);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct file_to_check x = cases[i].file;

		expect_rows(&x, 1, false, cases[i].expected);
	}
	expect_rows((struct file_to_check[]){ { .path = "readable" }, { .path = "program" } }, 2, true,
		    " ok: 2 files: all can be read");
	expect_rows((struct file_to_check[]){ { .path = "readable" }, { .path = "absent" } }, 2, false,
		    "c failed: absent: ");
}

static void test_programs(void **state)
{
	static const struct {
		const char *command, *path;
		int error;
	} cases[] = {
		{ "program", ".", 0 },         { "program", "/nowhere:.", 0 }, { "program", "/nowhere", ENOENT },
		{ "folder", ".", ENOENT },     { "./folder", "", EISDIR },     { "./program", "", 0 },
		{ "./readable", ".", EACCES }, { "program", NULL, ENOENT },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(cases[i].path ? setenv("PATH", cases[i].path, 1) : unsetenv("PATH"), 0);
		assert_int_equal(file_can_run(cases[i].command), cases[i].error == 0);
		if (cases[i].error)
			assert_int_equal(errno, cases[i].error);
	}
	expect_rows(&(struct file_to_check){ .path = "program", .run = true }, 1, false, "(which is not set)");
}

/* A path, or where it leads to. */
static void test_hidden(void **state)
{
	static const struct {
		const char *real, *setting;
	} cases[] = {
		{ "/home", "ProtectHome=yes" },
		{ "/home/x", "ProtectHome=yes" },
		{ "/homes/x", NULL },
		{ "/root/.kube/config", "ProtectHome=yes" },
		{ "/run/user/1/x", "ProtectHome=yes" },
		{ "/run/users", NULL },
		{ "/tmp/x", "PrivateTmp=yes" },
		{ "/var/tmp/x", "PrivateTmp=yes" },
		{ "/etc/driftd/x", NULL },
		{ "/srv/home/x", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct file_to_check x = { .path = "readable", .real = cases[i].real };
		char expected[200] = " ok: 1 file: all can be read";

		expect_rows(&x, 1, false, expected);
		if (cases[i].setting)
			(void)snprintf(expected, sizeof(expected),
				       "c warning: readable: driftd.service does not see it: %s; move it, below "
				       "/etc/driftd for instance",
				       cases[i].setting);
		expect_rows(&x, 1, true, expected);
	}
	expect_rows(&(struct file_to_check){ .path = "/tmp", .real = "/srv" }, 1, true, "PrivateTmp=yes");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gather),    cmocka_unit_test(test_gather_fails), cmocka_unit_test(test_found),
		cmocka_unit_test(test_looked_at), cmocka_unit_test(test_programs),     cmocka_unit_test(test_hidden),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
