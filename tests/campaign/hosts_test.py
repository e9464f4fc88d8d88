"""Hosts that are not there: said in seconds, before anything is measured."""

import time

from support import USAGE, CampaignTest, main


class NoSuchHost(CampaignTest):
    def test_a_host_that_nobody_knows_is_refused_soon(self):
        begin = time.monotonic()
        refused = self.invar("race", self.first, self.second, "--hosts", "nosuchhost.invalid,nosuchhost2.invalid", "--operation",
                             "allreduce", "--size", "8", "--budget", "5s", "-o", "data", expect=USAGE)
        self.assertLess(time.monotonic() - begin, 35, "one launcher, ten seconds, and what a busy machine adds")
        self.assertIn("the hosts nosuchhost.invalid, nosuchhost2.invalid are not known here", refused.err)
        self.assertFalse((self.scratch / "data").exists())
        self.assert_nothing_runs()


if __name__ == "__main__":
    main()
