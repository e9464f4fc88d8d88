"""All MPI libraries, also those from PyPI, by turns in the same groups of launches."""

import json
import sys
import unittest

from support import CampaignTest, libraries, main


class AllByTurns(CampaignTest):
    QUICK_START = {}  # whatever each of them chooses

    def test_every_library_measures_in_the_same_groups(self):
        names = sorted(self.profiles)
        cells = [{"operation": ["allreduce", "bcast"], "size": [8, 65536]}]
        campaign, _ = self.run_campaign(launches=1, rounds=2, repetitions=10, cells=cells,
                                        arms=[{"library": name} for name in names])
        # A group more where calls are too short for this machine's clock.
        group_of = {line["launch"]: line["group"] for line in campaign.manifest("launch")}
        self.assertEqual(sorted(group_of), sorted(launch.number for launch in campaign.launches()))
        for group in campaign.outcomes():
            arms = [launch.arm for launch in campaign.launches() if group_of[launch.number] == group]
            self.assertEqual(sorted(arms), names)
        self.assertEqual(sorted({launch.arm for launch in campaign.launches()}), names)
        for launch in campaign.launches():
            with self.subTest(library=launch.arm):
                self.assertEqual(len(launch.visits()), 8)
                self.assertEqual(launch.end()["type"], "end")
        arms = json.loads(self.invar("compare", "data", "--format", "json").out)["arms"]
        self.assertEqual(len(arms), len(names))


if __name__ == "__main__":
    if not any(profile["wheel"] for profile in libraries().values()):
        print("skipped: no library from PyPI here (PyPI cannot be reached)")
        sys.exit(77)
    main()
