#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/decode/prf/linkmap.h"
#include "tests/lib/unit.h"

/* The reader of linker maps against small maps in the manner of each linker, and against
 * the samples' lists of symbols and lines where those are. */

static bool
read_map(struct linkmap *m, const char *text, size_t len, struct err *e)
{
	struct input *in = input_open_bytes(text, len, "x.map");
	bool good;

	err_init(e);
	good = linkmap_read(m, in, NULL, NULL, e);
	input_close(in);
	return good;
}

static const struct linkmap_symbol *
symbol(const struct linkmap *m, const char *name)
{
	for (size_t i = 0; i < m->symbols.n; i++)
		if (!strcmp(linkmap_str(m, m->symbols.at[i].name), name))
			return &m->symbols.at[i];
	return NULL;
}

static const char tlink[] =
	"\r\n Start  Stop   Length Name               Class\r\n\r\n"
	" 00000H 0093FH 00940H FRACT_TEXT         CODE\r\n"
	" 00940H 00F1FH 05E0H BGI_TEXT            CODE\r\n\r\n"
	"Detailed map of segments\r\n\r\n"
	" 0000:0000 0940 C=CODE S=FRACT_TEXT G=(none) M=A.CPP\r\n\r\n"
	" Origin   Group\r\n 0554:0   DGROUP\r\n\r\n"
	"  Address         Publics by Name\r\n\r\n"
	" 0000:1000  Abs  __AHINCR\r\n"
	" 0000:0132       mandel(int,int)\r\n"
	" 0000:07D2       operator delete(void far*)\r\n"
	" 0094:0010 idle  __turboFloat\r\n"
	" 0094:0020       idle state()\r\n\r\n"
	"  Address         Publics by Value\r\n\r\n"
	" 0000:0132       mandel(int,int)\r\n"
	" 0000:07D2       operator delete(void far*)\r\n"
	" 0094:0010 idle  __turboFloat\r\n"
	" 0094:0020       idle state()\r\n"
	" 0000:1000  Abs  __AHINCR\r\n\r\n"
	"Line numbers for a.obj(A.CPP) segment FRACT_TEXT\r\n\r\n"
	"    43 0000:0132    44 0000:0155\r\n    45 0000:0171\r\n\r\n"
	"Program entry point at 0000:0132\r\nWarning: No stack\r\n"
	"\x1A rest 0000:0001       not_there\r\n";

START_TEST(dos)
{
	struct linkmap m;
	struct err e;

	ck_assert(read_map(&m, tlink, sizeof tlink - 1, &e));
	ck_assert_int_eq(m.form, LINKMAP_DOS);
	ck_assert_uint_eq(m.symbols.n, 5);
	ck_assert_uint_eq(symbol(&m, "operator delete(void far*)")->address, 0x7D2);
	ck_assert_int_eq(symbol(&m, "__AHINCR")->flags, LINKMAP_ABSOLUTE);
	ck_assert_int_eq(symbol(&m, "__turboFloat")->flags, LINKMAP_IDLE);
	ck_assert_int_eq(symbol(&m, "idle state()")->flags, 0);
	ck_assert_uint_eq(symbol(&m, "idle state()")->address, 0x960);
	ck_assert_uint_eq(m.lines.n, 3);
	ck_assert_uint_eq(linkmap_line_at(&m, 0x155)->number, 44);
	ck_assert_str_eq(linkmap_str(&m, linkmap_line_at(&m, 0x155)->file), "A.CPP");
	ck_assert_ptr_null(linkmap_line_at(&m, 0x156));
	ck_assert(m.has_entry && m.entry == 0x132);
	linkmap_release(&m);
}
END_TEST

START_TEST(ne)
{
	static const char text[] =
		"\n SIMPLE\n\n Start     Length     Name                   Class\n"
		" 0001:0000 00044H     SIMPLE_TEXT            CODE\n\n"
		"  Address         Publics by Name\n\n"
		" 0000:0000  Imp  VIOWRTTTY            (VIOCALLS.VIOWRTTTY)\n"
		" 0001:0000       _main\n";
	struct linkmap m;
	struct err e;

	ck_assert(read_map(&m, text, sizeof text - 1, &e));
	ck_assert_int_eq(m.form, LINKMAP_NE);
	ck_assert_int_eq(symbol(&m, "VIOWRTTTY")->flags, LINKMAP_IMPORT);
	ck_assert_uint_eq(symbol(&m, "_main")->segment, 1);
	linkmap_release(&m);
}
END_TEST

/* As `ld -Map` and `ld.lld -Map` write it. */
START_TEST(unix_linkers)
{
	static const char gnu[] =
		"Memory Configuration\n\nName             Origin             Length\n"
		"*default*        0x0000000000000000 0xffffffffffffffff\n\n"
		"Linker script and memory map\n\nLOAD a.o\n"
		"                0x0000000000000000                PROVIDE (__ehdr = .)\n"
		"                0x00000000000002a8                . = (0x10 + SIZEOF_HEADERS)\n\n"
		".text           0x0000000000001040      0x11e\n *(.text.unlikely)\n"
		" .text.foo      0x0000000000001129       0x13 a.o\n"
		"                0x0000000000001129                foo\n"
		" *fill*         0x000000000000113c        0x4 \n"
		" .text._ZN1n3barEiPKc\n"
		"                0x000000000000114c       0x12 dir/b c.o\n"
		"                0x000000000000114c                n::bar(int, char const*)\n"
		"                0x0000000000001160                etext = .\n"
		"                0x0000000000000001                ASSERT ((. < 0x2000), big)\n"
		" .eh_frame      0x00000000000020a0       0x18 a.o\n"
		"                                         0x30 (size before relaxing)\n"
		" .text.x        0x0000000000002100        0x8 a.o\n"
		"                0x0000000000002100                (anonymous namespace)::f()\n";
	static const char lld[] =
		"             VMA              LMA     Size Align Out     In      Symbol\n"
		"            1719             1719       30    16 .text\n"
		"            1719             1719       13     1         a.o:(.text.foo)\n"
		"            1719             1719       13     1                 foo\n"
		"            173c             173c        0     1         . = ALIGN(4)\n"
		"            173c             173c       12     1         b.o:(.text.bar)\n"
		"            173c             173c       12     1         "
		"        n::bar(int, char const*)\n";
	struct linkmap m;
	struct err e;

	ck_assert(read_map(&m, gnu, sizeof gnu - 1, &e));
	ck_assert_int_eq(m.form, LINKMAP_GNU);
	ck_assert_uint_eq(m.symbols.n, 3);
	ck_assert_uint_eq(symbol(&m, "(anonymous namespace)::f()")->address, 0x2100);
	ck_assert_uint_eq(symbol(&m, "foo")->address, 0x1129);
	ck_assert_str_eq(linkmap_str(&m, symbol(&m, "foo")->file), "a.o");
	ck_assert_uint_eq(symbol(&m, "n::bar(int, char const*)")->address, 0x114C);
	ck_assert_str_eq(linkmap_str(&m, symbol(&m, "n::bar(int, char const*)")->file),
			 "dir/b c.o");
	linkmap_release(&m);
	ck_assert(read_map(&m, lld, sizeof lld - 1, &e));
	ck_assert_int_eq(m.form, LINKMAP_LLD);
	ck_assert_uint_eq(m.symbols.n, 2);
	ck_assert_uint_eq(symbol(&m, "foo")->address, 0x1719);
	ck_assert_str_eq(linkmap_str(&m, symbol(&m, "n::bar(int, char const*)")->file),
			 "b.o");
	linkmap_release(&m);
}
END_TEST

START_TEST(no_maps)
{
	static const char watcom[] =
		"Open Watcom Linker Version 1.9\nCreated on: 10/05/01\n"
		"Executable Image: x.exe\n";
	static const char game[] = "IWAD\x0b\0\0\0\0\0\1\2 map01";
	struct linkmap m;
	struct err e;

	ck_assert(!read_map(&m, watcom, sizeof watcom - 1, &e));
	ck_assert_int_eq(e.class, ERR_REFUSED);
	linkmap_release(&m);
	ck_assert_ptr_nonnull(linkmap_foreign(watcom, sizeof watcom - 1));
	ck_assert(!read_map(&m, game, sizeof game - 1, &e));
	linkmap_release(&m);
	ck_assert_int_eq(linkmap_probe(game, sizeof game - 1), 0);
	ck_assert_int_ge(linkmap_probe(tlink, sizeof tlink - 1), 80);
}
END_TEST

/* ---- the samples ---- */

static char *
slurp(const char *name, size_t *len)
{
	const char *samples = getenv("PNAV_SAMPLES");
	char path[512], *bytes;
	FILE *f;

	snprintf(path, sizeof path, "%s/seeds/prf/%s",
		 samples ? samples : "../shared/samples", name);
	f = fopen(path, "rb");
	if (!f)
		return NULL;
	bytes = malloc(1 << 20);
	*len = fread(bytes, 1, (1 << 20) - 1, f);
	bytes[*len] = '\0';
	fclose(f);
	return bytes;
}

/* The next field of a line of CSV without quotes, ended in place. */
static char *
field(char **at)
{
	char *start = *at, *end = start + strcspn(start, ",");

	*at = end + (*end == ',');
	*end = '\0';
	return start;
}

static void
check_symbols(const char *map, const char *truth)
{
	size_t len, truth_len, rows = 0;
	char *text = slurp(map, &len), *csv = slurp(truth, &truth_len);
	struct linkmap m;
	struct err e;

	if (!text || !csv) {
		printf("# skipped: no sample %s\n", map);
		free(text);
		free(csv);
		return;
	}
	ck_assert(read_map(&m, text, len, &e));
	char *save, *line = strtok_r(csv, "\r\n", &save); /* the header */
	while ((line = strtok_r(NULL, "\r\n", &save))) {
		const char *offset = line;
		char *comma = strchr(line, ','), *name = strchr(comma + 1, ',') + 1;
		uint64_t want = strtoull(offset, NULL, 10);
		const char *flag = strrchr(name, ',') + 1;
		size_t n = (size_t)(flag - 1 - name);
		if (*name == '"')
			name++, n -= 2;
		bool found = false;
		for (size_t i = 0; i < m.symbols.n; i++) {
			const struct linkmap_symbol *s = &m.symbols.at[i];
			found |= s->address == want && s->name.len == n &&
				 !memcmp(linkmap_str(&m, s->name), name, n) &&
				 !strcmp(flag, s->flags & LINKMAP_ABSOLUTE ? "Abs"
					       : s->flags & LINKMAP_IDLE   ? "idle"
									   : "");
		}
		ck_assert_msg(found, "%s: %s", map, name);
		rows++;
	}
	ck_assert_uint_eq(m.symbols.n, rows);
	linkmap_release(&m);
	free(text);
	free(csv);
}

START_TEST(samples_symbols)
{
	check_symbols("LEDGER.MAP", "LEDGER.MAP.symbols.csv");
	check_symbols("FRACT.MAP", "FRACT.MAP.symbols.csv");
}
END_TEST

START_TEST(samples_lines)
{
	size_t len, truth_len, rows = 0;
	char *text = slurp("FRACT.MAP", &len),
	     *csv = slurp("FRACT.MAP.lines.csv", &truth_len);
	struct linkmap m;
	struct err e;

	if (text && csv) {
		ck_assert(read_map(&m, text, len, &e));
		char *save, *line = strtok_r(csv, "\r\n", &save);
		while ((line = strtok_r(NULL, "\r\n", &save))) {
			char *module = field(&line), *file = field(&line);
			unsigned number = (unsigned)atoi(field(&line)), segment, offset;
			bool found = false;
			ck_assert_int_eq(sscanf(line, "%x:%x", &segment, &offset), 2);
			for (size_t i = 0; i < m.lines.n; i++) {
				const struct linkmap_line *l = &m.lines.at[i];
				found |= l->segment == segment && l->offset == offset &&
					 l->number == number &&
					 !strcmp(linkmap_str(&m, l->module), module) &&
					 !strcmp(linkmap_str(&m, l->file), file);
			}
			ck_assert_msg(found, "%s %u", file, number);
			rows++;
		}
		ck_assert_uint_eq(m.lines.n, rows);
		linkmap_release(&m);
	} else {
		printf("# skipped: no sample FRACT.MAP\n");
	}
	free(text);
	free(csv);
}
END_TEST

/* Any bytes: an answer, and no place outside of the texts. */
START_TEST(damaged)
{
	uint64_t x = 88172645463325252u;
	char bytes[sizeof tlink];

	for (int i = 0; i < 10000; i++) {
		struct linkmap m;
		struct err e;
		memcpy(bytes, tlink, sizeof tlink);
		for (int k = i % 6; k >= 0; k--) {
			x ^= x << 13, x ^= x >> 7, x ^= x << 17;
			bytes[x % (sizeof tlink - 1)] = (char)(x >> 48);
		}
		size_t len = i < (int)sizeof tlink ? (size_t)i : sizeof tlink - 1;
		ck_assert_int_eq(read_map(&m, bytes, len, &e), !err_is_set(&e));
		for (size_t k = 0; k < m.symbols.n; k++)
			ck_assert_uint_lt(m.symbols.at[k].name.at +
						  m.symbols.at[k].name.len,
					  m.text.len);
		linkmap_release(&m);
	}
}
END_TEST

UNIT(linkmap)
{
	Suite *s = suite_create("linkmap");
	TCase *t = tcase_create("linkmap");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, dos);
	tcase_add_test(t, ne);
	tcase_add_test(t, unix_linkers);
	tcase_add_test(t, no_maps);
	tcase_add_test(t, samples_symbols);
	tcase_add_test(t, samples_lines);
	tcase_add_test(t, damaged);
	suite_add_tcase(s, t);
	return s;
}
