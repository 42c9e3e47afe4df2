/* part.c - the bytes of a regular file for one more thread.
 *
 * The source below reads at offsets and keeps no position for that, so any number of threads may
 * read it. The input's limit ends each part before the end of the file. */
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "src/input/source.h"

struct part_source {
	struct source base;
	struct source *of;
	struct watch *watch;
	uint64_t at;
};

static size_t
part_read(struct source *s, void *out, size_t n)
{
	struct part_source *p = (struct part_source *)s;

	if (p->watch && atomic_load_explicit(&p->watch->stop, memory_order_relaxed))
		return 0;
	if (!p->of->ops->read_at(p->of, p->at, out, n)) {
		err_damage(&s->fault, p->at, "cannot read");
		return 0;
	}
	p->at += n;
	return n;
}

static bool
part_read_at(struct source *s, uint64_t offset, void *out, size_t n)
{
	struct part_source *p = (struct part_source *)s;

	return p->of->ops->read_at(p->of, offset, out, n);
}

static bool
part_seek(struct source *s, uint64_t offset)
{
	((struct part_source *)s)->at = offset;
	return true;
}

static void
part_close(struct source *s)
{
	free(s);
}

static const struct source_ops part_ops = {
	.read = part_read,
	.read_at = part_read_at,
	.seek = part_seek,
	.close = part_close,
};

struct source *
source_part(struct source *of, struct watch *w)
{
	if (!of->ops->shared || !of->ops->size || !of->ops->size(of))
		return NULL;
	struct part_source *p = mem_zalloc(1, sizeof *p);
	p->base.ops = &part_ops;
	err_init(&p->base.fault);
	p->of = of;
	p->watch = w;
	return &p->base;
}
