/* pack_inside.h - the parts of the encoder of packed profiles (pack.c). */
#ifndef PNAV_SRC_ENCODE_PACK_INSIDE_H
#define PNAV_SRC_ENCODE_PACK_INSIDE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "model/base/buf.h"
#include "model/profile/profile.h"
#include "src/encode/encoder.h"
#include "src/encode/protobuf.h"

struct pack_out {
	const struct profile *p;
	metric_id metric; /* the default one */
	FILE *out;
	uint64_t n_sections;
	struct buf at;     /* the contents of the current section */
	struct buf packed; /* the same, compressed */
};

/* ---- pack_section.c ---- */

/* Writes the head of the file. */
void pack_head(struct pack_out *x);
/* Writes the contents gathered in x->at as a section of this kind, and empties x->at. */
void pack_section(struct pack_out *x, const char *kind);
/* The same, if the contents have grown to a full section. For tables, whose sections continue each
 * other. */
void pack_section_if_full(struct pack_out *x, const char *kind);

static inline void
pack_number(struct pack_out *x, uint64_t v)
{
	protobuf_varint(&x->at, v);
}

static inline void
pack_signed(struct pack_out *x, int64_t v)
{
	protobuf_varint(&x->at, (uint64_t)v << 1 ^ (uint64_t)(v >> 63));
}

static inline void
pack_byte(struct pack_out *x, unsigned v)
{
	buf_addc(&x->at, (char)v);
}

static inline void
pack_bytes(struct pack_out *x, const void *at, size_t len)
{
	pack_number(x, len);
	buf_add(&x->at, at, len);
}

/* ---- pack_model.c ---- */

/* Writes names, files, functions, frames, stacks, labels, metrics, modules and processes. */
void pack_tables(struct pack_out *x);
/* Writes what follows the tracks: actors, calls, stated totals, facts, warnings, attachments. */
void pack_facts(struct pack_out *x);

/* ---- pack_events.c ---- */

/* Writes the tracks, each with its series and their events. */
void pack_tracks(struct pack_out *x);

/* ---- pack_excerpt.c ---- */

/* Returns a profile with what the lens of the job shows, for profile_free(). With a secret, its
 * names are hashes. NULL with usage in *e if the lens does not fit. */
struct profile *pack_excerpt(const struct encode_job *job, const char *secret, struct err *e);

#endif
