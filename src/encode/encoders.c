#include "src/encode/encoder.h"

#include <string.h>

extern const struct encoder encoder_folded;

const struct encoder *const encoders[] = {
	&encoder_folded,
	NULL,
};

const struct encoder *
encoder_named(const char *name)
{
	for (size_t i = 0; encoders[i]; i++)
		if (!strcmp(encoders[i]->name, name))
			return encoders[i];
	return NULL;
}
