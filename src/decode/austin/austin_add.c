/* From samples to the profile: metadata, frames, threads. */
#include "src/decode/austin/austin.h"

#include <string.h>

#include "model/base/buf.h"
#include "src/decode/common/words.h"

/* ---- metadata ---- */

/* `LOW-HIGH PATH` */
static void
add_map(struct austin *a, const char *at, size_t len)
{
	const char *end = at + len, *stop = word_end(at, end);
	const char *dash = memchr(at, '-', (size_t)(stop - at));
	struct austin_map m = {0};
	struct buf hex = BUF_INIT;
	int64_t low, high;

	if (!dash)
		return;
	buf_addf(&hex, "0x%.*s 0x%.*s", (int)(dash - at), at, (int)(stop - dash) - 1, dash + 1);
	const char *text = buf_str(&hex), *text_end = text + hex.len,
		   *blank = word_end(text, text_end);
	if (number_parse(text, blank, &low) && blank < text_end &&
	    number_parse(blank + 1, text_end, &high)) {
		m.low = (uint64_t)low;
		m.high = (uint64_t)high;
		stop = skip_blanks(stop, end);
		m.module = builder_name(a->b, stop, (size_t)(end - stop));
		*vec_push(&a->map) = m;
	}
	buf_release(&hex);
}

void
austin_metadata(struct austin *a, const char *key, size_t key_len, const char *value, size_t len)
{
	struct buf text = BUF_INIT;

	if (is_key(key, key_len, "map")) {
		add_map(a, value, len);
		return;
	}
	if (is_key(key, key_len, "mode") && a->mode == AUSTIN_UNKNOWN)
		a->mode = is_key(value, len, "memory") ? AUSTIN_MEMORY
			  : is_key(value, len, "full") ? AUSTIN_FULL
						       : AUSTIN_TIME;
	if (key_len && key_len < 64) {
		buf_add(&text, key, key_len);
		builder_info_bytes(a->b, buf_str(&text), value, len);
	}
	buf_release(&text);
}

/* ---- frames ---- */

static frame_id
special_frame(struct austin *a, const char *name, size_t len, name_id module)
{
	struct function f = {.name = builder_name(a->b, name, len), .module = module,
			     .kind = KIND_SYSTEM};

	return builder_frame_of(a->b, f, 0);
}

frame_id
austin_gc(struct austin *a)
{
	return special_frame(a, "[GC]", 4, NAME_EMPTY);
}

static name_id
module_of(const struct austin *a, const char *hex, size_t len)
{
	char text[24];
	int64_t address;
	int n = snprintf(text, sizeof text, "0x%.*s", (int)(len < 20 ? len : 20), hex);

	if (n > 0 && (size_t)n < sizeof text && number_parse(text, text + n, &address))
		for (size_t i = 0; i < a->map.n; i++)
			if ((uint64_t)address >= a->map.at[i].low &&
			    (uint64_t)address < a->map.at[i].high)
				return a->map.at[i].module;
	return NAME_EMPTY;
}

frame_id
austin_frame(struct austin *a, const char *file, size_t file_len, const char *name, size_t len,
	     int64_t line)
{
	struct function f = {.kind = KIND_USER};

	if (!file_len && is_key(name, len, "GC"))
		return austin_gc(a);
	if (!len || (!file_len && is_key(name, len, "INVALID")))
		return builder_frame(a->b, builder_function_unknown(a->b), line_unknown());
	if (is_key(file, file_len, "kernel"))
		return special_frame(a, name, len, builder_name(a->b, "[kernel]", 8));
	f.name = builder_name(a->b, name, len);
	if (begins_with(file, file + file_len, "native@")) {
		f.module = module_of(a, file + 7, file_len - 7);
		line = 0; /* it is none of a source */
	} else {
		f.file = builder_name(a->b, file, file_len);
	}
	return builder_frame_of(a->b, f, line);
}

/* ---- samples ---- */

void
austin_declare(struct austin *a)
{
	if (a->declared)
		return;
	a->declared = true;
	if (a->mode == AUSTIN_UNKNOWN)
		a->mode = AUSTIN_TIME;
	if (a->mode != AUSTIN_MEMORY)
		a->time = builder_metric(a->b, "time", UNIT_NS, ROLE_VALUE);
	if (a->mode == AUSTIN_FULL)
		a->cpu = builder_metric(a->b, "cpu", UNIT_NS, ROLE_VALUE);
	if (a->mode != AUSTIN_TIME)
		a->bytes = builder_metric(a->b, "bytes", UNIT_BYTES, ROLE_VALUE);
	a->samples = builder_metric(a->b, "samples", UNIT_SAMPLES, ROLE_EVENTS);
	builder_default_metric(a->b, a->mode == AUSTIN_MEMORY ? a->bytes : a->time);
	if (a->mode == AUSTIN_MEMORY)
		builder_axis(a->b, UNIT_SAMPLES);
}

static struct austin_track *
austin_track_of(struct austin *a, const struct austin_sample *s)
{
	name_id thread = builder_name(a->b, s->thread, s->thread_len);
	uint32_t process = s->pid < 1 ? CAST_NONE : cast_process(&a->cast, s->pid);
	uint32_t i = cast_thread(&a->cast, process, cast_id_of(thread));
	struct austin_track t = {0};
	uint32_t several = a->cast.several;
	metric_id metric[4];
	unsigned n = 0;

	if (i < a->track.n)
		return &a->track.at[i];
	if (a->mode != AUSTIN_MEMORY)
		metric[n++] = a->time;
	if (a->mode == AUSTIN_FULL)
		metric[n++] = a->cpu;
	if (a->mode != AUSTIN_TIME)
		metric[n++] = a->bytes;
	metric[n++] = a->samples;
	a->cast.track.at[i].name = builder_name(a->b, "thread", 6);
	t.track = cast_made(&a->cast, i);
	t.series = builder_samples(a->b, t.track, metric, n);
	cast_under(&a->cast, i, s->pid);
	/* From now on the names of all threads begin with their process */
	if (several == 1 && a->cast.several == 2)
		cast_rename(&a->cast);
	*vec_push(&a->track) = t;
	return &a->track.at[a->track.n - 1];
}

bool
austin_add(struct austin *a, const struct austin_sample *s)
{
	int64_t value[3] = {0}, ns, at;
	unsigned n = 0;

	austin_declare(a);
	struct austin_track *t = austin_track_of(a, s);
	if (s->us < 0 || __builtin_mul_overflow(s->us, 1000, &ns) ||
	    __builtin_add_overflow(t->clock, ns, &at))
		return err_damage(a->e, s->offset, "an impossible time");
	at = t->clock;
	t->clock += ns;
	if (a->mode == AUSTIN_MEMORY)
		at = a->n_samples;
	else
		value[n++] = ns;
	if (a->mode == AUSTIN_FULL)
		value[n++] = s->idle ? 0 : ns;
	if (a->mode != AUSTIN_TIME)
		value[n++] = s->bytes;
	stack_id stack = a->frame.n ? builder_stack(a->b, a->frame.at, a->frame.n)
				    : builder_stack_missing(a->b, 1);
	a->frame.n = 0;
	a->n_samples++;
	if (!builder_sample(a->b, t->series, at, stack, value, s->offset, a->e))
		return false;
	if (a->mode != AUSTIN_MEMORY)
		builder_track_end(a->b, t->track, t->clock);
	return true;
}
