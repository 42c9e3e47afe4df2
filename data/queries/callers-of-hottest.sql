-- the callers of the function that costs most, each with its share
WITH hot(id) AS (
  SELECT t.function FROM samples AS s JOIN stacks AS t ON t.id = s.stack
  WHERE s.metric = (SELECT name FROM metrics WHERE is_default)
  GROUP BY t.function ORDER BY sum(s.value) DESC, t.function LIMIT 1)
SELECT ifnull(c.name, '(root)') AS caller, h.name AS callee, sum(s.value) AS value,
  u.function
FROM samples AS s JOIN stacks AS t ON t.id = s.stack JOIN functions AS h ON h.id = t.function
LEFT JOIN stacks AS u ON u.id = t.parent LEFT JOIN functions AS c ON c.id = u.function
WHERE t.function = (SELECT id FROM hot)
  AND s.metric = (SELECT name FROM metrics WHERE is_default)
GROUP BY u.function
ORDER BY value DESC, caller;
