$ invar export damaged --to r -o figures && cat figures/README.txt
figures: ratio.R, launches.R, times.R, distribution.R, ecdf.R, medians.R, means.R, bars.R, order.R, canary.R, factors.R, effects.R
--- standard error
invar: damaged: damaged and left out: launches/0003-mpich/timings.bin: does not match its checksum: visit 9
invar: left out: regimes: the machine was in one regime, or nothing is compared
invar: left out: normality: no launch has repetitions enough
invar: left out: sample-means: no launch has repetitions enough
invar: left out: power: this is not a campaign of 'invar self-test'
--- exit 5
