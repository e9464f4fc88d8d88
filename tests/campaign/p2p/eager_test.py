"""The size up to which Open MPI sends eagerly is found by times alone: at the limit less one constant header, to a byte, and
named by what a sender does whose receiver is late. No other step is named so. Of other libraries nothing is asked: their limits
have other names."""

import json
import unittest

from support import CampaignTest, main

LIMITS = (2048, 8192, 16384)
# Headers have tens of bytes.
MOST_HEADER = 128
# Longer messages are no part of an entry of Open MPI's queue: their senders' calls end when the receiver's library has taken them,
# whether or not a receive is posted. That is a step, and no protocol.
INLINE = 256


class Eager(CampaignTest):
    def setUp(self):
        super().setUp()
        if "openmpi" not in self.profiles:
            raise unittest.SkipTest("Open MPI is not here")

    def campaign(self, limit):
        least = INLINE // 2 if limit == LIMITS[0] else limit // 2
        return self.campaign_file(
            launches=4, rounds=4, repetitions=20,
            cells=[{"operation": "pingpong", "size": {"adaptive": [least, 2 * limit], "tolerance": "10%"}}],
            arms=[{"library": "openmpi", "label": "limit", "settings": {"OMPI_MCA_btl_vader_eager_limit": str(limit)}}])

    def steps(self, limit):
        """Those that may be the limit's."""
        directory = "eager-%d" % limit
        self.invar("run", self.campaign(limit), "-o", directory, expect=None)
        answer = json.loads(self.invar("show", directory, "--format", "json", expect=None).out)
        return [row for row in answer["steps"] if limit - MOST_HEADER <= row["low_bytes"] <= limit], answer["steps"]

    def test_the_limit_is_found_to_a_byte_at_a_constant_header(self):
        headers = {}
        for limit in LIMITS:
            found, every = self.steps(limit)
            self.assertTrue(found, "no step below %d: %s" % (limit, every))
            self.assertEqual(found[0]["high_bytes"] - found[0]["low_bytes"], 1, found)
            self.assertEqual(found[0]["protocol"], "eager -> rendezvous", found)
            headers[limit] = limit - found[0]["low_bytes"]
            others = [step for step in every if step not in found]
            self.assertFalse([step for step in others if "->" in step["protocol"]], "no other one is named")
            if limit == LIMITS[0]:
                self.assertIn((INLINE, INLINE + 1), [(step["low_bytes"], step["high_bytes"]) for step in others])
        self.assertEqual(len(set(headers.values())), 1, headers)


if __name__ == "__main__":
    main()
