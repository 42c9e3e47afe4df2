/* generate FORMAT BYTES [FILE]: data for the bench.
 *
 * A decoder is measured on files that resemble real ones: they are profiles of the program in
 * workload.c, and generate_*.c write them as each format's document says.  The generators do not
 * use the decoders, so the files also check them a little.
 *
 * The size is reached, and exceeded by at most a record or a block.  Files go through one buffer;
 * the largest thing in memory is a format's own tables. */
#include "tests/bench/generate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FLUSH_BYTES (1u << 18)

const struct generator *const generators[] = {
	&generate_folded,      &generate_perfscript, &generate_bsprof,
	&generate_br,          &generate_hqnplog,    &generate_text1,
	&generate_text1_names, &generate_text1_bin,  &generate_folded_names,
	&generate_folded_functions, &generate_folded_deep,
	&generate_perfscript_threads, &generate_bsprof_paths,
	&generate_firefox_samples, &generate_firefox_weights,
	&generate_chrome, &generate_speedscope, &generate_callgrind,
	&generate_cpuprofile, &generate_heaptrack, &generate_jfr, &generate_perfetto,
	&generate_otlp, &generate_pprof, &generate_pprof_new,
	&generate_heaptrack_new, NULL,
};

static void
flush(struct sink *s)
{
	fwrite(buf_str(&s->text), 1, s->text.len, s->out);
	s->written += s->text.len;
	buf_reset(&s->text);
}

int
sink_done(struct sink *s)
{
	if (s->text.len >= FLUSH_BYTES)
		flush(s);
	return s->written + s->text.len >= s->wanted;
}

void
put_le(struct sink *s, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		buf_addc(&s->text, (char)(value >> 8 * i & 0xff));
}

void
put_be(struct sink *s, uint64_t value, unsigned bytes)
{
	for (unsigned i = bytes; i > 0; i--)
		buf_addc(&s->text, (char)(value >> 8 * (i - 1) & 0xff));
}

void
put_varint(struct sink *s, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		buf_addc(&s->text, (char)((value & 0x7f) | 0x80));
	buf_addc(&s->text, (char)value);
}

void
put_proto_number(struct sink *s, unsigned field, uint64_t value)
{
	put_varint(s, field << 3);
	put_varint(s, value);
}

void
put_proto_bytes(struct sink *s, unsigned field, const void *at, size_t len)
{
	put_varint(s, field << 3 | 2);
	put_varint(s, len);
	buf_add(&s->text, at, len);
}

void
put_proto_message(struct sink *s, unsigned field, struct sink *m)
{
	put_proto_bytes(s, field, buf_str(&m->text), m->text.len);
	m->text.len = 0;
}

int
main(int argc, char **argv)
{
	struct sink s = {.out = stdout};
	const struct generator *g = NULL;

	for (size_t i = 0; argc >= 3 && generators[i]; i++) {
		if (!strcmp(generators[i]->name, argv[1]))
			g = generators[i];
	}
	if (!g || argc > 4 || (s.wanted = strtoull(argv[2], NULL, 10)) == 0) {
		fprintf(stderr, "usage: generate FORMAT BYTES [FILE]\n");
		for (size_t i = 0; generators[i]; i++)
			fprintf(stderr, "  %-12s %s\n", generators[i]->name,
				generators[i]->title);
		return 2;
	}
	if (argc == 4)
		s.out = fopen(argv[3], "wb");
	if (s.out) {
		g->write(&s);
		flush(&s);
	}
	if (!s.out || ferror(s.out) || fclose(s.out)) {
		fprintf(stderr, "generate: %s: %s\n", argc == 4 ? argv[3] : "-",
			strerror(errno));
		return 1;
	}
	buf_release(&s.text);
	return 0;
}
