/* Taking commits and tags apart: what is signed, by what, and what is refused. */
#include "daemon/fetch/git_object.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define OID "0123456789012345678901234567890123456789"
#define TREE "tree " OID "\n"
#define PARENT "parent " OID "\n"
#define AUTHOR "author A <a@b> 1700000000 +0000\n"
#define COMMITTER "committer C <c@d> 1700000001 +0100\n"
#define HEAD TREE PARENT AUTHOR COMMITTER
#define SSH_BEGIN "-----BEGIN SSH SIGNATURE-----"
#define SSH_END "-----END SSH SIGNATURE-----"
#define PGP_BEGIN "-----BEGIN PGP SIGNATURE-----"
#define PGP_END "-----END PGP SIGNATURE-----"
#define SSH_HEADER "gpgsig " SSH_BEGIN "\n abc\n " SSH_END "\n"
#define SSH SSH_BEGIN "\nabc\n" SSH_END "\n"
#define PGP PGP_BEGIN "\n\nabc\n=d\n" PGP_END "\n"
#define TAG_HEAD "object " OID "\ntype commit\ntag v1\ntagger T <t@u> 1700000002 +0000\n"

static const struct {
	enum git_object_kind kind;
	const char *raw;
	int r;
	enum git_signature_kind signature_kind;
	const char *payload, *signature;
} cases[] = {
	/* Commits */
	{ GIT_COMMIT, HEAD "\nhello\n", 0, GIT_UNSIGNED, HEAD "\nhello\n", "" },
	{ GIT_COMMIT, HEAD "\n", 0, GIT_UNSIGNED, HEAD "\n", "" },
	{ GIT_COMMIT, TREE AUTHOR COMMITTER "\nm", 0, GIT_UNSIGNED, TREE AUTHOR COMMITTER "\nm", "" },
	{ GIT_COMMIT, TREE PARENT PARENT AUTHOR COMMITTER "\nm", 0, GIT_UNSIGNED,
	  TREE PARENT PARENT AUTHOR COMMITTER "\nm", "" },
	{ GIT_COMMIT, HEAD SSH_HEADER "\nhello\n", 0, GIT_SIGNED_SSH, HEAD "\nhello\n", SSH },
	{ GIT_COMMIT, HEAD "encoding X\n" SSH_HEADER "other\n y\n\nm", 0, GIT_SIGNED_SSH,
	  HEAD "encoding X\nother\n y\n\nm", SSH },
	{ GIT_COMMIT, HEAD "gpgsig " PGP_BEGIN "\n \n abc\n =d\n " PGP_END "\n \n\nm", 0, GIT_SIGNED_PGP, HEAD "\nm",
	  PGP "\n" },
	/* A signature of the other kind of names is not signed, and is none. */
	{ GIT_COMMIT, HEAD "gpgsig-sha256 " SSH_BEGIN "\n abc\n " SSH_END "\n\nm", 0, GIT_UNSIGNED, HEAD "\nm", "" },
	/* What looks like a header in a message, or in what goes on, is none. */
	{ GIT_COMMIT, HEAD "\n" SSH_HEADER "\nm", 0, GIT_UNSIGNED, HEAD "\n" SSH_HEADER "\nm", "" },
	{ GIT_COMMIT, HEAD "mergetag object x\n " SSH_HEADER "\nm", 0, GIT_UNSIGNED,
	  HEAD "mergetag object x\n " SSH_HEADER "\nm", "" },
	/* Two signatures */
	{ GIT_COMMIT, HEAD SSH_HEADER SSH_HEADER "\nm", -EBADMSG, GIT_UNSIGNED, NULL, NULL },
	{ GIT_COMMIT, HEAD SSH_HEADER "x y\n" SSH_HEADER "\nm", -EBADMSG, GIT_UNSIGNED, NULL, NULL },
	{ GIT_COMMIT, HEAD "gpgsig " SSH_BEGIN "\n abc\n " SSH_END "\n " SSH_BEGIN "\n abc\n " SSH_END "\n\nm", 0,
	  GIT_SIGNED_OTHERWISE, HEAD "\nm", SSH SSH },
	{ GIT_COMMIT, HEAD "gpgsig " SSH_BEGIN "\n abc\n " SSH_END "\n " PGP_BEGIN "\n abc\n " PGP_END "\n\nm", 0,
	  GIT_SIGNED_OTHERWISE, HEAD "\nm", NULL },
	{ GIT_COMMIT, HEAD "gpgsig " SSH_BEGIN "\n abc\n " SSH_END "\n more\n\nm", 0, GIT_SIGNED_OTHERWISE, HEAD "\nm",
	  NULL },
	{ GIT_COMMIT, HEAD "gpgsig more\n " SSH_BEGIN "\n abc\n " SSH_END "\n\nm", 0, GIT_SIGNED_OTHERWISE, HEAD "\nm",
	  NULL },
	{ GIT_COMMIT, HEAD "gpgsig " SSH_BEGIN "\n abc\n\nm", 0, GIT_SIGNED_OTHERWISE, HEAD "\nm", NULL },
	{ GIT_COMMIT, HEAD "gpgsig " SSH_BEGIN "\n abc\n " PGP_END "\n\nm", 0, GIT_SIGNED_OTHERWISE, HEAD "\nm", NULL },
	{ GIT_COMMIT, HEAD "gpgsig -----BEGIN SIGNED MESSAGE-----\n abc\n -----END SIGNED MESSAGE-----\n\nm", 0,
	  GIT_SIGNED_OTHERWISE, HEAD "\nm", NULL },
	{ GIT_COMMIT, HEAD "gpgsig -----BEGIN PGP MESSAGE-----\n abc\n -----END PGP MESSAGE-----\n\nm", 0,
	  GIT_SIGNED_OTHERWISE, HEAD "\nm", NULL },
	{ GIT_COMMIT, HEAD "gpgsig \n\nm", 0, GIT_UNSIGNED, HEAD "\nm", NULL },
	{ GIT_COMMIT, HEAD "gpgsig\n\nm", 0, GIT_UNSIGNED, HEAD "\nm", NULL },
	/* Headers in another place, or more than once */
	{ GIT_COMMIT, "", -EBADMSG, GIT_UNSIGNED, NULL, NULL },
	{ GIT_COMMIT, "\nm", -EBADMSG, GIT_UNSIGNED, NULL, NULL },
	{ GIT_COMMIT, TREE "\nm", -EBADMSG, GIT_UNSIGNED, NULL, NULL },
	{ GIT_COMMIT, TREE PARENT AUTHOR "\nm", -EBADMSG, GIT_UNSIGNED, NULL, NULL },
	{ GIT_COMMIT, HEAD TREE "\nm", -EBADMSG, GIT_UNSIGNED, NULL, NULL },
	{ GIT_COMMIT, HEAD PARENT "\nm", -EBADMSG, GIT_UNSIGNED, NULL, NULL },
	{ GIT_COMMIT, TREE TREE AUTHOR COMMITTER "\nm", -EBADMSG, GIT_UNSIGNED, NULL, NULL },
	{ GIT_COMMIT, HEAD COMMITTER "\nm", -EBADMSG, GIT_UNSIGNED, NULL, NULL },
	{ GIT_COMMIT, SSH_HEADER HEAD "\nm", -EBADMSG, GIT_UNSIGNED, NULL, NULL },
	{ GIT_COMMIT, TREE SSH_HEADER AUTHOR COMMITTER "\nm", -EBADMSG, GIT_UNSIGNED, NULL, NULL },
	{ GIT_COMMIT, TREE " more\n" AUTHOR COMMITTER "\nm", -EBADMSG, GIT_UNSIGNED, NULL, NULL },
	{ GIT_COMMIT, " x\n" HEAD "\nm", -EBADMSG, GIT_UNSIGNED, NULL, NULL },
	{ GIT_COMMIT, HEAD "x", -EBADMSG, GIT_UNSIGNED, NULL, NULL },
	{ GIT_COMMIT, HEAD "x\n y", -EBADMSG, GIT_UNSIGNED, NULL, NULL },
	/* Tags */
	{ GIT_TAG, TAG_HEAD "\nmessage\n", 0, GIT_UNSIGNED, TAG_HEAD "\nmessage\n", "" },
	{ GIT_TAG, TAG_HEAD "\nmessage\n" SSH, 0, GIT_SIGNED_SSH, TAG_HEAD "\nmessage\n", SSH },
	{ GIT_TAG, TAG_HEAD "\nmessage\n" PGP, 0, GIT_SIGNED_PGP, TAG_HEAD "\nmessage\n", PGP },
	{ GIT_TAG, TAG_HEAD "\n" SSH, 0, GIT_SIGNED_SSH, TAG_HEAD "\n", SSH },
	{ GIT_TAG, TAG_HEAD "\nm\n" SSH PGP, 0, GIT_SIGNED_PGP, TAG_HEAD "\nm\n" SSH, PGP },
	{ GIT_TAG, TAG_HEAD "\nm\n" SSH "more\n", 0, GIT_SIGNED_OTHERWISE, TAG_HEAD "\nm\n", SSH "more\n" },
	{ GIT_TAG, TAG_HEAD "\nm " SSH, 0, GIT_UNSIGNED, TAG_HEAD "\nm " SSH, "" },
	{ GIT_TAG, TAG_HEAD SSH_HEADER "\nm\n", 0, GIT_UNSIGNED, TAG_HEAD "\nm\n", "" },
	{ GIT_TAG, "object " OID "\ntype commit\ntag v1\n\nold\n", 0, GIT_UNSIGNED,
	  "object " OID "\ntype commit\ntag v1\n\nold\n", "" },
	{ GIT_TAG, "object abc\ntype commit\ntag v1\n\nm\n", -EBADMSG, GIT_UNSIGNED, NULL, NULL },
	{ GIT_TAG, "object --help\ntype commit\ntag v1\n\nm\n", -EBADMSG, GIT_UNSIGNED, NULL, NULL },
	{ GIT_TAG, "object " OID "\ntype commit\ntag v1\ntag v2\n\nm\n", -EBADMSG, GIT_UNSIGNED, NULL, NULL },
	{ GIT_TAG, "object " OID "\nobject " OID "\ntype commit\ntag v1\n\nm\n", -EBADMSG, GIT_UNSIGNED, NULL, NULL },
	{ GIT_TAG, TAG_HEAD "object " OID "\n\nm\n", -EBADMSG, GIT_UNSIGNED, NULL, NULL },
	{ GIT_TAG, "type commit\nobject " OID "\ntag v1\n\nm\n", -EBADMSG, GIT_UNSIGNED, NULL, NULL },
};

static void check(size_t i)
{
	struct git_object o;
	struct err err = { 0 };
	int r = git_object_read(cases[i].kind, str_from(cases[i].raw), false, &o, &err);

	if (r != cases[i].r || (r == 0 && o.signature_kind != cases[i].signature_kind))
		fail_msg("case %zu: %d, kind %u (%s)", i, r, o.signature_kind, err.msg);
	if (r == 0 && cases[i].payload)
		assert_string_equal(o.payload.p, cases[i].payload);
	if (r == 0 && cases[i].signature && !str_eq(buf_str(&o.signature), str_from(cases[i].signature)))
		fail_msg("case %zu: '%s'", i, o.signature.p);
	git_object_done(&o);
}

static void test_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		check(i);
}

static void test_fields(void **state)
{
	struct git_object o;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(git_object_read(GIT_TAG, STR(TAG_HEAD "\nm\n"), false, &o, &err), 0);
	assert_true(str_eq(o.target, STR(OID)));
	assert_true(str_eq(o.target_type, STR("commit")));
	assert_true(str_eq(o.name, STR("v1")));
	assert_int_equal(o.time, 1700000002);
	git_object_done(&o);
	assert_int_equal(git_object_read(GIT_TAG, STR(TAG_HEAD "\nm\n"), true, &o, &err), -EBADMSG); /* 40 digits */
	git_object_done(&o);
	assert_int_equal(git_object_read(GIT_COMMIT, STR(HEAD "gpgsig-sha256 " SSH_BEGIN "\n abc\n " SSH_END "\n\nm"),
					 true, &o, &err),
			 0);
	assert_int_equal(o.signature_kind, GIT_SIGNED_SSH);
	assert_int_equal(o.time, 1700000001);
	git_object_done(&o);
}

static void test_times(void **state)
{
	static const struct {
		const char *who;
		int64_t time;
	} times[] = {
		{ "A <a@b> 5 +0000", 5 },
		{ "A <a@b> 5", 5 },
		{ "A <a> 7 +0000 <a@b> 5 +0000", 5 },
		{ "A <a@b> -5 +0000", -1 },
		{ "A <a@b> +5 +0000", -1 },
		{ "A <a@b> 253402300799 +0000", INT64_C(253402300799) },
		{ "A <a@b> 253402300800 +0000", -1 },
		{ "A <a@b> 99999999999999999999 +0000", -1 },
		{ "A <a@b>", -1 },
		{ "A <a@b> ", -1 },
		{ "", -1 },
		{ "A 5 +0000", -1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(times); i++) {
		CLEANUP(buf_done) struct buf raw = BUF_INIT(1024);
		struct git_object o;
		struct err err = { 0 };

		buf_printf(&raw, "%scommitter %s\n\nm", TREE AUTHOR, times[i].who);
		assert_int_equal(git_object_read(GIT_COMMIT, buf_str(&raw), false, &o, &err), 0);
		if (o.time != times[i].time)
			fail_msg("'%s': %lld", times[i].who, (long long)o.time);
		git_object_done(&o);
	}
}

static void test_nul(void **state)
{
	static const char raw[] = HEAD "x\0y z\n\nm";
	static const char message[] = HEAD "\nm\0n";
	struct git_object o;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(git_object_read(GIT_COMMIT, (str){ raw, sizeof(raw) - 1 }, false, &o, &err), -EBADMSG);
	git_object_done(&o);
	assert_int_equal(git_object_read(GIT_COMMIT, (str){ message, sizeof(message) - 1 }, false, &o, &err), 0);
	assert_int_equal(o.payload.n, sizeof(message) - 1);
	git_object_done(&o);
}

/* Cut at every byte it is refused, or is whole as far as it goes. */
static void test_cut(void **state)
{
	const str whole = STR(HEAD SSH_HEADER "\nm");

	(void)state;
	for (size_t n = 0; n < whole.n; n++) {
		CLEANUP(freep) char *copy = str_dup(str_sub(whole, 0, n));
		struct git_object o;
		struct err err = { 0 };
		int r = git_object_read(GIT_COMMIT, (str){ copy, n }, false, &o, &err);

		assert_true(r == 0 || r == -EBADMSG);
		git_object_done(&o);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases), cmocka_unit_test(test_fields), cmocka_unit_test(test_times),
		cmocka_unit_test(test_nul),   cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
