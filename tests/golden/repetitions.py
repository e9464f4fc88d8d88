#!/usr/bin/env python3
"""Makes stats_repetitions.csv and stats_median_interval.csv, which tests/stats/decide/repetitions_test.cpp and
tests/stats/test/median_interval_test.cpp compare with: in this folder. Every quantity from its definition, with exact
fractions, prefix by prefix; repetitions.R says the same in R and is compared with these files."""

import csv
import math
import pathlib
import statistics
from fractions import Fraction

HERE = pathlib.Path(__file__).parent
# Sample of stats_samples.csv, windows of means and medians, step of the clock, every so many values.
CASES = [("thirty", 20, 20, 0, 1), ("sixty", 5, 12, 0, 7), ("ties30", 20, 20, 10, 1), ("ties200", 20, 20, 10, 10),
         ("large", 20, 50, 0, 45), ("constant", 2, 3, 4, 1), ("two_values", 2, 2, 1, 1), ("offset", 3, 3, 0, 1)]
CONFIDENCE = 0.95


def rank(n, confidence):
    """Largest l with 2 P(B < l) <= 1 - confidence, or None."""
    missed = 1 - Fraction(confidence)
    found, below = None, Fraction(0)
    for l in range(1, n + 1):
        below += Fraction(math.comb(n, l - 1), 2 ** n)
        if 2 * below > missed:
            break
        found = l
    return found


def text(value):
    return "" if value is None else format(float(value), ".17g")


def variation(values):
    mean = statistics.mean(values)
    return math.sqrt(float(statistics.variance(values) / mean ** 2)) if mean > 0 else None


def rows_of(values, mean_window, median_window, step, every):
    values = [Fraction(value) for value in values]
    means, medians = [], []
    for n in range(1, len(values) + 1):
        first = values[:n]
        means.append(statistics.mean(first))
        medians.append(statistics.median(first))
        if n % every:
            continue
        rse = variation(first) / math.sqrt(n) if n > 1 and means[-1] > 0 else None
        cov_mean = variation(means[-mean_window:]) if n >= mean_window else None
        cov_median = variation(medians[-median_window:]) if n >= median_window else None
        half_width = None
        if (l := rank(n, CONFIDENCE)) and medians[-1] > 0:
            ordered = sorted(first)
            half_width = (ordered[n - l] - ordered[l - 1] + step) / 2 / medians[-1]
        yield n, means[-1], medians[-1], rse, cov_mean, cov_median, half_width


def main():
    samples = {}
    with open(HERE / "stats_samples.csv", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["kind"] == "one":
                samples[row["case"]] = [float(word) for word in row["x"].split()]
    with open(HERE / "stats_repetitions.csv", "w", encoding="utf-8") as file:
        file.write("case,mean_window,median_window,step,n,mean,median,rse,cov_mean,cov_median,half_width\n")
        for case, mean_window, median_window, step, every in CASES:
            for n, *values in rows_of(samples[case], mean_window, median_window, step, every):
                file.write(f"{case},{mean_window},{median_window},{step},{n},{','.join(map(text, values))}\n")
    with open(HERE / "stats_median_interval.csv", "w", encoding="utf-8") as file:
        file.write("n,confidence,rank\n")
        for confidence in (0.6, 0.8, 0.9, 0.95, 0.99, 0.999):
            for n in [*range(1, 41), 50, 99, 100, 250, 1000, 2500]:
                file.write(f"{n},{confidence},{rank(n, confidence) or ''}\n")


main()
