"""One byte that changes on the disk is found, named and left out, and --resume measures what was lost again."""

import json

from support import DAMAGED, DONE, USAGE, CampaignTest, main, over_everything


def flip_byte(path, offset=100):
    data = bytearray(path.read_bytes())
    data[offset] ^= 0x20
    path.write_bytes(data)


class Damage(CampaignTest):
    def setUp(self):
        super().setUp()
        self.campaign, _ = self.measured_once(launches=3)

    def launches_compared(self, expect):
        compared = json.loads(self.invar("compare", "data", "--format", "json", expect=expect).out)
        return {cell["launches"] for cell in over_everything(compared)}, compared

    def test_a_flipped_byte_in_the_records_is_found_left_out_and_measured_again(self):
        launch = self.campaign.launches()[3]
        self.assertEqual(self.launches_compared(DONE)[0], {3})
        flip_byte(launch.path / "timings.bin")
        verified = self.invar("verify", "data", expect=DAMAGED)
        self.assertIn("launches/%s/timings.bin" % launch.path.name, verified.out)
        self.assertIn("invar run --resume -o data", verified.out)
        launches, compared = self.launches_compared(DAMAGED)
        self.assertEqual(launches, {2}, "the whole group is left out, also its good launch")
        self.assertTrue(any("damaged" in warning for warning in compared["warnings"]), compared["warnings"])
        self.invar("export", "data", "--to", "csv", "-o", "data.csv", expect=DAMAGED)

        resumed = self.invar("run", "--resume", "-o", "data", expect=DONE)
        self.assertIn("group 2 was moved to discarded/ and is measured again", resumed.err)
        self.invar("verify", "data", expect=DONE)
        self.assertEqual(self.launches_compared(DONE)[0], {3})
        self.assertEqual(len(list((self.campaign.path / "discarded").iterdir())), 2, "nothing is thrown away")
        self.assertEqual(self.campaign.manifest("discarded")[0]["group"], 2)

    def test_a_damaged_plan_or_campaign_file_is_restored(self):
        for name in ("plan.csv", "campaign.toml"):
            with self.subTest(file=name):
                path = self.campaign.path / name
                whole = path.read_bytes()
                # No text any more: nobody wrote this.
                path.write_bytes(whole[:50] + b"\xff\x00\xfe" + whole[53:])
                self.assertIn(name, self.invar("verify", "data", expect=DAMAGED).out)
                resumed = self.invar("run", "--resume", "-o", "data", expect=DONE)
                self.assertIn(name, resumed.err)
                self.assertEqual(path.read_bytes(), whole)
                self.invar("verify", "data", expect=DONE)

    def test_an_edited_plan_or_campaign_file_is_refused_and_nothing_is_touched(self):
        plan = self.campaign.path / "plan.csv"
        lines = plan.read_text().splitlines(keepends=True)
        toml = self.campaign.path / "campaign.toml"
        for path, text in ((plan, "".join(lines[:5])), (toml, toml.read_text().replace("rounds = 4", "rounds = 5"))):
            with self.subTest(file=path.name):
                whole = path.read_bytes()
                path.write_text(text)
                manifest = (self.campaign.path / "manifest.jsonl").read_bytes()
                refused = self.invar("run", "--resume", "-o", "data", expect=USAGE)
                self.assertIn(path.name, refused.err)
                self.assertEqual(path.read_text(), text)
                self.assertEqual((self.campaign.path / "manifest.jsonl").read_bytes(), manifest)
                self.assertIn(path.name, self.invar("verify", "data", expect=USAGE).out)
                path.write_bytes(whole)
        self.invar("verify", "data", expect=DONE)

    def test_a_campaign_file_of_a_newer_invar_is_named_and_not_taken_for_damage(self):
        toml = self.campaign.path / "campaign.toml"
        newer = toml.read_text().replace('question = "compare"', 'question = "weather"')
        toml.write_text(newer)
        line = newer.splitlines().index('question = "weather"') + 1
        for command, where in ((("verify", "data"), "out"), (("run", "--resume", "-o", "data"), "err")):
            said = getattr(self.invar(*command, expect=USAGE), where)
            self.assertIn("data/campaign.toml:%d:12: unknown question 'weather'; it was made by a newer Invar" % line, said)
            self.assertEqual(toml.read_text(), newer, "nothing is touched")

    def test_either_copy_of_the_manifest_is_enough(self):
        for name in ("manifest.jsonl", "manifest.copy.jsonl"):
            with self.subTest(file=name):
                path = self.campaign.path / name
                whole = path.read_bytes()
                path.write_bytes(whole[:200] + b"XXXX" + whole[204:])
                self.invar("verify", "data", expect=DAMAGED)
                self.invar("run", "--resume", "-o", "data", expect=DONE)
                self.invar("verify", "data", expect=DONE)


if __name__ == "__main__":
    main()
