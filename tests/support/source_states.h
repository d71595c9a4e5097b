/* Followed references, one for each way in which one can stand, good and hostile: for tests of what is shown of them.
 */
#ifndef TESTS_SOURCE_VIEWS_H
#define TESTS_SOURCE_VIEWS_H

#include "daemon/findings/clock.h"
#include "daemon/serve/source_state.h"

#define VIEWS_NOW 1800000000 /* Unix time */

#define ID_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define ID_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define COMMIT_1 "1111111111111111111111111111111111111111"
#define COMMIT_2 "2222222222222222222222222222222222222222"
#define COMMIT_3 "3333333333333333333333333333333333333333"

/* HTML, what moves the cursor, what changes the order of letters, lines, and more of them than
 * are shown. */
#define HOSTILE "<script>alert(1)</script>\x1b[2J\x1b]0;x\x07\n\r\xe2\x80\xae]\"&"
#define HOSTILE_LONG                                                                                                   \
	HOSTILE "0123456789012345678901234567890123456789012345678901234567890123456789"                               \
		"0123456789012345678901234567890123456789012345678901234567890123456789"                               \
		"0123456789012345678901234567890123456789012345678901234567890123456789"                               \
		"0123456789012345678901234567890123456789012345678901234567890123456789"

#define TEXT(s)                                                                                                        \
	{                                                                                                              \
		s, sizeof(s) - 1                                                                                       \
	}

static const struct source_commit views_log[] = {
	{ TEXT(COMMIT_3), TEXT("Ada Lovelace"), TEXT("Want 3 replicas"), VIEWS_NOW - 300 },
	{ TEXT(COMMIT_2), TEXT("Grace Hopper"), TEXT("set password=correct-horse-battery"), VIEWS_NOW - 600 },
	{ TEXT(COMMIT_1), TEXT("Ada Lovelace"), TEXT("Begin"), VIEWS_NOW - 86400 },
};
static const struct source_commit hostile_log[] = {
	{ TEXT(COMMIT_2), TEXT(HOSTILE), TEXT(HOSTILE_LONG), VIEWS_NOW - 300 },
};

static const struct source_revision revision_1 = { .revision = TEXT(COMMIT_1),
						   .signer = TEXT("ada@example.com"),
						   .title = TEXT("v1.0"),
						   .log = &views_log[2],
						   .n_log = 1,
						   .n_files = 12,
						   .n_bytes = 34567 };
static const struct source_revision revision_3 = { .revision = TEXT(COMMIT_3),
						   .signer = TEXT("ada@example.com"),
						   .title = TEXT("main"),
						   .log = views_log,
						   .n_log = 3,
						   .n_files = 13,
						   .n_bytes = 34600,
						   .n_left_out = 2 };
/* Of which the one in force is not. */
static const struct source_revision revision_forced = {
	.revision = TEXT(COMMIT_3), .log = views_log, .n_log = 2, .rewritten = true, .n_files = 1, .n_bytes = 9
};
static const struct source_revision revision_image = { .revision = TEXT("sha256:" ID_A), .n_files = 3, .n_bytes = 99 };
static const struct source_revision revision_hostile = { .revision = TEXT(COMMIT_2),
							 .signer = TEXT(HOSTILE),
							 .title = TEXT(HOSTILE),
							 .log = hostile_log,
							 .n_log = 1,
							 .n_files = 1,
							 .n_bytes = 1 };

static const struct source_status status_well = { .attempted = VIEWS_NOW - 60, .succeeded = VIEWS_NOW - 60 };
static const struct source_status status_failing = {
	.attempted = VIEWS_NOW - 60,
	.succeeded = VIEWS_NOW - 7200,
	.failures = { [SOURCE_UNREACHABLE] = 24, [SOURCE_VERIFICATION] = 1 },
	.failed = true,
	.failure = SOURCE_VERIFICATION,
	.message = TEXT("no good signature: " HOSTILE),
};

#define SOURCE(kind_, url_, ...)                                                                                       \
	(&(const struct source){ .kind = (kind_),                                                                      \
				 .url = TEXT(url_),                                                                    \
				 .interval_ns = SOURCE_INTERVAL_NS,                                                    \
				 .timeout_ns = SOURCE_TIMEOUT_NS,                                                      \
				 __VA_ARGS__ })
#define GIT "https://git.example.com/base.git"

static const struct source_state all_views[] = {
	{ .source = SOURCE(SOURCE_GIT, "https://deploy:p4ssword-of-deploy@git.example.com/a.git?token=t0ken-in-query",
			   .name = TEXT("absent"), .branch = TEXT("main"), .path = TEXT("reference")),
	  .standing = SOURCE_ABSENT,
	  .since = VIEWS_NOW - 30,
	  .in_force = "",
	  .fetched = "",
	  .waits = true },
	{ .source = SOURCE(SOURCE_OCI, "registry.example.com:5000/base", .name = TEXT("current"), .tag = TEXT("v1"),
			   .cosign_key = TEXT("/etc/driftd/cosign.pub")),
	  .standing = SOURCE_CURRENT,
	  .since = VIEWS_NOW - 3600,
	  .in_force = ID_A,
	  .revision = &revision_image,
	  .fetched = ID_A,
	  .status = &status_well },
	{ .source = SOURCE(SOURCE_GIT, GIT, .name = TEXT("checking")),
	  .standing = SOURCE_CHECKING,
	  .since = VIEWS_NOW - 1,
	  .in_force = ID_A,
	  .revision = &revision_1,
	  .fetched = ID_B,
	  .next = &revision_3,
	  .status = &status_well },
	{ .source = SOURCE(SOURCE_GIT, GIT, .name = TEXT("held"), .branch = TEXT("main"),
			   .allowed_signers = TEXT("/etc/driftd/signers")),
	  .standing = SOURCE_HELD,
	  .since = VIEWS_NOW - 240,
	  .in_force = ID_A,
	  .revision = &revision_1,
	  .fetched = ID_B,
	  .next = &revision_3,
	  .why = TEXT("waits for driftd reference accept held: more than 10 findings would begin: 12 begin, 3 change, "
		      "40 end"),
	  .changes = TEXT("12 begin, 3 change, 40 end"),
	  .begins = 12,
	  .status = &status_well,
	  .before = (const str[]){ TEXT(ID_B), TEXT(ID_A) },
	  .n_before = 2 },
	{ .source = SOURCE(SOURCE_GIT, GIT, .name = TEXT("forced")),
	  .standing = SOURCE_HELD,
	  .since = VIEWS_NOW - 240,
	  .in_force = ID_A,
	  .revision = &revision_1,
	  .fetched = ID_B,
	  .next = &revision_forced,
	  .why = TEXT("waits for driftd reference accept forced: the history of its source was rewritten"),
	  .status = &status_well },
	{ .source = SOURCE(SOURCE_GIT, GIT, .name = TEXT("broken")),
	  .standing = SOURCE_BROKEN,
	  .since = VIEWS_NOW - 240,
	  .in_force = ID_A,
	  .revision = &revision_1,
	  .fetched = ID_B,
	  .next = &revision_3,
	  .why = TEXT("cannot be loaded, what was in force stays so: metadata.yaml:3:1: unknown key "
		      "'part'\nweb.yaml:7: unexpected {{end}} <b>\nweb.yaml:9: x"),
	  .status = &status_well },
	{ .source = SOURCE(SOURCE_HTTPS, "https://example.com/base.tar.gz", .name = TEXT("pinned"),
			   .minisign_key = TEXT("key.pub")),
	  .standing = SOURCE_PINNED,
	  .since = VIEWS_NOW - 864000,
	  .in_force = ID_A,
	  .fetched = ID_B,
	  .status = &status_well },
	{ .source = &(const struct source){ .name = TEXT("imported"),
					    .kind = SOURCE_OCI,
					    .url = TEXT("x.example.com/base") },
	  .standing = SOURCE_CURRENT,
	  .since = VIEWS_NOW - 864000,
	  .in_force = ID_A,
	  .revision = &revision_image,
	  .fetched = ID_A },
	{ .source = SOURCE(SOURCE_GIT, "ssh://git@git.example.com/x.git", .name = TEXT("failing")),
	  .standing = SOURCE_CURRENT,
	  .since = VIEWS_NOW - 7200,
	  .in_force = ID_B,
	  .revision = &revision_hostile,
	  .fetched = ID_B,
	  .status = &status_failing },
};

/* Those that @names has, with spaces between them, in @ret, which has room for all; "": all of them. Time stands. */
static inline size_t views_called(str names, struct source_state *ret)
{
	size_t n = 0;
	str name;

	clock_set(VIEWS_NOW * INT64_C(1000000), 1000000000);
	while (str_next_part(&names, ' ', &name)) {
		for (size_t i = 0; i < ARRAY_LEN(all_views); i++) {
			if (!name.n || str_eq(all_views[i].source->name, name))
				ret[n++] = all_views[i];
		}
	}
	return n;
}

#endif
