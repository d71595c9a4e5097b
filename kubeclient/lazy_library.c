#include "kubeclient/lazy_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define EXIT_NOT_LOADED 127

static void *fail(void)
{
	fprintf(stderr, "driftd: error while loading shared libraries: %s\n", dlerror());
	exit(EXIT_NOT_LOADED);
}

/* Two threads may both get here: the loader gives them the same handle. */
static void *load(struct lazy_library *l)
{
	void *handle = atomic_load(&l->handle);

	if (!handle) {
		handle = dlopen(l->soname, RTLD_NOW | RTLD_LOCAL);
		atomic_store(&l->handle, handle);
	}
	return handle ? handle : fail();
}

void *lazy_symbol(struct lazy_library *l, const char *name, _Atomic(void *) *known)
{
	void *symbol = atomic_load_explicit(known, memory_order_acquire);

	if (symbol)
		return symbol;
	symbol = dlsym(load(l), name);
	if (!symbol)
		return fail();
	atomic_store_explicit(known, symbol, memory_order_release);
	return symbol;
}
