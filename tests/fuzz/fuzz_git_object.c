/* A commit ("c" before it, or "C" where names are of SHA-256), a tag ("t", "T") as somebody may have pushed it, or what
 * gpgv may say of a signature ("g"). What is signed of a commit has no signature, and all of it is signed. */
#include "daemon/fetch/git_object.h"
#include "daemon/fetch/git_verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void try_object(enum git_object_kind kind, str raw, bool sha256)
{
	struct git_object o, again;
	struct err err;
	int r = git_object_read(kind, raw, sha256, &o, &err);

	if (r == 0) {
		check(o.payload.n + o.signature.n <= raw.n + 1);
		check((o.signature_kind == GIT_UNSIGNED) == (str_trim(buf_str(&o.signature)).n == 0));
		check(o.time >= -1);
	}
	if (r == 0 && kind == GIT_COMMIT) {
		check(git_object_read(kind, buf_str(&o.payload), sha256, &again, &err) == 0);
		check(again.signature_kind == GIT_UNSIGNED && str_eq(buf_str(&again.payload), buf_str(&o.payload)));
		git_object_done(&again);
	}
	git_object_done(&o);
}

static void try_status(str status)
{
	struct err err;
	str signer = { NULL, 0 };

	if (git_read_gpgv(status, &signer, &err) < 0)
		return;
	check(signer.n >= 32 && str_find(status, STR("[GNUPG:] VALIDSIG ")) >= 0);
	check(str_find(status, STR("\n[GNUPG:] BADSIG")) < 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	str rest = { (const char *)data + 1, size - 1 };

	if (size == 0)
		return 0;
	if (*data == 'g')
		try_status(rest);
	else
		try_object(*data == 't' || *data == 'T' ? GIT_TAG : GIT_COMMIT, rest, *data == 'C' || *data == 'T');
	return 0;
}
