"""How the time of a synchronisation grows with the number of ranks, as `clocks scaling` says it (simulated, so exact)."""

import json

from support import DONE, CampaignTest, main

TUPLE = "duration=0:fit-points=100:exchanges=30"


class Laws(CampaignTest):
    def laws(self, algorithms):
        words = ["clocks", "scaling", "--ranks", "8,32,128,512", "--seeds", 3, "--algorithms", ",".join(algorithms)]
        answer = json.loads(self.invar(*words, "--format", "json", expect=DONE).out)
        return {row["algorithm"]: row for row in answer["laws"]}, answer["sentence"]

    def test_laws_are_those_of_the_papers(self):
        asked = ["jk", "hca", "hca2", "hca3", "hca:recompute-intercept=0"]
        laws, sentence = self.laws([f"{one}:{TUPLE}" for one in asked])
        self.assertEqual(len(laws), len(asked))
        jk, hca, hca2, hca3, tree = laws.values()
        for law in laws.values():
            self.assertGreater(law["r_squared"], 0.99, law)
        self.assertAlmostEqual(jk["exponent"], 1, delta=0.05)
        self.assertEqual(jk["per_doubling_s"], 0)
        for law in (hca2, hca3, tree):
            self.assertGreater(law["per_doubling_s"], 0)
            self.assertEqual(law["per_rank_s"], 0)
        self.assertGreater(hca["per_doubling_s"], 0)
        self.assertGreater(hca["per_rank_s"], 0)
        # 100 ping-pongs of an intercept, one rank after the other, of some 2.4 us.
        self.assertAlmostEqual(hca["per_rank_s"], 100 * 2.4e-6, delta=100 * 0.6e-6)
        self.assertIn("grows with p - 1 for jk", sentence)
        self.assertIn("grows with log2 p for hca2", sentence)
        self.assertIn("grows as a log2 p + b (p - 1) for hca:", sentence)

    def test_a_time_that_is_filled_is_no_law(self):
        laws, sentence = self.laws(["hca2:fit-points=20:duration=0.5", "mesh"])
        self.assertTrue(all(law["constant_s"] > 0 for law in laws.values()), laws)
        self.assertIn("is the same for", sentence)


if __name__ == "__main__":
    main()
