/* ordered.h - functions for qsort() that order structures by their members, ascending unless the
 * macro says otherwise. */
#ifndef PNAV_MODEL_BASE_ORDERED_H
#define PNAV_MODEL_BASE_ORDERED_H

/* Defines the function `name`, which orders elements of `type` by one member. */
#define ORDERED_BY(name, type, member) ORDERED_BY_THREE(name, type, member, member, member)

/* Orders them by a member, and those in which it is equal by a second one. */
#define ORDERED_BY_TWO(name, type, first, second) ORDERED_BY_THREE(name, type, first, first, second)

/* And those in which both are equal by a third one. */
#define ORDERED_BY_THREE(name, type, first, second, third)                                 \
	static int name(const void *a, const void *b)                                      \
	{                                                                                  \
		const type *x = a, *y = b;                                                 \
                                                                                           \
		if (x->first != y->first)                                                  \
			return x->first < y->first ? -1 : 1;                               \
		if (x->second != y->second)                                                \
			return x->second < y->second ? -1 : 1;                             \
		return (x->third > y->third) - (x->third < y->third);                      \
	}

/* Orders them by a member, the largest first, and those in which it is equal by a second one,
 * ascending. */
#define ORDERED_LARGEST(name, type, first, second)                                         \
	static int name(const void *a, const void *b)                                      \
	{                                                                                  \
		const type *x = a, *y = b;                                                 \
                                                                                           \
		if (x->first != y->first)                                                  \
			return x->first > y->first ? -1 : 1;                               \
		return (x->second > y->second) - (x->second < y->second);                  \
	}

/* Orders numbers of `type`. */
#define ORDERED_NUMBERS(name, type)                                                        \
	static int name(const void *a, const void *b)                                      \
	{                                                                                  \
		const type *x = a, *y = b;                                                 \
                                                                                           \
		return (*x > *y) - (*x < *y);                                              \
	}

#endif
