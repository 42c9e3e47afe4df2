-- A shop's nightly job: take in the day's orders, index them, make the reports, clean up.
-- Each step is a phase of the timeline.
PRAGMA journal_mode = off;
PRAGMA synchronous = off;
PRAGMA cache_size = -65536;
PRAGMA threads = 2;

CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, town TEXT, since INTEGER);
CREATE TABLE product (id INTEGER PRIMARY KEY, name TEXT, price INTEGER, tags TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER, product INTEGER,
	amount INTEGER, day INTEGER, note TEXT);

-- 1. taking in
INSERT INTO customer
	WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
	SELECT i, printf('customer %05d', i * 7919 % 20000), 'town ' || i % 97, i * 31 % 4000
	FROM n;
INSERT INTO product
	WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
	SELECT i, printf('product %04x', i * 40503 % 65536), 100 + i * 37 % 9900,
		json_object('colour', i % 7, 'sizes', json_array(i % 5, i % 11), 'weight', i * 1.5)
	FROM n;
INSERT INTO orders
	WITH RECURSIVE n(i, r) AS (
		SELECT 1, 12345
		UNION ALL SELECT i + 1, (r * 1103515245 + 12345) % 2147483648 FROM n
		WHERE i < 320000)
	SELECT i, r % 20000 + 1, r / 7 % 2000 + 1, r % 9 + 1, r / 65536 % 365,
		printf('%x-%08x', r, r * 2654435761 % 4294967296)
	FROM n;

-- 2. indexes: with less memory the sorter works in threads
PRAGMA cache_size = -6000;
CREATE INDEX orders_customer ON orders (customer, day);
CREATE INDEX orders_product ON orders (product, amount);
CREATE INDEX orders_note ON orders (note);

PRAGMA cache_size = -65536;

-- 3. turnover by town: a join
SELECT count(*), sum(total) FROM (
	SELECT c.town, o.day / 30 AS month, sum(o.amount * p.price) AS total
	FROM orders o JOIN customer c ON c.id = o.customer JOIN product p ON p.id = o.product
	GROUP BY c.town, month);

-- 4. the best customers: window functions over a sort
SELECT max(place), sum(share) FROM (
	SELECT customer, rank() OVER (PARTITION BY day ORDER BY amount DESC) AS place,
		1.0 * amount / sum(amount) OVER (PARTITION BY product) AS share
	FROM orders WHERE id % 3 = 0);

-- 5. searching texts
SELECT count(*) FROM orders WHERE note LIKE '%a7f%' OR note GLOB '*0?0*';

-- 6. JSON
SELECT sum(json_extract(tags, '$.sizes[1]')), count(DISTINCT json_extract(tags, '$.colour'))
	FROM product, (SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4
		UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8);

-- 7. old orders go
DELETE FROM orders WHERE day < 90;
VACUUM;
PRAGMA integrity_check;
