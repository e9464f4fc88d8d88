// What a figure is drawn from, with everything selected.
import type { Campaign, PageData } from "../../src/data.ts";
import type { View } from "../../src/figure.ts";
import { EVERYTHING } from "../../src/select.ts";
import { makeStyle } from "../../src/style.ts";
import { pageOf } from "./sample.ts";

export function viewOf(campaign: Campaign, data: PageData = pageOf(campaign)): View {
  return { page: data, campaign, selection: EVERYTHING, width: 900, style: makeStyle(data, false) };
}
