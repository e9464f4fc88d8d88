$ invar show own-visits --as osu
What 1 suite would report of 8 rows of cell and arm: 2 ranks, 1 host, shared memory, this session.

  operation   size    arm       invar   osu
  bcast       8 B     openmpi       -   0.339 us (2.5 %)
  bcast       8 B     mpich         -   0.214 us (16 %)
  bcast       1 KiB   openmpi       -   0.751 us (11 %)
  bcast       1 KiB   mpich         -   0.366 us (32 %)
  allreduce   8 B     openmpi       -   0.404 us (20 %)
  allreduce   8 B     mpich         -   0.609 us (15 %)
  allreduce   1 KiB   openmpi       -   0.973 us (5.6 %)
  allreduce   1 KiB   mpich         -    1.51 us (3.1 %)

  median over launches, each as one run of the suite; in brackets how far single launches are apart,
  (largest - least) / least; invar: from the first start to the last end; 10 repetitions a visit, as
  in the campaign, where suites take their own number
  osu: OSU 7.5, mean over ranks of each rank's mean
  why: mean over ranks hides imbalance (osu): bcast, 8 B, 2 ranks, of openmpi, takes the slowest
       rank 0.619 us on average, the mean over ranks is 0.339 us (more than 5 % apart in 6 of 8
       rows)
  data: own-visits
--- exit 0
