$ invar show reproduce/03/skampi --as skampi
What 1 suite would report of 2 rows of cell and arm: 2 ranks, 1 host, shared memory, this launch only.

  operation   size   arm       invar   skampi
  bcast       8 B    openmpi       -   0.264 us
  bcast       8 B    mpich         -   0.423 us

  median over launches, each as one run of the suite; in brackets how far single launches are apart,
  (largest - least) / least; invar: from the first start to the last end; 33 repetitions a visit, as
  in the campaign, where suites take their own number
  skampi: SKaMPI 5, mean of the middle half of the slowest rank's times
  why: windows that never shrink (skampi): bcast, 8 B, 2 ranks, of mpich, they were up to 18.8 us
       long for a call of 0.423 us; ranks idle in them, and start from another state of the caches
  data: reproduce/03/skampi
--- exit 0
