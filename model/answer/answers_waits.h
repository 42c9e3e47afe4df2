/* answers_waits.h - waits of threads, for answers_waits.c and answers_convoy.c. */
#ifndef PNAV_MODEL_ANSWER_ANSWERS_WAITS_H
#define PNAV_MODEL_ANSWER_ANSWERS_WAITS_H

#include "model/answer/answers_inside.h"

#define WAIT_CLASSES(X)                                                                    \
	X(LOCK, "lock", "locks")                                                           \
	X(IO, "io", "files, devices and the network")                                      \
	X(SLEEP, "sleep", "timers")                                                        \
	X(THREADS, "threads", "other threads")

enum wait_class {
	WAIT_NONE, /* or it is not known for what a thread waits */
#define WAIT_ENUM(id, name, text) WAIT_##id,
	WAIT_CLASSES(WAIT_ENUM)
#undef WAIT_ENUM
		WAIT_COUNT
};

enum wait_source { WAIT_UNKNOWN, WAIT_STATES, WAIT_SAMPLES, WAIT_CALLS };

/* One wait for something that several threads may wait for. */
struct one_wait {
	uint32_t on;	 /* an actor, or a function */
	uint32_t thread; /* the actor that waits; unused with functions */
	uint32_t queue;	 /* see join_queues() */
	bool handed;	 /* its end was that of another wait of the queue */
	int64_t from, to;
};

struct answers_wait_sums {
	enum wait_source source;
	bool sleepers;		 /* threads that hardly run count, too */
	bool between;		 /* threads run between their calls: these are system calls */
	double time[WAIT_COUNT]; /* by class */
	double ready; /* in which threads that count want a CPU */
	double all;   /* that, their waiting, and their running time */
	unsigned threads;
	/* of states: the thread that is longest in one state of waiting, and how long */
	actor_id longest;
	double longest_ns;
	VEC(struct one_wait) one;
	/* scratch */
	metric_id metric, runnable; /* of off-CPU samples, and of preemptions beside them */
	uint8_t *of;      /* [node] enum wait_class */
	key_id *waiter;   /* [node] the function that waits */
	double *in;       /* [key] the time in such a function, of threads that hardly run, too */
	key_id *taker;    /* [node] the function that takes the lock */
};

/* Finds all waits in the range, those of a thread in order of time; answers_release_waits()
 * releases them. */
void answers_find_waits(struct answers_work *w, struct answers_wait_sums *x);
void answers_release_waits(struct answers_wait_sums *x);
/* Shows the function in the metric of waits; appends how much it has in all, behind `part` of that,
 * as "1 ms of its 9 ms". */
void answers_show_waits(const struct answers_work *w, struct answers_item *out,
			const struct answers_wait_sums *x, key_id function, double part);

#endif
