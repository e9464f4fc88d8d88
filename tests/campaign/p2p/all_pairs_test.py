"""Who reaches whom, and how fast: four ranks that share cores, of which one direction of one pair is slowed inside MPI by far more
than a scheduler does. No time means anything here; which pair is named does."""

import json

from support import DONE, FAILED, USAGE, CampaignTest, main

SLOW_NS = 20_000_000
RANKS = 4


def rows_of(table):
    """Rows as objects; the levels of a cell stand under its own name."""
    return [dict(zip((column["name"] for column in table["columns"]), row)) for row in table["rows"]]


class AllPairs(CampaignTest):
    def measured(self, pattern, question, arms, launches, **cell):
        # On a machine that does other things visits may end without a valid repetition (3).
        cells = [dict({"operation": "oneway", "size": 1024, "ranks": RANKS, "pattern": pattern}, **cell)]
        campaign, said = self.run_campaign(expect=None, cells=cells, arms=arms, launches=launches, rounds=2, repetitions=5,
                                           design='\n[analysis]\nquestion = "%s"\nmin-effect = "99%%"\n' % question,
                                           engine=dict(self.SHARED_CORES, verification=1))
        self.assertIn(said.status, (DONE, FAILED), said.err)
        self.assertEqual(campaign.manifest("failed_cell"), [])
        data = json.loads(self.invar("report", "data", "--format", "json", expect=None).out)
        answers = {answer["question"]: answer for answer in data["campaigns"][0]["answers"]}
        self.assertIn(question, answers)
        return said, answers[question], {table["id"]: rows_of(table) for table in answers[question]["tables"]}

    def test_one_slow_direction_of_one_pair_is_named_and_nothing_else(self):
        shim = str(self.shim(self.first, "slow_pair.c"))
        slow = {"env:LD_PRELOAD": shim, "env:SLOW_FROM": "1", "env:SLOW_TO": "2", "env:SLOW_NS": str(SLOW_NS)}
        said, answer, tables = self.measured("all-pairs", "all-pairs", self.sharing_arms(self.first, **slow), launches=5)
        self.assertIn("No figures: more ranks than cores", said.out, "behaviour, no figures")
        self.assertIn("1 of 12 directed pairs is slower than the others: rank 1 to rank 2", said.out)
        pairs = {(row["from"], row["to"]): row for row in tables["pairs"]}
        self.assertEqual(set(pairs), {(a, b) for a in range(RANKS) for b in range(RANKS) if a != b})
        self.assertEqual([pair for pair, row in pairs.items() if row["outlier"]], [(1, 2)])
        self.assertGreater(pairs[1, 2]["time_ns"], SLOW_NS)
        self.assertGreater(pairs[1, 2]["ratio_low"], 1.99)
        self.assertLess(pairs[2, 1]["time_ns"], SLOW_NS, "the way back")
        self.assertLess(pairs[0, 3]["time_ns"], SLOW_NS, "the other pair of the same matching")
        for row in pairs.values():
            self.assertEqual(row["at_once"], 1)
            self.assertTrue(row["one_host"])
            self.assertAlmostEqual(row["bandwidth_gb_s"], 1024 / row["time_ns"], delta=1e-9)
        self.assertIn("rank 1 to rank 2", answer["sentence"])
        # All together: six matchings of two pairs, of which one takes as long as its slow pair.
        whole, = tables["rates"]
        self.assertEqual((whole["patterns"], whole["pairs"], whole["slowest_pair"]), (6, 2, "1 to 2"))
        self.assertAlmostEqual(whole["total_gb_s"], 2 * 1024 / whole["span_ns"], delta=1e-9)

    def test_a_bisection_is_all_bytes_over_the_common_time(self):
        _, answer, tables = self.measured(["bisection", "random-matchings:3"], "bisection", self.sharing_arms(self.first), launches=2,
                                          operation="stream", window=4)
        rates = {row["patterns"]: row for row in tables["rates"]}
        self.assertEqual(set(rates), {1, 3}, "the bisection, and all random matchings together")
        for row in rates.values():
            self.assertEqual(row["pairs"], 2)
            self.assertAlmostEqual(row["total_gb_s"], 2 * 4 * 1024 / row["span_ns"], delta=1e-9)
            self.assertAlmostEqual(row["pair_gb_s"], 4 * 1024 / row["pair_ns"], delta=1e-9)
            self.assertGreaterEqual(row["span_ns"], row["pair_ns"], "all together end with the last one")
        self.assertIn(rates[3]["worst_pattern"], {"random:1", "random:2", "random:3"})
        self.assertEqual(len(tables["patterns"]), 4)
        self.assertTrue(answer["sentence"].startswith("No figures: more ranks than cores"), answer["sentence"])
        self.assertNotIn("GB/s", answer["sentence"], "behaviour, no figures")
        self.assertEqual({row["cell"]["factors"]["pattern"] for row in rates.values()}, {"bisection", "random-matchings:3"})

    def test_what_has_no_pairs_is_refused_with_what_would_help(self):
        for question, words in (("all-pairs", 'write pattern = "all-pairs"'), ("bisection", 'write pattern = ["bisection"')):
            path = self.campaign_file(cells=[{"operation": "oneway", "size": 8}], design='\n[analysis]\nquestion = "%s"\n' % question)
            self.assertIn(words, self.invar("run", path, "-o", "data", expect=USAGE).err)


if __name__ == "__main__":
    main()
