#include "src/decode/callgrind/callgrind_sums.h"

#include <inttypes.h>
#include <string.h>

#include "model/base/chars.h"
#include "src/decode/common/words.h"

/* Of unknown programs, a smaller difference is rounding. */
#define ROUNDING 100

void
callgrind_sums_header(struct callgrind_sums *s, const char *key, size_t len, const char *at,
		      const char *end)
{
	if (is_key(key, len, "creator"))
		s->maker = begins_with(at, end, "callgrind-") || begins_with(at, end, "xtree-")
				   ? CALLGRIND_VALGRIND
			   : begins_with(at, end, "xdebug ") ? CALLGRIND_XDEBUG
			   : begins_with(at, end, "yappi")   ? CALLGRIND_YAPPI
							  : CALLGRIND_OTHER;
	s->has_head |= is_key(key, len, "creator") || is_key(key, len, "version") ||
		       is_key(key, len, "positions");
	/* it writes desc, cmd, events and summary alone */
	if (s->has_head && s->maker == CALLGRIND_CACHEGRIND)
		s->maker = CALLGRIND_OTHER;
	else if (!s->has_head && is_key(key, len, "cmd"))
		s->maker = CALLGRIND_CACHEGRIND;
}

void
callgrind_sums_named(struct callgrind_sums *s, const char *at, const char *end)
{
	const char *close = at < end && *at == '(' ? memchr(at, ')', (size_t)(end - at)) : NULL;

	s->named += close && skip_blanks(close + 1, end) < end;
}

void
callgrind_sums_said(struct callgrind_sums *s, unsigned n, bool last, const char *at,
		    const char *end)
{
	s->has_said = true;
	s->closed |= last;
	for (unsigned i = 0; i < n; i++) {
		at = skip_blanks(at, end);
		const char *stop = word_end(at, end);
		if (at == stop || !number_parse(at, stop, &s->said[i]))
			s->said[i] = 0;
		at = stop;
	}
}

void
callgrind_sums_part(struct callgrind_sums *s, unsigned n)
{
	s->unended = !s->has_said;
	for (unsigned i = 0; s->has_said && !s->differs && i < n; i++) {
		s->differs = s->of[i] != s->said[i];
		s->was = s->said[i];
		s->is = s->of[i];
	}
	s->has_said = s->closed = false;
	memset(s->of, 0, sizeof s->of);
}

/* Valgrind's files end with the sum, and their lines add up to it. Those of Xdebug add up to less,
 * and its version 2 writes the sum before the last function. */
static bool
sums_are_exact(const struct callgrind_sums *s)
{
	return s->maker == CALLGRIND_VALGRIND || s->maker == CALLGRIND_CACHEGRIND;
}

bool
callgrind_sums_open(const struct callgrind_sums *s)
{
	return sums_are_exact(s) && !s->closed;
}

bool
callgrind_sums_finish(const struct callgrind_sums *s, bool open, struct builder *b,
		      uint64_t offset, struct err *e)
{
	if (s->differs)
		builder_info(b, "summary differs", "%" PRId64 ", lines have %" PRId64, s->was,
			     s->is);
	if (s->differs && sums_are_exact(s))
		return err_damage(e, offset,
				  "the lines add up to %" PRId64 ", the file states %" PRId64,
				  s->is, s->was);
	if (open)
		return err_damage(e, offset, "the file ends without the sum of its lines");
	if (s->maker == CALLGRIND_XDEBUG && s->unended)
		return err_damage(e, offset,
				  "Xdebug did not end the file: it has no line `summary:`");
	if (s->maker == CALLGRIND_YAPPI && s->costed < s->named)
		return err_damage(e, offset,
				  "the file ends before the costs of %" PRIu64 " of its %" PRIu64
				  " functions",
				  s->named - s->costed, s->named);
	if (s->differs && s->maker == CALLGRIND_OTHER && s->is < s->was - s->was / ROUNDING)
		builder_warn(b, "its lines have %" PRId64 " of the %" PRId64
			     " that the file states",
			     s->is, s->was);
	return true;
}
