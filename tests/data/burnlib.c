/* burnlib.c - a library that burn loads at run time: as much work a call as burn_60. */
#define STEPS 36000

unsigned lib_burn(void);

unsigned
lib_burn(void)
{
	unsigned x = 7;
	for (long i = 0; i < STEPS * 60L; i++) {
		x = x * 1103515245u + 19;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}
