-- what events say beside their stacks, and what each value cost
SELECT l.key, l.value, count(*) AS events, sum(s.value) AS value_of_them
FROM samples AS s JOIN labels AS l ON l."set" = s.labels
WHERE s.metric = (SELECT name FROM metrics WHERE is_default)
GROUP BY l.key, l.value
ORDER BY l.key, value_of_them DESC, l.value;
