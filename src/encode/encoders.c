#include "src/encode/encoder.h"

#include <string.h>

const struct encoder *const encoders[] = {
#define ENCODER_ROW(name) &encoder_##name,
	ENCODERS(ENCODER_ROW)
#undef ENCODER_ROW
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
