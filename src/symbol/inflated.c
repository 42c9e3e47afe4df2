/* inflated.c - see inflated.h.
 *
 * libdwfl inflates .gnu_debugdata, and libdw the sections of debug information, into memory without
 * a limit.  A megabyte that inflated to six gigabytes of zeros used all memory.  So pnav sums the
 * inflated size from the headers before these libraries see the file.
 *
 * Sections state their size first.  In xz (xz-file-format 1.1) the index at the end has sizes, but
 * readers check it after inflating, so it may be false.  The headers of LZMA2's chunks (each at
 * most 2 MB) cannot be false: they have both sizes, and one leads to the next.
 *
 *	stream  FD '7' 'z' 'X' 'Z' 00  00 CHECK  CRC32  block... index footer
 *	block   HEADER-SIZE/4-1 ...  chunk... 00  padding to 4  check
 *	chunk   01|02     SIZE-1 (2, big-endian)                    bytes
 *	        80..FF    SIZE-1 (5 bits above, 2) PACKED-1 (2) [properties from C0 on]  bytes */
#include "src/symbol/inflated.h"

#ifdef HAVE_LIBDW

#include <gelf.h>
#include <libelf.h>
#include <string.h>
#include <sys/stat.h>

#include "src/symbol/room.h"

#define STREAM_HEADER 12u
#define LZMA_ALONE_HEADER 13u

static unsigned
big_2(const uint8_t *at)
{
	return (unsigned)at[0] << 8 | at[1];
}

/* Walks the chunks of a block and adds their inflated sizes to *sum.  Returns false at truncated or
 * invalid chunks, where the inflating library stops, too. */
static bool
over_chunks(const uint8_t *at, size_t n, size_t *i, uint64_t *sum)
{
	while (*i < n && at[*i]) {
		unsigned control = at[*i];
		size_t packed, header = 3;
		if (n - *i < 6 || (control > 2 && control < 0x80))
			return false;
		if (control <= 2) {
			packed = big_2(at + *i + 1) + 1u;
			*sum += packed;
		} else {
			*sum += ((uint64_t)(control & 0x1F) << 16) + big_2(at + *i + 1) + 1u;
			packed = big_2(at + *i + 3) + 1u;
			header = control >= 0xC0 ? 6 : 5;
		}
		if (n - *i < header + packed)
			return false;
		*i += header + packed;
	}
	return *i < n;
}

/* Returns the maximum inflated size of a .gnu_debugdata (an xz stream) of n untrusted bytes;
 * UINT64_MAX if it is unknown. */
static uint64_t
symbol_xz_inflated(const uint8_t *at, size_t n)
{
	static const uint8_t magic[] = {0xFD, '7', 'z', 'X', 'Z', 0};
	static const uint8_t check_bytes[16] = {0,  4,  4,  4,  8,  8,  8,  16,
						16, 16, 32, 32, 32, 64, 64, 64};
	uint64_t sum = 0;

	if (n >= LZMA_ALONE_HEADER && at[0] == 0x5D)
		return UINT64_MAX; /* an older form, which nothing writes there */
	if (n < STREAM_HEADER || memcmp(at, magic, sizeof magic) != 0)
		return 0;
	size_t i = STREAM_HEADER, check = check_bytes[at[7] & 15];
	while (i < n && at[i]) { /* a block; the index begins with 0 */
		size_t header = ((size_t)at[i] + 1) * 4;
		if (n - i < header)
			break;
		size_t begin = i += header;
		if (!over_chunks(at, n, &i, &sum))
			break;
		i++;
		size_t end = begin + (i - begin + 3) / 4 * 4;
		if (n < end || n - end < check)
			break;
		i = end + check;
	}
	return sum;
}

/* Older linkers: `.zdebug_info` begins with `ZLIB` and eight bytes of its size, big-endian. */
static uint64_t
zdebug_inflated(const uint8_t *at, size_t n)
{
	uint64_t size = 0;

	if (n < 12 || memcmp(at, "ZLIB", 4) != 0)
		return 0;
	for (unsigned i = 4; i < 12; i++)
		size = size << 8 | at[i];
	return size;
}

static uint64_t
section_inflated(Elf *elf, Elf_Scn *section, size_t names)
{
	GElf_Shdr s;
	GElf_Chdr c;

	if (!gelf_getshdr(section, &s) || s.sh_type == SHT_NOBITS)
		return 0;
	if (s.sh_flags & SHF_COMPRESSED)
		return gelf_getchdr(section, &c) ? c.ch_size : 0;
	const char *name = elf_strptr(elf, names, s.sh_name);
	bool minidebug = name && !strcmp(name, ".gnu_debugdata");
	if (!minidebug && !(name && !strncmp(name, ".zdebug", 7)))
		return 0;
	Elf_Data *raw = elf_rawdata(section, NULL);
	if (!raw || !raw->d_buf)
		return 0;
	return (minidebug ? symbol_xz_inflated : zdebug_inflated)(raw->d_buf, raw->d_size);
}

bool
symbol_inflates_little(int fd)
{
	struct stat st;
	uint64_t sum = 0, most;
	Elf_Scn *section = NULL;
	size_t names;

	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!elf || fstat(fd, &st) || elf_getshdrstrndx(elf, &names)) {
		elf_end(elf);
		return true;
	}
	most = (uint64_t)st.st_size * INFLATED_TIMES;
	most = most > INFLATED_FREE ? most : INFLATED_FREE;
	while (sum <= most && (section = elf_nextscn(elf, section))) {
		uint64_t more = section_inflated(elf, section, names);
		sum = more > UINT64_MAX - sum ? UINT64_MAX : sum + more;
	}
	elf_end(elf);
	if (sum > most)
		return false;
	symbol_room((uint64_t)st.st_size + sum + SYMBOL_ROOM);
	return true;
}

#endif
