#include "src/options.h"

#include <errno.h>
#include <stdlib.h>

/* Values of options that several commands take. */

#define SECOND INT64_C(1000000000)

bool
option_number(const char *name, const char *text, long long *out, struct err *e)
{
	char *end;

	errno = 0;
	*out = strtoll(text, &end, 10);
	if (end == text || *end || errno || *out < 0)
		return err_usage(e, "--%s takes a whole number, not '%s'", name, text);
	return true;
}

bool
option_length(const char *name, const char *text, int64_t *ns, struct err *e)
{
	struct moment m;

	if (!moment_parse(text, &m, e))
		return false;
	if (m.kind == MOMENT_ORDINAL && !__builtin_mul_overflow(m.value, SECOND, &m.value))
		m.kind = MOMENT_NS;
	*ns = m.value;
	return (m.kind == MOMENT_NS && !m.back && m.value >= 0) ||
	       err_usage(e, "--%s takes a time, such as 10s or 5min, not '%s'", name, text);
}
