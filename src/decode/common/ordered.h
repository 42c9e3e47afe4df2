/* ordered.h - functions for qsort() that order structures by their members, ascending. */
#ifndef PNAV_SRC_DECODE_COMMON_ORDERED_H
#define PNAV_SRC_DECODE_COMMON_ORDERED_H

/* Defines the function `name`, which orders elements of `type` by one member. */
#define ORDERED_BY(name, type, member) ORDERED_BY_TWO(name, type, member, member)

/* Orders them by a member, and those in which it is equal by a second one. */
#define ORDERED_BY_TWO(name, type, first, second)                                          \
	static int name(const void *a, const void *b)                                      \
	{                                                                                  \
		const type *x = a, *y = b;                                                 \
                                                                                           \
		if (x->first != y->first)                                                  \
			return x->first < y->first ? -1 : 1;                               \
		return (x->second > y->second) - (x->second < y->second);                  \
	}

#endif
