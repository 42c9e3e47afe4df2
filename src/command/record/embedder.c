/* Reads a recording as a report does and keeps the results of the decoder's lookups.  So a report
 * from the recording alone needs no other lookups. Code is read as the view of instructions
 * reads it. */
#include "src/command/record/embedder.h"

#include <string.h>

#include "src/collect/perfembed.h"
#include "src/command/record/buildid_cache.h"
#include "src/load.h"
#include "src/symbol/disasm.h"
#include "src/symbol/embedded.h"

static bool
cache(const struct embedding *embedding, struct err *e)
{
	const uint8_t *id;
	const char *file;
	size_t len;

	for (size_t i = 0; (file = embedding_file(embedding, i, &id, &len)); i++)
		if (len && !buildid_cache_add(file, id, len, e))
			return false;
	return true;
}

/* Functions with an address that was hit, or from which one was called. */
static void
add_code(struct embedding *embedding, const struct profile *p, const struct format_options *o)
{
	struct disasm *d = disasm_new(o->symbols.at, o->symbols.n, o->debuginfod);
	struct symbols_module m;
	uint64_t at;

	for (uint32_t i = 0; i < p->n_attachments; i++)
		if (!strcmp(p->attachment[i].kind, EMBEDDED_KIND))
			disasm_recorded(d, p->attachment[i].at);
	disasm_embed(d, embedding);
	/* those noted on the way lie in functions that are there, or are only called */
	size_t n = 0;
	while (embedding_noted(embedding, n, &m, &at))
		n++;
	for (size_t i = 0; i < n && embedding_noted(embedding, i, &m, &at); i++)
		if (m.kind == SYMBOLS_FILE && m.build_id_len)
			disasm_embed_at(d, disasm_module(d, m.path, m.path_len, m.build_id,
							 m.build_id_len), at);
	disasm_free(d);
}

bool
embedder_section(const char *path, const struct embedder_how *how, struct buf *out, bool *whole,
		 struct err *e)
{
	struct format_options options = {0};
	struct embedding *embedding = embedding_new(how->before_ns);
	struct profile *p = profile_new();
	struct buf names = BUF_INIT;

	if (how->format)
		options = *how->format;
	options.decoder = "perfdata";
	options.embedding = embedding;
	struct load *l = load_start(p, path, -1, &options);
	load_wait(l, -1);
	*e = load_file_error(l, 0);
	load_free(l);
	bool good = !err_is_set(e) || e->class == ERR_DAMAGED;
	if (good && how->code)
		add_code(embedding, p, &options);
	profile_free(p);
	if (good && embedding_write(embedding, &names, whole))
		perfembed_section(&names, out);
	struct err why;
	err_init(&why);
	if (good && how->cache && !cache(embedding, &why)) {
		*e = why;
		good = false;
	}
	buf_release(&names);
	embedding_free(embedding);
	return good;
}
