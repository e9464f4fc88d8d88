$ invar show presets --as osu,imb,skampi,mpptest,reprompi
What 5 suites would report of 8 rows of cell and arm: of one row up to a factor 4.66 apart: 2 ranks, 1 host, shared memory, this session.

  operation  size   arm         invar  osu               imb               skampi            mpptest           reprompi
  bcast      8 B    openmpi  0.283 us  0.324 us (2.8 %)  0.324 us (2.8 %)  0.268 us (9.8 %)  0.070 us (6.4 %)  0.287 us (8.9 %)
  bcast      8 B    mpich    0.390 us  0.233 us (8.4 %)  0.233 us (8.4 %)  0.365 us (9.9 %)  0.198 us (14 %)   0.380 us (7.1 %)
  bcast      1 KiB  openmpi  0.850 us  0.739 us (7.7 %)  0.739 us (7.7 %)  0.877 us (8.3 %)  0.864 us (3.2 %)  0.868 us (6.4 %)
  bcast      1 KiB  mpich    0.708 us  0.408 us (6.1 %)  0.408 us (6.1 %)  0.653 us (12 %)   0.313 us (20 %)   0.707 us (2.9 %)
  allreduce  8 B    openmpi  0.339 us  0.397 us (9.3 %)  0.397 us (9.3 %)  0.367 us (18 %)   0.358 us (53 %)   0.324 us (36 %)
  allreduce  8 B    mpich    0.533 us  0.619 us (13 %)   0.619 us (13 %)   0.520 us (19 %)   0.527 us (17 %)   0.550 us (17 %)
  allreduce  1 KiB  openmpi  0.983 us   1.11 us (25 %)    1.11 us (25 %)   0.968 us (2.6 %)  0.932 us (7.1 %)  0.975 us (3.3 %)
  allreduce  1 KiB  mpich     1.46 us   1.45 us (3.2 %)   1.45 us (3.2 %)   1.42 us (12 %)    1.44 us (5.9 %)   1.45 us (2.6 %)

  median over launches, each as one run of the suite; in brackets how far single launches are apart,
  (largest - least) / least; invar: from the first start to the last end; 8 repetitions a visit, as
  in the campaign, where suites take their own number
  osu: OSU 7.5, mean over ranks of each rank's mean; imb: IMB 2021.11, t_avg: mean over ranks of
  each rank's mean; skampi: SKaMPI 5, mean of the middle half of the slowest rank's times; mpptest:
  mpptest 2.0, least of rank 0's times of a batch, per call; reprompi: ReproMPI, median of the
  run-times inside of Tukey's fences, global ones after an agreed start
  why: mean over ranks hides imbalance (osu and imb): bcast, 8 B, 2 ranks, of openmpi, takes the
       slowest rank 0.587 us on average, the mean over ranks is 0.324 us (more than 5 % apart in 5
       of 8 rows)
  why: batches wait (mpptest): each call begins where the last one left the ranks, not after a
       barrier: bcast, 1 KiB, 2 ranks, of mpich, takes 0.391 us in a batch and 0.275 us timed alone
       after MPI_Barrier (more than 5 % apart in 5 of 8 rows)
  why: the least of several means is the machine's best moment, not its usual one (mpptest): bcast,
       1 KiB, 2 ranks, of mpich, 0.313 us against 0.391 us on average over the passes (more than 5 %
       apart in 5 of 8 rows)
  why: means follow a few long repetitions, medians do not (osu and imb): allreduce, 1 KiB, 2 ranks,
       of openmpi, the slowest rank's mean is 1.20 us, its median 1.01 us (more than 5 % apart in 1
       of 8 rows)
  why: ranks do not leave MPI_Barrier together, and who is first waits inside of the operation for
       the last (osu and imb): bcast, 8 B, 2 ranks, of openmpi, the slowest rank's median after the
       library's barrier is 0.593 us, after an agreed start 0.287 us (more than 5 % apart in 5 of 8
       rows)
  why: windows that never shrink (skampi): allreduce, 8 B, 2 ranks, of mpich, they were up to 4.84
       us long for a call of 0.520 us; ranks idle in them, and start from another state of the
       caches
  data: presets
--- exit 0
