/* A set of manifests from files: objects and mistakes, each with its place in a file.
 *
 *   texts --manifest_set_add--> objects, counted hooks, mistakes --manifest_set_finish--> each in its namespace, once
 *
 * A text may contain any number of documents. The items of lists become objects, also those of nested lists; empty
 * documents are ignored. YAML is read as sigs.k8s.io/yaml reads it. Behaviour: spec/manifests.md, section 1. */
#ifndef MANIFEST_MANIFEST_SET_H
#define MANIFEST_MANIFEST_SET_H

#include "base/limits.h"
#include "base/problems.h"
#include "base/vec.h"
#include "topology/crd_table.h"
#include "value/doc.h"
#include "value/identity.h"
#include "value/path.h"

/* A document in a text of manifests. */
struct manifest_document {
	str file;
	str text;
	size_t line; /* the line on which it begins, from 1 */
};

struct manifest {
	val object;         /* the object as it is written */
	struct identity id; /* with its effective namespace, once the set is finished */
	const struct manifest_document *document;
	struct path at; /* the path of the object in its document, for items of lists */
	bool optional;  /* the object may be missing, such as a Job that removes itself */
};

struct manifest_set {
	const struct limits *limits;
	struct key_table *keys; /* may be NULL */
	struct arena arena;
	VEC(struct doc *) docs;
	VEC(struct manifest) list;  /* the manifests in the order of the texts */
	struct strmap names;        /* once finished: identity_text -> 1 + the index of its manifest */
	VEC(struct manifest) hooks; /* left out, and counted in n_hooks; hooks without a name are only counted */
	size_t n_hooks;             /* left out: what Helm and Argo CD run at some time of an installation, */
	size_t n_unnamed;           /* the objects that get their names from a server */
	struct problems mistakes;   /* "FILE:LINE:COLUMN: …" */
	struct problems warnings;
};

void manifest_set_init(struct manifest_set *s, const struct limits *limits, struct key_table *keys);
void manifest_set_done(struct manifest_set *s);

/* Add the objects in @text, which is from the file @file; both are copied. What is wrong with the text becomes a
 * mistake, and the rest is added nevertheless. Fails: ENOMEM. */
CHECKED int manifest_set_add(struct manifest_set *s, str file, str text, struct err *err);

/* Finish the set; call this once, after all texts. It adds the definitions among the objects to @definitions, which
 * must not outlive the set, and finds the namespace of each object: its own, else @namespace; none if the kind has
 * none, by the table of built-in kinds and by @definitions. Objects that are in the set twice, and elements of lists
 * with the same key, become mistakes. Fails: ENOMEM. */
CHECKED int manifest_set_finish(struct manifest_set *s, struct crd_table *definitions, str namespace, struct err *err);

/* The index of the manifest of @id in a finished set; SIZE_MAX: there is none. */
size_t manifest_set_find(const struct manifest_set *s, const struct identity *id);

/* "FILE:LINE:COLUMN" of the value at @below in @m, or of the last value on the way there. In the arena; {NULL, 0}
 * without memory. */
str manifest_where(struct manifest_set *s, const struct manifest *m, struct path below);

#endif
