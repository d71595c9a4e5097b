/* Signatures: by keys that ssh-keygen and gpg make here, and what is tried to pass without one. */
#include "daemon/fetch/git_verify.h"
#include "unit/daemon/fetch/git_fixture.h"

static char allowed[128], keyring[128];

static int setup(void **state)
{
	struct fixture *x;

	if (fixture_setup(state) != 0)
		return -1;
	x = *state;
	(void)snprintf(allowed, sizeof(allowed), "%s/allowed", x->top);
	(void)snprintf(keyring, sizeof(keyring), "%s/keyring", x->top);
	return 0;
}

/* Two keys of SSH, the first of which counts. */
static void make_ssh(struct fixture *x)
{
	shell(x, "ssh-keygen -q -t ed25519 -N '' -C '' -f good; ssh-keygen -q -t ed25519 -N '' -C '' -f other; printf "
		 "'ada@example.com namespaces=\"git\" %s\\n' \"$(cat good.pub)\" >allowed; cd origin; git config "
		 "gpg.format ssh; "
		 "git config user.signingKey \"$PWD/../good\"");
	x->source.allowed_signers = str_from(allowed);
}

static void make_pgp(struct fixture *x)
{
	shell(x,
	      "export GNUPGHOME=$PWD/gnupg; mkdir -m 700 gnupg; for i in good other; do gpg -q --batch --passphrase '' "
	      "--quick-gen-key $i@example.com ed25519 sign never 2>/dev/null; done; gpg --export good@example.com "
	      ">keyring; cd origin; "
	      "git config gpg.program gpg; git config user.signingKey good@example.com; printf '#!/bin/sh\\nexport "
	      "GNUPGHOME=%s\\nexec gpg --batch \"$@\"\\n' \"$GNUPGHOME\" >../gpg; chmod +x ../gpg; git config "
	      "gpg.program "
	      "\"$PWD/../gpg\"");
	x->source.keyring = str_from(keyring);
}

static void end_agent(struct fixture *x)
{
	shell(x, "GNUPGHOME=$PWD/gnupg gpgconf --kill all 2>/dev/null || true");
}

/* ---- SSH ---- */

static void test_ssh_commit(void **state)
{
	struct fixture *x = *state;

	make_ssh(x);
	assert_refused(x, EKEYREJECTED, "the commit is not signed");
	shell(x, "cd origin; commit signed -S");
	assert_fetched(x);
	assert_str(x->f.revision.signer, "ada@example.com");
	remember_head(x);
	assert_fetched(x);
	assert_true(x->f.unchanged);
	assert_str(x->f.revision.signer, "ada@example.com");
	shell(x, "cd origin; git config user.signingKey \"$PWD/../other\"; commit other -S");
	assert_refused(x, EKEYREJECTED, "is signed by no key of the allowed signers");
	assert_files(x, "");
	shell(x, "cd origin; commit unsigned");
	assert_refused(x, EKEYREJECTED, "the commit is not signed");
	/* The key is taken away: what was good is no longer. */
	shell(x, "cd origin; git reset -q --hard HEAD~2; printf 'ada@example.com %s\\n' \"$(cat ../other.pub)\" "
		 ">../allowed");
	assert_refused(x, EKEYREJECTED, "is signed by no key");
	shell(x, "rm allowed");
	assert_refused(x, EPERM, "/allowed'");
}

static void test_ssh_namespace_and_time(void **state)
{
	struct fixture *x = *state;

	make_ssh(x);
	shell(x,
	      "cd origin; export GIT_COMMITTER_DATE='2024-06-01T12:00:00Z'; commit signed -S; printf 'ada@example.com "
	      "namespaces=\"file\" %s\\n' \"$(cat ../good.pub)\" >../allowed");
	assert_refused(x, EKEYREJECTED, "the commit ");
	shell(x, "printf 'ada@example.com valid-before=\"20240601110000\" %s\\n' \"$(cat good.pub)\" >allowed");
	assert_refused(x, EKEYREJECTED, "the commit ");
	shell(x, "printf 'ada@example.com valid-before=\"20240601130000\" %s\\n' \"$(cat good.pub)\" >allowed");
	assert_fetched(x);
	shell(x, "printf '*@example.com %s\\n' \"$(cat good.pub)\" >allowed");
	assert_fetched(x);
	assert_str(x->f.revision.signer, "*@example.com");
}

/* The raw commit goes through @filter, a program of Python on the bytes b. */
static void rewrite(struct fixture *x, const char *filter)
{
	CLEANUP(buf_done) struct buf b = BUF_INIT(4096);

	buf_printf(&b,
		   "cd origin; git cat-file commit HEAD >../raw; python3 -c 'import sys; b = open(\"../raw\", "
		   "\"rb\").read(); %s; "
		   "open(\"../raw\", \"wb\").write(b)'; git update-ref HEAD $(git hash-object -t commit -w --literally "
		   "../raw)",
		   filter);
	shell(x, b.p);
}

static void test_ssh_hostile(void **state)
{
	static const char *const filters[] = {
		"b = b.replace(b\"signed\", b\"forged\")",
		"b = b.replace(b\"tree \", b\"tree \" + b[5:45] + b\"\\ntree \", 1)",
		"b = b.replace(b\"Ada Lovelace\", b\"Eve\")",
		"i = b.index(b\"gpgsig\"); j = b.index(b\"\\n\\n\"); b = b[:j + 1] + b[i:j + 1] + b[j + 1:]",
		"i = b.index(b\"gpgsig\"); j = b.index(b\"\\n\\n\"); b = b[:i] + b\"\\n\" + b[i:j + 1] + b[j + 1:]",
		"b = b.replace(b\" -----END SSH\", b\" AAAA\\n -----END SSH\")",
		"b = b.replace(b\"gpgsig\", b\"gpgsig-sha256\")",
		"b = b.replace(b\"gpgsig\", b\"x y\\ngpgsig\")",
		"b = b + b\"more\"",
	};
	struct fixture *x = *state;

	make_ssh(x);
	for (size_t i = 0; i < ARRAY_LEN(filters); i++) {
		int r;

		shell(x, "cd origin; git rev-parse HEAD >../base; commit signed -S");
		assert_fetched(x);
		rewrite(x, filters[i]);
		r = fetch(x);
		if (r != -EKEYREJECTED && r != -EBADMSG)
			fail_msg("%s: %d %s", filters[i], r, x->err.msg);
		assert_files(x, "");
		shell(x, "cd origin; git update-ref HEAD $(cat ../base)");
	}
}

/* The good signature of one commit in another one. */
static void test_ssh_signature_of_another(void **state)
{
	struct fixture *x = *state;

	make_ssh(x);
	shell(x, "cd origin; commit signed -S; git cat-file commit HEAD >../signed; commit next");
	rewrite(x, "s = open(\"../signed\", \"rb\").read(); s = s[s.index(b\"gpgsig\"):s.index(b\"\\n\\n\") + 1]; "
		   "b = b.replace(b\"\\n\\n\", b\"\\n\" + s + b\"\\n\", 1)");
	assert_refused(x, EKEYREJECTED, "the commit has a signature that is not good");
}

static void test_ssh_tags(void **state)
{
	struct fixture *x = *state;

	make_ssh(x);
	shell(x, "cd origin; git tag light; git tag -a -m plain plain; git tag -s -m signed v1; commit good -S; git "
		 "tag on-signed; "
		 "git tag -a -m plain annotated");
	x->source.tag = STR("light");
	assert_refused(x, EKEYREJECTED, "the commit is not signed");
	x->source.tag = STR("plain");
	assert_refused(x, EKEYREJECTED, "the tag is not signed; and the commit is not signed");
	x->source.tag = STR("v1");
	assert_fetched(x);
	assert_str(x->f.revision.signer, "ada@example.com");
	x->source.tag = STR("on-signed");
	assert_fetched(x);
	x->source.tag = STR("annotated"); /* the tag is not, its commit is */
	assert_fetched(x);
	/* The signed v1 under another name. */
	shell(x, "cd origin; git update-ref refs/tags/v2 $(git rev-parse refs/tags/v1)");
	x->source.tag = STR("v2");
	assert_refused(x, EKEYREJECTED, "the tag says that its name is another one");
	/* A tag of another commit with the signature of v1. */
	shell(x, "cd origin; echo evil >ref/a.yaml; commit evil; git cat-file tag v1 | sed \"s/^object .*/object $(git "
		 "rev-parse "
		 "HEAD)/\" >../raw; git update-ref refs/tags/v1 $(git hash-object -t tag -w ../raw)");
	x->source.tag = STR("v1");
	assert_refused(x, EKEYREJECTED, "the tag has a signature that is not good");
	shell(x, "cd origin; git config user.signingKey \"$PWD/../other\"; git tag -f -s -m x v1 >/dev/null 2>&1");
	assert_refused(x, EKEYREJECTED, "the tag is signed by no key");
}

/* ---- PGP ---- */

static void test_pgp(void **state)
{
	struct fixture *x = *state;
	char fingerprint[256];

	make_pgp(x);
	assert_refused(x, EKEYREJECTED, "the commit is not signed");
	shell_into(x,
		   "gpg -q --homedir gnupg --with-colons --fingerprint good@example.com 2>/dev/null | sed -n "
		   "'/^fpr/{s/[^0-9A-F]//g;p;q}'",
		   fingerprint);
	shell(x, "cd origin; commit signed -S; git tag -s -m signed v1");
	assert_fetched(x);
	assert_str(x->f.revision.signer, fingerprint);
	x->source.tag = STR("v1");
	assert_fetched(x);
	assert_str(x->f.revision.signer, fingerprint);
	x->source.tag = STR("");
	rewrite(x, "b = b.replace(b\"signed\", b\"forged\")");
	assert_refused(x, EKEYREJECTED, "the commit has a signature about which gpgv says BADSIG");
	shell(x, "cd origin; git config user.signingKey other@example.com; commit other -S");
	assert_refused(x, EKEYREJECTED, "the commit has a signature about which gpgv says ");
	shell(x, "cd origin; git config gpg.format ssh; ssh-keygen -q -t ed25519 -N '' -f ../good; git config "
		 "user.signingKey "
		 "\"$PWD/../good\"; commit ssh -S");
	assert_refused(x, EKEYREJECTED, "is signed with SSH, and the source names a keyring only");
	end_agent(x);
}

/* What counts is whether the key is in the file. */
static void test_pgp_key_in_the_file(void **state)
{
	struct fixture *x = *state;

	make_pgp(x);
	shell(x, "cd origin; commit signed -S");
	assert_fetched(x);
	shell(x, "gpg -q --homedir gnupg --export other@example.com >keyring");
	assert_refused(x, EKEYREJECTED, "gpgv says ");
	shell(x, ": >keyring");
	assert_refused(x, EKEYREJECTED, "gpgv says ");
	shell(x, "echo garbage >keyring");
	assert_refused(x, EKEYREJECTED, "gpgv says ");
	shell(x, "gpg -q --homedir gnupg --export >keyring");
	assert_fetched(x);
	end_agent(x);
}

/* An armor that claims to be a signature and is a message with a signature of its own. */
static void test_pgp_message_as_signature(void **state)
{
	struct fixture *x = *state;

	make_pgp(x);
	shell(x, "export GNUPGHOME=$PWD/gnupg; cd origin; commit x; echo said | gpg -q --batch -u good@example.com "
		 "--armor --sign | "
		 "sed 's/PGP MESSAGE/PGP SIGNATURE/' >../sig");
	rewrite(x, "s = open(\"../sig\", \"rb\").read().rstrip(b\"\\n\").replace(b\"\\n\", b\"\\n \"); b = "
		   "b.replace(b\"\\n\\n\", "
		   "b\"\\ngpgsig \" + s + b\"\\n\\n\", 1)");
	assert_refused(x, EKEYREJECTED, "the commit has ");
	end_agent(x);
}

#define G "[GNUPG:] "
#define FPR "0123456789ABCDEF0123456789ABCDEF01234567"
#define VALID(hash, class) G "VALIDSIG " FPR " 2024-01-01 1704067200 0 4 0 22 " hash " " class " " FPR "\n"
#define GOOD                                                                                                           \
	G "NEWSIG\n" G "KEY_CONSIDERED " FPR " 0\n" G "SIG_ID x 2024-01-01 1\n" G                                      \
	  "GOODSIG 0123 A B <c@d>\n" VALID("10", "00")

static void test_what_gpgv_says(void **state)
{
	static const struct {
		const char *status;
		int r;
	} cases[] = {
		{ GOOD, 0 },
		{ GOOD GOOD, 0 },
		{ "", -EKEYREJECTED },
		{ G "NEWSIG\n", -EKEYREJECTED },
		{ GOOD G "NEWSIG\n", -EKEYREJECTED },
		{ GOOD G "NEWSIG\n" G "BADSIG 0123 A\n", -EKEYREJECTED },
		{ GOOD G "NEWSIG\n" G "ERRSIG 0123 22 10 00 1 9 -\n" G "NO_PUBKEY 0123\n", -EKEYREJECTED },
		{ G "NEWSIG\n" G "EXPKEYSIG 0123 A\n" VALID("10", "00"), -EKEYREJECTED },
		{ G "NEWSIG\n" G "REVKEYSIG 0123 A\n" VALID("10", "00"), -EKEYREJECTED },
		{ G "NEWSIG\n" G "EXPSIG 0123 A\n" VALID("10", "00"), -EKEYREJECTED },
		{ G "NEWSIG\n" G "GOODSIG 0123 A\n" VALID("2", "00"), -EKEYREJECTED },
		{ G "NEWSIG\n" G "GOODSIG 0123 A\n" VALID("10", "13"), -EKEYREJECTED },
		{ G "NEWSIG\n" G "VALIDSIG " FPR "\n", -EKEYREJECTED },
		{ GOOD G "PLAINTEXT 62 0 \n", -EKEYREJECTED },
		{ GOOD G "UNEXPECTED 0\n", -EKEYREJECTED },
		{ GOOD G "FAILURE gpgv 1\n", -EKEYREJECTED },
		{ GOOD "VALIDSIG\n", -EKEYREJECTED },
		{ GOOD VALID("10", "00"), -EKEYREJECTED },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err err = { 0 };
		str signer = { NULL, 0 };

		if (git_read_gpgv(str_from(cases[i].status), &signer, &err) != cases[i].r)
			fail_msg("case %zu: %s", i, err.msg);
		if (cases[i].r == 0)
			assert_str(signer, FPR);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_ssh_commit),
		TEST(test_ssh_namespace_and_time),
		TEST(test_ssh_hostile),
		TEST(test_ssh_signature_of_another),
		TEST(test_ssh_tags),
		TEST(test_pgp),
		TEST(test_pgp_key_in_the_file),
		TEST(test_pgp_message_as_signature),
		cmocka_unit_test(test_what_gpgv_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
