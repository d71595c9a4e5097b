/* Makes one reference of the manifests in all releases, with a component for each release.
 *
 *   a release's text --release_manifests_make--> a reference of its own --.
 *   another's        --release_manifests_make--> a reference of its own --+--releases_reference_make--> one of all
 *
 * The reference of all releases is made again whenever a release appears, changes or is deleted, but it shares the
 * manifests of the other releases. It also lists the kinds that are watched, so that the contents of a release never
 * decide what is watched. Behaviour: spec/manifests.md, "Manifests that the cluster holds". No I/O, no clock, no
 * globals. */
#ifndef MANIFEST_MANIFEST_RELEASES_H
#define MANIFEST_MANIFEST_RELEASES_H

#include "manifest/manifest_reference.h"

/* ---- one release ---- */

enum release_scope { RELEASE_SCOPE_UNKNOWN, RELEASE_IN_NAMESPACES, RELEASE_OUTSIDE };

struct release_options {
	const struct limits *limits;
	struct key_table *keys; /* may be NULL */
	str name;               /* "NAMESPACE/RELEASE" */
	str namespace;          /* the namespace that the release is in */
	str revision;           /* the path of its listings, such as "revision 3 of web-1.2.0" */
	/* a release may contain manifests of objects in other namespaces, and of objects without one */
	bool trusted;
	enum manifest_additions additions;
	const struct manifest_kind *kinds; /* the kinds that are watched; objects of other kinds are not compared */
	size_t n_kinds;
	/* Returns the scope of a kind that may be a custom one. NULL: it is unknown. */
	enum release_scope (*scope)(void *ctx, str api_version, str kind);
	void *ctx;
};

/* How many objects of a release are not compared with a manifest. */
struct release_left_out {
	size_t kinds;   /* objects of kinds that are not watched */
	size_t places;  /* objects that are, or may be, in places for which the release is not trusted */
	size_t hooks;   /* objects that Helm only makes at some time of an installation */
	size_t unnamed; /* objects whose names a server makes */
};

/* Make a reference of one release's manifest, which is YAML with any number of documents. Fails: EBADMSG, it has
 * mistakes; E2BIG; EIO; ENOMEM. No message quotes the manifest. */
CHECKED int release_manifests_make(str manifest, const struct release_options *o, struct reference **ret,
				   struct release_left_out *left, struct err *err);

/* ---- all releases ---- */

struct release_in_force {
	str name;                    /* the name of its component */
	struct reference *manifests; /* made by release_manifests_make; shared */
	bool suspended;              /* the release is being changed, and its objects are not judged meanwhile */
};

struct releases_options {
	const struct limits *limits;
	str name;                          /* for the reference; copied */
	const struct manifest_kind *kinds; /* copied; at least one */
	size_t n_kinds;
	const str *namespaces; /* the namespaces in which objects are watched, by name; none: all; copied */
	size_t n_namespaces;
	enum manifest_additions additions;
	/* Called for an object that two releases have; it belongs to @first. May be NULL. */
	void (*claimed)(void *ctx, const struct ref_template *t, str first, str second);
	void *ctx;
};

/* The name of the only part. */
#define RELEASES_PART STR("helm")

/* Make one reference of all releases. An object that several releases have belongs to the first of them. Fails:
 * E2BIG; EIO; ENOMEM. */
CHECKED int releases_reference_make(const struct releases_options *o, const struct release_in_force *releases, size_t n,
				    struct reference **ret, struct err *err);

#endif
