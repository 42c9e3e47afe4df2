/* vec.h - a growing array of one type: struct { T *at; size_t n, cap; }.
 *
 *	VEC(struct point) v = VEC_INIT;
 *	*vec_push(&v) = (struct point){1, 2};
 *	for (size_t i = 0; i < v.n; i++) use(v.at[i]);
 *	vec_release(&v);
 *
 * Elements move when the array grows: keep indexes, not pointers. */
#ifndef PNAV_MODEL_BASE_VEC_H
#define PNAV_MODEL_BASE_VEC_H

#include <stddef.h>
#include <stdlib.h>

#include "model/base/mem.h"

#define VEC(T)                                                                             \
	struct {                                                                           \
		T *at;                                                                     \
		size_t n, cap;                                                             \
	}
#define VEC_INIT {NULL, 0, 0}

size_t vec_grown(size_t cap, size_t need);

#define vec_reserve(v, want)                                                               \
	((v)->cap >= (want)                                                                \
		 ? (void)0                                                                 \
		 : (void)((v)->cap = vec_grown((v)->cap, (want)),                          \
			  (v)->at = mem_realloc((v)->at, (v)->cap, sizeof *(v)->at)))

/* The same for an array with separate count and capacity of any integer type: several columns
 * with one count, 32-bit counts. */
#define vec_room(at, cap, want)                                                          \
	((cap) >= (want) ? (void)0                                                       \
			 : (void)((cap) = (__typeof__(cap))vec_grown((cap), (want)),     \
				  (at) = mem_realloc((at), (cap), sizeof *(at))))

/* Appends an uninitialised element and returns its address. */
#define vec_push(v) (vec_reserve((v), (v)->n + 1), &(v)->at[(v)->n++])

/* Sorts n elements of `size` bytes as qsort() does, in linear time if nearly all are in order. */
void sort_rows(void *at, size_t n, size_t size, int (*compare)(const void *a, const void *b));

/* Does the same with the elements of an array. */
#define vec_sort(v, compare) sort_rows((v)->at, (v)->n, sizeof *(v)->at, (compare))

#define vec_release(v) (free((v)->at), (v)->at = NULL, (v)->n = (v)->cap = 0)
#define vec_release_all(...) MEM_EACH(vec_release, __VA_ARGS__)

#endif
