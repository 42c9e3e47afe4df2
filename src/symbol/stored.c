/* stored.c - see stored.h. */
#include "src/symbol/stored.h"

#include <string.h>

uint32_t
symbols_stored_module(struct symbols *s, const char *path, const char *build)
{
	uint8_t id[64];

	return symbols_add(s, &(struct symbols_module){
				      .kind = SYMBOLS_FILE,
				      .path = path,
				      .path_len = strlen(path),
				      .build_id = id,
				      .build_id_len = symbols_build_id(build, strlen(build), id)});
}

/* As the decoder of recordings: the function is that of the address, the line that of the call. */
bool
symbols_stored_frame(struct symbols *s, uint32_t module, uint64_t at, bool call,
		     struct symbols_frame *out)
{
	struct symbols_frame before;
	bool any = symbols_at(s, module, at, false, out, 1);

	if (call && symbols_at(s, module, at - 1, false, &before, 1) &&
	    (!any || !strcmp(before.name, out->name))) {
		*out = before;
		any = true;
	}
	return any;
}
