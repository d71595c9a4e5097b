/* Who Alertmanagers are told that it is, out of files that change. */
#include "daemon/alertmanager/alert_auth.h"

#include "mask/credentials.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

/* A file of another inode each time, as whoever renews a credential makes it. */
static void write_file(const char *path, const char *text)
{
	char fresh[128];
	FILE *f;

	(void)snprintf(fresh, sizeof(fresh), "%s.new", path);
	f = fopen(fresh, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(rename(fresh, path), 0);
}

static void check_header(struct alert_auth *a, const char *expected)
{
	struct curl_slist *headers = NULL;
	struct err err;

	assert_int_equal(alert_auth_read(a, &err), 0);
	assert_int_equal(alert_auth_add(a, &headers, &err), 0);
	assert_string_equal(headers->data, expected);
	curl_slist_free_all(headers);
}

static void test_auth(void **state)
{
	char folder[] = "/tmp/driftd-alert-auth.XXXXXX", path[64];
	struct cfg_alertmanager basic = { .username = STR("me") }, bearer = { 0 };
	struct alert_auth a;
	struct err err;

	(void)state;
	assert_non_null(mkdtemp(folder));
	(void)snprintf(path, sizeof(path), "%s/secret", folder);
	basic.password_file = bearer.bearer_token_file = str_from(path);
	alert_auth_init(&a, &bearer);
	assert_int_equal(alert_auth_read(&a, &err), -ENOENT);
	write_file(path, "the-first-token\n");
	check_header(&a, "Authorization: Bearer the-first-token");
	assert_true(credentials_in(STR("it is the-first-token")));
	write_file(path, "the-second-token");
	check_header(&a, "Authorization: Bearer the-second-token");
	assert_int_equal(unlink(path), 0);
	check_header(&a, "Authorization: Bearer the-second-token"); /* what was good stays */
	alert_auth_done(&a);

	write_file(path, "the-password\n");
	alert_auth_init(&a, &basic);
	check_header(&a, "Authorization: Basic bWU6dGhlLXBhc3N3b3Jk");
	assert_true(credentials_in(STR("the-password")) && credentials_in(STR("bWU6dGhlLXBhc3N3b3Jk")));
	write_file(path, "two\nlines");
	assert_int_equal(alert_auth_read(&a, &err), 0); /* base64 has none */
	alert_auth_done(&a);

	write_file(path, "two\nlines");
	alert_auth_init(&a, &bearer);
	assert_int_equal(alert_auth_read(&a, &err), 0);
	assert_int_equal(alert_auth_add(&a, &(struct curl_slist *){ NULL }, &err), -EINVAL);
	alert_auth_done(&a);
	credentials_forget();
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_auth) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
