"""Orders of a depot: which parts go together.  Something to find the hottest line of."""
import random


class Depot:
    def __init__(self, parts):
        self.parts = ["part-%04d" % i for i in range(parts)]
        self.pairs = {}

    def order(self, chance):
        return [chance.choice(self.parts) for _ in range(12)]

    def count(self, order):
        for a in order:
            for b in order:
                if a < b:
                    key = a + "/" + b
                    self.pairs[key] = self.pairs.get(key, 0) + 1

    def best(self, n):
        ranked = sorted(self.pairs, key=lambda k: (-self.pairs[k], k))
        return ranked[:n]


def main():
    chance = random.Random(1)
    depot = Depot(300)
    for _ in range(30000):
        depot.count(depot.order(chance))
    return depot.best(10)
