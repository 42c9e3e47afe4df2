/* Frames and ticks, for both notations. */
#include "src/decode/v8log/v8log.h"

#include <string.h>

#include "model/base/chars.h"
#include "src/decode/common/javascript.h"
#include "src/decode/common/words.h"

/* ---- frames ---- */

/* Removes `:NUMBER` from the end. */
static bool
number_off(const char *at, const char **end, int64_t *out)
{
	const char *digits = *end;

	while (digits > at && is_digit(digits[-1]))
		digits--;
	if (digits == *end || digits - at < 2 || digits[-1] != ':' ||
	    !number_parse(digits, *end, out))
		return false;
	*end = digits - 1;
	return true;
}

/* A path from the root, or a URL. */
static bool
is_place(const char *at, const char *end)
{
	const char *c = at;

	if (at < end && *at == '/')
		return true;
	while (c < end && ((*c | 32) >= 'a' && (*c | 32) <= 'z'))
		c++;
	return c > at && c < end && *c == ':';
}

/* Returns where the file begins: names of functions (`get size`) and paths may contain blanks. */
static const char *
v8log_ticks_file_of(const char *at, const char *end)
{
	const char *last = at;

	for (const char *c = at; c < end; c++) {
		if (*c != ' ')
			continue;
		if (is_place(c + 1, end))
			return c + 1;
		last = c + 1;
	}
	return last;
}

frame_id
v8_frame(struct v8_out *o, name_id name, bool javascript)
{
	struct name text = builder_name_get(o->b, name);
	const char *at = text.at, *end = at + text.len;
	struct function f = {.name = name, .kind = KIND_SYSTEM};
	int64_t line, column;

	if (javascript)
		f.kind = KIND_USER;
	if (javascript && text.len && number_off(at, &end, &column) &&
	    number_off(at, &end, &line)) {
		const char *file = v8log_ticks_file_of(at, end),
			   *name_end = file > at ? file - 1 : at;
		f.file = builder_name(o->b, file, (size_t)(end - file));
		f.line = line > 0 && line < UINT32_MAX ? (uint32_t)line : 0;
		f.name = name_end > at ? builder_name(o->b, at, (size_t)(name_end - at))
				       : js_anonymous(o->b, f.file, line, column);
	}
	if (f.name == NAME_EMPTY)
		return o->unknown;
	return builder_frame_of(o->b, f, 0);
}

/* ---- ticks ---- */

/* The numbers of further states differ between versions. */
static const char *const states[] = {"JS",	 "GC",	  "PARSER",  "BYTECODE_COMPILER",
				     "COMPILER", "OTHER", "EXTERNAL"};

static labels_id
v8log_ticks_labels_of(struct v8_out *o, int64_t state)
{
	label_id label;

	if (state < 0)
		return LABELS_NONE;
	if (state < (int64_t)(sizeof states / sizeof *states)) {
		const char *word = states[state];
		label = builder_label_text(o->b, o->state_key,
					   builder_name(o->b, word, strlen(word)));
	} else {
		label = builder_label_number(o->b, o->state_key, state, NAME_EMPTY);
	}
	return builder_labels(o->b, &label, 1);
}

void
v8_tick_add(struct v8_out *o, int64_t time_ns, int64_t vm_state, uint64_t offset)
{
	*vec_push(&o->tick) = (struct v8_tick){
		.time_ns = time_ns,
		.offset = offset,
		.stack = o->frame.n ? builder_stack_leaf_first(o->b, o->frame.at, o->frame.n)
				    : builder_stack_missing(o->b, 1),
		.labels = v8log_ticks_labels_of(o, vm_state),
	};
}
