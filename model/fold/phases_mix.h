/* phases_mix.h - what a stretch of the run consists of, and how two of them differ. */
#ifndef PNAV_MODEL_FOLD_PHASES_MIX_H
#define PNAV_MODEL_FOLD_PHASES_MIX_H

#define PHASES_WORKS 10u

/* The cost of a window or a phase, by work. */
struct phases_mix {
	double of[PHASES_WORKS];
};

double mix_sum(const struct phases_mix *m);
/* Adds `sign` times a mix. */
void mix_add(struct phases_mix *to, const struct phases_mix *m, double sign);
/* Returns the chi-square between two mixes, up to a factor. */
double mix_chi_square(const struct phases_mix *a, const struct phases_mix *b);
/* Returns how much of the work differs between two mixes, 0 to 1. */
double mix_difference(const struct phases_mix *a, const struct phases_mix *b);
/* Returns the squared distance of the shares of two mixes, times the cost of the first one. */
double mix_distance(const struct phases_mix *a, const struct phases_mix *b);
/* Returns how much two mixes differ by chance, if both are of one mix and consist of stretches of
 * this cost: the sum of the mean distances of normal shares. */
double mix_chance(const struct phases_mix *a, const struct phases_mix *b, double stretch);

#endif
