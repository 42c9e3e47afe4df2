#include "src/decode/valgrind/valgrind_frame.h"

#include <string.h>

#include "model/base/chars.h"
#include "src/decode/common/words.h"

/* The last bracket is the place; earlier brackets belong to the name, `f(int) (a.c:5)`. dhat
 * for Rust appends a column to the line. */

/* Removes `:12` from the end of [at, *end) and returns the number. */
static bool
valgrind_frame_take_number(const char *at, const char **end, int64_t *out)
{
	const char *colon = *end;

	while (colon > at && is_digit(colon[-1]))
		colon--;
	if (colon == at || colon == *end || colon[-1] != ':' || !number_parse(colon, *end, out))
		return false;
	*end = colon - 1;
	return true;
}

/* Returns the ` (` of the last bracket of a text, or NULL. */
static const char *
last_bracket(const char *at, const char *end)
{
	int depth = 0;

	if (end == at || end[-1] != ')')
		return NULL;
	for (const char *c = end; c-- > at;) {
		depth += (*c == ')') - (*c == '(');
		if (!depth)
			return c > at && c[-1] == ' ' ? c - 1 : NULL;
	}
	return NULL;
}

frame_id
valgrind_frame(struct builder *b, const char *at, const char *end)
{
	const char *colon = begins_with(at, end, "0x") ? text_find(at, end, ": ") : NULL;
	const char *name = colon ? colon + 2 : at, *name_end = end;
	const char *bracket = last_bracket(name, end), *file = end, *file_end = end;
	const char *module = end, *module_end = end;
	int64_t line = 0, number;

	if (bracket && begins_with(bracket, end, " (in ")) {
		module = bracket + 5;
		module_end = end - 1;
		name_end = bracket;
	} else if (bracket) {
		file_end = end - 1;
		if (valgrind_frame_take_number(bracket + 2, &file_end, &line)) {
			if (valgrind_frame_take_number(bracket + 2, &file_end, &number))
				line = number; /* that was the column */
			file = bracket + 2;
			name_end = bracket;
		} else {
			file_end = end;
		}
	}
	if (colon && (name_end == name || (name_end - name == 3 && !memcmp(name, "???", 3)))) {
		name = at;
		name_end = colon;
	}
	struct function f = {
		.name = builder_name(b, name, (size_t)(name_end - name)),
		.file = builder_name(b, file, (size_t)(file_end - file)),
		.module = builder_name(b, module, (size_t)(module_end - module)),
		.kind = (uint8_t)kind_of_name(name, (size_t)(name_end - name)),
	};
	bool known = line > 0 && line < UINT32_MAX;
	return builder_frame(b, builder_function(b, f),
			     known ? line_plain((uint32_t)line) : line_unknown());
}
