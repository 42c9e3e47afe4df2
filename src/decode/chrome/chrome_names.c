#include "src/decode/chrome/chrome_inside.h"

#include <inttypes.h>
#include <string.h>

/* Metadata, which occurs anywhere in a file: names of processes and threads, and facts for the
 * view `info`.  A file that pnav wrote describes its tracks further, in members that begin with
 * `pnav_`. */

/* Reads the attributes of a track that pnav writes in this format (encode/track_ids.h). */
static void
own_metadata(struct chrome *d, const struct chrome_arg *a)
{
	uint32_t thread = chrome_thread(d);
	struct cast_track *t = &d->cast.track.at[thread];
	struct name key = builder_name_get(d->b, a->key);
	struct json_token word = {.at = key.at, .len = key.len};
	const char *text = chrome_arg_text(d, a);

	int64_t *time = json_is(&word, "pnav_start")       ? &t->own.start
			: json_is(&word, "pnav_end")       ? &t->own.end
			: json_is(&word, "pnav_run_start") ? &t->own.run_start
			: json_is(&word, "pnav_run_end")   ? &t->own.run_end
							   : NULL;
	if (time && a->kind == VALUE_WHOLE && a->whole < CHROME_TIME_MAX &&
	    a->whole > -CHROME_TIME_MAX)
		*time = a->whole;
	if (a->kind != VALUE_TEXT)
		return;
	if (json_is(&word, "pnav_track"))
		t->own.name = builder_name(d->b, text, a->len);
	if (json_is(&word, "pnav_unit"))
		t->own.unit = builder_name(d->b, text, a->len);
	if (json_is(&word, "pnav_process"))
		d->cast.process.at[t->process].whole = builder_name(d->b, text, a->len);
	for (unsigned k = 0; k <= TRACK_MARKS && json_is(&word, "pnav_kind"); k++) {
		const char *name = track_kind_name((enum track_kind)k);
		if (a->len == strlen(name) && !memcmp(text, name, a->len))
			t->own.kind = (uint8_t)k;
	}
}

void
chrome_metadata(struct chrome *d)
{
	const struct chrome_event *e = &d->e;
	struct name what = builder_name_get(d->b, e->name);
	struct json_token word = {.at = what.at, .len = what.len};
	bool process = json_is(&word, "process_name"), thread = json_is(&word, "thread_name");

	for (unsigned i = 0; i < e->args.n; i++) {
		const struct chrome_arg *a = &e->args.at[i];
		if (json_is(&word, "process_labels") && a->kind == VALUE_TEXT) {
			/* the call may move the array */
			uint32_t owner = cast_process(&d->cast, e->pid);
			d->cast.process.at[owner].labels =
				builder_name(d->b, chrome_arg_text(d, a), a->len);
		}
		if (json_is(&word, "num_cpus") && a->kind == VALUE_WHOLE)
			builder_info(d->b, "cpus", "%" PRId64, a->whole);
		if (thread || json_is(&word, "pnav_track"))
			own_metadata(d, a);
		if (a->key != d->is.name || a->kind != VALUE_TEXT || !(process || thread))
			continue;
		name_id name = builder_name(d->b, chrome_arg_text(d, a), a->len);
		uint32_t whose = process ? cast_process(&d->cast, e->pid) : chrome_thread(d);
		*(process ? &d->cast.process.at[whose].name : &d->cast.track.at[whose].name) =
			name;
	}
	/* a track that pnav wrote exists even without events */
	if (thread && chrome_is_own(d, chrome_thread(d), false))
		cast_made(&d->cast, chrome_thread(d));
}

void
chrome_labels_report(struct chrome *d)
{
	for (size_t i = 0; i < d->cast.process.n; i++) {
		const struct cast_process *p = &d->cast.process.at[i];
		if (p->labels == NAME_EMPTY)
			continue;
		struct name labels = builder_name_get(d->b, p->labels);
		buf_reset(&d->scratch);
		cast_owner_text(&d->scratch, d->b, p->name, p->id, "process");
		buf_adds(&d->scratch, ": ");
		buf_add(&d->scratch, labels.at, labels.len);
		builder_info_bytes(d->b, "process label", buf_str(&d->scratch), d->scratch.len);
	}
}
