/* Burns time where names come from different places: an inlined function, a shared library, a
 * mangled name of C++ and one of Rust, the vDSO. */
#include <stdio.h>
#include <time.h>

#ifdef LIBRARY
unsigned library_work(unsigned n);

unsigned
library_work(unsigned n)
{
	unsigned sum = n;
	for (unsigned i = 0; i < 400000; i++)
		sum = sum * 31 + (sum >> 3) + i;
	return sum;
}
#else
extern unsigned library_work(unsigned n);

static inline __attribute__((always_inline)) unsigned
mix(unsigned a)
{
	for (int i = 0; i < 40; i++)
		a = a * 31 + (a >> 3);
	return a;
}

__attribute__((noinline)) unsigned
work(unsigned a)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < 10000; i++)
		sum += mix(a + i);
	return sum;
}

unsigned shop_order(unsigned a) __asm__("_ZN4shop5orderEj");
__attribute__((noinline)) unsigned
shop_order(unsigned a)
{
	unsigned sum = a;
	for (unsigned i = 0; i < 300000; i++)
		sum = sum * 33 + (sum >> 2);
	return sum;
}

unsigned rust_parse(unsigned a) __asm__("_RNvNtCs1234_7mycrate3foo5parse");
__attribute__((noinline)) unsigned
rust_parse(unsigned a)
{
	unsigned sum = a;
	for (unsigned i = 0; i < 300000; i++)
		sum = sum * 37 + (sum >> 2);
	return sum;
}

#ifdef CHANGED
__attribute__((noinline)) unsigned
added(unsigned a)
{
	return work(a) + 1;
}
#endif

static unsigned
ask_time(void)
{
	struct timespec t = {0};
	for (int i = 0; i < 10000; i++)
		clock_gettime(CLOCK_MONOTONIC, &t);
	return (unsigned)t.tv_nsec;
}

int
main(void)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < 60; i++) {
#ifdef CHANGED
		sum += added(i);
#endif
		sum += work(i) + work(i + 1) + library_work(i) + shop_order(i) + rust_parse(i);
		sum += ask_time();
	}
	return sum == 4711;
}
#endif
