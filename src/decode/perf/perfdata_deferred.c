/* Samples whose user chain comes later: `perf record --call-graph fp,defer`, Linux 6.19 and newer.
 *
 * The kernel then reads the callers in user space when the thread returns there, once for all
 * samples since it left. Such a sample ends its chain with a marker and a cookie (perf_event.h):
 *
 *	SAMPLE               ... u64 n  [addresses of the kernel]  -640  u64 cookie ...
 *	CALLCHAIN_DEFERRED   u64 cookie   u64 n  [-512, addresses of the program]   trailer
 *
 * So the sample waits for the record of its thread, and is then handled as if its chain had always
 * been complete; its time stays, since series are sorted by time at the end. Its thread and its
 * CPU are used at once.  A record with another cookie shows that the right one is lost: the sample
 * keeps its own addresses.
 *
 * Rejected: completing samples in the queue of perfdata_order.c (a thread that sleeps in a system
 * call returns after seconds). */
#include "src/decode/perf/perfdata_inside.h"

#include <string.h>

#define USER_DEFERRED ((uint64_t)-640)
#define MARKERS ((uint64_t)-4095) /* a marker is not less */
#define BYTES_MAX (64u << 20)     /* of samples that wait */

/* Writes a word as perfdata_word() reads it. */
static void
word_put(uint8_t *at, uint64_t word, bool big_endian)
{
	for (unsigned i = 0; i < 8; i++)
		at[i] = (uint8_t)(word >> 8 * (big_endian ? 7 - i : i));
}

/* ---- samples that wait: a list a thread, in order ---- */

static struct perfdata_held_list *
list_of(struct perfdata_deferred *d, uint32_t thread)
{
	while (d->list.n <= thread)
		*vec_push(&d->list) = (struct perfdata_held_list){0};
	return &d->list.at[thread];
}

/* Returns an unused entry, whose buffer may have room already. Entry 0 ends all lists. */
static uint32_t
unused(struct perfdata_deferred *d)
{
	uint32_t at = d->unused;

	if (at) {
		d->unused = d->held.at[at].next;
		return at;
	}
	if (!d->held.n)
		*vec_push(&d->held) = (struct perfdata_held){0};
	*vec_push(&d->held) = (struct perfdata_held){0};
	return (uint32_t)d->held.n - 1;
}

static void
hold(struct perfdata_deferred *d, uint32_t thread, const struct perfdata_record *rec,
     uint64_t cookie)
{
	struct perfdata_held_list *list = list_of(d, thread);
	uint32_t at = unused(d);
	struct perfdata_held *h = &d->held.at[at];

	if (list->first)
		d->held.at[list->last].next = at;
	else
		list->first = at;
	list->last = at;
	h->next = 0;
	h->cookie = cookie;
	h->rec = *rec;
	h->bytes.n = 0;
	vec_reserve(&h->bytes, rec->size);
	memcpy(h->bytes.at, rec->at, rec->size);
	h->bytes.n = rec->size;
	d->size += rec->size;
}

/* ---- completing ---- */

/* The addresses behind a sample's own ones. */
struct rest {
	const uint8_t *words; /* n of the file; NULL: the record is missing */
	uint64_t n;
};

/* Returns the number of words without the marker and the cookie; *addresses: those among them that
 * are no markers. */
static uint64_t
own_words(const struct perfdata_sample *s, bool big_endian, uint32_t *addresses)
{
	*addresses = 0;
	for (uint64_t i = 0; i + 2 < s->n_chain; i++)
		*addresses += perfdata_word(s->chain, i, big_endian) < MARKERS;
	return s->n_chain - 2;
}

/* Writes the record of a sample with its complete chain to d->whole. A sample without any address
 * keeps its own. Returns false if no record can be so long. */
static bool
perfdata_join(struct perfdata_deferred *d, const struct perfdata_record *rec,
	      const struct perfdata_sample *s, struct rest rest, bool big_endian, uint32_t *own)
{
	uint8_t here[16];
	uint64_t words = own_words(s, big_endian, own);
	size_t head = (size_t)(s->chain - rec->at), behind = head + (size_t)s->n_chain * 8;

	if (!rest.words && !*own && s->ip) {
		bool user = (rec->misc & PERFDATA_MODE) == PERFDATA_USER_MODE;
		word_put(here, (uint64_t)(user ? -512 : -128), big_endian);
		word_put(here + 8, s->ip, big_endian);
		rest = (struct rest){here, 2};
	}
	size_t size = head + (size_t)(words + rest.n) * 8 + rec->size - behind;
	if (rest.n > UINT16_MAX / 8 || size > UINT16_MAX)
		return false;
	vec_reserve(&d->whole, size);
	uint8_t *out = d->whole.at;
	memcpy(out, rec->at, head + (size_t)words * 8);
	word_put(out + head - 8, words + rest.n, big_endian);
	out += head + words * 8;
	if (rest.n)
		memcpy(out, rest.words, (size_t)rest.n * 8);
	memcpy(out + rest.n * 8, rec->at + behind, rec->size - behind);
	d->whole.n = size;
	return true;
}

/* Handles a sample that waited. */
static bool
release(struct perfdata *p, uint32_t at, struct rest rest)
{
	struct perfdata_deferred *d = &p->turns.deferred;
	struct perfdata_record rec = d->held.at[at].rec;
	struct perfdata_sample s;
	uint32_t event, own;

	rec.at = d->held.at[at].bytes.at;
	d->size -= rec.size;
	event = perfdata_event_of(&p->events, &rec, p->file.big_endian);
	if (event == UINT32_MAX ||
	    !perfdata_sample(&rec, &p->events.event.at[event].attr, p->file.big_endian, &s))
		return true;
	if (!perfdata_join(d, &rec, &s, rest, p->file.big_endian, &own)) {
		rest = (struct rest){0};
		perfdata_join(d, &rec, &s, rest, p->file.big_endian, &own);
	}
	d->missing += !rest.words;
	rec.at = d->whole.at;
	rec.size = (uint16_t)d->whole.n;
	bool ok = perfdata_take_sample(p, &rec, &own);
	return perfdata_samples_end(p) && ok;
}

/* Handles all that wait of a thread; those with the cookie get the rest of their chain. */
static bool
release_all(struct perfdata *p, uint32_t thread, uint64_t cookie, struct rest rest)
{
	struct perfdata_deferred *d = &p->turns.deferred;
	uint32_t at = list_of(d, thread)->first;
	bool ok = true;

	*list_of(d, thread) = (struct perfdata_held_list){0};
	while (at) {
		struct perfdata_held *h = &d->held.at[at];
		uint32_t next = h->next;
		ok &= release(p, at, h->cookie == cookie ? rest : (struct rest){0});
		h->next = d->unused;
		d->unused = at;
		at = next;
	}
	return ok;
}

/* Returns true if the user chain of a sample comes in a later record. A sample of the event that
 * counts switches does not wait: its stack is needed when its thread comes back. */
static bool
must_wait(const struct perfdata *p, const struct perfdata_record *rec, uint64_t *cookie,
	  struct perfdata_sample *s)
{
	uint32_t event = perfdata_event_of(&p->events, rec, p->file.big_endian);

	if (event == UINT32_MAX || perfdata_of_switches(&p->events.event.at[event]))
		return false;
	const struct perfdata_attr *a = &p->events.event.at[event].attr;
	if (!perfdata_flag(a, PERFDATA_DEFER_CHAIN) || !(a->sample_type & PERFDATA_HAS_TID) ||
	    !perfdata_sample(rec, a, p->file.big_endian, s) || !s->chain || s->n_chain < 2)
		return false;
	*cookie = perfdata_word(s->chain, s->n_chain - 1, p->file.big_endian);
	return perfdata_word(s->chain, s->n_chain - 2, p->file.big_endian) == USER_DEFERRED;
}

bool
perfdata_take_or_wait(struct perfdata *p, const struct perfdata_record *rec)
{
	struct perfdata_deferred *d = &p->turns.deferred;
	struct perfdata_sample s;
	uint64_t cookie;

	if (!must_wait(p, rec, &cookie, &s))
		return perfdata_take_sample(p, rec, NULL);
	bool ok = perfdata_look_at_sample(p, rec);
	hold(d, perfdata_thread(&p->tasks, s.pid, s.tid), rec, cookie);
	return (d->size < BYTES_MAX || perfdata_deferred_end(p)) && ok;
}

bool
perfdata_take_deferred(struct perfdata *p, const struct perfdata_record *rec)
{
	const struct perfdata_attr *a =
		perfdata_event_trailer(&p->events, rec, p->file.big_endian);
	struct cursor r = perfdata_body(rec, p->file.big_endian);
	uint64_t cookie = cursor_u64(&r);
	struct rest rest = {.n = cursor_u64(&r)};
	struct perfdata_sample s;

	rest.words = r.at;
	if (r.bad || rest.n > cursor_left(&r) / 8 || !a)
		return true;
	perfdata_trailer(rec, a, p->file.big_endian, &s);
	uint32_t thread = s.has_tid ? idmap_get(&p->tasks.tid, s.tid) : IDMAP_NONE;
	return thread == IDMAP_NONE || release_all(p, thread, cookie, rest);
}

bool
perfdata_deferred_end(struct perfdata *p)
{
	bool ok = true;

	for (uint32_t i = 0; i < p->turns.deferred.list.n; i++)
		ok &= release_all(p, i, 0, (struct rest){0});
	return ok;
}

void
perfdata_deferred_release(struct perfdata_deferred *d)
{
	for (size_t i = 0; i < d->held.n; i++)
		vec_release(&d->held.at[i].bytes);
	vec_release_all(&d->held, &d->list, &d->whole);
}
