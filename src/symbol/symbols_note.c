/* Adds the results to the recording (embedded.h), with the place of the module's code. */
#include "src/symbol/symbols_inside.h"

#include <string.h>

static void
symbols_note_begin(struct symbols *s, struct symbols_entry *m)
{
	struct symbols_module key = {.kind = m->kind,
				     .path = m->path,
				     .path_len = strlen(m->path),
				     .build_id = m->build_id,
				     .build_id_len = m->build_id_len};

	uint32_t number = embedding_module(s->embedding, &key, m->elf.path);
	m->noted = number + 1;
	struct symbol_segment g;
	for (size_t i = 0; m->recorded && embedded_segment(m->recording, m->recorded, i, &g); i++)
		embedding_segment(s->embedding, number, &g);
	for (size_t i = 0; !m->recorded && i < m->elf.segment.n; i++)
		embedding_segment(s->embedding, number, &m->elf.segment.at[i]);
}

void
symbols_note(struct symbols *s, struct symbols_entry *m, uint64_t at,
	     const struct symbols_answer *a)
{
	if (!m->noted)
		symbols_note_begin(s, m);
	embedding_note(s->embedding, m->noted - 1, at, a);
}
