#include "src/decode/common/last_line.h"

#include <string.h>

#include "model/base/chars.h"
#include "src/decode/common/words.h"

bool
last_line_allowed(struct input *in, uint64_t offset, enum last_line shows, struct err *e)
{
	if (shows == LAST_CLOSED || (shows == LAST_NUMBER && !input_fault(in)) ||
	    input_stopped(in))
		return true;
	return err_damage(e, offset, "the last line is truncated");
}

enum last_line
last_line_closed(const char *at, const char *end, const char *closing)
{
	end = drop_blanks(at, end);
	return at == end || (end[-1] && strchr(closing, end[-1])) ? LAST_CLOSED : LAST_OPEN;
}

enum last_line
last_line_open(const char *at, const char *end)
{
	return last_line_closed(at, end, "");
}

enum last_line
last_line_number(const char *at, const char *end)
{
	end = drop_blanks(at, end);
	return at == end ? LAST_CLOSED : is_digit(end[-1]) ? LAST_NUMBER : LAST_OPEN;
}

size_t
last_line_digits(const char *at, const char *end)
{
	const char *address = text_find(at, end, "0x");
	uint64_t value;

	return address ? (size_t)(hex_digits(address + 2, end, &value) - address) - 2 : 0;
}

enum last_line
last_line_address(const char *at, const char *end, size_t digits)
{
	const char *first;

	end = drop_blanks(at, end);
	for (first = end; first > at && hex_digit(first[-1]) < 16; first--)
		;
	if (first - at < 2 || memcmp(first - 2, "0x", 2))
		return last_line_open(at, end);
	return digits && (size_t)(end - first) >= digits ? LAST_NUMBER : LAST_OPEN;
}
