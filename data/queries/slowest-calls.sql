-- the longest calls, with times and tracks
SELECT s.duration, s.start, s."end", s.track, t.name AS track_name, f.name AS function_name,
  s.function, s.stack
FROM slices AS s JOIN functions AS f ON f.id = s.function JOIN tracks AS t ON t.id = s.track
ORDER BY s.duration DESC, s.start, s.track
LIMIT 20;
