/* What releases hold as one reference, of which each release is a component.
 *
 *   a release's text --release_manifests_make--> a reference of its own --.
 *   another's        --release_manifests_make--> a reference of its own --+--releases_reference_make--> one of all
 *
 * The one of all changes with each release that comes, changes or goes; the manifests of the others are shared with it,
 * not made again. Besides them it lists the kinds that are watched, so that what is watched never follows from what a
 * release says. Behaviour: spec/manifests.md, "Manifests that the cluster holds". No I/O, no clock, no globals. */
#ifndef MANIFEST_MANIFEST_RELEASES_H
#define MANIFEST_MANIFEST_RELEASES_H

#include "manifest/manifest_reference.h"

/* ---- one release ---- */

enum release_scope { RELEASE_SCOPE_UNKNOWN, RELEASE_IN_NAMESPACES, RELEASE_OUTSIDE };

struct release_options {
	const struct limits *limits;
	struct key_table *keys; /* may be NULL */
	str name;               /* NAMESPACE/RELEASE */
	str namespace;          /* in which it lives */
	str revision;           /* what its listings call themselves: "revision 3 of web-1.2.0" */
	bool trusted;           /* it speaks for objects of other namespaces too, and for those that are in none */
	enum manifest_additions additions;
	const struct manifest_kind *kinds; /* that are watched; it is compared with no other */
	size_t n_kinds;
	/* Where objects of a kind live which may come from a definition. NULL: nobody knows. */
	enum release_scope (*scope)(void *ctx, str api_version, str kind);
	void *ctx;
};

/* Objects of it that no manifest is compared with. */
struct release_left_out {
	size_t kinds;   /* of kinds that are not watched */
	size_t places;  /* elsewhere than it may speak for, or perhaps so */
	size_t hooks;   /* which Helm makes at some time of an installation */
	size_t unnamed; /* which get their names from a server */
};

/* Makes a reference of one release's manifest, which is YAML of any number of documents. Fails: EBADMSG, it has
 * mistakes; E2BIG; EIO; ENOMEM. No message quotes the manifest. */
CHECKED int release_manifests_make(str manifest, const struct release_options *o, struct reference **ret,
				   struct release_left_out *left, struct err *err);

/* ---- all releases ---- */

struct release_in_force {
	str name;                    /* of its component */
	struct reference *manifests; /* of release_manifests_make; shared */
	bool suspended;              /* it is being changed: nothing is said of its objects meanwhile */
};

struct releases_options {
	const struct limits *limits;
	str name;                          /* of the reference; copied */
	const struct manifest_kind *kinds; /* copied; at least one */
	size_t n_kinds;
	const str *namespaces; /* where objects are watched: names, or none: everywhere; copied */
	size_t n_namespaces;
	enum manifest_additions additions;
	/* An object that two of them have: it is @first's. May be NULL. */
	void (*claimed)(void *ctx, const struct ref_template *t, str first, str second);
	void *ctx;
};

/* The name of the part. */
#define RELEASES_PART STR("helm")

/* Makes one reference of all releases. An object that several releases have belongs to the first. Fails: E2BIG; EIO;
 * ENOMEM. */
CHECKED int releases_reference_make(const struct releases_options *o, const struct release_in_force *releases, size_t n,
				    struct reference **ret, struct err *err);

#endif
