#include "src/decode/text1/text1.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"

/* A handle has the kind of the area in its top four bits, and a number within that kind in the
 * other 28. Each kind has a table of its own, so that the usual handles, counted from 0, are
 * indexes of an array; any other handle needs a look-up.
 *
 * A function of the model needs its file and its first line, which a Text1 export has only with the
 * function's *lines* (pnav-formats(7)). So functions are made at their first use. A mapping section
 * after the timeline is too late for functions that ran, and causes a warning.
 *
 * Invariant: an area's index never changes, and areas are never removed. */

void
text1_init(struct text1 *t, struct builder *b, struct input *in)
{
	*t = (struct text1){
		.children = mem_zalloc((size_t)1 << CHILDREN_BITS, sizeof *t->children),
		.b = b,
		.in = in,
		.mapped_last = AREA_NONE,
		.known.last = CONTEXTS_MAX,
		.span.latest = INT64_MIN,
	};
}

void
text1_release(struct text1 *t)
{
	for (unsigned k = 0; k < 6; k++)
		idmap_release(&t->handles[k]);
	vec_release_all(&t->areas, &t->state_names);
	idmap_release_all(&t->named, &t->states);
	for (size_t i = 0; i < t->contexts.n; i++)
		vec_release(&t->contexts.at[i].stack);
	vec_release_all(&t->contexts, &t->known.name, &t->statistics, &t->numbers);
	idmap_release_all(&t->known.context_of, &t->known.by_handle, &t->known.by_name);
	buf_release(&t->known.text);
	free(t->children);
}

uint32_t
text1_area_add(struct text1 *t, struct text1_area a)
{
	a.parent = AREA_NONE;
	a.track = TRACK_NONE;
	*vec_push(&t->areas) = a;
	return (uint32_t)t->areas.n - 1;
}

uint32_t
text1_area(struct text1 *t, uint32_t handle)
{
	uint32_t kind = handle >> 28, i;

	if (kind > AREA_AUX_STATE)
		return AREA_NONE;
	i = idmap_get(&t->handles[kind], handle & AREA_LOW);
	if (i != IDMAP_NONE)
		return i;
	i = text1_area_add(t, (struct text1_area){.handle = handle});
	idmap_put(&t->handles[kind], handle & AREA_LOW, i);
	return i;
}

/* Areas without a name in the file are named by their handle. */
static void
area_need_name(struct text1 *t, struct text1_area *a)
{
	char text[32];

	if (a->name != NAME_EMPTY || a->mapped)
		return;
	snprintf(text, sizeof text, "handle#%08X", (unsigned)a->handle);
	a->name = builder_name(t->b, text, strlen(text));
}

static void
function_make(struct text1 *t, struct text1_area *a)
{
	struct function f = {.file = a->file, .line = a->line};
	struct name name;

	area_need_name(t, a);
	name = builder_name_get(t->b, a->name);
	f.name = a->name;
	f.kind = (uint8_t)kind_of_name(name.at, name.len);
	a->frame = builder_frame_of(t->b, f, 0);
	a->made = true;
}

bool
text1_area_make(struct text1 *t, uint32_t area)
{
	struct text1_area *a = &t->areas.at[area];

	if (a->made)
		return true;
	if (a->handle >> 28 == AREA_FUNCTION) {
		function_make(t, a);
		return true;
	}
	if (a->parent == AREA_NONE)
		return false;
	struct text1_area *parent = &t->areas.at[a->parent];
	if (!parent->made)
		function_make(t, parent);
	a->frame = builder_frame(t->b, builder_frame_get(t->b, parent->frame).function,
				 line_numbered(a->line));
	a->made = true;
	return true;
}

/* States belong to the variable that exports this handle as HANDLE.STATE, otherwise to the one
 * with the same low 28 bits. */
static uint32_t
owner_of_states(struct text1 *t, uint32_t handle)
{
	uint32_t i = idmap_get(&t->states, handle);

	return i != IDMAP_NONE ? i : text1_area(t, handle - 0x10000000u);
}

uint32_t
text1_data_area(struct text1 *t, uint32_t handle)
{
	uint32_t kind = handle >> 28;
	bool state = kind == AREA_VARIABLE_STATE || kind == AREA_AUX_STATE;
	uint32_t i = state ? owner_of_states(t, handle) : text1_area(t, handle);
	struct text1_area *a = &t->areas.at[i];

	if (a->track != TRACK_NONE)
		return i;
	area_need_name(t, a);
	struct name name = builder_name_get(t->b, a->name);
	a->track = builder_track(t->b, name.at, name.len,
				 state || a->has_states ? TRACK_STATE : TRACK_COUNTER);
	struct name unit = builder_name_get(t->b, a->unit);
	builder_track_unit(t->b, a->track, unit.at, unit.len);
	for (uint32_t k = a->state_first; k; k = t->state_names.at[k - 1].next)
		builder_track_value(t->b, a->track, t->state_names.at[k - 1].value,
				    t->state_names.at[k - 1].name);
	return i;
}

stack_id
text1_stack_closer(struct text1 *t, stack_id parent, uint32_t area)
{
	stack_id stack = builder_child(t->b, parent, t->areas.at[area].frame);

	if (stack != STACK_NONE)
		*text1_child(t, parent, area) =
			(struct text1_child){.parent = parent, .child = stack, .area = area + 1};
	return stack;
}
