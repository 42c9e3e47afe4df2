-- the self cost of each program and library
SELECT f.module, f.kind, sum(s.value) AS value, count(DISTINCT f.id) AS functions
FROM samples AS s JOIN stacks AS t ON t.id = s.stack JOIN functions AS f ON f.id = t.function
WHERE s.metric = (SELECT name FROM metrics WHERE is_default)
GROUP BY f.module, f.kind
ORDER BY value DESC, f.module;
