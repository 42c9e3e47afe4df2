/* periods.h - sums over whole hours and days of a service, so that a query for a month does not
 * read those of each profile.
 *
 * A period is an hour or a day of UTC, with the sums of all profiles that begin in it.  `pnav
 * store` computes it once it is over.  Its row has the number of its profiles and a hash of their
 * contents and starts.  A reader uses it only while the table of profiles has exactly these, and
 * while all of its sums are there; otherwise it reads the sums of each profile, which takes longer
 * and gives the same numbers. */
#ifndef PNAV_SRC_STORE_PERIODS_H
#define PNAV_SRC_STORE_PERIODS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/err.h"
#include "model/base/vec.h"
#include "src/input/input.h"
#include "src/store/question.h"

/* The spans of periods, in seconds. */
#define PERIOD_HOUR 3600u
#define PERIOD_DAY 86400u

struct period {
	int64_t start; /* s since 1970 */
	uint32_t span; /* s */
	uint64_t id;   /* of its sums */
	uint64_t profiles, hash, rows;
	int64_t last;  /* ns: the latest end of its profiles */
};

/* Periods by start, without an overlap. */
struct periods {
	VEC(struct period) at;
};

/* Returns NULL if sums of periods have all that q asks for, else why not: they lack labels and
 * threads. */
const char *periods_unfit(const struct question *q);
/* Narrows q to the profiles that can lie in its range, and finds out whether one was stored twice.
 * Finds the periods that can replace the sums of their profiles, those whose profiles all lie in
 * the range, and makes q use *p if there are any.  Returns false with a refusal in *e.  Call
 * periods_release() in any case. */
bool periods_select(struct periods *p, struct question *q, struct watch *w, struct err *e);
void periods_release(struct periods *p);

struct periods_made {
	uint64_t days, hours; /* computed */
};
/* Computes the periods of a service that are over and have no usable sums.  Unless `always`, only
 * if no process did so within the last hour.  Adds to *made.  Returns false with a refusal in
 * *e. */
bool periods_update(const struct store_url *url, const char *service, bool always,
		    struct periods_made *made, struct err *e);
/* The same, always, for the service of the address, or for all services. */
bool periods_update_all(const struct store_url *url, struct periods_made *made, struct err *e);

#endif
