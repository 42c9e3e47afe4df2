/* store_periods.h - computes the sums of hours and days (src/store/periods.h) from the command. */
#ifndef PNAV_SRC_COMMAND_STORE_PERIODS_H
#define PNAV_SRC_COMMAND_STORE_PERIODS_H

#include "src/store/storeurl.h"

/* After profiles of a service were stored: computes what is missing, if no process did so within an
 * hour.  Reports a failure as a warning, since the profiles are stored. */
void store_periods_after(const struct store_url *url, const char *service, const char *address);
/* `pnav store --summarize`: computes what is missing for the service of the address, or for all,
 * and prints how much that was.  Returns the exit status. */
int store_periods_summarize(const struct store_url *url, const char *address);

#endif
