#include "src/decode/common/odd_lines.h"

bool
odd_line(struct odd_lines *o, struct input *in, const struct text_line *line, struct err *e)
{
	if (!last_line_whole(in, line->ended, line->offset, LAST_OPEN, e))
		return false;
	odd_at(o, line->offset);
	return true;
}

bool
text_lines(struct input *in, struct builder *b, struct err *e, uint64_t *offset,
	   enum last_line (*shows)(const char *at, const char *end),
	   bool (*read)(void *state, const char *at, const char *end), void *state)
{
	struct odd_lines odd = {0};
	struct text_line line;
	struct lines lines;
	bool good = true;

	lines_init(&lines, in);
	while (good && lines_next(&lines, &line)) {
		const char *end = line.at + line.len;
		*offset = line.offset;
		if (line.cut)
			good = err_damage(e, line.offset, "the line is too long");
		else
			good = last_line_whole(in, line.ended, line.offset,
					       shows(line.at, end), e) &&
			       (read(state, line.at, end) ||
				(!err_is_set(e) && odd_line(&odd, in, &line, e)));
	}
	odd_lines_report(&odd, b);
	return good;
}
