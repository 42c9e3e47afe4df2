/* browse_again.c - see browse_again.h.
 *
 * A track of an answer is a host unless the address says otherwise; then hosts stay as they were
 * asked for, and the lens goes on to choose tracks. */
#include "src/command/browse/browse_again.h"

#include <ctype.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/sum.h"
#include "src/store/storeurl.h"

bool
browse_again_can(const struct options *o)
{
	for (size_t i = 0; i < o->files.n; i++)
		if (!store_url_is(o->files.at[i]))
			return false;
	return o->files.n > 0;
}

/* Appends a name as an expression that matches it alone. */
static void
add_quoted(struct buf *out, const char *at, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (!isalnum((unsigned char)at[i]) && at[i] != '_' && !(at[i] & 0x80))
			buf_addc(out, '\\');
		buf_addc(out, at[i]);
	}
}

/* "^(?:web1|web2)$", of the tracks of a file; false where no track of it is looked at. */
static bool
add_hosts(const struct profile *p, uint32_t group, const uint8_t *tracks, struct buf *out)
{
	bool any = false;

	buf_adds(out, "^(?:");
	for (track_id t = 0; t < p->n_tracks; t++) {
		if (p->track[t].group != group || !tracks[t])
			continue;
		struct name name = names_get(&p->names, p->track[t].name);
		buf_adds(out, any ? "|" : "");
		add_quoted(out, name.at, name.len);
		any = true;
	}
	buf_adds(out, ")$");
	return any;
}

static bool
narrow(const char *url, const struct profile *p, uint32_t group, const struct app_again *what,
       bool hosts, struct buf *out, struct err *e)
{
	const struct group *g = &p->group[group];
	struct buf names = BUF_INIT;
	int64_t from = g->start, to = sum_clipped(g->end, 1);

	if (!what->whole) {
		from = sum_clipped(g->start, what->from);
		to = sum_clipped(g->start, what->to);
	}
	bool good = !hosts || add_hosts(p, group, what->tracks, &names) ||
		    err_usage(e, "no track of that is looked at");
	if (good)
		store_url_narrow(url, from, to, hosts ? buf_str(&names) : NULL, out);
	buf_release(&names);
	return good;
}

/* Tracks are hosts, and the names of several answers are not in front of theirs. */
static bool
tracks_are_hosts(const struct options *o)
{
	struct store_url url;
	struct err e;

	err_init(&e);
	if (o->files.n != 1 || !store_url_read(&url, o->files.at[0], &e))
		return false;
	bool hosts = url.tracks == STORE_BY_HOST;
	store_url_release(&url);
	return hosts;
}

bool
browse_again_options(const struct options *o, const struct profile *p,
		     const struct app_again *what, struct browse_again *next, struct err *e)
{
	bool hosts = what->tracks && tracks_are_hosts(o), good = true;

	if (p->n_groups != o->files.n)
		return err_usage(e, "a store that did not answer cannot be asked for less");
	for (size_t i = 0; i < o->files.n; i++)
		if (!p->group[i].has_time)
			return err_usage(e, "there are no times yet to ask for");
	*next = (struct browse_again){.o = *o};
	memset(&next->o.files, 0, sizeof next->o.files);
	lens_copy(&next->o.lens, what->lens);
	next->o.lens.from = next->o.lens.to = (struct moment){.kind = MOMENT_OPEN};
	for (size_t i = 0; i < o->files.n && good; i++) {
		struct buf url = BUF_INIT;
		good = narrow(o->files.at[i], p, (uint32_t)i, what, hosts, &url, e);
		*vec_push(&next->urls) = mem_dup(buf_str(&url), url.len);
		*vec_push(&next->o.files) = next->urls.at[i];
		buf_release(&url);
	}
	if (!good)
		browse_again_release(next);
	return good;
}

void
browse_again_release(struct browse_again *next)
{
	for (size_t i = 0; i < next->urls.n; i++)
		free(next->urls.at[i]);
	vec_release(&next->urls);
	vec_release(&next->o.files);
	lens_release(&next->o.lens);
}
