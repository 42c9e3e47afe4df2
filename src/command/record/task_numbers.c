#include "src/command/record/task_numbers.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "src/collect/taskrun.h"
#include "src/options.h"

static bool
task_number(const char *name, const char *word, pid_t *out, struct err *e)
{
	long long number;

	if (!option_number(name, word, &number, e))
		return false;
	if (number < 1 || number > INT32_MAX || (kill((pid_t)number, 0) && errno == ESRCH))
		return err_usage(e, "--%s: there is no %s %s", name,
				 strcmp(name, "tid") ? "process" : "thread", word);
	*out = (pid_t)number;
	if (strcmp(name, "tid")) {
		pid_t process = taskrun_status((pid_t)number, "Tgid");
		*out = process > 0 ? process : *out;
	}
	return true;
}

/* A process that is named twice would be sampled twice. */
static void
add_once(struct task_numbers *to, pid_t number)
{
	for (size_t i = 0; i < to->n; i++)
		if (to->at[i] == number)
			return;
	*vec_push(to) = number;
}

bool
task_numbers_add(struct task_numbers *to, const char *name, const char *value, struct err *e)
{
	for (const char *at = value;; at++) {
		size_t len = strcspn(at, ",");
		char *word = mem_dup(at, len);
		pid_t number = 0;
		bool good = task_number(name, word, &number, e);
		free(word);
		if (!good)
			return false;
		add_once(to, number);
		at += len;
		if (!*at)
			return true;
	}
}
