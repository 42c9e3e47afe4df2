/* unnamed.h - addresses in a store whose functions are not known yet.
 *
 *	struct unnamed u;
 *	if (unnamed_read(&u, &url, e)) {
 *		set u.at[i].function and the rest where they are found
 *		unnamed_send(&u, &url, e);
 *	}
 *	unnamed_release(&u);
 */
#ifndef PNAV_SRC_STORE_UNNAMED_H
#define PNAV_SRC_STORE_UNNAMED_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/err.h"
#include "model/base/vec.h"
#include "src/store/storeurl.h"

struct unnamed_row {
	char *build;  /* build id in hexadecimal digits */
	char *module; /* its path */
	uint64_t at;  /* offset in the file */
	bool call;    /* of a caller: the instruction after the call */
	/* set by the caller, and borrowed; NULL: not found */
	const char *function, *file;
	uint32_t line, defined; /* 0: unknown */
};

struct unnamed {
	VEC(struct unnamed_row) row; /* by build and module */
};

/* Reads the addresses of the service of the address, or of all services.  Returns false with a
 * refusal in *e.  Call unnamed_release() in any case. */
bool unnamed_read(struct unnamed *u, const struct store_url *url, struct err *e);
/* Sends the functions that were found.  A repeated one replaces the earlier one.  Returns false
 * with a refusal in *e. */
bool unnamed_send(const struct unnamed *u, const struct store_url *url, struct err *e);
void unnamed_release(struct unnamed *u);

#endif
