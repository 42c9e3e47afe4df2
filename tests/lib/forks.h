/* forks.h - a request of forked to forkserver, for one run of pnav: this structure, then the
 * arguments and the environment, each string with its NUL. The descriptors of the folder and of the
 * standard streams go with the first byte. The answer is the status of waitpid(). */
#ifndef TESTS_LIB_FORKS_H
#define TESTS_LIB_FORKS_H

#include <stdint.h>
#include <sys/resource.h>

#define FORKS_FDS 4

struct forks_request {
	uint32_t arguments, variables, bytes; /* bytes of all strings */
	uint32_t mask;			      /* of umask() */
	struct rlimit limit[RLIM_NLIMITS];
};

#endif
