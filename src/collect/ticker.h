/* ticker.h - a thread that takes the CPU of another one at given moments.
 *
 *	struct ticker *k = ticker_new();
 *	ticker_set(k, cpu, due);        -- waits there
 *	poll ticker_fd(k);              -- readable when it has the CPU
 *	if (ticker_took(k, &tick)) ...  -- who ran there is not running now
 *	ticker_set(k, cpu, due);        -- leaves the CPU, waits for the next moment
 *	ticker_free(k); */
#ifndef PNAV_SRC_COLLECT_TICKER_H
#define PNAV_SRC_COLLECT_TICKER_H

#include <stdbool.h>
#include <stdint.h>

struct ticker;

struct ticker_tick {
	uint64_t now;  /* when the thread got its CPU, of record_now() */
	uint64_t left; /* the same by taskrun_left(); 0 if unknown */
};

/* Returns NULL if the system has no more threads. The thread has the caller's priority. */
struct ticker *ticker_new(void);
void ticker_free(struct ticker *k);
/* Lets the thread leave its CPU, and wait on that one for a moment of record_now(); -1: on none.
 * With a CPU, it is not called again before ticker_took() has returned true. */
void ticker_set(struct ticker *k, int cpu, uint64_t due);
/* Returns the descriptor to poll. */
int ticker_fd(const struct ticker *k);
/* Returns true if the moment has come. The thread then keeps the CPU for 0.3 ms at most. */
bool ticker_took(struct ticker *k, struct ticker_tick *tick);

#endif
