/* Arguments and returned values follow records, without their size.  The size depends on the
 * options of `uftrace record`, which `info` repeats:
 *
 *	fib@arg1/i32;puts@arg1/s;sin@fparg1/64,retval/f64
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

size_t
uftrace_values(const struct uftrace *u, frame_id frame, bool exit, const uint8_t *at, size_t len)
{
	const struct buf *spec = exit ? &u->exit_spec : &u->entry_spec;
	struct function f = builder_function_get(u->b, builder_frame_get(u->b, frame).function);
	struct name name = builder_name_get(u->b, f.name);
	struct uftrace_at v = {.at = at, .len = len, .big_endian = u->big_endian};

	for (unsigned both = 0; both < 2; both++) {
		const char *item = buf_str(spec), *end = item + spec->len;
		while (item < end) {
			const char *semicolon = memchr(item, ';', (size_t)(end - item));
			const char *stop = semicolon ? semicolon : end;
			const char *sign = memchr(item, '@', (size_t)(stop - item));
			if (sign && (size_t)(sign - item) == name.len &&
			    !memcmp(item, name.at, name.len))
				return uftrace_values_add_values(&v, sign + 1, stop, exit)
					       ? rounded(v.n, 8)
					       : SIZE_MAX;
			item = stop + (stop < end);
		}
		spec = exit ? &u->entry_spec : &u->exit_spec; /* -A f@arg1,retval */
	}
	return SIZE_MAX;
}
