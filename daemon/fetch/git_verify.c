/* Verifies with ssh-keygen(1) and gpgv(1), in processes that can make no connection. Their output is only accepted if
 * each line of it is known to be harmless.
 *
 * gpgv accepts every key of its keyring, also one that has expired or is revoked: the signer chooses the time in a
 * signature, so that neither would exclude somebody who has the key. A key that must not count any more has to be
 * removed from the file. The file of allowed signers contains times, and is checked for the time at which the object
 * says it was made. */
#include "daemon/fetch/git_verify.h"

#include "base/file.h"
#include "daemon/fetch/child.h"
#include "daemon/fetch/git_settings.h"
#include "mask/foreign.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define SAID_MAX ((size_t)64 << 10)
#define SHOWN_MAX 200
#define PRINCIPALS_MAX 16
#define TIME_SIZE 64

static int reject(const struct git_object *o, const char *why, struct err *err)
{
	return err_set(err, EKEYREJECTED, "the %s %s", o->kind == GIT_COMMIT ? "commit" : "tag", why);
}

static int write_signature(const struct fetch_job *job, str text, struct err *err)
{
	char path[PATH_MAX];
	int fd, r;

	if (snprintf(path, sizeof(path), "%s/signature", job->scratch) >= (int)sizeof(path))
		return err_set(err, EPERM, "write a signature: the name of the folder is too long");
	(void)unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	r = fd < 0 ? -errno : file_write_all(fd, text);
	if (fd >= 0 && close(fd) < 0 && r == 0)
		r = -errno;
	if (r == 0)
		return 0;
	return err_set(err, r == -ENOSPC || r == -EDQUOT ? -r : EPERM, "write a signature: %s", strerror(-r));
}

/* Run a program. Returns its status; its output is in @out and @errors. */
static int run(const struct fetch_job *job, const char *const *argv, str input, struct buf *out, struct buf *errors,
	       struct err *err)
{
	static const char *const environment[] = { "TZ=UTC0", NULL }; /* times are interpreted as local ones */
	const struct child_options o = {
		.argv = argv,
		.environment = environment,
		.home = job->scratch,
		.input = input,
		.deadline_ns = job->deadline_ns,
		.file_bytes_max = SAID_MAX,
		.offline = true,
	};
	int status = child_run(&o, out, errors, err);

	if (status >= 0 || status == -ETIMEDOUT || status == -ENOEXEC || status == -ENOMEM)
		return status;
	return err_set(err, EPERM, "verify: it cannot be run"); /* E2BIG and others are no answer about the source */
}

/* Fail with "the commit is not signed by …: what the program says". */
static int reject_with(const struct git_object *o, const char *why, str said, struct err *err)
{
	CLEANUP(buf_done) struct buf b = BUF_INIT(SAID_MAX);

	buf_add_cstr(&b, why);
	if (said.n) {
		buf_add_cstr(&b, ": ");
		foreign_quote(foreign_bytes(said), SHOWN_MAX, &b);
	}
	return reject(o, buf_str(&b).p, err);
}

/* ---- SSH ---- */

/* Make the option for the time at which the object was signed, because a key may be valid for some time only. git
 * does the same. */
static int make_time(const struct git_object *o, char ret[TIME_SIZE], struct err *err)
{
	time_t t = (time_t)o->time;
	struct tm tm;

	if (o->time < 0 || !gmtime_r(&t, &tm) || strftime(ret, TIME_SIZE, "-Overify-time=%Y%m%d%H%M%S", &tm) == 0)
		return reject(o, "has no time at which it was signed", err);
	return 0;
}

/* Check the signature. 1: it is by this principal; 0: it is not. */
static int is_signed_by(const struct fetch_job *job, const struct git_object *o, const char *principal, const char *at,
			struct buf *errors, struct err *err)
{
	const char *const argv[] = { "ssh-keygen", "-Y",      "verify", "-n",        "git", "-f", "allowed_signers",
				     "-I",         principal, "-s",     "signature", at,    NULL };
	CLEANUP(buf_done) struct buf out = BUF_INIT(SAID_MAX);
	int r = run(job, argv, buf_str(&o->payload), &out, errors, err);

	return r < 0 ? r : r == 0;
}

static int try_principals(const struct fetch_job *job, const struct git_object *o, str found, const char *at,
			  struct buf *signer, struct err *err)
{
	CLEANUP(buf_done) struct buf errors = BUF_INIT(CHILD_ERRORS_MAX);
	str line;

	for (size_t i = 0; i < PRINCIPALS_MAX && found.n > 0 && str_next_part(&found, '\n', &line); i++) {
		CLEANUP(freep) char *principal = str_dup(line);
		int r;

		if (line.n == 0)
			continue;
		if (!principal)
			return err_nomem(err);
		r = is_signed_by(job, o, principal, at, &errors, err);
		if (r < 0)
			return r;
		if (r > 0) {
			buf_add_str(signer, line);
			return buf_error(signer, "a signer", err);
		}
	}
	return reject_with(o, "has a signature that is not good", buf_str(&errors), err);
}

static int verify_ssh(const struct fetch_job *job, const struct git_object *o, struct buf *signer, struct err *err)
{
	char at[TIME_SIZE];
	const char *const argv[] = { "ssh-keygen", "-Y", "find-principals", "-f", "allowed_signers", "-s", "signature",
				     at,           NULL };
	CLEANUP(buf_done) struct buf out = BUF_INIT(SAID_MAX), errors = BUF_INIT(CHILD_ERRORS_MAX);
	int r = make_time(o, at, err);

	if (r == 0)
		r = git_link(job->scratch, "allowed_signers", job->source->allowed_signers, err);
	if (r == 0)
		r = run(job, argv, (str){ NULL, 0 }, &out, &errors, err);
	if (r < 0)
		return r;
	if (r > 0)
		return reject_with(o, "is signed by no key of the allowed signers", buf_str(&errors), err);
	return try_principals(job, o, buf_str(&out), at, signer, err);
}

/* ---- PGP ---- */

/* Whether a status line means nothing against a signature. Any other line does, also an unknown one. */
static bool is_harmless(str keyword)
{
	static const char *const words[] = {
		"NEWSIG",        "SIG_ID",         "GOODSIG",       "VALIDSIG",   "KEY_CONSIDERED",
		"NOTATION_NAME", "NOTATION_FLAGS", "NOTATION_DATA", "POLICY_URL", "VERIFICATION_COMPLIANCE_MODE",
		"PROGRESS"
	};

	return str_index(keyword, words, ARRAY_LEN(words)) < ARRAY_LEN(words);
}

#define VALIDSIG_WORDS 10
enum { FINGERPRINT = 0, HASH = 7, CLASS = 8, PRIMARY = 9 };

/* Read the words behind VALIDSIG from @rest. Signatures with the older hashes are refused, since collisions can be
 * made to order.   gnupg: doc/DETAILS */
static bool read_valid(str rest, str *primary)
{
	static const char *const weak[] = { "1", "2", "3" }; /* MD5, SHA-1, RIPEMD-160 */
	str words[VALIDSIG_WORDS] = { 0 };
	size_t n = 0;

	while (n < VALIDSIG_WORDS && rest.n > 0 && str_next_part(&rest, ' ', &words[n]))
		n++;
	if (n < VALIDSIG_WORDS || words[PRIMARY].n < 32 ||
	    str_index(words[HASH], weak, ARRAY_LEN(weak)) < ARRAY_LEN(weak))
		return false;
	/* the classes of signatures of data */
	if (!str_eq(words[CLASS], STR("00")) && !str_eq(words[CLASS], STR("01")))
		return false;
	*primary = words[PRIMARY];
	return true;
}

static int refuse_gpgv(const char *why, str keyword, struct err *err)
{
	CLEANUP(buf_done) struct buf shown = BUF_INIT(1024);

	foreign_quote(foreign_bytes(keyword), 40, &shown);
	return err_set(err, EKEYREJECTED, "%s%s", why, buf_str(&shown).p);
}

int git_read_gpgv(str status, str *ret, struct err *err)
{
	size_t n_new = 0, n_valid = 0;
	str line, keyword, primary = { NULL, 0 };

	while (status.n > 0 && str_next_part(&status, '\n', &line)) {
		if (!str_has_prefix(line, STR("[GNUPG:] ")))
			return refuse_gpgv("has a signature about which gpgv says something that is not a status",
					   STR(""), err);
		line = str_sub(line, strlen("[GNUPG:] "), line.n);
		(void)str_next_part(&line, ' ', &keyword);
		if (!is_harmless(keyword))
			return refuse_gpgv("has a signature about which gpgv says ", keyword, err);
		n_new += str_eq(keyword, STR("NEWSIG"));
		if (!str_eq(keyword, STR("VALIDSIG")))
			continue;
		n_valid++;
		if (!read_valid(line, &primary))
			return refuse_gpgv("has a signature by a hash, or of a kind, that proves nothing", STR(""),
					   err);
	}
	if (n_valid == 0 || n_valid != n_new)
		return refuse_gpgv("has no signature that gpgv finds good, or another one beside it", STR(""), err);
	*ret = primary;
	return 0;
}

static int verify_pgp(const struct fetch_job *job, const struct git_object *o, struct buf *signer, struct err *err)
{
	static const char *const argv[] = { "gpgv",        "--homedir", ".",         "--keyring", "./keyring",
					    "--status-fd", "1",         "signature", "-",         NULL };
	CLEANUP(buf_done) struct buf out = BUF_INIT(SAID_MAX), errors = BUF_INIT(CHILD_ERRORS_MAX);
	struct err why = { 0 };
	str fingerprint = { NULL, 0 };
	int status = git_link(job->scratch, "keyring", job->source->keyring, err);

	if (status == 0)
		status = run(job, argv, buf_str(&o->payload), &out, &errors, err);
	if (status < 0)
		return status;
	if (git_read_gpgv(buf_str(&out), &fingerprint, &why) < 0)
		return reject_with(o, why.msg, buf_str(&errors), err);
	if (status > 0)
		return reject_with(o, "has a signature that is not good", buf_str(&errors), err);
	buf_add_str(signer, fingerprint);
	return buf_error(signer, "a signer", err);
}

/* ---- either ---- */

int git_verify(const struct fetch_job *job, const struct git_object *o, struct buf *signer, struct err *err)
{
	const struct source *s = job->source;
	int r;

	if (o->signature_kind == GIT_UNSIGNED)
		return reject(o, "is not signed", err);
	if (o->signature_kind == GIT_SIGNED_OTHERWISE)
		return reject(o, "has no single signature of SSH or PGP", err);
	if (o->signature_kind == GIT_SIGNED_SSH && s->allowed_signers.n == 0)
		return reject(o, "is signed with SSH, and the source names a keyring only", err);
	if (o->signature_kind == GIT_SIGNED_PGP && s->keyring.n == 0)
		return reject(o, "is signed with PGP, and the source names allowed signers of SSH only", err);
	r = write_signature(job, buf_str(&o->signature), err);
	if (r < 0)
		return r;
	return o->signature_kind == GIT_SIGNED_SSH ? verify_ssh(job, o, signer, err) : verify_pgp(job, o, signer, err);
}
