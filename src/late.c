/* Loads libraries at run time: dlopen, and an address for each name.  They are never closed,
 * because some have threads and hooks that would outlive their code. */
#include "src/late.h"

#include <dlfcn.h>
#include <string.h>

bool
late_load(const char *soname, const char *const *names, size_t n, void *table, struct err *e)
{
	void *library = dlopen(soname, RTLD_NOW | RTLD_LOCAL);

	for (size_t i = 0; library && i < n; i++) {
		void *at = dlsym(library, names[i]);
		if (!at)
			library = NULL;
		/* POSIX: a data pointer has the same form as a function pointer */
		memcpy((char *)table + i * sizeof at, &at, sizeof at);
	}
	if (library)
		return true;
	const char *why = dlerror();
	return err_refuse(e, "%s", why ? why : soname);
}
