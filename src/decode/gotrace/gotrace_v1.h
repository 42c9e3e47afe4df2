/* gotrace_v1.h - events of Go 1.11 to 1.21. For gotrace_v1*.c alone. */
#ifndef PNAV_SRC_DECODE_GOTRACE_V1_H
#define PNAV_SRC_DECODE_GOTRACE_V1_H

#include "src/decode/common/timed.h"
#include "src/decode/gotrace/gotrace_inside.h"

#define GOTRACE_V1_NUMBERS 6u

/* Columns: number, enum suffix, name, names of the arguments after dt. */
#define GOTRACE_V1_EVENTS(X)                                                               \
	X(1, BATCH, "Batch", "")                                                           \
	X(2, FREQUENCY, "Frequency", "")                                                   \
	X(3, STACK, "Stack", "")                                                           \
	X(4, MAXPROCS, "Gomaxprocs", "procs stack")                                        \
	X(5, PROC_START, "ProcStart", "M")                                                 \
	X(6, PROC_STOP, "ProcStop", "")                                                    \
	X(7, GC_START, "GCStart", "seq stack")                                             \
	X(8, GC_DONE, "GCDone", "")                                                        \
	X(9, STW_START, "STWStart", "kind")                                                \
	X(10, STW_DONE, "STWDone", "")                                                     \
	X(11, SWEEP_START, "GCSweepStart", "stack")                                        \
	X(12, SWEEP_DONE, "GCSweepDone", "swept reclaimed")                                \
	X(13, GO_CREATE, "GoCreate", "G its-stack stack")                                  \
	X(14, GO_START, "GoStart", "G seq")                                                \
	X(15, GO_END, "GoEnd", "")                                                         \
	X(16, GO_STOP, "GoStop", "stack")                                                  \
	X(17, GO_SCHED, "GoSched", "stack")                                                \
	X(18, GO_PREEMPT, "GoPreempt", "stack")                                            \
	X(19, GO_SLEEP, "GoSleep", "stack")                                                \
	X(20, GO_BLOCK, "GoBlock", "stack")                                                \
	X(21, GO_UNBLOCK, "GoUnblock", "G seq stack")                                      \
	X(22, BLOCK_SEND, "GoBlockSend", "stack")                                          \
	X(23, BLOCK_RECV, "GoBlockRecv", "stack")                                          \
	X(24, BLOCK_SELECT, "GoBlockSelect", "stack")                                      \
	X(25, BLOCK_SYNC, "GoBlockSync", "stack")                                          \
	X(26, BLOCK_COND, "GoBlockCond", "stack")                                          \
	X(27, BLOCK_NET, "GoBlockNet", "stack")                                            \
	X(28, SYSCALL, "GoSysCall", "stack")                                               \
	X(29, SYSEXIT, "GoSysExit", "G seq real-ticks")                                    \
	X(30, SYSBLOCK, "GoSysBlock", "")                                                  \
	X(31, WAITING, "GoWaiting", "G")                                                   \
	X(32, IN_SYSCALL, "GoInSyscall", "G")                                              \
	X(33, HEAP_ALLOC, "HeapAlloc", "bytes")                                            \
	X(34, HEAP_GOAL, "HeapGoal", "bytes")                                              \
	X(35, TIMER_GOROUTINE, "TimerGoroutine", "")                                       \
	X(36, FUTILE, "FutileWakeup", "")                                                  \
	X(37, STRING, "String", "")                                                        \
	X(38, START_LOCAL, "GoStartLocal", "G")                                            \
	X(39, UNBLOCK_LOCAL, "GoUnblockLocal", "G stack")                                  \
	X(40, SYSEXIT_LOCAL, "GoSysExitLocal", "G real-ticks")                             \
	X(41, START_LABEL, "GoStartLabel", "G seq string")                                 \
	X(42, BLOCK_GC, "GoBlockGC", "stack")                                              \
	X(43, ASSIST_START, "GCMarkAssistStart", "stack")                                  \
	X(44, ASSIST_DONE, "GCMarkAssistDone", "")                                         \
	X(45, TASK_CREATE, "UserTaskCreate", "task parent name stack")                     \
	X(46, TASK_END, "UserTaskEnd", "task stack")                                       \
	X(47, REGION, "UserRegion", "task mode name stack")                                \
	X(48, LOG, "UserLog", "task key stack")                                            \
	X(49, CPU_SAMPLE, "CPUSample", "real-ticks P G stack")

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
