$ invar export self-test --to r -o figures && cat figures/README.txt && contents figures/data | summed
figures: ratio.R, launches.R, times.R, distribution.R, ecdf.R, medians.R, means.R, bars.R, order.R, canary.R, power.R
Figures of the campaign self-test, exported by invar 0.1.0

Nothing seen against Invar's verdicts on this machine, in a short test: 0 of 8 comparisons without a
difference got a false verdict in tables of 5 launch groups (more than 97 % of the tables wrong
would have shown, 5 % are allowed) (2 ranks, 1 host, shared memory, this session).

State of the campaign: complete.
look at: a test, no measurement: in 10 launches calls were made slower on purpose ('delay')
look at: 1 visit of openmpi#2 holds fewer repetitions than planned: too many started late or took
         too long, and were repeated
look at: 11 of 12 comparisons undecided after 10 launch groups; about 3417 would bring every
         interval within 2 % (allreduce, 8 B, 2 ranks, planted delay 63 ns varies most)
look at: the launch groups' ratios are not normally distributed in 12 comparisons (allreduce, 8 B, 2
         ranks, planted delay 16 ns most, W 0.47 of 10): single groups weigh much there, and
         intervals are approximate
look at: 12 % of the repetitions of openmpi#2 started late and were repeated: something else uses
         these cores
look at: 6.1 % of the repetitions of openmpi#2 were interrupted for more than 1 us (they are kept;
         invar doctor looks for the reason)

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
power.R: Share of planted delays that is found, by their size and the number of launch groups.
left out: regimes: the machine was in one regime, or nothing is compared
left out: normality: no launch has repetitions enough
left out: sample-means: no launch has repetitions enough
left out: factors: no factor has two levels here
left out: effects: no factor has two levels here

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

data/power.csv
  pairing: turns: arms take turns; rounds: inside a launch; launches: launch by launch
  groups: launch groups of a table
  effect: planted delay / time of a call, median over cells
  found: share of tables in which it is found
  equivalent: share in which it is called equivalent
  tables: number of tables
  alpha: share of false verdicts that is allowed
=== figures/data/arms.csv
arm
openmpi#1
openmpi#2
=== figures/data/boxes.csv
panel,size_bytes,size,arm,low,q1,median,q3,high,outliers,stars
"allreduce, 2 ranks, planted delay 0 ns",8,8 B,openmpi#1,1.004337845313834,1.0381626658167868,1.0683738679960073,1.109425925146424,1.1269167398285007,1,
"allreduce, 2 ranks, planted delay 0 ns",8,8 B,openmpi#2,1,1.0414147343924762,1.0680844778650376,1.1562605232774898,1.1838694692660163,1,
"allreduce, 2 ranks, planted delay 0 ns",1024,1 KiB,openmpi#1,1.0175061195866466,1.0322643793746775,1.0415262579885414,1.0695926670812548,1.0847834658692461,0,
"allreduce, 2 ranks, planted delay 0 ns",1024,1 KiB,openmpi#2,1,1.015343226113765,1.0213738306627678,1.0518316419016367,1.0635111211082737,1,
... 14826 lines, cb97bcc8e311472586051777f46571cb299808e295319436ef271b92e0d1cd70  -
--- standard error
invar: left out: regimes: the machine was in one regime, or nothing is compared
invar: left out: normality: no launch has repetitions enough
invar: left out: sample-means: no launch has repetitions enough
invar: left out: factors: no factor has two levels here
invar: left out: effects: no factor has two levels here
--- exit 0
