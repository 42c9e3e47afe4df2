/* inside.c - see inside.h. */
#include "src/inside.h"

#include <string.h>

#include "src/input/unzlib.h"

#define INSIDE_MAX (4u << 20)

bool
inside_read(const char *name, struct buf *out)
{
	for (const struct inside_file *f = inside_files; f->name; f++)
		if (!strcmp(f->name, name))
			return unzlib(f->gzip, f->len, INSIDE_MAX, out);
	return false;
}
