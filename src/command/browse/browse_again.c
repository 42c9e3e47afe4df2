/* browse_again.c - see browse_again.h.
 *
 * Tracks of a store's profile are hosts by default.  If the address asks for others, the hosts stay
 * the same, and the lens continues to choose tracks. */
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

/* Appends a name as an expression that matches only this name. */
static void
add_quoted(struct buf *out, const char *at, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (!isalnum((unsigned char)at[i]) && at[i] != '_' && !(at[i] & 0x80))
			buf_addc(out, '\\');
		buf_addc(out, at[i]);
	}
}

/* Appends "^(?:web1|web2)$" for the chosen tracks of a file; returns false if none of its tracks is
 * chosen. */
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
browse_narrow(const char *url, const struct profile *p, uint32_t group,
	      const struct app_again *what, bool hosts, struct buf *out, struct err *e)
{
	const struct group *g = &p->group[group];
	struct buf names = BUF_INIT;
	int64_t from = g->start, to = sum_clipped(g->end, 1);

	if (!what->whole) {
		from = sum_clipped(g->start, what->from);
		to = sum_clipped(g->start, what->to);
	}
	bool good = !hosts || add_hosts(p, group, what->tracks, &names) ||
		    err_usage(e, "none of its tracks is selected");
	if (good)
		store_url_narrow(url, from, to, hosts ? buf_str(&names) : NULL, out);
	buf_release(&names);
	return good;
}

/* True if tracks are hosts and have no prefix that separates several profiles. */
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
		return err_usage(e, "the store did not answer, so there is nothing to refine");
	for (size_t i = 0; i < o->files.n; i++)
		if (!p->group[i].has_time)
			return err_usage(e, "no times are loaded yet");
	*next = (struct browse_again){.o = *o};
	memset(&next->o.files, 0, sizeof next->o.files);
	lens_copy(&next->o.lens, what->lens);
	next->o.lens.from = next->o.lens.to = (struct moment){.kind = MOMENT_OPEN};
	for (size_t i = 0; i < o->files.n && good; i++) {
		struct buf url = BUF_INIT;
		good = browse_narrow(o->files.at[i], p, (uint32_t)i, what, hosts, &url, e);
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
