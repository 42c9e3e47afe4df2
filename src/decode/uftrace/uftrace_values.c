/* Arguments and returned values follow records, without their size.  The size depends on the
 * options of `uftrace record`, which `info` repeats:
 *
 *	fib@arg1/i32;puts@arg1/s;sin@fparg1/64,retval/f64
 *
 * With `record -a`, `info` has those of well-known functions, and those of the program's own are in
 * `NAME.dbg`, from its debug information, each with the place of the value:
 *
 *	F: 12fe work
 *	A: @arg1%rdi,arg2/s%rsi
 *	R: @retval
 *
 * The length of a value follows from its format, rounded up to a multiple of four bytes.  A
 * string has its length in two bytes before it.  All values of a record together fill a
 * multiple of eight. Only whole names of functions are supported: it is unknown which functions
 * a pattern matches. */
#include "src/decode/uftrace/uftrace.h"

#include <string.h>

#include "src/decode/common/words.h"
#include "src/input/cursor.h"

struct uftrace_at {
	const uint8_t *at;
	size_t len, n; /* number of available bytes, and of those skipped */
	bool big_endian;
};

static size_t
rounded(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

/* Returns the size of a number of this format, `i32`, `f`, `c`; 0 for a string, SIZE_MAX for
 * unknown formats. */
static size_t
format_size(const char *at, const char *end)
{
	int64_t bits;

	if (at == end)
		return 8;
	char kind = *at++;
	if (kind == 's' || kind == 'S')
		return 0;
	if (kind == 't') { /* a structure, t24:big: its bytes */
		const char *colon = memchr(at, ':', (size_t)(end - at));
		if (!number_parse(at, colon ? colon : end, &bits) || bits < 1 || bits > 65536)
			return SIZE_MAX;
		return (size_t)bits;
	}
	if (is_key(at, (size_t)(end - at), "") || *at == ':')
		return kind == 'c' ? 1 : strchr("diuxofpe", kind) ? 8 : SIZE_MAX;
	if (!number_parse(at, end, &bits) || bits < 8 || bits > 128 || !strchr("diuxofc", kind))
		return SIZE_MAX;
	return (size_t)bits / 8;
}

/* Adds the bytes of `arg1/i32`. */
static bool
uftrace_add_value(struct uftrace_at *v, const char *at, const char *end, bool exit)
{
	const char *place = memchr(at, '%', (size_t)(end - at)); /* %rdi, %stack+8 */
	end = place ? place : end;
	const char *slash = memchr(at, '/', (size_t)(end - at)), *stop = slash ? slash : end;
	bool returned = begins_with(at, stop, "retval"), floating = begins_with(at, stop, "fparg");

	if (returned != exit)
		return true;
	if (!returned && !floating && !begins_with(at, stop, "arg"))
		return false;
	size_t size = format_size(slash ? slash + 1 : end, end);
	if (floating && slash && strchr("0123456789", slash[1])) /* fparg1/80 */
		size = slash[1] == '3' ? 4 : slash[1] == '6' ? 8 : 10;
	if (size == SIZE_MAX)
		return false;
	if (!size) {
		if (v->n + 2 > v->len)
			return false;
		size = 2 + bytes_u16(v->at + v->n, v->big_endian);
	}
	v->n = rounded(v->n + size, 4);
	return v->n <= v->len;
}

/* Adds the values in the spec of this function, `arg1/i32,arg2/s`. */
static bool
uftrace_values_add_values(struct uftrace_at *v, const char *at, const char *end, bool exit)
{
	for (; at < end; at++) {
		const char *comma = memchr(at, ',', (size_t)(end - at)),
			   *stop = comma ? comma : end;
		if (!uftrace_add_value(v, at, stop, exit))
			return false;
		at = stop;
	}
	return true;
}

/* Adds the values of a function, if it has none in this map. */
static void
uftrace_spec_add(struct uftrace_specs *s, struct idmap *of, uint32_t function,
		 struct text_slice values)
{
	uint32_t i;

	if (!idmap_add(of, function, s->spec.n, &i))
		return;
	*vec_push(&s->spec) = (struct uftrace_spec){s->text.len, values.len};
	buf_add(&s->text, values.at, values.len);
}

void
uftrace_specs_own(struct uftrace *u, struct uftrace_specs *s, const struct buf *name,
		  uint32_t place, struct text_slice values)
{
	if (!values.len || *values.at != '@')
		return;
	values.at++;
	values.len--;
	if (place != IDMAP_NONE)
		uftrace_spec_add(s, &s->of_place, place, values);
	uftrace_spec_add(s, &s->of_other, builder_name(u->b, name->at, name->len), values);
}

void
uftrace_specs_add(struct uftrace *u, struct uftrace_specs *s, const char *at, const char *end)
{
	/* the only names of `record -a` that are mangled; those of symbols are not */
	static const struct {
		const char *mangled, *name;
	} operators[] = {
		{"_Znwm", "operator new"},     {"_Znam", "operator new[]"},
		{"_Znwj", "operator new"},     {"_Znaj", "operator new[]"},
		{"_ZdlPv", "operator delete"}, {"_ZdaPv", "operator delete[]"},
	};

	for (; at < end; at++) {
		const char *semicolon = memchr(at, ';', (size_t)(end - at));
		const char *stop = semicolon ? semicolon : end;
		const char *sign = memchr(at, '@', (size_t)(stop - at));
		if (sign) {
			size_t len = (size_t)(sign - at);
			struct text_slice values = {sign + 1, (size_t)(stop - sign) - 1};
			uftrace_spec_add(s, &s->of_name, builder_name(u->b, at, len), values);
			for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
				if (is_key(at, len, operators[i].mangled))
					uftrace_spec_add(
						s, &s->of_name,
						builder_name(u->b, operators[i].name,
							     strlen(operators[i].name)),
						values);
		}
		at = stop;
	}
}

static uint32_t
spec_named(const struct idmap *of, uint32_t symbol, name_id name)
{
	uint32_t i = symbol == IDMAP_NONE ? IDMAP_NONE : idmap_get(of, symbol);

	return i == IDMAP_NONE ? idmap_get(of, name) : i;
}

/* Returns the spec of a function, or NULL. */
static const struct uftrace_spec *
uftrace_spec_of(const struct uftrace *u, const struct uftrace_specs *s, frame_id frame,
		uint32_t place)
{
	name_id name = builder_function_get(u->b, builder_frame_get(u->b, frame).function).name;
	uint32_t symbol = idmap_get(&u->symbol_of, frame);
	uint32_t i = spec_named(&s->of_name, symbol, name);

	if (i == IDMAP_NONE && place != IDMAP_NONE)
		i = idmap_get(&s->of_place, place);
	if (i == IDMAP_NONE)
		i = spec_named(&s->of_other, symbol, name);
	return i == IDMAP_NONE ? NULL : &s->spec.at[i];
}

size_t
uftrace_values(const struct uftrace *u, frame_id frame, uint32_t place, bool exit,
	       const uint8_t *at, size_t len)
{
	const struct uftrace_specs *own = exit ? &u->exit_specs : &u->entry_specs;
	const struct uftrace_spec *spec = uftrace_spec_of(u, own, frame, place);
	struct uftrace_at v = {.at = at, .len = len, .big_endian = u->big_endian};

	if (!spec) { /* -A f@arg1,retval */
		own = exit ? &u->entry_specs : &u->exit_specs;
		spec = uftrace_spec_of(u, own, frame, place);
	}
	if (!spec)
		return SIZE_MAX;
	const char *text = buf_str(&own->text) + spec->at;
	return uftrace_values_add_values(&v, text, text + spec->len, exit) ? rounded(v.n, 8)
									   : SIZE_MAX;
}
