#include "model/base/vec.h"

/* Grows by half: doubling wastes more memory than it saves copies. */
size_t
vec_grown(size_t cap, size_t need)
{
	size_t grown = cap + cap / 2 + 8;

	return grown < need ? need : grown;
}
