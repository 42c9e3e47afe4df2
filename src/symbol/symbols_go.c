/* Opens the tables of functions that programs of Go contain (gopclntab.h). */
#include "src/symbol/symbols_inside.h"

const struct symbol_go *
symbols_go_of(struct symbols_entry *m)
{
	if (!m->go_tried)
		symbol_go_open(&m->go, &m->elf);
	m->go_tried = true;
	return &m->go;
}

bool
symbols_frameless(struct symbols *s, uint32_t module, uint64_t offset)
{
	uint64_t address;
	struct symbols_entry *m = &s->module.at[module];

	return m->kind == SYMBOLS_FILE && m->state == STATE_OPEN && symbols_go_of(m)->at &&
	       symbol_elf_address(&m->elf, offset, &address) &&
	       symbol_go_frame_at(&m->go, address) == 0;
}
