/* gotrace_v2.h - events of Go 1.22 and later. For gotrace_v2*.c alone. */
#ifndef PNAV_SRC_DECODE_GOTRACE_V2_H
#define PNAV_SRC_DECODE_GOTRACE_V2_H

#include "src/decode/gotrace/gotrace_inside.h"

/* Columns: number in the file, enum suffix, name, number of arguments after dt, their names. */
#define GOTRACE_V2_EVENTS(X)                                                               \
	X(9, PROCS_CHANGE, "ProcsChange", 2, "procs stack")                                \
	X(10, PROC_START, "ProcStart", 2, "P seq")                                         \
	X(11, PROC_STOP, "ProcStop", 0, "")                                                \
	X(12, PROC_STEAL, "ProcSteal", 3, "P seq M")                                       \
	X(13, PROC_STATUS, "ProcStatus", 2, "P status")                                    \
	X(14, GO_CREATE, "GoCreate", 3, "G its-stack stack")                               \
	X(15, GO_CREATE_SYSCALL, "GoCreateSyscall", 1, "G")                                \
	X(16, GO_START, "GoStart", 2, "G seq")                                             \
	X(17, GO_DESTROY, "GoDestroy", 0, "")                                              \
	X(18, GO_DESTROY_SYSCALL, "GoDestroySyscall", 0, "")                               \
	X(19, GO_STOP, "GoStop", 2, "reason stack")                                        \
	X(20, GO_BLOCK, "GoBlock", 2, "reason stack")                                      \
	X(21, GO_UNBLOCK, "GoUnblock", 3, "G seq stack")                                   \
	X(22, SYSCALL_BEGIN, "SyscallBegin", 2, "seq stack")                               \
	X(23, SYSCALL_END, "SyscallEnd", 0, "")                                            \
	X(24, SYSCALL_END_BLOCKED, "SyscallEndBlocked", 0, "")                             \
	X(25, GO_STATUS, "GoStatus", 3, "G M status")                                      \
	X(26, STW_BEGIN, "STWBegin", 2, "kind stack")                                      \
	X(27, STW_END, "STWEnd", 0, "")                                                    \
	X(28, GC_ACTIVE, "GCActive", 1, "seq")                                             \
	X(29, GC_BEGIN, "GCBegin", 2, "seq stack")                                         \
	X(30, GC_END, "GCEnd", 1, "seq")                                                   \
	X(31, SWEEP_ACTIVE, "GCSweepActive", 1, "P")                                       \
	X(32, SWEEP_BEGIN, "GCSweepBegin", 1, "stack")                                     \
	X(33, SWEEP_END, "GCSweepEnd", 2, "swept reclaimed")                               \
	X(34, ASSIST_ACTIVE, "MarkAssistActive", 1, "G")                                   \
	X(35, ASSIST_BEGIN, "MarkAssistBegin", 1, "stack")                                 \
	X(36, ASSIST_END, "MarkAssistEnd", 0, "")                                          \
	X(37, HEAP_ALLOC, "HeapAlloc", 1, "bytes")                                         \
	X(38, HEAP_GOAL, "HeapGoal", 1, "bytes")                                           \
	X(39, GO_LABEL, "GoLabel", 1, "string")                                            \
	X(40, TASK_BEGIN, "TaskBegin", 4, "task parent name stack")                        \
	X(41, TASK_END, "TaskEnd", 2, "task stack")                                        \
	X(42, REGION_BEGIN, "RegionBegin", 3, "task name stack")                           \
	X(43, REGION_END, "RegionEnd", 3, "task name stack")                               \
	X(44, LOG, "Log", 4, "task key value stack")                                       \
	X(45, GO_SWITCH, "GoSwitch", 2, "G seq")                                           \
	X(46, GO_SWITCH_DESTROY, "GoSwitchDestroy", 2, "G seq")                            \
	X(47, GO_CREATE_BLOCKED, "GoCreateBlocked", 3, "G its-stack stack")                \
	X(48, GO_STATUS_STACK, "GoStatusStack", 4, "G M status stack")                     \
	X(128, SPAN, "Span", 3, "id pages kind")                                           \
	X(129, SPAN_ALLOC, "SpanAlloc", 3, "id pages kind")                                \
	X(130, SPAN_FREE, "SpanFree", 1, "id")                                             \
	X(131, HEAP_OBJECT, "HeapObject", 2, "id type")                                    \
	X(132, HEAP_OBJECT_ALLOC, "HeapObjectAlloc", 2, "id type")                         \
	X(133, HEAP_OBJECT_FREE, "HeapObjectFree", 1, "id")                                \
	X(134, GO_STACK, "GoroutineStack", 2, "id order")                                  \
	X(135, GO_STACK_ALLOC, "GoroutineStackAlloc", 2, "id order")                       \
	X(136, GO_STACK_FREE, "GoroutineStackFree", 1, "id")

#define GOTRACE_V2_ENUM(number, name, ...) V2_##name = number,
enum gotrace_v2_event { GOTRACE_V2_EVENTS(GOTRACE_V2_ENUM) V2_END };
#undef GOTRACE_V2_ENUM

/* Returns NULL if the lane's event may happen now; else the turn for whose change it waits. */
struct gotrace_turn *gotrace_v2_waits_for(struct gotrace *d, struct gotrace_lane *lane);
/* Lets the lane's event happen. */
void gotrace_v2_happens(struct gotrace *d, struct gotrace_lane *lane);

#endif
