/* gotrace_v1.h - events of Go 1.11 to 1.21. For gotrace_v1*.c alone. */
#ifndef PNAV_SRC_DECODE_GOTRACE_V1_H
#define PNAV_SRC_DECODE_GOTRACE_V1_H

#include "src/decode/common/timed.h"
#include "src/decode/gotrace/gotrace_inside.h"

#define GOTRACE_V1_NUMBERS 6u

/* Columns: number, enum suffix, name, names of the arguments after dt, and which of the numbers,
 * dt included, is the stack of the goroutine that runs (0: none). */
#define GOTRACE_V1_EVENTS(X)                                                               \
	X(1, BATCH, "Batch", "", 0)                                                        \
	X(2, FREQUENCY, "Frequency", "", 0)                                                \
	X(3, STACK, "Stack", "", 0)                                                        \
	X(4, MAXPROCS, "Gomaxprocs", "procs stack", 2)                                     \
	X(5, PROC_START, "ProcStart", "M", 0)                                              \
	X(6, PROC_STOP, "ProcStop", "", 0)                                                 \
	X(7, GC_START, "GCStart", "seq stack", 2)                                          \
	X(8, GC_DONE, "GCDone", "", 0)                                                     \
	X(9, STW_START, "STWStart", "kind", 0)                                             \
	X(10, STW_DONE, "STWDone", "", 0)                                                  \
	X(11, SWEEP_START, "GCSweepStart", "stack", 1)                                     \
	X(12, SWEEP_DONE, "GCSweepDone", "swept reclaimed", 0)                             \
	X(13, GO_CREATE, "GoCreate", "G its-stack stack", 3)                               \
	X(14, GO_START, "GoStart", "G seq", 0)                                             \
	X(15, GO_END, "GoEnd", "", 0)                                                      \
	X(16, GO_STOP, "GoStop", "stack", 1)                                               \
	X(17, GO_SCHED, "GoSched", "stack", 1)                                             \
	X(18, GO_PREEMPT, "GoPreempt", "stack", 1)                                         \
	X(19, GO_SLEEP, "GoSleep", "stack", 1)                                             \
	X(20, GO_BLOCK, "GoBlock", "stack", 1)                                             \
	X(21, GO_UNBLOCK, "GoUnblock", "G seq stack", 3)                                   \
	X(22, BLOCK_SEND, "GoBlockSend", "stack", 1)                                       \
	X(23, BLOCK_RECV, "GoBlockRecv", "stack", 1)                                       \
	X(24, BLOCK_SELECT, "GoBlockSelect", "stack", 1)                                   \
	X(25, BLOCK_SYNC, "GoBlockSync", "stack", 1)                                       \
	X(26, BLOCK_COND, "GoBlockCond", "stack", 1)                                       \
	X(27, BLOCK_NET, "GoBlockNet", "stack", 1)                                         \
	X(28, SYSCALL, "GoSysCall", "stack", 1)                                            \
	X(29, SYSEXIT, "GoSysExit", "G seq real-ticks", 0)                                 \
	X(30, SYSBLOCK, "GoSysBlock", "", 0)                                               \
	X(31, WAITING, "GoWaiting", "G", 0)                                                \
	X(32, IN_SYSCALL, "GoInSyscall", "G", 0)                                           \
	X(33, HEAP_ALLOC, "HeapAlloc", "bytes", 0)                                         \
	X(34, HEAP_GOAL, "HeapGoal", "bytes", 0)                                           \
	X(35, TIMER_GOROUTINE, "TimerGoroutine", "", 0)                                    \
	X(36, FUTILE, "FutileWakeup", "", 0)                                               \
	X(37, STRING, "String", "", 0)                                                     \
	X(38, START_LOCAL, "GoStartLocal", "G", 0)                                         \
	X(39, UNBLOCK_LOCAL, "GoUnblockLocal", "G stack", 2)                               \
	X(40, SYSEXIT_LOCAL, "GoSysExitLocal", "G real-ticks", 0)                          \
	X(41, START_LABEL, "GoStartLabel", "G seq string", 0)                              \
	X(42, BLOCK_GC, "GoBlockGC", "stack", 1)                                           \
	X(43, ASSIST_START, "GCMarkAssistStart", "stack", 1)                               \
	X(44, ASSIST_DONE, "GCMarkAssistDone", "", 0)                                      \
	X(45, TASK_CREATE, "UserTaskCreate", "task parent name stack", 4)                  \
	X(46, TASK_END, "UserTaskEnd", "task stack", 2)                                    \
	X(47, REGION, "UserRegion", "task mode name stack", 4)                             \
	X(48, LOG, "UserLog", "task key stack", 3)                                         \
	X(49, CPU_SAMPLE, "CPUSample", "real-ticks P G stack", 0)

#define GOTRACE_V1_ENUM(number, name, ...) V1_##name = number,
enum gotrace_v1_event { GOTRACE_V1_EVENTS(GOTRACE_V1_ENUM) V1_END };
#undef GOTRACE_V1_ENUM

struct gotrace_v1_record {
	uint8_t type;
	uint64_t n; /* numbers in the record; number[] has the first of them */
	uint64_t number[GOTRACE_V1_NUMBERS];
	const uint8_t *rest; /* after those in number[] */
	const uint8_t *text; /* of a string or a log */
	uint64_t text_len;
};

/* The state of all passes. */
struct gotrace_v1 {
	struct gotrace *d;
	const uint8_t *window;
	size_t len;
	uint64_t offset; /* of the window */
	uint64_t timer;  /* the goroutine of timers; 0: none */
	bool begun;      /* the goroutines that were there have been listed */
	VEC(uint8_t) there; /* [goroutine] the status of those */
	struct timed_list event; /* in their order, at ticks: the place in the window, the lane */
};

/* Returns why a goroutine stops with such an event; NULL if it does not. */
const char *gotrace_v1_reason(uint8_t type);
/* Lets an event of a lane happen. */
void gotrace_v1_happens(struct gotrace_v1 *v, struct gotrace_lane *lane,
			const struct gotrace_v1_record *ev, uint64_t ticks, uint64_t offset);
/* Begins the states of the goroutines that were there before the trace, if it had no event that
 * did so. */
void gotrace_v1_begin(struct gotrace_v1 *v);

#endif
