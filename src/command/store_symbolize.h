/* store_symbolize.h - `pnav store --symbolize`: finds functions for stacks that have addresses. */
#ifndef PNAV_SRC_COMMAND_STORE_SYMBOLIZE_H
#define PNAV_SRC_COMMAND_STORE_SYMBOLIZE_H

#include "src/options.h"
#include "src/store/storeurl.h"

/* Looks in files of this machine, in the folders of --symbols, and on debuginfod servers if the
 * options allow them.  Prints how many addresses got functions, and modules without symbols.
 * Returns the exit status. */
int store_symbolize(const struct options *o, const struct store_url *url, const char *address);

#endif
