-- the labels of events, and the cost of each value
SELECT l.key, l.value, count(*) AS events, sum(s.value) AS value_of_them
FROM samples AS s JOIN labels AS l ON l."set" = s.labels
WHERE s.metric = (SELECT name FROM metrics WHERE is_default)
GROUP BY l.key, l.value
ORDER BY l.key, value_of_them DESC, l.value;
