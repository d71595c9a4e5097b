/* All limits on data from outside. A limit is checked before memory is allocated for what it bounds. */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

#include <stddef.h>
#include <stdint.h>

struct limits {
	size_t file_bytes;         /* one file: configuration, reference, template, kubeconfig */
	size_t object_bytes;       /* one object as JSON, one line of a watch */
	uint32_t depth;            /* nesting of a document */
	size_t document_nodes;     /* values of one document, after expansion of YAML aliases */
	size_t arena_bytes;        /* memory of one document or one evaluation */
	uint32_t template_depth;   /* nested template calls */
	uint32_t template_nesting; /* nesting of actions and parentheses in a template's text */
	size_t template_output_bytes;
	uint64_t template_steps;    /* nodes executed in one render */
	uint32_t regex_match_limit; /* PCRE2 match limit */
	uint64_t cel_cost;          /* cost units of one rule's evaluation */
	size_t diff_bytes;          /* text of one diff */
	uint64_t diff_steps;        /* steps of the search of one diff, which then goes on less thoroughly */
	size_t choice_bytes;        /* total size of the values that are compared as text to choose between templates */
	uint64_t evaluation_steps;  /* steps of judging one object by one reference: rendering, reading and comparing */
	uint64_t choice_steps;      /* steps of the search of all diffs that choose between templates */
};

#define LIMITS_DEFAULT                                                                                                 \
	((struct limits){                                                                                              \
		.file_bytes = 64u << 20,                                                                               \
		.object_bytes = 8u << 20,                                                                              \
		.depth = 1000,                                                                                         \
		.document_nodes = 4u << 20,                                                                            \
		.arena_bytes = 512u << 20,                                                                             \
		.template_depth = 1000,                                                                                \
		.template_nesting = 500,                                                                               \
		.template_output_bytes = 16u << 20,                                                                    \
		.template_steps = 10u * 1000 * 1000,                                                                   \
		.regex_match_limit = 1000 * 1000,                                                                      \
		.cel_cost = 10u * 1000 * 1000,                                                                         \
		.diff_bytes = 64u << 20,                                                                               \
		.diff_steps = UINT64_MAX,                                                                              \
		.choice_bytes = SIZE_MAX,                                                                              \
		.choice_steps = UINT64_MAX,                                                                            \
		.evaluation_steps = 1000u * 1000 * 1000,                                                               \
	})

/* The default limits, with fewer steps and bytes, for evaluations on an event loop, where others wait for them: a
 * step takes some 10 ns. */
static inline struct limits limits_of_a_loop(void)
{
	struct limits l = LIMITS_DEFAULT;

	l.evaluation_steps = 4u * 1000 * 1000;
	l.choice_bytes = 256u << 10;
	l.choice_steps = 2u * 1000 * 1000;
	l.diff_steps = 1000u * 1000;
	l.diff_bytes = 1u << 20;
	return l;
}

#endif
