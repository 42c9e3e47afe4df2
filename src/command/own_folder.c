/* own_folder.c - see own_folder.h.
 *
 * The link /proc/self/exe has the path of this program. A chroot may lack /proc; then the auxiliary
 * vector has the path that was executed. */
#include "src/command/own_folder.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/auxv.h>
#endif

static bool
own_path(char out[PATH_MAX])
{
	ssize_t len = readlink("/proc/self/exe", out, PATH_MAX - 1);

	if (len > 0) {
		out[len] = '\0';
		return true;
	}
#ifdef __linux__
	const char *executed = (const char *)getauxval(AT_EXECFN);
	return executed && realpath(executed, out);
#else
	return false;
#endif
}

bool
own_folder(char out[PATH_MAX])
{
	char *slash = own_path(out) ? strrchr(out, '/') : NULL;

	if (slash)
		*slash = '\0';
	return slash;
}
