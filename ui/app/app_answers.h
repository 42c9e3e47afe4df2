/* app_answers.h - the list of answers and questions, F3. Answers are computed in portions. */
#ifndef PNAV_UI_APP_APP_ANSWERS_H
#define PNAV_UI_APP_APP_ANSWERS_H

#include "ui/app/app_inside.h"

/* Adds the answers to the open list once they are known. */
void app_answers_made(struct app *a);
/* After loading: computes the answers, and then shows the most notable one as a message. */
void app_answers_greet(struct app *a);
void app_answers_release(struct app *a);

#endif
