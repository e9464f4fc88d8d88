// All figures, in the order in which they stand in their sections. A new one is one file and one line here and one below.
import type { Figure } from "../figure.ts";
import { figure as canary } from "./canary.ts";
import { figure as clockAccuracy } from "./clock-accuracy.ts";
import { figure as clockBarriers } from "./clock-barriers.ts";
import { figure as clockDrift } from "./clock-drift.ts";
import { figure as clockPareto } from "./clock-pareto.ts";
import { figure as clockResolution } from "./clock-resolution.ts";
import { figure as clockScaling } from "./clock-scaling.ts";
import { figure as clockTracking } from "./clock-tracking.ts";
import { figure as density } from "./density.ts";
import { figure as ecdf } from "./ecdf.ts";
import { figure as factorEffects } from "./factor-effects.ts";
import { figure as factorHistograms } from "./factor-histograms.ts";
import { figure as factorLaunches } from "./factor-launches.ts";
import { figure as factorQuantiles } from "./factor-quantiles.ts";
import { figure as factorShares } from "./factor-shares.ts";
import { figure as histogram } from "./histogram.ts";
import { figure as launchMedians } from "./launch-medians.ts";
import { figure as localGlobal } from "./local-global.ts";
import { figure as looks } from "./looks.ts";
import { figure as mediansOverLaunches } from "./medians-over-launches.ts";
import { figure as normality } from "./normality.ts";
import { figure as order } from "./order.ts";
import { figure as ratio } from "./ratio.ts";
import { figure as ratioCampaigns } from "./ratio-campaigns.ts";
import { figure as regimeRatio } from "./regime-ratio.ts";
import { figure as reproducibility } from "./reproducibility.ts";
import { figure as reproducibilityRatios } from "./reproducibility-ratios.ts";
import { figure as runtimeOverTime } from "./runtime-over-time.ts";
import { figure as selfTestErrors } from "./self-test-errors.ts";
import { figure as selfTestPower } from "./self-test-power.ts";
import { figure as spread } from "./spread.ts";
import { figure as syncBias } from "./sync-bias.ts";
import { figure as syncSkew } from "./sync-skew.ts";
import { figure as tail } from "./tail.ts";
import { figure as times } from "./times.ts";

export const figures: Figure[] = [
  ratio,
  ratioCampaigns,
  looks,
  launchMedians,
  mediansOverLaunches,
  times,
  histogram,
  density,
  ecdf,
  tail,
  order,
  canary,
  regimeRatio,
  reproducibility,
  reproducibilityRatios,
  spread,
  clockAccuracy,
  clockPareto,
  clockBarriers,
  clockDrift,
  clockScaling,
  clockTracking,
  clockResolution,
  runtimeOverTime,
  localGlobal,
  syncSkew,
  syncBias,
  factorShares,
  factorEffects,
  factorLaunches,
  factorHistograms,
  factorQuantiles,
  normality,
  selfTestPower,
  selfTestErrors,
];
