"""`invar stress` with the real libraries: a sound one passes, and whatever is wrong with a message is found, named, and
shown once more by the command that is told."""

import json
import os
import shlex
import signal
import time

from support import DONE, FAILED, INCOMPLETE, USAGE, CampaignTest, main

# What tests/faults/wrong_messages.c does, and the word that must be told of it.
FAULTS = {"bit": "bits", "missing": "missing-write", "stale": "stale", "swapped": "swapped", "shift": "shift", "length": "length",
          "tag": "tag", "source": "source", "overrun": "overrun", "error": "error", "send-buffer": "send-buffer"}
# With three ranks on the cores here everything takes longer; what a status says looks the same in every library.
FAULTS_OF_THREE = ("bit", "stale", "swapped")
FAULTS_OF_SECOND = ("bit", "missing", "stale", "swapped", "shift")
LIMIT_S = 10  # that the issue gives each of them, and our launch takes a second of
PATTERNS = ("zeros", "ones", "walking bit", "address", "random")


class Stress(CampaignTest):
    def own_libraries(self):
        return sorted({self.first, self.second})

    def arm(self, library, ranks=2, **settings):
        """An arm with what is preloaded: the shim, and where ranks share cores MPICH must yield."""
        preload = []
        if settings:
            preload.append(str(self.shim(library, "wrong_messages.c")))
        if ranks > len(os.sched_getaffinity(0)) and library.startswith("mpich"):
            preload.append(os.environ["INVAR_YIELD_PRELOAD"])
        words = ["env:%s=%s" % item for item in settings.items()]
        if preload:
            words.append("env:LD_PRELOAD=" + ":".join(preload))
        return "tried=%s%s" % (library, ":" + ",".join(words) if words else "")

    def stressed(self, *words, expect):
        begin = time.monotonic()
        result = self.invar("stress", *words, "--format", "json", expect=expect)
        return json.loads(result.out), time.monotonic() - begin

    def test_a_sound_library_passes(self):
        for library in self.own_libraries():
            # MPICH (4.0.2, 5.0.2) copies from a buffer into itself and ends, in MPI_Reduce_scatter of 512 KiB and more, in
            # place, if no rank in front of another one gets anything.
            sizes = ["--size", "1,8,1000,4KiB,65537"] if library.startswith("mpich") else []
            for ranks in (2, 3):
                with self.subTest(library=library, ranks=ranks):
                    answer, _ = self.stressed(self.arm(library, ranks), "--ranks", ranks, "--time", "4s", "--seed", 11, *sizes,
                                              expect=DONE)
                    self.assertEqual(answer["faults"], [])
                    self.assertIn("every byte is right", answer["sentence"])
                    row = answer["arms"][0]
                    # Behaviour only: how many is a figure of the machine.
                    self.assertGreater(row["messages"], 0)
                    self.assertGreater(row["collectives"], 0)
                    self.assertGreater(row["bytes"], row["messages"])
                    self.assertIn(65537, row["sizes_bytes"])

    def test_every_fault_is_named(self):
        for library in self.own_libraries():
            for planted, told in FAULTS.items():
                if library != self.first and planted not in FAULTS_OF_SECOND:
                    continue
                for ranks in (2, 3) if planted in FAULTS_OF_THREE else (2,):
                    with self.subTest(library=library, fault=planted, ranks=ranks):
                        arm = self.arm(library, ranks, WRONG_FAULT=planted, WRONG_EVERY=10)
                        answer, seconds = self.stressed(arm, "--ranks", ranks, "--time", "%ds" % LIMIT_S, "--kind", "p2p", "--seed", 5,
                                                        expect=FAILED)
                        fault = answer["faults"][0]
                        self.assertEqual(fault["fault"], told, answer["faults"])
                        self.assertLess(seconds, LIMIT_S + 5)
                        self.assertEqual(fault["kind"], "p2p")
                        self.assertIn(fault["pattern"], PATTERNS)
                        self.assertIn(" -> ", fault["operation"].replace("sendrecv", " -> "))
                        self.assertEqual(fault["rank"], fault["from"] if planted == "send-buffer" else fault["to"])
                        self.assertEqual(fault["rank"], 0 if planted == "send-buffer" else 1)
                        self.assertGreaterEqual(fault["size_bytes"], 1024)
                        self.assertIn(fault["what"], answer["sentence"])

    def test_a_bit_is_told_with_its_place_and_values(self):
        arm = self.arm(self.first, WRONG_FAULT="bit", WRONG_EVERY=3, WRONG_BYTES=65537)
        answer, _ = self.stressed(arm, "--ranks", 2, "--time", "20s", "--kind", "p2p", expect=FAILED)
        fault = answer["faults"][0]
        place = fault["size_bytes"] // 3
        self.assertGreater(fault["size_bytes"], 65536)
        self.assertEqual(fault["offset_bytes"], place)
        self.assertEqual(fault["what"], "1 bit differs: bit 3 of byte %d" % place)
        expected, found = (int(fault[key].split()[0], 16) for key in ("expected", "found"))
        self.assertEqual(expected ^ found, 8)

    def test_the_command_that_is_told_shows_it_again(self):
        # Everything long enough is spoilt: the first wrong one is that again only if those before it are as short as they were.
        for kind, planted in (("p2p", "bit"), ("all-pairs", "bit"), ("collectives", "collective")):
            with self.subTest(kind=kind):
                arm = self.arm(self.first, WRONG_FAULT=planted, WRONG_EVERY=1)
                answer, _ = self.stressed(arm, "--ranks", 2, "--time", "20s", "--kind", kind, expect=FAILED)
                words = shlex.split(answer["faults"][0]["repeat"])
                self.assertEqual(words[:2], ["invar", "stress"])
                again, _ = self.stressed(*words[2:], "--time", "20s", expect=FAILED)
                self.assertEqual(again["faults"][0], answer["faults"][0], "the same message with the same data")

    def test_all_pairs_and_collectives_find_it_too(self):
        for kind, planted in (("all-pairs", "bit"), ("collectives", "collective")):
            with self.subTest(kind=kind):
                arm = self.arm(self.first, WRONG_FAULT=planted, WRONG_EVERY=3)
                answer, _ = self.stressed(arm, "--ranks", 2, "--time", "20s", "--kind", kind, expect=FAILED)
                self.assertEqual(answer["faults"][0]["kind"], kind)
                # A root's buffer is what was sent.
                self.assertIn(answer["faults"][0]["fault"], ("bits", "send-buffer"))
        self.assertRegex(answer["faults"][0]["operation"], "^(bcast|allreduce|allgather)")

    def test_a_message_that_does_not_come_is_named(self):
        arm = self.arm(self.first, WRONG_FAULT="silent", WRONG_EVERY=5)
        answer, _ = self.stressed(arm, "--ranks", 2, "--time", "20s", "--kind", "p2p", "--patience", "2s", expect=FAILED)
        fault = answer["faults"][0]
        self.assertEqual((fault["fault"], fault["from"], fault["to"], fault["rank"]), ("hang", 0, 1, 1), answer["faults"])
        self.assertEqual(fault["what"], "it did not come within 2 s")
        self.assertIsNotNone(fault["message"])
        self.assert_nothing_runs()

    def test_a_crash_is_a_fault(self):
        # Nobody takes the word of a rank that has set the signal back: its launcher tells.
        arm = self.arm(self.first, WRONG_FAULT="crash", WRONG_EVERY=5)
        answer, _ = self.stressed(arm, "--ranks", 2, "--time", "20s", "--kind", "p2p", "-o", "kept", expect=FAILED)
        fault = answer["faults"][0]
        self.assertEqual(fault["fault"], "crash")
        self.assertIn("exit status", fault["what"] + fault["more"])
        self.assertRegex(answer["sentence"], "rank 1 died in message [0-9]+ from rank 0 to rank 1")
        self.assertEqual(list((self.scratch / "kept" / "1-tried").glob("state.*")), [], "read, and told")
        self.assert_nothing_runs()

    def test_a_call_that_does_not_come_back_is_named(self):
        # The first message that is long enough and goes by MPI_Send: so it is when it is sent again, with those around it.
        ends = {"abort": "rank 0 was ended by signal 6 (Aborted)", "exit": "rank 0 called exit()", "kill": None}
        for library in self.own_libraries():
            for planted, told in ends.items():
                with self.subTest(library=library, planted=planted):
                    arm = self.arm(library, WRONG_FAULT=planted, WRONG_EVERY=1)
                    answer, _ = self.stressed(arm, "--ranks", 2, "--time", "20s", "--kind", "p2p", "--seed", 5, expect=FAILED)
                    fault = answer["faults"][0]
                    self.assertEqual((fault["fault"], fault["kind"]), ("crash", "p2p"), fault)
                    if told:
                        self.assertEqual(fault["what"], told, fault)
                    self.assertEqual(fault["operation"], "send -> irecv", fault)
                    self.assertIn(fault["pattern"], PATTERNS)
                    self.assertGreaterEqual(fault["size_bytes"], 1024)
                    self.assertEqual((fault["from"], fault["to"]), (0, 1), fault)
                    self.assertIn(fault["rank"], (0,) if told else (0, None))
                    self.assertTrue(fault["repeat"].endswith("--kind p2p --seed 5 --message %d" % fault["message"]), fault)
                    self.assertIn("in message %d from rank 0 to rank 1 (send -> irecv, " % fault["message"], answer["sentence"])
                    self.assert_nothing_runs()
                    if planted == "abort":
                        again, _ = self.stressed(*shlex.split(fault["repeat"])[2:], "--time", "20s", expect=FAILED)
                        same = ("fault", "operation", "pattern", "size_bytes", "message", "from", "to", "rank")
                        self.assertEqual([again["faults"][0][key] for key in same], [fault[key] for key in same])

    def test_a_collective_that_does_not_come_back_is_named(self):
        for library in self.own_libraries():
            with self.subTest(library=library):
                arm = self.arm(library, WRONG_FAULT="abort", WRONG_EVERY=2)
                answer, _ = self.stressed(arm, "--ranks", 2, "--time", "20s", "--kind", "collectives", "--seed", 5, expect=FAILED)
                fault = answer["faults"][0]
                self.assertEqual((fault["fault"], fault["kind"], fault["rank"]), ("crash", "collectives", 1), fault)
                self.assertEqual(fault["what"], "rank 1 was ended by signal 6 (Aborted)")
                self.assertRegex(fault["operation"], "^bcast")
                self.assertGreaterEqual(fault["size_bytes"], 1024)
                self.assertTrue(fault["repeat"].endswith("--kind collectives --seed 5 --message %d" % fault["message"]), fault)
                self.assert_nothing_runs()

    def test_the_same_seed_sends_the_same(self):
        runs = [self.stressed(self.arm(self.first, WRONG_FAULT="bit", WRONG_EVERY=50), "--ranks", 2, "--time", "10s", "--kind", "p2p",
                              "--seed", 77, expect=FAILED)[0] for _ in range(2)]
        first, second = (answer["faults"][0] for answer in runs)
        # Which receive is the 50th of its rank follows from the seed alone.
        self.assertEqual(first, second)

    def test_what_was_found_is_kept(self):
        self.invar("stress", self.arm(self.first, WRONG_FAULT="bit"), "--ranks", 2, "--time", "10s", "--kind", "p2p", "--seed", 3,
                   "-o", "kept", expect=FAILED)
        folder = self.scratch / "kept" / "1-tried"
        lines = [json.loads(line) for line in (folder / "faults.jsonl").read_text().splitlines()]
        self.assertEqual(lines[0]["fault"], "bits")
        self.assertIn("seed = 3\n", (folder / "stress.spec").read_text())
        self.assertTrue(json.loads((folder / "progress.jsonl").read_text().splitlines()[-1])["ended"])
        self.invar("stress", self.first, "-o", "kept", expect=USAGE)

    def test_interrupted_it_says_what_it_has_seen(self):
        process = self.start("stress", self.first, self.second, "--ranks", 2, "--time", "60s", "-o", "kept", "--format", "json")
        progress = self.scratch / "kept" / ("1-" + self.labels[0]) / "progress.jsonl"
        self.wait_for(lambda: progress.is_file() and progress.read_text(), "the first second is over", process)
        process.send_signal(signal.SIGINT)
        result = self.finish(process)
        self.assertEqual(result.status, INCOMPLETE, result.err)
        answer = json.loads(result.out)
        self.assertIn("interrupted after", answer["sentence"])
        self.assertIn("nothing was checked", answer["sentence"], "the second arm was not begun")
        self.assert_nothing_runs()


if __name__ == "__main__":
    main()
