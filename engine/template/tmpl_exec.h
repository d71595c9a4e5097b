/* The state of one execution, shared by the walk over the tree (tmpl_exec.c) and the calls of
 * functions (tmpl_exec_call.c). */
#ifndef TEMPLATE_TMPL_EXEC_H
#define TEMPLATE_TMPL_EXEC_H

#include "template/tmpl.h"
#include "template/tmpl_functions.h"
#include "template/tmpl_node.h"

struct variable {
	str name;
	tval value;
};

struct exec {
	const struct tmpl *set;
	const struct ttree *tree; /* the tree that is executed: messages name it */
	const struct tnode *node; /* the node at which an error would be reported */
	const struct tmpl_env *env;
	const struct limits *limits;
	struct tmem mem;
	struct buf *out;
	size_t out_limit; /* the most that out->n may be */
	struct variable *vars;
	size_t n_vars, cap_vars;
	size_t first_var; /* the template sees the variables from this one on */
	uint32_t depth;   /* how deeply template calls are nested */
	uint32_t nesting; /* how deeply walks and pipelines are nested, to bound the stack */
	uint64_t steps;
	struct err *err;
	int code; /* the code of the failure */
};

/* Ends the execution with Go's "template: NAME:LINE:COL: executing "NAME" at <NODE>: " and @format with @n arguments,
 * each a tval (EXEC_TEXT for a C string); returns false. As in text/template the location is part of the format: a name
 * with a % in it takes arguments. @code is a positive errno. */
bool exec_fail(struct exec *s, int code, const char *format, size_t n, ...);
#define EXEC_TEXT(cstr) tval_string(str_from(cstr))
/* As exec_fail, with the text of @node as the first argument, and @more (may be NULL) as the second. */
bool exec_fail_node(struct exec *s, const char *format, const struct tnode *node, const char *more);
bool exec_nomem(struct exec *s);
/* Count one step; false, after exec_out_of_steps, when they are used up. */
bool exec_step(struct exec *s);
bool exec_out_of_steps(struct exec *s);

/* The parts of a pipeline. @final: the value of the pipeline before this command, NULL when there is none. All these
 * functions return false after exec_fail. */
bool eval_pipeline(struct exec *s, tval dot, const struct tnode *pipe, tval *ret);
bool eval_field_node(struct exec *s, tval dot, const struct tnode *n, const struct tnode_list *args, const tval *final,
		     tval *ret);
bool eval_variable_node(struct exec *s, tval dot, const struct tnode *n, const struct tnode_list *args,
			const tval *final, tval *ret);
bool eval_chain_node(struct exec *s, tval dot, const struct tnode *n, const struct tnode_list *args, const tval *final,
		     tval *ret);
bool eval_function(struct exec *s, tval dot, const struct tnode *n, const struct tnode *cmd,
		   const struct tnode_list *args, const tval *final, tval *ret);
bool eval_constant(struct exec *s, const struct tnode *n,
		   tval *ret); /* a bool, number or string where no type is expected */

/* Call @fn. The first word of @args, which may be NULL, is the function itself. @receiver: the receiver of a method,
 * or NULL. */
bool eval_call(struct exec *s, tval dot, const struct tmpl_fn *fn, const struct tnode *node,
	       const struct tnode_list *args, const tval *final, const tval *receiver, tval *ret);
/* Evaluate an argument for a parameter of @type; NULL: any type, without conversion. */
bool eval_arg(struct exec *s, tval dot, const struct ttype *type, const struct tnode *n, tval *ret);

#endif
