/* farmem.c - see farmem.h.
 *
 * The frames of an interpreter lie close together, and each is read in several parts: a system call
 * for each part would take longer than the sample itself. */
#include "src/collect/farmem.h"

#include <string.h>

#include "src/collect/taskplace.h"

void
farmem_begin(struct farmem *m, pid_t pid, unsigned most)
{
	m->pid = pid;
	m->reads = 0;
	m->most = most;
	for (size_t i = 0; i < FARMEM_PAGES; i++)
		m->at[i] = 1;
}

/* Returns the page at this address, in the place of another one if necessary. */
static const uint8_t *
farmem_page(struct farmem *m, uint64_t at)
{
	size_t slot = (at / FARMEM_PAGE) % FARMEM_PAGES;

	if (m->at[slot] == at)
		return m->page[slot];
	m->at[slot] = 1;
	if (m->reads >= m->most)
		return NULL;
	m->reads++;
	if (taskplace_copy(m->pid, at, m->page[slot], FARMEM_PAGE) != FARMEM_PAGE)
		return NULL;
	m->at[slot] = at;
	return m->page[slot];
}

bool
farmem_read(struct farmem *m, uint64_t at, void *to, size_t len)
{
	uint8_t *out = to;

	for (size_t done = 0; done < len;) {
		uint64_t from = at + done;
		size_t within = from % FARMEM_PAGE, part = FARMEM_PAGE - within;
		const uint8_t *page = from < at ? NULL : farmem_page(m, from - within);
		if (!page) {
			memset(to, 0, len);
			return false;
		}
		part = part < len - done ? part : len - done;
		memcpy(out + done, page + within, part);
		done += part;
	}
	return true;
}

uint64_t
farmem_u64(struct farmem *m, uint64_t at)
{
	uint64_t value;

	return farmem_read(m, at, &value, sizeof value) ? value : 0;
}

uint32_t
farmem_u32(struct farmem *m, uint64_t at)
{
	uint32_t value;

	return farmem_read(m, at, &value, sizeof value) ? value : 0;
}
