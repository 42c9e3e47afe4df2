/* held.h - what a store holds: its services, with hosts, labels, times and sizes.
 *
 *	struct store_held h;
 *	if (held_read(&h, &url, now, e))
 *		... h.service.at[i], i < h.service.n
 *	held_release(&h);
 */
#ifndef PNAV_SRC_STORE_HELD_H
#define PNAV_SRC_STORE_HELD_H

#include "model/base/buf.h"
#include "model/base/err.h"
#include "model/base/vec.h"
#include "src/input/source.h"
#include "src/store/storeurl.h"

/* The profiles of a service that were stored with a value of a label. */
struct held_label {
	struct buf key, value;
	uint64_t profiles, samples, hosts;
	int64_t from, to; /* ns since 1970: first and last event */
	bool cut;         /* the key has more values, which are not listed */
};

struct held_service {
	struct buf name;
	uint64_t profiles, samples, n_hosts;
	uint64_t bytes;           /* on disk: the share of its samples; 0: unknown */
	int64_t from, to, stored; /* ns since 1970: first and last event, and the last insertion */
	struct buf hosts;         /* "a, b, c", and "..." if there are more */
	VEC(struct held_label) labels; /* by key and value */
};

struct store_held {
	VEC(struct held_service) service; /* by name */
	uint64_t bytes; /* of all tables; 0: unknown */
	struct buf ttl; /* how long samples are kept, such as 30d; empty: for ever, or unknown */
};

/* Reads the list of the profiles that the address selects; now is in ns since 1970. Returns false
 * with *e set; call held_release() in any case. */
bool held_read(struct store_held *h, const struct store_url *url, int64_t now, struct err *e);
void held_release(struct store_held *h);
/* Appends the labels of a service: "version=1, 2; stage=prod". */
void held_labels_text(const struct held_service *s, struct buf *out);

#endif
