/* Shared libraries that are loaded when the first of their functions is called.
 *
 * libcurl, libmicrohttpd and libsystemd bring thirty further libraries, and loading these takes longer than comparing a
 * hundred objects. Commands that need no network and no journal ("compare -f", "cel", "check-config") do without them:
 * the functions of the libraries that we call are defined in our own files, each as one LAZY_CALL(). */
#ifndef KUBECLIENT_LAZY_LIBRARY_H
#define KUBECLIENT_LAZY_LIBRARY_H

#include <stdatomic.h>

struct lazy_library {
	const char *soname; /* what the headers that we are built with belong to */
	_Atomic(void *) handle;
};

/* The function @name, kept in @known. A library that is not there ends the process, as it does for programs that are
 * linked with it: status 127 and the loader's message. */
void *lazy_symbol(struct lazy_library *l, const char *name, _Atomic(void *) *known);

/* NOLINTBEGIN(bugprone-macro-parentheses): a type and a list of parameters cannot stand in parentheses */
#define LAZY_CALL(library, type, name, parameters, arguments)                                                          \
	type(name) parameters                                                                                          \
	{                                                                                                              \
		static _Atomic(void *) known;                                                                          \
		type(*call) parameters = (type(*) parameters)lazy_symbol(&(library), #name, &known);                   \
                                                                                                                       \
		return call arguments;                                                                                 \
	}

/* NOLINTEND(bugprone-macro-parentheses) */

#endif
