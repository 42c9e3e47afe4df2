-- where the metric is spent: the functions with most of it in themselves
SELECT function, module, self, share AS percent, total, calls
FROM report_functions
ORDER BY self DESC, function
LIMIT 20;
