#include "src/decode/chrome/chrome_inside.h"

#include <inttypes.h>
#include <string.h>

/* Metadata, which stands anywhere: what processes and threads are called, and what the view
 * `info` says.  A file that we have written has more to say of its tracks, in members that
 * begin with `pnav_`. */

/* What we say of a track when we write this format (encode/track_ids.h). */
static void
own_metadata(struct chrome *d, const struct chrome_arg *a)
{
	uint32_t thread = chrome_thread(d, d->e.pid, d->e.tid);
	struct chrome_thread *t = &d->thread.at[thread];
	struct name key = builder_name_get(d->b, a->key);
	struct json_token word = {.at = key.at, .len = key.len};
	const char *text = chrome_arg_text(d, a);

	bool start = json_is(&word, "pnav_start"), end = json_is(&word, "pnav_end");
	if ((start || end) && a->kind == VALUE_WHOLE && a->whole < CHROME_TIME_MAX &&
	    a->whole > -CHROME_TIME_MAX)
		*(start ? &t->start : &t->end) = a->whole;
	if (a->kind != VALUE_TEXT)
		return;
	if (json_is(&word, "pnav_track"))
		t->whole = builder_name(d->b, text, a->len);
	if (json_is(&word, "pnav_unit"))
		t->unit = builder_name(d->b, text, a->len);
	if (json_is(&word, "pnav_process"))
		d->process.at[t->process].whole = builder_name(d->b, text, a->len);
	for (unsigned k = 0; k <= TRACK_MARKS && json_is(&word, "pnav_kind"); k++) {
		const char *name = track_kind_name((enum track_kind)k);
		if (a->len == strlen(name) && !memcmp(text, name, a->len))
			t->kind = (uint8_t)k;
	}
}

void
chrome_metadata(struct chrome *d)
{
	const struct chrome_event *e = &d->e;
	struct name what = builder_name_get(d->b, e->name);
	struct json_token word = {.at = what.at, .len = what.len};
	bool process = json_is(&word, "process_name"), thread = json_is(&word, "thread_name");

	for (unsigned i = 0; i < e->n_args; i++) {
		const struct chrome_arg *a = &e->arg[i];
		if (json_is(&word, "process_labels") && a->kind == VALUE_TEXT) {
			/* the call may move the array */
			uint32_t owner = chrome_process(d, e->pid);
			d->process.at[owner].labels =
				builder_name(d->b, chrome_arg_text(d, a), a->len);
		}
		if (json_is(&word, "num_cpus") && a->kind == VALUE_WHOLE)
			builder_info(d->b, "cpus", "%" PRId64, a->whole);
		if (thread || json_is(&word, "pnav_track"))
			own_metadata(d, a);
		if (a->key != d->is.name || a->kind != VALUE_TEXT || !(process || thread))
			continue;
		name_id name = builder_name(d->b, chrome_arg_text(d, a), a->len);
		uint32_t whose =
			process ? chrome_process(d, e->pid) : chrome_thread(d, e->pid, e->tid);
		*(process ? &d->process.at[whose].name : &d->thread.at[whose].name) = name;
	}
	/* one of ours is there though nothing happens on it */
	uint32_t own = thread ? chrome_thread(d, e->pid, e->tid) : CHROME_NONE;
	if (thread && chrome_is_own(&d->thread.at[own], false))
		chrome_thread_track(d, own);
}
