#include "model/profile/profile.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/escape.h"
#include "model/base/mem.h"
#include "model/base/vec.h"
#include "model/profile/series.h"

struct profile *
profile_new(void)
{
	struct profile *p = mem_zalloc(1, sizeof *p);

	names_init(&p->names);
	frames_init(&p->frames);
	stacks_init(&p->stacks);
	labels_init(&p->labels);
	err_init(&p->damage);
	p->left_out = UINT32_MAX;
	p->default_metric = METRIC_NONE;
	p->calls_metric = METRIC_NONE;
	p->lines_metric = METRIC_NONE;
	p->metrics_cap = 8;
	p->metric = mem_alloc(p->metrics_cap, sizeof *p->metric);
	p->events_metric = 0;
	p->metric[p->n_metrics++] = (struct metric){
		.name = names_put(&p->names, "samples", strlen("samples")),
		.unit = UNIT_SAMPLES,
		.role = ROLE_EVENTS,
	};
	return p;
}

void
profile_compare_files(struct profile *p, uint32_t n_base)
{
	p->comparison = COMPARE_FILES;
	p->n_base = n_base;
}

bool
profile_is_base(const struct profile *p, uint32_t track)
{
	switch ((enum comparison)p->comparison) {
	case COMPARE_NOTHING:
		return false;
	case COMPARE_TRACKS:
		return track == 0;
	case COMPARE_FILES:
		return p->track[track].group < p->n_base;
	}
	return false;
}

static char *
text_copy(const char *text)
{
	return text ? mem_dup(text, strlen(text)) : NULL;
}

struct profile *
profile_branch(const struct profile *p)
{
	/* copies the values; owned memory follows */
	struct profile *out = mem_copy(p, 1, sizeof *p);

	names_branch(&out->names, &p->names);
	frames_copy(&out->frames, &p->frames);
	stacks_copy(&out->stacks, &p->stacks);
	labels_copy(&out->labels, &p->labels);
#define COPY(type, at, n, cap)                                                             \
	out->at = mem_copy(p->at, p->n, sizeof(type));                                     \
	out->cap = p->n;
	PROFILE_TABLES(COPY)
#undef COPY
	for (uint32_t i = 0; i < p->n_warnings; i++) {
		out->warning[i].text = text_copy(p->warning[i].text);
		out->warning[i].file = text_copy(p->warning[i].file);
	}
	for (track_id i = 0; i < p->n_tracks; i++) {
		struct track *t = &out->track[i];
		t->value_name = mem_copy(t->value_name, t->n_value_names, sizeof *t->value_name);
		t->value_names_cap = t->n_value_names;
		t->series = mem_copy(t->series, t->n_series, sizeof *t->series);
	}
	out->borrows_series = true;
	out->recorded = callrows_copy(&p->recorded);
	out->stated = stated_copy(&p->stated);
	out->why = text_copy(p->why);
	out->gone = NULL;
	out->n_gone = 0;
	out->tracks_by_name = (struct map){0}; /* no builder adds to it */
	out->n_by_name = 0;
	out->plain = NULL;
	out->weight = NULL;
	return out;
}

bool
profile_is_outside(const struct profile *p, track_id t)
{
	process_id under = p->track[t].under;

	return under != PROCESS_NONE && p->process[under].outside;
}

uint32_t
profile_tracks_outside(const struct profile *p)
{
	uint32_t n = 0;

	for (track_id t = 0; t < p->n_tracks; t++)
		n += profile_is_outside(p, t);
	return n < p->n_tracks ? n : 0;
}

void
profile_free(struct profile *p)
{
	if (!p)
		return;
	for (uint32_t t = 0; t < p->n_tracks; t++) {
		for (uint32_t i = 0; i < p->track[t].n_series && !p->borrows_series; i++)
			series_free(p->track[t].series[i]);
		free(p->track[t].series);
		free(p->track[t].value_name);
	}
	for (actor_id i = 0; i < p->n_actors && !p->borrows_series; i++)
		actor_release(&p->actor[i]);
	for (uint32_t i = 0; i < p->n_gone; i++)
		series_free(p->gone[i]);
	for (uint32_t i = 0; i < p->n_warnings; i++) {
		free(p->warning[i].text);
		free(p->warning[i].file);
	}
	for (uint32_t i = 0; i < p->n_attachments && !p->borrows_series; i++)
		p->attachment[i].release(p->attachment[i].at);
#define FREE(type, at, n, cap) free(p->at);
	PROFILE_TABLES(FREE)
#undef FREE
	free(p->plain);
	free(p->gone);
	map_release(&p->tracks_by_name);
	free(p->weight);
	callrows_release(&p->recorded);
	stated_release(&p->stated);
	free(p->why);
	stacks_release(&p->stacks);
	labels_release(&p->labels);
	frames_release(&p->frames);
	names_release(&p->names);
	free(p);
}

bool
profile_metric_shown(const struct profile *p, metric_id m)
{
	if (m >= p->n_metrics || p->metric[m].role == ROLE_LINES || p->metric[m].unused)
		return false;
	return m != p->events_metric || p->events_shown;
}

int64_t
profile_metric_unit(const struct profile *p, const struct series *s, unsigned m)
{
	int64_t unit = 1;

	if (s->role[m] != ROLE_VALUE)
		for (unsigned i = 0; i < p->metric[s->metric[m]].decimals; i++)
			unit *= 10;
	return unit;
}

const struct module_file *
profile_module_file(const struct profile *p, name_id module)
{
	for (uint32_t i = p->n_module_files; i-- > 0;)
		if (p->module_file[i].module == module)
			return &p->module_file[i];
	return NULL;
}

metric_id
profile_metric(const struct profile *p, const char *name, size_t len)
{
	name_id id = names_find(&p->names, name, len);

	for (metric_id m = 0; m < p->n_metrics; m++)
		if (p->metric[m].name == id && profile_metric_shown(p, m))
			return m;
	return METRIC_NONE;
}

static bool
profile_has_metric(const struct profile *p, metric_id m, bool base)
{
	for (track_id t = 0; t < p->n_tracks; t++)
		for (uint32_t i = 0; i < p->track[t].n_series; i++) {
			const struct series *s = p->track[t].series[i];
			for (unsigned k = 0; k < s->n_metrics; k++)
				if (s->metric[k] == m && profile_is_base(p, t) == base)
					return true;
		}
	return false;
}

/* Returns the default metric of the first file. */
static metric_id
own_default(const struct profile *p)
{
	if (p->default_metric != METRIC_NONE)
		return p->default_metric;
	for (metric_id m = 0; m < p->n_metrics; m++)
		if (profile_metric_shown(p, m) && !p->metric[m].computed)
			return m;
	return p->n_metrics ? p->events_metric : METRIC_NONE;
}

metric_id
profile_default_metric(const struct profile *p)
{
	metric_id best = own_default(p);

	if (p->comparison != COMPARE_FILES || best == METRIC_NONE)
		return best;
	if (profile_has_metric(p, best, true) && profile_has_metric(p, best, false))
		return best;
	for (metric_id m = 0; m < p->n_metrics; m++)
		if (profile_metric_shown(p, m) && !p->metric[m].computed &&
		    profile_has_metric(p, m, true) && profile_has_metric(p, m, false))
			return m;
	return best;
}

void
profile_show_name(const struct profile *p, name_id id, struct buf *out)
{
	struct name name = names_get(&p->names, id);

	escape_shown(out, name.at, name.len, p->charset == CHARSET_CP437);
}

/* True if `label` is the name of a file, or its end after a slash. */
static bool
labels_file(const char *label, size_t len, struct name file)
{
	static const char input[] = "stdin";
	size_t before = file.len - len;

	if (file.len == 1 && *file.at == '-')
		return len == sizeof input - 1 && !memcmp(label, input, len);
	return len && len <= file.len && !memcmp(file.at + before, label, len) &&
	       (!before || file.at[before - 1] == '/');
}

struct name
profile_own_name(const struct profile *p, uint32_t group, name_id id)
{
	struct name name = names_get(&p->names, id);
	struct name file = names_get(&p->names, p->group[group].name);

	if (p->n_groups < 2)
		return name;
	if (labels_file(name.at, name.len, file))
		return (struct name){name.at + name.len, 0};
	for (uint32_t i = 0; i + 2 < name.len; i++)
		if (name.at[i] == ':' && name.at[i + 1] == ' ' && labels_file(name.at, i, file))
			return (struct name){name.at + i + 2, name.len - i - 2};
	return name;
}

void
profile_write_name(const struct profile *p, name_id id, struct buf *out)
{
	struct name name = names_get(&p->names, id);

	escape_bytes(out, name.at, name.len, p->charset == CHARSET_CP437);
}

void
profile_write_label(const struct profile *p, const struct label *l, bool programs,
		    struct buf *out)
{
	bool cp437 = p->charset == CHARSET_CP437;
	struct buf value = BUF_INIT;

	label_write_value(&value, &p->names, l);
	(programs ? escape_bytes : escape_shown)(out, buf_str(&value), value.len, cp437);
	buf_release(&value);
}

struct label_order {
	const struct profile *p;
};

static int
compare_keys(const void *a, const void *b, void *context)
{
	const struct profile *p = ((const struct label_order *)context)->p;
	name_id x = p->labels.label[*(const label_id *)a].key;
	name_id y = p->labels.label[*(const label_id *)b].key;

	return strcmp(names_get(&p->names, x).at, names_get(&p->names, y).at);
}

void
profile_write_labels(const struct profile *p, labels_id set, bool programs, struct buf *out)
{
	uint32_t n;
	const label_id *of = labels_get(&p->labels, set, &n);
	label_id *id = mem_copy(of, n, sizeof *of);
	struct label_order order = {p};

	if (n > 1)
		qsort_r(id, n, sizeof *id, compare_keys, &order);
	for (uint32_t i = 0; i < n; i++) {
		const struct label *l = &p->labels.label[id[i]];
		buf_adds(out, i ? "," : "");
		(programs ? profile_write_name : profile_show_name)(p, l->key, out);
		buf_addc(out, '=');
		profile_write_label(p, l, programs, out);
	}
	free(id);
}

/* ---- files that could not be read ---- */

void
profile_inform(struct profile *p, uint32_t group, const char *key, const char *at, size_t len)
{
	vec_room(p->info, p->info_cap, p->n_info + 1);
	p->info[p->n_info++] = (struct info){
		.key = names_put(&p->names, key, strlen(key)),
		.value = names_put_cut(&p->names, at, len),
		.group = group,
	};
}

void
profile_miss_file(struct profile *p, const char *file, const char *why)
{
	struct buf text = BUF_INIT;

	escape_shown(&text, file, strlen(file), false);
	buf_addf(&text, ": %s", why);
	vec_room(p->warning, p->warnings_cap, p->n_warnings + 1);
	p->warning[p->n_warnings++] =
		(struct warning){.text = mem_dup(buf_str(&text), text.len),
				 .count = 1,
				 .group = GROUP_NONE,
				 .file = mem_dup(file, strlen(file))};
	if (!p->why)
		p->why = mem_dup(buf_str(&text), text.len);
	p->complete = false;
	p->generation++;
	buf_release(&text);
}

const char *
profile_missed(const struct profile *p, const char *file)
{
	for (uint32_t i = 0; i < p->n_warnings; i++)
		if (p->warning[i].file && !strcmp(p->warning[i].file, file))
			return p->warning[i].text;
	return NULL;
}
