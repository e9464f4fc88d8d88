$ invar export sequential-two --to r -o figures && cat figures/README.txt && contents figures/data | summed
figures: ratio.R, launches.R, times.R, distribution.R, ecdf.R, medians.R, means.R, bars.R, order.R, canary.R, normality.R, sample-means.R, factors.R, effects.R
Figures of the campaign sequential-two, exported by invar 0.1.0

plain is 47 times faster for bcast; undecided for allreduce: 2 ranks, 1 host, shared memory, this
session; sequential, looks after 3, 5 and 8 launch groups.

State of the campaign: complete.
look at: 2 of 3 comparisons undecided after 8 launch groups (all looks were taken); about 285, in a
         new campaign with --fixed (in a file stopping = "fixed"), would bring every interval within
         2 % (allreduce, 64 B, 2 ranks varies most)
look at: the launch groups' ratios are not normally distributed in 1 comparison (allreduce, 8 B, 2
         ranks most, W 0.78 of 8): single groups weigh much there, and intervals are approximate

Needs R with ggplot2 (Debian: r-base-core and r-cran-ggplot2).
Rscript ratio.R, from any directory, writes ratio.pdf and ratio.png beside the script.

ratio.R: Ratio of times to the reference, with intervals and the band of differences that do not
         matter; filled: decided.
launches.R: Medians of the launches over the smallest of each size, as boxes; asterisks where a test
            of other suites' users says that an arm differs from the reference.
times.R: Time of one call over the message size, both logarithmic, with intervals over launches.
distribution.R: Distribution of all observations: histogram, kernel density, and a line at the mean.
ecdf.R: Distribution function of all observations, and its tail.
medians.R: Medians of the launches in the order of measurement, with the estimate over all of them.
means.R: Mean of every launch with its 95 % interval over repetitions, without outliers: launches
         differ by more than these intervals say.
bars.R: Means of two launch groups beside each other, as somebody would report who starts a
        benchmark once.
order.R: Observations in the order of measurement, and stretches in which the machine was slower.
canary.R: The canary, a round trip between two cores without MPI: the state of the machine.
normality.R: Means of samples of repetitions against the normal distribution (Q-Q).
sample-means.R: Means of 500 samples of 10, 20 and 30 repetitions: histograms, and against the
                normal distribution (Q-Q).
factors.R: Share of the variance of log times that each factor makes.
effects.R: Effect of every level of every factor against the first one.
left out: regimes: the machine was in one regime, or nothing is compared
left out: power: this is not a campaign of 'invar self-test'

Data, one row a thing that is drawn. An empty field: the value does not exist.

data/arms.csv
  arm: label, in the campaign's order: by it colours and symbols

data/ratio.csv
  panel: operation and factors of the cell
  size_bytes: message size, bytes; empty: an operation without one
  size: the same with a unit
  reference: label of the arm that it is compared with
  arm: label of the arm, and levels that vary inside launches
  ratio: time of the arm / time of the reference
  ratio_low: interval of the ratio, lower end
  ratio_high: interval of the ratio, upper end
  band_low: 1 / (1 + min-effect): differences inside do not matter; none: the method has no such
            differences
  band_high: 1 + min-effect
  verdict: about the arm: faster, slower, equivalent, undecided, none
  decided: yes or no
  launches: launch groups that it rests on
  p_adjusted: corrected for all comparisons
  stars: * p <= .05, ** .01, *** .001, of tests of equal times

data/launches.csv
  panel: operation and factors of the cell
  size_bytes: message size, bytes; empty: an operation without one
  size: the same with a unit
  arm: label of the arm, and levels that vary inside launches
  launch: number of the launch in the campaign
  group: launch group
  median_ns: median of the launch, ns
  relative: over the smallest launch median of panel and size
  mean_ns: mean of the launch without its outliers (Tukey's filter), ns
  mean_low_ns: its 95 % interval over repetitions, lower end, ns
  mean_high_ns: upper end, ns

data/boxes.csv
  panel: operation and factors of the cell
  size_bytes: message size, bytes; empty: an operation without one
  size: the same with a unit
  arm: label of the arm, and levels that vary inside launches
  low: of relative: smallest value within 1.5 box lengths
  q1: first quartile
  median: median
  q3: third quartile
  high: largest value within 1.5 box lengths
  outliers: launches beyond these
  stars: those of the arm's ratio (ratio.csv)

data/times.csv
  panel: operation and factors of the cell
  size_bytes: message size, bytes; empty: an operation without one
  size: the same with a unit
  arm: label of the arm, and levels that vary inside launches
  launches: number of launches
  observations: number of observations
  median_ns: time of one call over launches, ns
  low_ns: its 95 % interval, lower end, ns
  high_ns: upper end, ns
  mean_ns: of all observations together, ns
  min_ns: of all observations, ns
  q1_ns: of all observations, ns
  q3_ns: of all observations, ns
  p95_ns: of all observations, ns
  p99_ns: of all observations, ns

data/histogram.csv
  panel: operation and factors of the cell
  size_bytes: message size, bytes; empty: an operation without one
  size: the same with a unit
  arm: label of the arm, and levels that vary inside launches
  low_ns: start of the bin, ns
  high_ns: end of the bin, ns
  count: observations in it
  per_ns: count / (all observations of the cell and arm x width), 1/ns

data/density.csv
  panel: operation and factors of the cell
  size_bytes: message size, bytes; empty: an operation without one
  size: the same with a unit
  arm: label of the arm, and levels that vary inside launches
  ns: run-time, ns
  per_ns: kernel density there, 1/ns

data/ecdf.csv
  panel: operation and factors of the cell
  size_bytes: message size, bytes; empty: an operation without one
  size: the same with a unit
  arm: label of the arm, and levels that vary inside launches
  ns: run-time, ns
  share: of observations that are not longer

data/tail.csv
  panel: operation and factors of the cell
  size_bytes: message size, bytes; empty: an operation without one
  size: the same with a unit
  arm: label of the arm, and levels that vary inside launches
  ns: run-time, ns
  beyond: share of longer ones

data/order.csv
  panel: operation and factors of the cell
  size_bytes: message size, bytes; empty: an operation without one
  size: the same with a unit
  arm: label of the arm, and levels that vary inside launches
  from_s: start of the rectangle, s of measuring since the campaign's start
  to_s: its end, s
  low_ns: shortest run-times in it, ns; the lowest rectangles hold all shorter ones
  high_ns: longest, ns; the highest rectangles hold all longer ones
  count: observations in it

data/order_median.csv
  panel: operation and factors of the cell
  size_bytes: message size, bytes; empty: an operation without one
  size: the same with a unit
  arm: label of the arm, and levels that vary inside launches
  seconds: middle of a stretch of time, s
  median_ns: in it, ns

data/perturbations.csv
  begin_s: a stretch that ran slower, begin, s
  end_s: its end, s
  slowdown: 0.3: 30 % slower
  group: launch group

data/canary.csv
  seconds: middle of a stretch of time, s of measuring
  median_ns: round trip of a cache line between two cores, ns
  low_ns: 5 % quantile, ns
  high_ns: 95 % quantile, ns

data/canary_histogram.csv
  low_ns: start of the bin, ns
  high_ns: end of the bin, ns
  count: canaries in it

data/regimes.csv
  regime: of the machine
  median_ns: median of its canaries, ns
  low_ns: 5 % quantile, ns
  high_ns: 95 % quantile, ns
  share: of all visits

data/normality.csv
  panel: operation and factors of the cell
  size_bytes: message size, bytes; empty: an operation without one
  size: the same with a unit
  arm: label of the arm, and levels that vary inside launches
  normal: quantile of the standard normal distribution
  mean_ns: mean of sample_size repetitions of one launch, ns
  line_ns: where it would be if it were normal: the line through the quartiles
  sample_size: repetitions of a mean
  w: Shapiro and Wilk's W of the means

data/sample_means.csv
  panel: operation and factors of the cell
  size_bytes: message size, bytes; empty: an operation without one
  size: the same with a unit
  arm: label of the arm, and levels that vary inside launches
  sample_size: repetitions of a mean
  normal: quantile of the standard normal distribution
  mean_ns: mean of sample_size repetitions of one launch, ns
  line_ns: where it would be if it were normal: the line through the quartiles
  w: Shapiro and Wilk's W of the 500 means

data/sample_means_histogram.csv
  panel: operation and factors of the cell
  size_bytes: message size, bytes; empty: an operation without one
  size: the same with a unit
  arm: label of the arm, and levels that vary inside launches
  sample_size: repetitions of a mean
  low_ns: begin of the bin, ns
  high_ns: end of the bin, ns
  count: means in it, of 500

data/share.csv
  panel: operation and factors of the cell
  size_bytes: message size, bytes; empty: an operation without one
  size: the same with a unit
  factor: what varied
  share: of the variance of log times
  influence: matters, does not matter, undecided, none: no verdict

data/effects.csv
  panel: operation and factors of the cell
  size_bytes: message size, bytes; empty: an operation without one
  size: the same with a unit
  factor: what varied
  level: of the factor
  reference: the factor's first level
  ratio: time of the level / time of the reference
  ratio_low: its interval, lower end
  ratio_high: upper end
  band_low: 1 / (1 + min-effect)
  band_high: 1 + min-effect
  influence: as in share
  groups: launch groups that it rests on
=== figures/data/arms.csv
arm
plain
chain64
=== figures/data/boxes.csv
panel,size_bytes,size,arm,low,q1,median,q3,high,outliers,stars
"bcast, 2 ranks",65536,64 KiB,plain,1,1.007642177431806,1.053558026998028,1.0630168156242241,1.0630168156242241,1,
"bcast, 2 ranks",65536,64 KiB,chain64,51.618957821525846,51.618957821525846,53.7194965182433,57.702772506337126,58.877854476967755,1,
"allreduce, 2 ranks",8,8 B,plain,1.0397340834346878,1.042895051553815,1.047561466203958,1.0672782371992042,1.1029487498571646,2,
"allreduce, 2 ranks",8,8 B,chain64,1.0505707939459683,1.07924354344624,1.0907576461969768,1.1306439570037896,1.2028889546323298,1,
... 8903 lines, cdd523edb4b36e01e2075d156a759bd347d2d6ce5d743856d7d9c459f363225a  -
--- standard error
invar: left out: regimes: the machine was in one regime, or nothing is compared
invar: left out: power: this is not a campaign of 'invar self-test'
--- exit 0
