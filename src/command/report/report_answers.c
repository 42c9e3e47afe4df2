#include "src/command/report/report.h"

/* The answers to the questions of the manual (model/answer/). For programs a row is a number; for
 * people it is an answer. */

static bool
answers_fill(struct report *r)
{
	answers_make(&r->answers, &(struct answers_asks){
					  .p = r->profile,
					  .lens = r->lens,
					  .kept = r->kept,
					  .line = r->line,
					  .fold = r->fold->compares ? NULL : r->fold,
					  .pace = r->pace,
					  .programs = r->look.programs,
				  });
	for (size_t i = 0; i < r->answers.list.n; i++) {
		const struct answers_item *item = &r->answers.list.at[i];
		uint32_t k = 0;
		do {
			struct row *row = rows_add(&r->rows);
			row->of.answer = item;
			row->depth = k++;
		} while (r->look.programs && k < item->numbers.n);
	}
	return true;
}

const struct report_view view_answers = {
	.name = "answers",
	.rows = ROWS_ANSWERS,
	.columns = "answer,question,text,notable,command,subject,name,value,unit,low,high",
	.text = "answer,notable,text",
	.below = "command",
	.document = "answer,notable,text,command",
	.folds = true,
	.fill = answers_fill,
};
