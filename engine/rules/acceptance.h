/* Accepted deviations: which differences from a reference, and which violations of validation rules, somebody has
 * accepted, why, and for how long.
 *
 * An acceptance is about objects, or about components that want objects or have forbidden ones, or about single objects
 * that components should not have. Names are patterns in
 * which "*" stands for any text (base/pattern.h). The path is written as records print it (value/path.h): a segment "*"
 * is any member or item, and what lies below the path is accepted with it; without a path everything in which the
 * object differs is. One that names a rule is about violations only, and one that names none is never about them: what
 * was accepted as drift hides no violation. */
#ifndef RULES_ACCEPTANCE_H
#define RULES_ACCEPTANCE_H

#include "compare/changes.h"

#define ACCEPTANCE_ID_SIZE 17    /* 16 hexadecimal digits */
#define ACCEPTANCE_TEXT_MAX 1024 /* bytes of a text of it */

/* As somebody wrote it; what is not said is empty. */
struct acceptance {
	str cluster, reference; /* patterns; empty: any */
	str api_version;        /* pattern; empty: any */
	str kind;               /* "Deployment", "deployments", "deployments.apps", or a pattern; of an object */
	str namespace;          /* pattern; empty: any, and none */
	str name;               /* pattern; of an object */
	str component;          /* "PART/COMPONENT", a pattern; empty: it is about objects. With kind and name:
				 * about objects that the component should not have */
	str template_path;      /* pattern; of a component: of its templates; empty: all */
	str path;
	str rule;  /* pattern of the text of a validation rule; empty: it is about drift */
	str value; /* what the object has there: a text, or JSON; {NULL, 0}: whatever it is */
	str reason, owner;
	str until; /* a day, which is the last one, or a time of RFC 3339; empty: for ever */
};

#define ACCEPTANCE_TEXTS (sizeof(struct acceptance) / sizeof(str))

/* The texts by the names that they have in driftd.yaml and in JSON. */
struct acceptance_text {
	const char *name, *help;
	size_t offset; /* of a str */
};
extern const struct acceptance_text acceptance_texts[ACCEPTANCE_TEXTS];

/* The microsecond at which @text is over; INT64_MAX of the empty one. False: it is no time. */
bool acceptance_until(str text, int64_t *ret_usec);
/* Whether it can be read as a path. False also without memory. */
bool acceptance_path_valid(str path);
/* Whether it says what it must, in so many bytes. Fails: EINVAL. */
CHECKED int acceptance_check(const struct acceptance *a, struct err *err);
/* The id of an acceptance, the same in every process: it depends on what is accepted, not on why, by whom and for how
 * long. False without memory. */
bool acceptance_id(const struct acceptance *a, char ret[ACCEPTANCE_ID_SIZE]);
bool acceptance_same(const struct acceptance *a, const struct acceptance *b);

/* Append it as a JSON object. */
void acceptance_to_json(const struct acceptance *a, struct buf *out);
/* Reads it back, and checks it; its texts are those of @v. Fails: EINVAL. */
CHECKED int acceptance_from_json(val v, struct acceptance *ret, struct err *err);
struct doc;
/* The same of text: *doc is the caller's then, and holds the texts of *ret. Fails: EINVAL, and as json_decode. */
CHECKED int acceptance_decode(str json, struct doc **doc, struct acceptance *ret, char id[ACCEPTANCE_ID_SIZE],
			      struct err *err);

/* Ready to be matched with changes. */
struct accepted_change {
	struct acceptance says;
	char id[ACCEPTANCE_ID_SIZE];
	int64_t until_usec;
	struct path path;
	val value; /* of says.value read as JSON; VAL_ABSENT: it is none */
};

/* Texts are copied into @a. Fails: EINVAL, ENOMEM. */
CHECKED int acceptance_compile(const struct acceptance *from, struct arena *a, struct accepted_change *ret,
			       struct err *err);

/* What an acceptance is matched with. */
struct accepted_object {
	str cluster, reference, api_version, kind, resource, namespace, name;
	str rule; /* that it violates; empty: it differs from the reference */
};

bool acceptance_for_object(const struct acceptance *a, const struct accepted_object *o);
/* Templates of the component may be accepted by it; @template_path: whether this one is. */
bool acceptance_for_component(const struct acceptance *a, str cluster, str reference, str part, str component);
bool acceptance_for_template(const struct acceptance *a, str template_path);
/* One for a component accepts the object that the component should not have; false for one that names no objects. */
bool acceptance_for_member(const struct acceptance *a, const struct accepted_object *o);
/* Whether it accepts a change of an object that it is for; of a violation the change is the place of the rule, and the
 * value there. An acceptance that names a value never accepts a hidden
 * value: trying values would reveal it. */
bool acceptance_takes(const struct accepted_change *x, const struct change *change);

#endif
