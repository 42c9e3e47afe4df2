-- the functions with the highest self cost
SELECT function, module, self, share AS percent, total, calls
FROM report_functions
ORDER BY self DESC, function
LIMIT 20;
