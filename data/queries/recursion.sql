-- functions that call themselves, directly or indirectly, and their depth
WITH RECURSIVE up(leaf, at, n) AS (
  SELECT id, id, 0 FROM stacks
  UNION ALL
  SELECT leaf, parent, n + 1 FROM up JOIN stacks ON stacks.id = up.at
  WHERE parent IS NOT NULL AND n < 200)
SELECT f.name, f.id AS function, max(levels) AS levels
FROM (SELECT up.leaf, l.function, count(*) AS levels
  FROM up JOIN stacks AS l ON l.id = up.leaf JOIN stacks AS a ON a.id = up.at
  WHERE a.function = l.function
  GROUP BY up.leaf)
JOIN functions AS f ON f.id = function
GROUP BY f.id
HAVING levels > 1
ORDER BY levels DESC, f.name, f.id;
