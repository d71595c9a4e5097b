/* Accepted deviations: which differences from a reference, and which violations of validation rules, somebody has
 * accepted, why, and for how long.
 *
 * An acceptance is about objects, or about components that want objects or have forbidden ones, or about single
 * objects that components should not have. Names are patterns in which "*" stands for any text (base/pattern.h). The
 * path is written as records print it (value/path.h): a segment "*" is any member or item, and what lies below the
 * path is accepted with it; without a path everything in which the object differs is. An acceptance that names a
 * rule is only about violations, and one that names none is never about them, so that what was accepted as drift
 * hides no violation. */
#ifndef RULES_ACCEPTANCE_H
#define RULES_ACCEPTANCE_H

#include "compare/changes.h"

#define ACCEPTANCE_ID_SIZE 17    /* 16 hexadecimal digits */
#define ACCEPTANCE_TEXT_MAX 1024 /* bytes of one text of an acceptance */

/* An acceptance as somebody wrote it. Texts that are not given are empty. */
struct acceptance {
	str cluster, reference; /* patterns; empty: any */
	str api_version;        /* pattern; empty: any */
	/* the kind of an object: "Deployment", "deployments", "deployments.apps", or a pattern */
	str kind;
	str namespace; /* pattern; empty: any, or no namespace */
	str name;      /* pattern for the name of an object */
	/* "PART/COMPONENT", a pattern; empty: the acceptance is about objects. With kind and name it is about
	 * objects that the component should not have. */
	str component;
	str template_path; /* pattern for the templates of the component; empty: all */
	str path;
	str rule;  /* pattern for the text of a validation rule; empty: the acceptance is about drift */
	str value; /* the value that the object has there: a text, or JSON; {NULL, 0}: any */
	str reason, owner;
	str until; /* the last day, or a time of RFC 3339; empty: for ever */
};

#define ACCEPTANCE_TEXTS (sizeof(struct acceptance) / sizeof(str))

/* The texts of an acceptance, by their names in driftd.yaml and in JSON. */
struct acceptance_text {
	const char *name, *help;
	size_t offset; /* the offset of a str in struct acceptance */
};
extern const struct acceptance_text acceptance_texts[ACCEPTANCE_TEXTS];

/* The microsecond at which an acceptance until @text ends; INT64_MAX for an empty text. False: @text is not a time. */
bool acceptance_until(str text, int64_t *ret_usec);
/* Whether @path can be read as a path. False also without memory. */
bool acceptance_path_valid(str path);
/* Check that @a has all required texts and that none is too long. Fails: EINVAL. */
CHECKED int acceptance_check(const struct acceptance *a, struct err *err);
/* The id of an acceptance, the same in every process: it depends on what is accepted, not on why, by whom and for how
 * long. False without memory. */
bool acceptance_id(const struct acceptance *a, char ret[ACCEPTANCE_ID_SIZE]);
bool acceptance_same(const struct acceptance *a, const struct acceptance *b);

/* Append an acceptance as a JSON object. */
void acceptance_to_json(const struct acceptance *a, struct buf *out);
/* Read an acceptance from its JSON object, and check it; its texts are those of @v. Fails: EINVAL. */
CHECKED int acceptance_from_json(val v, struct acceptance *ret, struct err *err);
struct doc;
/* Read an acceptance from JSON text. *doc then belongs to the caller, and holds the texts of *ret. Fails: EINVAL,
 * and as json_decode. */
CHECKED int acceptance_decode(str json, struct doc **doc, struct acceptance *ret, char id[ACCEPTANCE_ID_SIZE],
			      struct err *err);

/* An acceptance that is ready to be matched with changes. */
struct accepted_change {
	struct acceptance says;
	char id[ACCEPTANCE_ID_SIZE];
	int64_t until_usec;
	struct path path;
	val value; /* says.value read as JSON; VAL_ABSENT: it is not JSON */
};

/* Prepare an acceptance for matching; its texts are copied into @a. Fails: EINVAL, ENOMEM. */
CHECKED int acceptance_compile(const struct acceptance *from, struct arena *a, struct accepted_change *ret,
			       struct err *err);

/* The identity of an object, and the rule that it violates, to match acceptances with. */
struct accepted_object {
	str cluster, reference, api_version, kind, resource, namespace, name;
	str rule; /* the violated rule; empty: the object differs from the reference */
};

bool acceptance_for_object(const struct acceptance *a, const struct accepted_object *o);
/* Whether @a may accept what happens to templates of the component; acceptance_for_template says for which of them. */
bool acceptance_for_component(const struct acceptance *a, str cluster, str reference, str part, str component);
bool acceptance_for_template(const struct acceptance *a, str template_path);
/* Whether @a, which is for a component, accepts the object @o that the component should not have. False if @a names
 * no objects. */
bool acceptance_for_member(const struct acceptance *a, const struct accepted_object *o);
/* Whether @x accepts @change, which is a change of an object that @x is for; for a violation, that is the place of
 * the rule and the value there. An acceptance that names a value never accepts a hidden value: trying values would
 * reveal it. */
bool acceptance_takes(const struct accepted_change *x, const struct change *change);

#endif
