-- modules whose functions have no names, and their cost
SELECT f.module, count(DISTINCT f.id) AS functions, sum(s.value) AS value
FROM samples AS s JOIN stacks AS t ON t.id = s.stack JOIN functions AS f ON f.id = t.function
WHERE s.metric = (SELECT name FROM metrics WHERE is_default)
  AND (f.name = '' OR f.name REGEXP '^(0x[0-9a-f]+|\[unknown\])$')
GROUP BY f.module
ORDER BY value DESC, f.module;
