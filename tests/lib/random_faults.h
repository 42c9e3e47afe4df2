/* random_faults.h - invented profiles for tests of the answers: with one planted fault, or healthy
 * ones.  The same seed gives the same on every machine. */
#ifndef PNAV_TESTS_LIB_RANDOM_FAULTS_H
#define PNAV_TESTS_LIB_RANDOM_FAULTS_H

#include <stdint.h>

#include "model/profile/profile.h"

enum fault {
	HOT, SYSTEM, RUNTIME, RECURSION, IMBALANCE, PHASES, STALLS, PERIODIC, OUTLIERS, GROWTH,
	SPIKES, SERIAL, TRUST, WAITS, CONVOY, CHANGE,
	FAULTS, HEALTHY = FAULTS
};
/* The name of the answer that reports a fault. */
extern const char *const fault_answer[FAULTS];

/* Returns a profile with this fault; free it with profile_free(). */
struct profile *fault_profile(enum fault fault, uint64_t seed);
/* Returns the size of the fault in that profile, such as the length of a period. */
double fault_size(enum fault fault, uint64_t seed);

#endif
