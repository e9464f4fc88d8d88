$ invar show many-factors --plot
40 cells of 2 arms, 3 launch groups: 2 ranks, 1 host, shared memory, this
session.

  ● openmpi   ○ mpich

Time of one call over the message size (from the first start to the last end)

allreduce, 2 ranks, rank order natural, datatype int32, reduction sum, not in
place, arrival none, dither 1000 ns
         │                                                                     ○
         │                                                                 ⢀⡠⣒⠭●
    5 us ┤                                                              ⡠⢔⡪⠕⠊
         │                                                          ⣀⠤⢒⠭⠒⠁
         │                                                      ⢀⡠⠔⡪⠔⠊⠁
         │                                                   ⢀⡠⢜⡡⠒⠉
         │                                                ⣀⠔⢊⡡⠒⠉
    2 us ┤                                            ⢀⠤⠒⣉⠤⠊⠁
         │                      │     ⢀⣀⣀⣀⣀⣀⣀⣀⡠⠤⠤⠤⠤⠤○⢊⡡⠔⠉
         │ │    │    ⣀⣀⣀⣀⠤⠤⠤⠔⠒○⠒○⠉⠉⠉⠉⠉⠉          ⢀⡠⠔●⠁
    1 us ┤ ○⠔⠒⠒⠒○⠉⠉⠉⠉           │           ⢀⡠⠤⠒⠊⠁
         │ │    │                      ⣀⡠⠔⠒⠉⠁
         │      │               │ ⣀⡠⠤⠒⠉
  0.5 us ┤ │    ●⣀⣀⣀⣀⣀⠤⠤⠤⠤⠤⠤⠤⠒●⠒●⠉
         │ ●⠒⠒⠊⠉│
         │ │    │
         └─┬────────────┬───────────────┬──────────────┬───────────────────────┬
           40 B       128 B           512 B          2 KiB               17304 B

allreduce, 2 ranks, rank order natural, datatype int32, reduction sum, in place,
arrival none, dither 1000 ns
         │                                                                     │
  1.5 us ┤                                                             ⣀⣀⣀⣀⡠⠤⠤⠤○
         │                                           ⣀⣀⣀⣀⡠⠤⠤⠤⠤⠒⠒⠒⠒⠊⠉⠉⠉⠉        │
         │                         ⣀⣀⣀⣀⡠⠤⠤⠤⠤⠒⠒⠒⠒⠊⠉⠉⠉⠉                    ⢀⣀⡠⠤⠒⠒●
    1 us ┤ │     ⣀⣀⣀⣀⡠⠤⠤⠤⠤⠒⠒⠒⠒⠊⠉⠉⠉⠉                               ⢀⣀⠤⠤⠒⠊⠉⠁
         │ ○⠉⠉⠉⠉⠉                                          ⣀⣀⠤⠤⠒⠊⠉⠁
         │ │                                        ⣀⣀⠤⠔⠒⠊⠉
         │                                   ⣀⡠⠤⠔⠒⠉⠉
  0.7 us ┤                           ⢀⣀⡠⠤⠔⠒⠉⠉
         │ │                  ⢀⣀⡠⠤⠒⠒⠉⠁
         │ │           ⢀⣀⠤⠤⠒⠒⠉⠁
  0.5 us ┤ │    ⣀⣀⠤⠤⠒⠊⠉⠁
         │ ●⠔⠒⠊⠉
  0.4 us ┤ │
         │ │
         │ │
         └─┬──────────────┬──────────────┬─────────────┬───────────────────────┬
           64 B         128 B          256 B         512 B               1.5 KiB

allreduce, 2 ranks, rank order reversed, datatype int32, reduction sum, not in
place, arrival none, dither 1000 ns
         │                                                                     │
  1.5 us ┤                                                        ⢀⣀⣀⣀⡠⠤⠤⠤⠔⠒⠒⠒⠊○
         │                                        ⣀⣀⣀⣀⡠⠤⠤⠤⠔⠒⠒⠒⠊⠉⠉⠉⠁
         │                        ⣀⣀⣀⣀⠤⠤⠤⠤⠒⠒⠒⠒⠉⠉⠉⠉                         ⣀⡠⠤⠔●
    1 us ┤ │      ⣀⣀⣀⣀⠤⠤⠤⠤⠒⠒⠒⠒⠉⠉⠉⠉                                  ⢀⣀⠤⠤⠒⠊⠉
         │ ○⠒⠒⠉⠉⠉⠉                                            ⣀⡠⠤⠒⠒⠉⠁
         │ │                                           ⢀⣀⠤⠔⠒⠉⠉
         │                                      ⢀⣀⡠⠤⠒⠊⠉⠁
  0.7 us ┤                                ⣀⡠⠤⠔⠒⠉⠁
         │                         ⢀⣀⠤⠤⠒⠊⠉
         │                   ⣀⡠⠤⠒⠒⠉⠁
  0.5 us ┤ │          ⢀⣀⠤⠔⠒⠊⠉
         │ │   ⢀⣀⡠⠤⠒⠊⠉⠁
  0.4 us ┤ ●⠔⠒⠉⠁
         │ │
         │ │
         └─┬──────────────┬──────────────┬─────────────┬───────────────────────┬
           64 B         128 B          256 B         512 B               1.5 KiB

allreduce, 2 ranks, rank order reversed, datatype int32, reduction sum, in
place, arrival none, dither 1000 ns
  1.5 us ┤                                                                  ⢀⣀⣀○
         │                                                  ⢀⣀⣀⣀⡠⠤⠤⠤⠔⠒⠒⠒⠊⠉⠉⠉⠁  │
         │                                  ⢀⣀⣀⣀⡠⠤⠤⠤⠔⠒⠒⠒⠊⠉⠉⠉⠁                ⢀⣀●
         │ │                ⣀⣀⣀⣀⠤⠤⠤⠤⠔⠒⠒⠒⠊⠉⠉⠉⠁                         ⢀⣀⠤⠤⠒⠒⠉⠁ │
    1 us ┤ │⣀⣀⣀⣀⠤⠤⠤⠤⠒⠒⠒⠒⠉⠉⠉⠉                                   ⣀⣀⠤⠔⠒⠊⠉⠁
         │ ○                                           ⢀⣀⡠⠤⠔⠒⠉⠉
         │ │                                    ⢀⣀⡠⠤⠒⠒⠉⠁
  0.7 us ┤                               ⣀⣀⠤⠤⠒⠊⠉⠁
         │ │                      ⣀⡠⠤⠔⠒⠊⠉
         │ │              ⢀⣀⡠⠤⠔⠒⠉⠉
  0.5 us ┤ │       ⢀⣀⠤⠤⠒⠒⠉⠁
         │ │⣀⣀⠤⠔⠒⠊⠉⠁
  0.4 us ┤ ●
         │ │
         │ │
  0.3 us ┤ │
         └─┬──────────────┬──────────────┬─────────────┬───────────────────────┬
           64 B         128 B          256 B         512 B               1.5 KiB
  symbol: time over launches, │ its 95 % interval; both axes logarithmic
  4 of 9 pictures drawn; --operation and --size choose others

Medians of the launches, over the smallest of the cell
                      1           1.5          2           2.5              time
                      ┴────────────┴───────────┴────────────┴─────────
  reduce, 2 ranks, root 0, datatype int32, reduction sum, dither 1000 ns
    1 KiB  ● openmpi  ·●                                                0.842 us
           ○ mpich    ·○  ·                                             0.879 us
  reduce, 2 ranks, root 0, datatype double, reduction sum, dither 1000 ns
    1 KiB  ● openmpi   ·   ●                                            0.868 us
           ○ mpich    · ○ ·                                             0.808 us
  reduce, 2 ranks, root rotating, datatype int32, reduction sum, dither 1000 ns
    1 KiB  ● openmpi  ·●                                                0.867 us
           ○ mpich       ○·                                             0.957 us
  reduce, 2 ranks, root rotating, datatype double, reduction sum, dither 1000 ns
    1 KiB  ● openmpi         ·●    ·                                     1.10 us
           ○ mpich    ·○·                                               0.842 us
  scatter, 2 ranks, root 0, datatype int32, dither 1000 ns
    1 KiB  ● openmpi         · ●·                                       0.853 us
           ○ mpich    ·○·                                               0.660 us
  scatter, 2 ranks, root 0, datatype double, dither 1000 ns
    1 KiB  ● openmpi            · ●·                                    0.895 us
           ○ mpich    ○ ·                                               0.637 us
  scatter, 2 ranks, root rotating, datatype int32, dither 1000 ns
    1 KiB  ● openmpi          ·●·                                       0.882 us
           ○ mpich    · ○                                               0.680 us
  scatter, 2 ranks, root rotating, datatype double, dither 1000 ns
    1 KiB  ● openmpi         ·●·                                        0.881 us
           ○ mpich    ·○ ·                                              0.698 us
  allreduce, 2 ranks, rank order natural, datatype int32, reduction sum, not in
  place, arrival none, dither 1000 ns
     40 B  ● openmpi  · ●  ·                                            0.390 us
           ○ mpich                                           ○     ·    0.935 us
     64 B  ● openmpi  ·  ● ·                                            0.448 us
           ○ mpich                                     ·     ○ ·        0.999 us
    224 B  ● openmpi  ● ·                                               0.499 us
           ○ mpich                                         ·○·           1.22 us
    256 B  ● openmpi  · ●·                                              0.509 us
           ○ mpich                                         · ○       ·   1.26 us
  1.5 KiB  ● openmpi  ·●                                                 1.21 us
           ○ mpich         ·○·                                           1.45 us
  17304 B  ● openmpi  ●·                                                 7.21 us
           ○ mpich       ○·                                              7.93 us
  allreduce, 2 ranks, rank order natural, datatype int32, reduction sum, in
  place, arrival none, dither 1000 ns
     64 B  ● openmpi  · ●    ·                                          0.420 us
           ○ mpich                                        ·   ○ ·       0.959 us
  1.5 KiB  ● openmpi  ·●·                                                1.22 us
           ○ mpich         ○  ·                                          1.46 us
  allreduce, 2 ranks, rank order reversed, datatype int32, reduction sum, not in
  place, arrival none, dither 1000 ns
     64 B  ● openmpi  ●   ·                                             0.381 us
           ○ mpich                                           ·○    ·    0.945 us
  1.5 KiB  ● openmpi  ●·                                                 1.19 us
           ○ mpich          ○ ·                                          1.51 us
  allreduce, 2 ranks, rank order reversed, datatype int32, reduction sum, in
  place, arrival none, dither 1000 ns
     64 B  ● openmpi  ·  ●     ·                                        0.434 us
           ○ mpich                                     ·     ○  ·       0.944 us
  1.5 KiB  ● openmpi  ·●·                                                1.22 us
           ○ mpich           ○·                                          1.51 us
  allreduce, 2 ranks, rank order natural, datatype int32, reduction sum, not in
  place, arrival last-late:10000ns, dither 1000 ns
    256 B  ● openmpi  ●                                                  10.4 us
           ○ mpich      ○                                                11.3 us
  allreduce, 2 ranks, rank order natural, datatype int32, reduction max, not in
  place, arrival none, dither 1000 ns
    256 B  ● openmpi  ●·                                                0.504 us
           ○ mpich                                        ·○  ·          1.24 us
  allreduce, 2 ranks, rank order natural, datatype int32, reduction max, not in
  place, arrival last-late:10000ns, dither 1000 ns
    256 B  ● openmpi  ●                                                  10.4 us
           ○ mpich      ○·                                               11.3 us
  allreduce, 1 rank, datatype int32, reduction sum, dither 1000 ns
     40 B  ● openmpi  ●                                                 0.028 us
           ○ mpich             ○                                        0.037 us
    224 B  ● openmpi  ●·                                                0.029 us
           ○ mpich            ○·                                        0.038 us
  17304 B  ● openmpi  ●·                                                0.100 us
           ○ mpich      ○·                                              0.108 us
  iallgather, 2 ranks, rank order natural, datatype byte, not in place, dither
  1000 ns
     64 B  ● openmpi  ●     ·                                           0.489 us
           ○ mpich                  ·○·                                 0.719 us
  1.5 KiB  ● openmpi    ●  ·                                             1.27 us
           ○ mpich    ○·                                                 1.15 us
  iallgather, 2 ranks, rank order natural, datatype byte, in place, dither 1000
  ns
     64 B  ● openmpi  ·●                                                0.506 us
           ○ mpich             ·○ ·                                     0.688 us
  1.5 KiB  ● openmpi      ·●·                                            1.27 us
           ○ mpich    ·○                                                 1.09 us
                      1           1.5          2           2.5
                      ┴────────────┴───────────┴────────────┴─────────
  fewer than 5 launches: each is a ·
  30 of 40 cells drawn; --operation, --size and --arms choose others (invar show
  without --plot has all)

  data: many-factors
--- exit 0
