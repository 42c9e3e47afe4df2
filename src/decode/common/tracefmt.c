#include "src/decode/common/tracefmt.h"

#include <ctype.h>
#include <string.h>

struct text_slice
tracefmt_behind(struct text_slice t, const char *word, const char *ends)
{
	const char *at = memmem(t.at, t.len, word, strlen(word));
	size_t n = 0;

	if (!at)
		return slice_of("", 0);
	at += strlen(word);
	while (n < (size_t)(t.at + t.len - at) && !strchr(ends, at[n]))
		n++;
	return slice_of(at, n);
}

uint32_t
tracefmt_number(struct text_slice t)
{
	uint64_t n = 0;

	for (size_t i = 0; i < t.len && isdigit((unsigned char)t.at[i]) && n <= UINT32_MAX; i++)
		n = n * 10 + (uint64_t)(t.at[i] - '0');
	return n <= UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

/* Returns the name in a declaration: `char prev_comm[16]`, `__data_loc char[] name`. */
static struct text_slice
tracefmt_name(struct text_slice declared)
{
	size_t end = declared.len, from;

	if (end && declared.at[end - 1] == ']')
		while (end && declared.at[--end] != '[')
			;
	for (from = end; from && (isalnum((unsigned char)declared.at[from - 1]) ||
				  declared.at[from - 1] == '_'); from--)
		;
	return slice_of(declared.at + from, end - from);
}

bool
tracefmt_next(struct text_slice *rest, struct tracefmt_field *out)
{
	while (rest->len) {
		const char *stop = memchr(rest->at, '\n', rest->len);
		struct text_slice line = {rest->at, rest->len};
		line.len = stop ? (size_t)(stop - rest->at) : rest->len;
		size_t step = line.len + (stop != NULL);
		rest->at += step;
		rest->len -= step;
		if (!slice_has(line, "\tfield:"))
			continue;
		out->declared = tracefmt_behind(line, "field:", ";");
		out->name = tracefmt_name(out->declared);
		out->offset = tracefmt_number(tracefmt_behind(line, "offset:", ";"));
		out->size = tracefmt_number(tracefmt_behind(line, "size:", ";"));
		out->is_signed = tracefmt_number(tracefmt_behind(line, "signed:", ";")) == 1;
		return true;
	}
	return false;
}
