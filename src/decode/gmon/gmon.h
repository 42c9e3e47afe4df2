/* gmon.h - reads a gmon.out file, and the program that wrote it. For gmon*.c alone. */
#ifndef PNAV_SRC_DECODE_GMON_GMON_H
#define PNAV_SRC_DECODE_GMON_GMON_H

#include "model/base/err.h"
#include "src/decode/gmon/gmon_pe.h"
#include "src/input/cursor.h"
#include "src/input/input.h"
#include "src/symbol/symbols.h"

struct gmon_histogram {
	uint64_t low, high;
	uint32_t bins, rate;
	char dimension[16];
	const uint8_t *bin; /* u16 each; NULL in other records */
	uint64_t offset;
};

struct gmon_arc {
	uint64_t from, self;
	uint32_t calls;
};

enum gmon_kind { GMON_HISTOGRAM, GMON_ARC, GMON_BLOCKS };

struct gmon_record {
	enum gmon_kind kind;
	uint64_t offset;
	struct gmon_histogram histogram;
	struct gmon_arc arc;
	uint32_t blocks;
};

/* The records of a file, which is in memory; `c` is the position. */
struct gmon_file {
	struct cursor c;
	bool wide; /* addresses have 8 bytes */
	bool bsd;  /* the older form, of the BSDs and MinGW */
};

/* Returns true if the bytes begin a file of the older form; *wide and *big_endian are its form of
 * numbers. */
bool gmon_is_bsd(const uint8_t *at, size_t len, bool *wide, bool *big_endian);

/* Reads the input to its end, and determines its form of numbers. Returns false with damage or a
 * refusal in *e if it is no gmon.out. */
bool gmon_open(struct gmon_file *f, struct input *in, struct err *e);
/* Reads the next record. Returns false at the end, and at damage, with *e set. */
bool gmon_next(struct gmon_file *f, struct gmon_record *out, struct err *e);

/* Code of one function; name is NULL for code outside of functions. */
struct gmon_code {
	uint64_t start, end; /* end 0: no upper limit */
	const char *name;
};

/* The program; without its symbols, functions begin at the targets of calls. */
struct gmon_program {
	struct symbols *symbols; /* of an ELF file; NULL: none */
	uint32_t module;
	struct gmon_pe pe; /* of a PE file */
	bool named;        /* one of them has symbols */
	char *path;        /* NULL: there is no program */
	VEC(uint64_t) entry; /* sorted */
};

/* Searches the program: at the path of --binary if given, else beside the input. Returns false with
 * the reason in *e if that path is no program. */
bool gmon_program_open(struct gmon_program *p, struct input *in, struct err *e);
void gmon_program_release(struct gmon_program *p);
void gmon_program_entry(struct gmon_program *p, uint64_t address);
void gmon_program_sort(struct gmon_program *p);
struct gmon_code gmon_program_at(struct gmon_program *p, uint64_t address);
/* Returns true if addresses from low to high can be those of a program with symbols. */
bool gmon_program_covers(struct gmon_program *p, uint64_t low, uint64_t high);

#endif
