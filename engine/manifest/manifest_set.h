/* Manifests as files hold them: objects, each with the place where it stands, and every mistake with its own.
 *
 *   texts --manifest_set_add--> objects, counted hooks, mistakes --manifest_set_finish--> each in its namespace, once
 *
 * A text holds any number of documents; lists are taken apart, nested ones too; an empty document is nothing. YAML is
 * read as sigs.k8s.io/yaml reads it. Behaviour: spec/manifests.md, section 1. */
#ifndef MANIFEST_MANIFEST_SET_H
#define MANIFEST_MANIFEST_SET_H

#include "base/limits.h"
#include "base/problems.h"
#include "base/vec.h"
#include "topology/crd_table.h"
#include "value/doc.h"
#include "value/identity.h"
#include "value/path.h"

/* Where a document stands. */
struct manifest_document {
	str file;
	str text;
	size_t line; /* on which it begins, from 1 */
};

struct manifest {
	val object;         /* as it is written */
	struct identity id; /* with the namespace that counts, once the set is finished */
	const struct manifest_document *document;
	struct path at; /* of the object in its document: where the items of lists are */
	bool optional;  /* that it is not there is no finding: a Job that removes itself */
};

struct manifest_set {
	const struct limits *limits;
	struct key_table *keys; /* may be NULL */
	struct arena arena;
	VEC(struct doc *) docs;
	VEC(struct manifest) list;  /* in the order of the texts */
	struct strmap names;        /* once finished: identity_text -> 1 + the index of its manifest */
	VEC(struct manifest) hooks; /* left out, and counted as n_hooks; of those without a name nothing is known */
	size_t n_hooks;             /* left out: what Helm and Argo CD run at some time of an installation, */
	size_t n_unnamed;           /* and what gets its name from a server */
	struct problems mistakes;   /* "FILE:LINE:COLUMN: …" */
	struct problems warnings;
};

void manifest_set_init(struct manifest_set *s, const struct limits *limits, struct key_table *keys);
void manifest_set_done(struct manifest_set *s);

/* Add what @text, of the file @file, holds; both are copied. What is wrong with it becomes a mistake, and the rest is
 * added all the same. Fails: ENOMEM. */
CHECKED int manifest_set_add(struct manifest_set *s, str file, str text, struct err *err);

/* Add the definitions that are among the objects to @definitions, which must not outlive the set. Find out in which
 * namespace each object is: its own, else @namespace; none where the kind has none, by the table of built-in kinds and
 * by @definitions. Then no object may be there twice, and no element of a list with keys either.
 * To be called once, behind all texts. Fails: ENOMEM. */
CHECKED int manifest_set_finish(struct manifest_set *s, struct crd_table *definitions, str namespace, struct err *err);

/* The index of the manifest of @id; SIZE_MAX: there is none. Of a finished set. */
size_t manifest_set_find(const struct manifest_set *s, const struct identity *id);

/* "FILE:LINE:COLUMN" of what is at @below in @m, or of the last on the way there. In the arena; {NULL, 0} without
 * memory. */
str manifest_where(struct manifest_set *s, const struct manifest *m, struct path below);

#endif
