/* The releases of Helm that a reference is about, by what a watch of their Secrets says.
 *
 *   Secrets --take, drop--> revisions of each release --its newest that is deployed, unpacked once--> manifests
 *                                                                                                      |
 *                                           a reference of all releases  <--release_book_make----------'
 *
 * A release, by its revisions:
 *
 *   none is deployed, or a newer one is uninstalled ------> nothing is compared with it
 *   its newest is deployed, or has failed and an older one is --> IN FORCE
 *   its newest is being installed, upgraded, rolled back, uninstalled, or has been deployed just now -->
 *       SUSPENDED: its objects are being changed, so they are not compared and findings stay as they are
 *
 * Nothing of a Secret is kept but the manifest. Behaviour: spec/manifests.md, "Manifests that the cluster holds". */
#ifndef DAEMON_WATCH_RELEASE_BOOK_H
#define DAEMON_WATCH_RELEASE_BOOK_H

#include "base/strmap.h"
#include "base/vec.h"
#include "config/cfg.h"
#include "release/helm_release.h"

/* How long a release is suspended after it was deployed: its objects come by other watches, in their own time. */
#define RELEASE_STABILIZATION_NS (2 * UINT64_C(1000000000))
/* a release that is suspended for longer is reported as a gap */
#define RELEASE_STUCK_USEC (15 * 60 * INT64_C(1000000))
/* the newest revisions that are kept of one release; Helm keeps ten */
#define RELEASE_REVISIONS_MAX 1024
#define RELEASE_MANIFEST_MAX ((size_t)4 << 20) /* the most bytes of a release's manifest */

struct release_revision {
	uint32_t number;
	enum helm_status status;
	int64_t changed_sec; /* the time in struct helm_revision */
};

/* The current time, by both clocks. */
struct release_time {
	uint64_t ns;  /* clock_ns */
	int64_t usec; /* clock_usec */
	bool listed;  /* the Secret comes from a list, so that what it says may be old and is not news */
};

struct known_release {
	str name; /* NAMESPACE/RELEASE; @namespace and @release are parts of it */
	str namespace, release;
	VEC(struct release_revision) revisions; /* in no order */
	struct release_revision newest;
	uint32_t deployed;   /* the newest revision that is deployed; 0: none is */
	uint32_t opened;     /* the revision whose manifests are in memory; 0: none */
	uint32_t unreadable; /* the last revision that could not be opened; 0: all could */
	struct reference *manifests;
	struct release_left_out left_out;
	struct err problem; /* why @deployed is not opened; code 0: it is open */
	bool suspended;
	/* Unix time since which the newest revision changes the release; 0: it does not change it */
	int64_t changing_usec;
	uint64_t stable_from_ns; /* clock_ns until which the release stays suspended after its deployment */
	/* how many of its objects an earlier release also claims, as the last release_book_make found */
	size_t n_claimed;
	char *claimed; /* the first of these objects, in words; NULL: there is none */
	bool trusted;  /* the release may also describe objects of other namespaces */
};

struct release_book_options {
	/* a reference with helm_releases. It outlives the book, as do @limits and @keys */
	const struct cfg_reference *reference;
	const struct limits *limits;
	struct key_table *keys;
	/* The member of struct release_options. */
	enum release_scope (*scope)(void *ctx, str api_version, str kind);
	void *ctx;
};

struct release_book;

/* Fails: ENOMEM. */
CHECKED int release_book_new(const struct release_book_options *o, struct release_book **ret, struct err *err);
void release_book_free(struct release_book *b);

/* A Secret was added or has changed. It is passed over if it is no revision of a release that the reference is
 * about. Without memory the release gets a problem. */
void release_book_take(struct release_book *b, val secret, struct release_time now);
/* The Secret of @key (identity_local_key) is gone. */
void release_book_drop(struct release_book *b, str key, struct release_time now);

/* Whether the manifests in force differ from those of the last release_book_make. */
bool release_book_changed(struct release_book *b, struct release_time now);
/* Whether the change that release_book_changed found last must be put in force at once, because a release is newly
 * suspended: its objects are changing. */
bool release_book_is_urgent(const struct release_book *b);
/* Call this when the result of the last release_book_make could not be put in force, so that the book counts as
 * changed. */
void release_book_again(struct release_book *b);
/* Make a reference of the manifests in force. Fails: E2BIG; EIO; ENOMEM. */
CHECKED int release_book_make(struct release_book *b, struct reference **ret, struct err *err);

/* The release number @at, from 0; NULL: there are fewer. The order is that of precedence in the last
 * release_book_make: trusted releases first, then by name. */
const struct known_release *release_book_get(const struct release_book *b, size_t at);
/* The release called @name; NULL: there is none. */
const struct known_release *release_book_find(const struct release_book *b, str name);
/* Append what is wrong with the release, in words: a revision that cannot be read or has failed, objects that
 * another release claims. Nothing is appended when nothing is wrong. */
void release_problem(const struct known_release *k, struct buf *out);
/* For how many microseconds the release has been changing; 0: it is not changing. */
int64_t release_changing(const struct known_release *k, struct release_time now);

#endif
