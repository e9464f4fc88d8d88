"""The page of a real campaign: its data are what the other commands say, and it is written whatever is wrong with them."""

import json
import pathlib

from support import DAMAGED, DONE, INCOMPLETE, USAGE, CampaignTest, main

PAGE = '<html><script type="application/json" id="data">@INVAR_DATA@</script></html>'


def data_of(page):
    begin = page.index('id="data">') + len('id="data">')
    return json.loads(page[begin:page.index("</script>")])


class Report(CampaignTest):
    def setUp(self):
        super().setUp()
        self.campaign, _ = self.measured_once(launches=3)
        self.write("page-template.html", PAGE)

    def report(self, *words, expect=DONE):
        said = self.invar("report", *words, "--template", "page-template.html", expect=expect)
        return said, data_of((self.scratch / "report.html").read_text())

    def test_the_page_says_what_the_other_commands_say(self):
        said, page = self.report("data")
        self.assertEqual(said.out, "report.html\n")
        compared = json.loads(self.invar("compare", "data", "--format", "json").out)
        campaign, = page["campaigns"]
        self.assertEqual(campaign["compare"], compared)
        self.assertEqual(page["sentence"], compared["sentence"])
        shown = json.loads(self.invar("show", "data", "--format", "json").out)
        self.assertEqual(len(campaign["times"]), len(shown["groups"]))
        for time, group in zip(campaign["times"], shown["groups"]):
            self.assertEqual((time["arm"], time["observations"]), (group["arm"], group["observations"]))
            self.assertAlmostEqual(time["median_ns"] / group["median_ns"], 1, delta=1e-3)
        for distribution in campaign["distributions"]:
            bins = distribution["bins"]
            self.assertEqual(sum(bins["counts"]) + distribution["below"] + distribution["above"], distribution["observations"])
        kernel, = [row for row in page["metadata"]["rows"] if row["key"] == "kernel.release"]
        self.assertTrue(kernel["matters"])
        self.assertTrue(any("3 launch groups" in text for text in page["method"]["paragraphs"]))

    def test_a_second_page_replaces_the_first_and_nothing_else(self):
        self.report("data")
        self.report("data")
        self.write("mine.html", "mine")
        refused = self.invar("report", "data", "--template", "page-template.html", "-o", "mine.html", expect=USAGE)
        self.assertIn("is not a page of Invar", refused.err)
        self.assertEqual((self.scratch / "mine.html").read_text(), "mine")

    def test_damaged_data_have_a_page_that_says_so(self):
        records = self.campaign.launches()[0].path / "timings.bin"
        data = bytearray(records.read_bytes())
        data[100] ^= 0x20
        records.write_bytes(data)
        said, page = self.report("data", expect=DAMAGED)
        self.assertIn("damaged and left out", said.err)
        self.assertEqual(page["campaigns"][0]["state"], "damaged")
        self.assertTrue(page["campaigns"][0]["compare"])

    def test_an_unfinished_campaign_has_what_there_is(self):
        for name in ("manifest.jsonl", "manifest.copy.jsonl"):
            path = self.campaign.path / name
            lines = [line for line in path.read_text().splitlines(keepends=True) if '"type":"end"' not in line]
            path.write_text("".join(lines))
        _, page = self.report("data", expect=INCOMPLETE)
        self.assertEqual(page["campaigns"][0]["state"], "incomplete")
        self.assertTrue(page["campaigns"][0]["times"])

    def test_anonymised_it_says_the_same_of_nobody(self):
        # Measured here, so that its own directory is in its data.
        self.run_campaign("own", launches=3)
        told = ["/proc/cmdline", "/proc/sys/kernel/random/boot_id"]
        told = [pathlib.Path(path).read_text().strip() for path in told] + [str(self.scratch)]
        _, open_page = self.report("own")
        _, page = self.report("own", "--anonymise")
        self.assertEqual((open_page["anonymised"], page["anonymised"]), (False, True))
        self.assertIn(json.dumps(told[0]), json.dumps(open_page), "else there was nothing to take out")
        for secret in told:
            self.assertNotIn(secret, json.dumps(page))
        values = lambda one: {row["key"]: row["values"] for row in one["metadata"]["rows"]}  # noqa: E731
        self.assertEqual(values(page)["kernel.command_line"], ["command-line1"])
        self.assertEqual(values(page)["processor.model"], values(open_page)["processor.model"], "that is not a name")
        self.assertEqual(page["campaigns"][0]["compare"]["cells"], open_page["campaigns"][0]["compare"]["cells"])

    def test_two_campaigns_are_compared(self):
        self.run_campaign("other", launches=3)
        _, page = self.report("data", "other")
        compared = json.loads(self.invar("compare", "data", "other", "--format", "json").out)
        self.assertEqual(page["comparison"], compared)
        self.assertEqual(page["metadata"]["columns"], ["data", "other"])


if __name__ == "__main__":
    main()
