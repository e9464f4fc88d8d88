$ invar show two --as reprompi,pgmpi
What 2 suites would report of 14 rows of cell and arm: of one row up to a factor 1.02 apart: 2 ranks, 1 host, shared memory, this session.

  operation   size     arm          invar   reprompi           pgmpi
  allreduce   8 B      openmpi   0.338 us   0.343 us (5.1 %)   0.343 us (5.8 %)
  allreduce   8 B      mpich     0.523 us   0.519 us (9.4 %)   0.519 us (9.3 %)
  allreduce   1 KiB    openmpi   0.984 us   0.973 us (5.7 %)   0.972 us (6.1 %)
  allreduce   1 KiB    mpich      1.37 us    1.37 us (11 %)     1.37 us (29 %)
  allreduce   64 KiB   openmpi    15.6 us    15.6 us (8.9 %)    15.6 us (9.2 %)
  allreduce   64 KiB   mpich      17.7 us    17.6 us (5.5 %)    17.7 us (7.6 %)
  bcast       8 B      openmpi   0.294 us   0.292 us (27 %)    0.287 us (23 %)
  bcast       8 B      mpich     0.409 us   0.408 us (30 %)    0.407 us (30 %)
  bcast       1 KiB    openmpi   0.858 us   0.862 us (5.7 %)   0.859 us (4.7 %)
  bcast       1 KiB    mpich     0.742 us   0.728 us (13 %)    0.728 us (13 %)
  bcast       64 KiB   openmpi    3.20 us    3.19 us (2.1 %)    3.19 us (2.5 %)
  bcast       64 KiB   mpich      3.39 us    3.38 us (5.3 %)    3.38 us (5.2 %)
  barrier              openmpi   0.306 us   0.306 us (5.4 %)   0.308 us (6.9 %)
  barrier              mpich     0.752 us   0.740 us (18 %)    0.742 us (18 %)

  median over launches, each as one run of the suite; in brackets how far single launches are apart,
  (largest - least) / least; invar: from the first start to the last end; 15 repetitions a visit, as
  in the campaign, where suites take their own number
  reprompi: ReproMPI, median of the run-times inside of Tukey's fences, global ones after an agreed
  start; pgmpi: PGMPI, median of the slowest rank's times
  data: two
--- exit 0
