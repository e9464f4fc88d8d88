// All figures, in the order in which they stand in their sections. A new one is one file and one line here and one below.
import type { Figure } from "../figure.ts";
import { figure as bandwidth } from "./p2p/bandwidth.ts";
import { figure as bisection } from "./p2p/bisection.ts";
import { figure as canary } from "./machine/canary.ts";
import { figure as clockAccuracy } from "./clocks/clock-accuracy.ts";
import { figure as clockBarriers } from "./clocks/clock-barriers.ts";
import { figure as clockDrift } from "./clocks/clock-drift.ts";
import { figure as clockPareto } from "./clocks/clock-pareto.ts";
import { figure as clockResolution } from "./clocks/clock-resolution.ts";
import { figure as clockScaling } from "./clocks/clock-scaling.ts";
import { figure as clockTracking } from "./clocks/clock-tracking.ts";
import { figure as density } from "./times/density.ts";
import { figure as ecdf } from "./times/ecdf.ts";
import { figure as factorEffects } from "./factors/factor-effects.ts";
import { figure as factorHistograms } from "./factors/factor-histograms.ts";
import { figure as factorLaunches } from "./factors/factor-launches.ts";
import { figure as factorQuantiles } from "./factors/factor-quantiles.ts";
import { figure as factorShares } from "./factors/factor-shares.ts";
import { figure as guidelineDots } from "./guidelines/guideline-dots.ts";
import { figure as guidelineFactors } from "./guidelines/guideline-factors.ts";
import { figure as histogram } from "./times/histogram.ts";
import { figure as latency } from "./p2p/latency.ts";
import { figure as launchMedians } from "./times/launch-medians.ts";
import { figure as localGlobal } from "./clocks/local-global.ts";
import { figure as looks } from "./answer/looks.ts";
import { figure as mediansOverLaunches } from "./times/medians-over-launches.ts";
import { figure as memoryEffects } from "./memory/memory-effects.ts";
import { figure as memoryWalks } from "./memory/memory-walks.ts";
import { figure as networkCheck } from "./network/network-check.ts";
import { figure as networkDetectors } from "./network/network-detectors.ts";
import { figure as networkErrors } from "./network/network-errors.ts";
import { figure as networkPieces } from "./network/network-pieces.ts";
import { figure as networkResiduals } from "./network/network-residuals.ts";
import { figure as normality } from "./times/normality.ts";
import { figure as nrep } from "./repetitions/nrep.ts";
import { figure as nrepRunning } from "./repetitions/nrep-running.ts";
import { figure as order } from "./times/order.ts";
import { figure as overlap } from "./p2p/overlap.ts";
import { figure as pairMatrix } from "./p2p/pair-matrix.ts";
import { figure as queues } from "./p2p/queues.ts";
import { figure as ratio } from "./answer/ratio.ts";
import { figure as ratioCampaigns } from "./answer/ratio-campaigns.ts";
import { figure as regimeRatio } from "./answer/regime-ratio.ts";
import { figure as reproducibility } from "./reproduce/reproducibility.ts";
import { figure as reproducibilityRatios } from "./reproduce/reproducibility-ratios.ts";
import { figure as runtimeOverTime } from "./clocks/runtime-over-time.ts";
import { figure as selfTestErrors } from "./self-test/self-test-errors.ts";
import { figure as selfTestPower } from "./self-test/self-test-power.ts";
import { figure as spread } from "./times/spread.ts";
import { figure as steps } from "./p2p/steps.ts";
import { figure as syncBias } from "./clocks/sync-bias.ts";
import { figure as syncSkew } from "./clocks/sync-skew.ts";
import { figure as tail } from "./times/tail.ts";
import { figure as times } from "./times/times.ts";
import { figure as tunedGains } from "./tuning/tuned-gains.ts";
import { figure as tunedWinners } from "./tuning/tuned-winners.ts";

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
  guidelineDots,
  guidelineFactors,
  tunedGains,
  tunedWinners,
  latency,
  bandwidth,
  steps,
  queues,
  pairMatrix,
  bisection,
  overlap,
  networkPieces,
  networkResiduals,
  networkDetectors,
  networkErrors,
  networkCheck,
  memoryWalks,
  memoryEffects,
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
  nrep,
  nrepRunning,
  normality,
  selfTestPower,
  selfTestErrors,
];
