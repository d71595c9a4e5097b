/* Reads the file of built-in rules, which is a YAML list of rules. See spec/inspection-rules.md, section 11. */
#ifndef RULES_INSPECTION_BUILTIN_H
#define RULES_INSPECTION_BUILTIN_H

#include "base/problems.h"
#include "base/vec.h"
#include "rules/inspection/insp_rule.h"

struct insp_builtins {
	VEC(struct insp_rule *) rules; /* the rules in the order of the file, each with a uuid */
	uint64_t content;              /* hash of the text (hash_seed) */
	uint64_t n_numbered;           /* rules whose uuid is a number */
};

#define INSP_BUILTINS_MAX 10000

/* Read @text; @path is for messages. All mistakes go to @problems with their places. Fails: EINVAL (see @problems),
 * ENOMEM. Release the result with insp_builtins_done after a success. */
CHECKED int insp_builtins_parse(str text, const char *path, const struct limits *limits, struct insp_builtins *ret,
				struct problems *problems, struct err *err);
/* Read the value of such a list, which has no places. A mistake reads "[1]: actions[0]: text". */
CHECKED int insp_builtins_read(val list, const struct limits *limits, struct insp_builtins *ret,
			       struct problems *problems, struct err *err);
/* Move the rules of @more behind those of @to. One that was given a uuid which is there already is left out; a number
 * becomes the next one that is free. *more is empty then, also after a failure. Fails: ENOMEM. */
CHECKED int insp_builtins_add(struct insp_builtins *to, struct insp_builtins *more, struct err *err);
/* Append what a rule of the file may hold, for the manual. */
void insp_builtins_print_settings(struct buf *out);
void insp_builtins_done(struct insp_builtins *b);

#endif
