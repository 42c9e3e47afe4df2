/* timeline_labels.c - the labels of the timeline's lanes, fitted to the available width.
 *
 * The common beginning of all names says nothing: names like "thread 0x7f3a40" lose their common
 * words, separately for stacks and points.  But a number alone is not a name, so "core 0" stays
 * whole.  Names are shortened in the middle: threads begin with their purpose and end with their
 * number.  In a comparison "old" or "new" precedes the name, instead of two file names that are
 * often similar. */
#include <string.h>

#include "model/base/escape.h"
#include "ui/screen/text.h"
#include "ui/view/timeline/timeline.h"

#define LABEL_LEAST 20 /* the label's minimum on a wide screen */

/* Returns the name without the label of its file, if files are compared. */
static struct name
own_name(const struct scene *s, name_id id)
{
	struct name name = names_get(&s->p->names, id);
	const char *colon = memchr(name.at, ':', name.len);
	if (s->p->comparison != COMPARE_FILES || s->p->n_groups < 2 || !colon ||
	    colon + 2 >= name.at + name.len || colon[1] != ' ')
		return name;
	name.len -= (uint32_t)(colon + 2 - name.at);
	name.at = colon + 2;
	return name;
}

/* Returns a track's name, without that of its process if that is above it: "Renderer 7 /
 * Compositor 9". */
static struct name
track_name(const struct scene *s, const struct lane *lane)
{
	const struct track *t = &s->p->track[lane->track];
	struct name name = own_name(s, t->name), process = {0};
	static const char between[] = " / ";
	size_t gap = sizeof between - 1;
	if (lane->fellows && !lane->pin)
		process = own_name(s, s->p->process[t->under].name);
	if (!process.len || name.len <= process.len + gap ||
	    memcmp(name.at, process.at, process.len) != 0 ||
	    memcmp(name.at + process.len, between, gap) != 0)
		return name;
	name.at += process.len + gap;
	name.len -= (uint32_t)(process.len + gap);
	return name;
}

static size_t
common_words(struct name first, size_t common, struct name other)
{
	size_t i = 0;
	while (i < common && i < other.len && first.at[i] == other.at[i])
		i++;
	if (i == other.len) /* this name is the beginning of another */
		i = 0;
	while (i && !strchr(" :/", first.at[i - 1]))
		i--;
	return i;
}

static bool
timeline_is_number(struct name name, size_t from)
{
	for (size_t i = from; i < name.len; i++)
		if (name.at[i] < '0' || name.at[i] > '9')
			return false;
	return from < name.len;
}

/* Keeps one common word if only a number would remain of some name. */
static size_t
keep_word(const struct timeline *v, const struct scene *s, int points, struct name first,
	  size_t common)
{
	bool number = false;
	for (size_t i = 0; i < v->lanes.n && !number; i++) {
		const struct lane *lane = &v->lanes.at[i];
		if (lane_has_stacks(lane) != points)
			number = timeline_is_number(track_name(s, lane), common);
	}
	if (number && common)
		common--;
	while (number && common && !strchr(" :/", first.at[common - 1]))
		common--;
	return common;
}

/* Returns the width of a label; a plain name need not be written to be measured. */
static int
label_cols(const struct timeline *v, const struct scene *s, const struct lane *lane,
	   struct buf *label)
{
	struct name name = track_name(s, lane);
	size_t shared = v->shared[!lane_has_stacks(lane)], plain = 0;
	while (plain < name.len && name.at[plain] >= 0x20 && name.at[plain] < 0x7F)
		plain++;
	if (plain == name.len && !lane->pin && s->p->comparison == COMPARE_NOTHING)
		return (int)(name.len - (shared < name.len ? shared : 0));
	buf_reset(label);
	timeline_label(v, s, lane, label);
	return text_cols(buf_str(label));
}

/* Finds the common words of the lanes' names and the width of the widest label. */
void
timeline_measure_labels(struct timeline *v, const struct scene *s)
{
	struct buf label = BUF_INIT;
	for (int points = 0; points < 2; points++) {
		struct name first = {0};
		size_t n = 0, common = 0;
		for (size_t i = 0; i < v->lanes.n; i++) {
			if (lane_has_stacks(&v->lanes.at[i]) == points)
				continue;
			struct name name = track_name(s, &v->lanes.at[i]);
			if (!n++) {
				first = name;
				common = name.len;
			} else if (name.at != first.at) {
				common = common_words(first, common, name);
			}
		}
		common = n > 1 && common < first.len ? common : 0;
		v->shared[points] = common ? keep_word(v, s, points, first, common) : 0;
	}
	v->widest = 0;
	for (size_t i = 0; i < v->lanes.n && v->widest < 100; i++) {
		int cols = label_cols(v, s, &v->lanes.at[i], &label);
		v->widest = cols > v->widest ? cols : v->widest;
	}
	buf_release(&label);
}

int
timeline_label_cols(const struct timeline *v, int w)
{
	int least = w / 5 < LABEL_LEAST ? w / 5 : LABEL_LEAST, want = v->widest + 1;
	return want < least ? least : want > w / 4 ? w / 4 : want;
}

void
timeline_label(const struct timeline *v, const struct scene *s, const struct lane *lane,
	       struct buf *out)
{
	struct name name = track_name(s, lane);
	size_t shared = v->shared[!lane_has_stacks(lane)];
	if (s->p->comparison != COMPARE_NOTHING)
		buf_adds(out, profile_is_base(s->p, lane->track) ? "old " : "new ");
	if (lane->pin)
		buf_addc(out, '^');
	shared = shared < name.len ? shared : 0;
	escape_shown(out, name.at + shared, name.len - shared,
		    s->p->charset == CHARSET_CP437);
}

void
timeline_process_label(const struct scene *s, const struct lane *lane, struct buf *out)
{
	process_id process = s->p->track[lane->track].under;
	struct name name = own_name(s, s->p->process[process].name);
	if (s->p->comparison != COMPARE_NOTHING)
		buf_adds(out, profile_is_base(s->p, lane->track) ? "old " : "new ");
	escape_shown(out, name.at, name.len, s->p->charset == CHARSET_CP437);
}
