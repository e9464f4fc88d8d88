// Pages for the tests: every shape that data can have, and the built page filled as `invar report` fills it.
import { readFileSync, writeFileSync } from "node:fs";
import type { PageData } from "../src/data.ts";
import { sampleGuidelines } from "./figures/sample-guidelines.ts";
import { sampleMemory } from "./figures/sample-memory.ts";
import { sampleNetwork } from "./figures/sample-network.ts";
import { againstCampaign, levels, manyCells, pageOf, sampleCampaign, samplePage } from "./figures/sample.ts";

export const HOSTILE = "</script><img src=x onerror=\"console.error('broken out')\"><b>&amp;'\"\u2028${x}";

function filled(page: PageData): PageData {
  return {
    ...page,
    sentence: "openmpi is faster up to 1 KiB, mpich from 4 KiB: 2 ranks, 1 host, shared memory, this session.",
    cards: [
      { label: "libraries", value: "2", detail: "Open MPI 4.1.4, MPICH 4.0.2" },
      { label: "observations", value: "1 140 000", detail: "38 launch groups by turns, 19 cells" },
      { label: "cells decided", value: "17 of 19", detail: "9 for openmpi, 6 for mpich, 2 equivalent" },
      { label: "worst variation between launches", value: "12 %", detail: "of bcast, 4 B by mpich" },
    ],
    metadata: {
      columns: ["invar-demo-a", "invar-demo-b"],
      rows: [
        { group: "machine", key: "cpu model", values: ["Intel Xeon (Skylake)", "Intel Xeon (Skylake)"], differs: false, matters: true },
        { group: "machine", key: "kernel", values: ["6.1.0-18-amd64", "6.1.0-21-amd64"], differs: true, matters: true },
        { group: "machine", key: "kernel command line", values: ["BOOT_IMAGE=/boot/vmlinuz-6.1.0-18-amd64 root=UUID=0a1b2c3d-4e5f ro quiet isolcpus=1", null], differs: true, matters: false },
        ...Array.from({ length: 40 }, (_, i) => ({
          group: "control variables of openmpi",
          key: `coll_tuned_parameter_with_a_long_name_${i}`,
          values: [String(i), String(i)] as (string | null)[],
          differs: false,
          matters: false,
        })),
      ],
    },
    method: {
      paragraphs: [
        "Two MPI libraries were measured by turns in the same launch groups: processes of both are alive on the same cores, and every block measures each library once (Hunold 2016).",
        "Times of a call are medians over launches; ratios are paired by block, with Wilcoxon's signed-rank test over launch groups and Benjamini and Hochberg's correction (Benjamini 1995).",
      ],
      references: [
        { key: "Hunold 2016", text: "S. Hunold, A. Carpen-Amarie: Reproducible MPI Benchmarking Is Still Not As Easy As You Think. IEEE TPDS 27 (12), 2016." },
        { key: "Benjamini 1995", text: "Y. Benjamini, Y. Hochberg: Controlling the False Discovery Rate. J. R. Stat. Soc. B 57 (1), 1995." },
      ],
    },
  };
}

function oneCampaign(change: (campaign: ReturnType<typeof sampleCampaign>) => void, options = {}): PageData {
  const campaign = sampleCampaign(options);
  change(campaign);
  return filled(pageOf(campaign));
}

/** Every string of an object replaced, keys of factors too; what the schema spells out stays. */
function hostile(value: unknown, key = ""): unknown {
  const words = new Set(["state", "verdict", "doubt", "kind", "runtime", "influence", "pairing", "number", "made_at", "verdicts"]);
  if (typeof value === "string") return words.has(key) ? value : `${HOSTILE}${value}`;
  if (Array.isArray(value)) return value.map((item) => hostile(item, key === "factors" ? "" : key));
  if (value === null || typeof value !== "object") return value;
  const rename = key === "factors" && !("schema" in value) ? (name: string) => `${HOSTILE}${name}` : (name: string) => name;
  // Columns of clock experiments and references to arms keep their names.
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [rename(name), key === "rows" ? item : hostile(item, name)]));
}

/** The data of a sequential campaign, which has figures of its own. */
function everything(): PageData {
  const page = samplePage();
  const [campaign] = page.campaigns;
  if (campaign) campaign.compare = sampleCampaign({ looks: true }).compare;
  return page;
}

/** By name. */
export const PAGES: Record<string, () => PageData> = {
  full: () => filled(everything()),
  doubts: () => {
    const page = oneCampaign(({ compare }) => {
      if (!compare) return;
      for (const row of compare.cells.filter((one) => one.regime === null).slice(0, 2)) row.doubt = "disagree";
      compare.detail = "The machine's regimes disagree for 4 B.";
    });
    return { ...page, sentence: `${page.sentence} ${page.campaigns[0]?.compare?.detail}` };
  },
  // Two campaigns in other regimes of the machine: nothing over everything, something in one regime.
  regimes: () => {
    const page = PAGES["two"]!();
    const { comparison } = page;
    const [first] = comparison?.cells ?? [];
    if (!comparison || !first) return page;
    comparison.cells = [
      { ...first, ratio: null, ratio_low: null, ratio_high: null, p: null, p_adjusted: null, verdict: null, doubt: "shares" },
      { ...first, regime: "canary 0.13 us" },
    ];
    return page;
  },
  two: () => {
    const page = filled(pageOf(sampleCampaign({ name: "invar-demo-a" }), sampleCampaign({ name: "invar-demo-b", seed: 8, arms: ["openmpi", "mpich", "intel"] })));
    return { ...page, comparison: samplePage().comparison };
  },
  empty: () => ({
    ...pageOf(
      Object.assign(sampleCampaign({ cells: [] }), {
        state: "empty", arms: [], cells: [], failures: [], compare: null, compare_missing: "nothing is measured yet", times: [], launch_medians: [],
        distributions: [], order: [], canary: null, regimes: [], perturbations: [], normality: [], sentence: "There are no data.",
      }),
    ),
    sentence: "There are no data.",
  }),
  nothing: () => pageOf(),
  // Made for a question that compares no arms.
  guidelines: () => {
    const answer = sampleGuidelines();
    const campaign = {
      ...sampleCampaign({ arms: ["openmpi"], cells: [1, 8, 1024].flatMap((size) => [levels("bcast", size), levels("gather", size)]), launches: 6, repetitions: 20 }),
      question: answer.question, sentence: answer.sentence, compare_missing: null, answers: [answer],
    };
    return { ...filled(pageOf(campaign)), sentence: campaign.sentence };
  },
  network: () => {
    const answer = sampleNetwork();
    const cells = [1, 64, 1024, 65536].flatMap((size) => ["pingpong", "send"].map((name) => levels(name, size)));
    const campaign = {
      ...sampleCampaign({ cells, launches: 6, repetitions: 20 }),
      question: answer.question, sentence: answer.sentence, compare: null, compare_missing: null, answers: [answer],
    };
    return { ...filled(pageOf(campaign)), sentence: campaign.sentence };
  },
  memory: () => {
    const answer = sampleMemory();
    const cells = [4096, 65536, 1 << 20].flatMap((size) => ["read", "chase"].map((name) => levels(name, size)));
    const campaign = {
      ...sampleCampaign({ arms: ["none", "openmpi"], cells, launches: 6, repetitions: 20 }),
      question: answer.question, sentence: answer.sentence, compare: null, compare_missing: null, answers: [answer],
    };
    return { ...filled(pageOf(campaign)), sentence: campaign.sentence };
  },
  // Somebody else's calibration is not a campaign.
  imported: () => ({ ...filled(pageOf()), sentence: sampleNetwork().sentence, cards: [], answers: [{ source: "graphene_eth", ...sampleNetwork() }] }),
  against: () => filled(pageOf(againstCampaign())),
  five: () =>
    oneCampaign(() => {}, {
      arms: ["openmpi", "mpich", "mpich-5", "openmpi-5", "intel"],
      cells: [...["allreduce", "bcast", "alltoall"].flatMap((name) => [8, 64, 1024, 8192, 65536].map((size) => levels(name, size))), levels("barrier", null)],
      launches: 12,
      repetitions: 40,
      looks: true,
    }),
  "ten-arms": () =>
    oneCampaign(() => {}, { arms: Array.from({ length: 10 }, (_, i) => `library-${i}`), cells: [8, 64].map((size) => levels("bcast", size)), launches: 4, repetitions: 20 }),
  // Two arms and more sizes than fit beside each other.
  "14-sizes": () =>
    oneCampaign(() => {}, {
      cells: [...["allreduce", "bcast", "alltoall"].flatMap((name) => Array.from({ length: 14 }, (_, i) => levels(name, 8 * 2 ** i))), levels("barrier", null)],
      launches: 12,
      repetitions: 40,
    }),
  "one-size": () => oneCampaign(() => {}, { cells: ["allreduce", "bcast", "alltoall"].map((name) => levels(name, 8)), launches: 12, repetitions: 40 }),
  "one-cell": () => oneCampaign(() => {}, { cells: [levels("allreduce", 8)] }),
  "one-arm": () => oneCampaign(() => {}, { arms: ["openmpi"] }),
  "one-launch": () =>
    oneCampaign(
      (campaign) => {
        for (const row of campaign.compare?.cells ?? []) Object.assign(row, { p: null, p_adjusted: null, verdict: null, ratio_low: null, ratio_high: null });
        for (const row of campaign.times) Object.assign(row, { low_ns: null, high_ns: null });
        campaign.compare!.warnings = ["one launch group: nothing is known about the variation between launches"];
      },
      { launches: 1 },
    ),
  failed: () =>
    oneCampaign((campaign) => {
      campaign.state = "failed";
      campaign.problems = ["mpich: 3 of 30 launches gave no data"];
      campaign.failures = Array.from({ length: 20 }, (_, i) => ({
        group: i + 1, launch: 2 * i + 1, arm: "mpich", cell: i === 0 ? null : i % 3, reason: "rank 1 was killed by signal 9",
      }));
      const gone = (row: { cell: number; arm: string }): boolean => row.cell === 0 && row.arm === "mpich";
      campaign.times = campaign.times.filter((row) => !gone(row));
      campaign.launch_medians = campaign.launch_medians.filter((row) => !gone(row));
      campaign.distributions = campaign.distributions.filter((row) => !gone(row));
      campaign.order = campaign.order.filter((row) => !gone(row));
    }),
  "300-cells": () => oneCampaign(() => {}, { cells: manyCells(), launches: 12, repetitions: 20 }),
  hostile: () => hostile(filled(everything())) as PageData,
};

/** As C++ writes it: nothing that could end the element or break a script. */
export function embeddable(page: PageData): string {
  return JSON.stringify(page).replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

export function fill(template: string, page: PageData): string {
  return template.replace("@INVAR_DATA@", () => embeddable(page));
}

// node test/fixture.ts NAME TEMPLATE OUT: a page to look at.
if (import.meta.main) {
  const [, , name = "", template = "", out = ""] = process.argv;
  const make = PAGES[name];
  if (!make || !out) throw new Error(`usage: node test/fixture.ts ${Object.keys(PAGES).join("|")} TEMPLATE OUT`);
  writeFileSync(out, fill(readFileSync(template, "utf8"), make()));
}
