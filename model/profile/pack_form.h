/* pack_form.h - the layout of packed profiles, which pnav-pack(5) describes.
 *
 *	"pnavpack"  u16 version  u16 0  u32 features
 *	section:    kind[4]  u32 flags  u64 stored  u64 size  u64 XXH3 of the stored bytes
 *	            the stored bytes
 *	...
 *	"end "      the number of sections before it
 *
 * Numbers in sections are little-endian base-128 (varint); signed ones are zigzag-encoded first.
 * Ids count from 0 in the order of the file. */
#ifndef PNAV_MODEL_PROFILE_PACK_FORM_H
#define PNAV_MODEL_PROFILE_PACK_FORM_H

#define PACK_MAGIC "pnavpack"
#define PACK_VERSION 1u
#define PACK_HEAD 16u          /* bytes of the head, and of a section's */
#define PACK_SECTION_HEAD 32u
#define PACK_ZSTD 1u           /* a feature, and the flag of a section: compressed by zstd */
#define PACK_SECTION_MAX (64u << 20) /* readers refuse sections that claim more bytes */
#define PACK_SECTION_FULL (1u << 20) /* writers begin another one */

/* A frame's byte: enum line_form, and these. */
#define PACK_FRAME_INLINED 4u
#define PACK_FRAME_ADDRESS 8u
#define PACK_FRAME_BEGINS 16u

/* A function's byte: enum kind, and this. */
#define PACK_FUNCTION_LAST 4u

/* Flags of `metr`. */
#define PACK_EVENTS_SHOWN 1u
#define PACK_COMPARES_TRACKS 2u
#define PACK_CALL_EDGES 4u
#define PACK_CP437 8u

/* Flags of `seri`. */
#define PACK_FLOATING 1u
#define PACK_VALUED 2u
#define PACK_TURNS 4u
#define PACK_LABELLED 8u
#define PACK_DERIVED 16u

/* Flags of a column. */
#define PACK_BASES 1u
#define PACK_ZEROS 2u

#endif
