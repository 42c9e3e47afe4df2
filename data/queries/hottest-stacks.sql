-- the complete stacks that cost most, root first
SELECT sum(value) AS value, count(*) AS samples, stack_path(stack) AS path, stack
FROM samples
WHERE metric = (SELECT name FROM metrics WHERE is_default)
GROUP BY stack
ORDER BY value DESC, stack
LIMIT 20;
