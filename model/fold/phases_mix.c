/* phases_mix.c - see phases_mix.h. */
#include "model/fold/phases_mix.h"

#include <math.h>

double
mix_sum(const struct phases_mix *m)
{
	double sum = 0;

	for (unsigned c = 0; c < PHASES_WORKS; c++)
		sum += m->of[c];
	return sum;
}

void
mix_add(struct phases_mix *to, const struct phases_mix *m, double sign)
{
	for (unsigned c = 0; c < PHASES_WORKS; c++)
		to->of[c] += sign * m->of[c];
}

double
mix_chi_square(const struct phases_mix *a, const struct phases_mix *b)
{
	double sum_a = mix_sum(a), sum_b = mix_sum(b), chi = 0;

	if (!(sum_a > 0 && sum_b > 0))
		return 0;
	for (unsigned c = 0; c < PHASES_WORKS; c++) {
		double both = a->of[c] + b->of[c];
		double off = a->of[c] - both * sum_a / (sum_a + sum_b);
		chi += both > 0 ? off * off / both : 0;
	}
	return chi * (sum_a + sum_b) / sum_a / sum_b * (sum_a + sum_b);
}

double
mix_difference(const struct phases_mix *a, const struct phases_mix *b)
{
	double sum_a = mix_sum(a), sum_b = mix_sum(b), differs = 0;

	for (unsigned c = 0; c < PHASES_WORKS && sum_a > 0 && sum_b > 0; c++)
		differs += fabs(a->of[c] / sum_a - b->of[c] / sum_b) / 2;
	return differs;
}

double
mix_distance(const struct phases_mix *a, const struct phases_mix *b)
{
	double sum_a = mix_sum(a), sum_b = mix_sum(b), squares = 0;

	for (unsigned c = 0; c < PHASES_WORKS && sum_a > 0 && sum_b > 0; c++) {
		double d = a->of[c] / sum_a - b->of[c] / sum_b;
		squares += d * d;
	}
	return sum_a * squares;
}

double
mix_chance(const struct phases_mix *a, const struct phases_mix *b, double stretch)
{
	double sum_a = mix_sum(a), sum_b = mix_sum(b), differs = 0;

	for (unsigned c = 0; c < PHASES_WORKS && sum_a > 0 && sum_b > 0; c++) {
		double p = (a->of[c] + b->of[c]) / (sum_a + sum_b);
		differs += sqrt(p * fmax(0, 1 - p) * stretch * (1 / sum_a + 1 / sum_b)) / 2;
	}
	return differs * sqrt(2 / acos(-1));
}
