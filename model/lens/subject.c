#include "model/lens/subject.h"

#include <string.h>

static name_id
name_itself(const struct function *f, const char **word)
{
	(void)word;
	return f->name;
}

static name_id
its_file(const struct function *f, const char **word)
{
	(void)word;
	return f->file;
}

static name_id
its_module(const struct function *f, const char **word)
{
	(void)word;
	return f->module;
}

static name_id
its_kind(const struct function *f, const char **word)
{
	*word = kind_name((enum kind)f->kind);
	return NAME_EMPTY;
}

#define ROW(subject, name, name_of) [SUBJECT_##subject] = {name, name_of},
static const struct {
	const char *name;
	/* Returns a name of the profile, or sets *word. */
	name_id (*name_of)(const struct function *f, const char **word);
} subjects[SUBJECT_COUNT] = {SUBJECTS(ROW)};
#undef ROW

const char *
subject_name(enum subject subject)
{
	return subjects[subject].name;
}

size_t
subject_parse(const char *at, size_t len, enum subject *out)
{
	for (unsigned i = 0; i < SUBJECT_COUNT; i++) {
		size_t n = strlen(subjects[i].name);
		if (len > n && !memcmp(at, subjects[i].name, n) && at[n] == ':') {
			*out = (enum subject)i;
			return n + 1;
		}
	}
	return 0;
}

name_id
subject_of(enum subject subject, const struct function *f, const char **word)
{
	*word = NULL;
	return subjects[subject].name_of(f, word);
}
