"""A batch system that suspends a job stops its processes for minutes: that is not a hang, whoever looks."""

import os
import signal
import time

from support import DONE, Campaign, CampaignTest, main

LIMIT_S = 2  # of a visit
STOPPED_S = 6  # several times what the driver waits before it looks closer


class Suspended(CampaignTest):
    def check(self, victims):
        # Calls so long that a group lasts.
        process = self.start("run", self.campaign_file(
            launches=2, rounds=4, repetitions=20, cells=[{"operation": "allreduce", "size": "2MiB"}],
            engine={"visit-limit": "%ds" % LIMIT_S}), "-o", "data")
        campaign = Campaign(self.scratch / "data")

        def ranks_at_work():
            # Records are open: they have started.
            ranks = self.processes(ranks_only=True)
            return ranks if len(ranks) == 4 and len(list(self.scratch.glob("data/launches/*/timings.bin"))) == 2 else None

        self.wait_for(ranks_at_work, "four ranks at work", process)
        pids = list(victims())
        try:
            for pid in pids:
                os.kill(pid, signal.SIGSTOP)
            time.sleep(STOPPED_S)
            self.assertGreaterEqual(len(pids), 4)
            self.assertIsNone(process.poll(), "it has ended meanwhile")
        finally:
            for pid in pids:
                os.kill(pid, signal.SIGCONT)
        result = self.finish(process)
        self.assertEqual(result.status, DONE, result.err)
        self.assertTrue(all(line["complete"] for line in campaign.manifest("group")), result.err)
        self.invar("verify", "data", expect=DONE)
        return result

    def test_ranks_that_are_all_stopped_do_not_hang(self):
        """The driver runs on, as it does on a node of which nothing is suspended."""
        result = self.check(lambda: self.processes(ranks_only=True))
        self.assertEqual(result.err.count("have been stopped for"), 1, result.err)
        self.assertRegex(result.err, r"invar: group \d+ waits: all its ranks on .* goes on when they do")

    def test_time_in_which_the_driver_was_stopped_too_does_not_count(self):
        self.check(self.processes)


if __name__ == "__main__":
    main()
