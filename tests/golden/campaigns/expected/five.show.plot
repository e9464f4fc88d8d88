$ invar show five --plot
2 cells of 5 arms, 5 launch groups: 2 ranks, 1 host, shared memory, this
session.

  ● openmpi   ○ mpich   ◆ rd   ◇ ring   ▲ doubling

Time of one call over the message size (from the first start to the last end)

allreduce, 2 ranks
         │                                                                    ⢀◆
         │                                                               ⢀⣀⠤⠒⠉⠁│
         │                                                           ⣀⠤⠔⠊⠁⣀⣀⠤⢤⡲✱
         │                                                      ⢀⡠⣔⣒⠭⠤⠒⠒⣉⠭⠔⠒⠉⠁ │
    2 us ┤                                                ⣀⣀⣤⠤⠒⠛⠉⠉⢀⡠⠤⠒⠊⠉⢀⣀⡠⠤⠔⠒⠊○
         │                                        ⢀⣀⡠⠤⠒⣒⠭⠛⠊⠁ ⣀⡠⠔⢒⣉⡡⠤⠔⠒⠊⠉⠁ ⣀⣀⡠⠤⠤▲
         │                                ⢀⣀⡠⠤⠔⠒⠊⠉⣁⡠⠔⠊⠉⢀⣀⣤⠶⠮⠛⠒⠉⠉⢁⣀⣀⠤⠤⠔⠒⠊⠉⠉
         │                        ⢀⣀⡠⠤⠔⠒⠊⠉⠁  ⢀⡠⠤⣒⣉⣤⡤⠖⠒⠉⣉⣀⡠⠤⠤⠒⠒⠉⠉⠁
    1 us ┤                 ⣀⡠⠤⠔⠒⠊⠉⠁    ⢀⣀⣠⠤⠖⢚⣋⣭⣝⠮⠭⠒⠒⠊⠉⠉
         │         ⣀⣀⠤⠤⠒⠒⠉⠉    ⢀⣀⡠⠤⠔⣒⣮⡽⣯⡽⠶⠒⠉⠉⠁
         │ ◇⣀⠤⠤⠒⠒⠉⠉    ⣀⣀⠤⢤⣒⡲⠭⠭⢓⡲⢞⣛⠭⠔⠊⠉
         │ │   ⣀⣀⣤⣤⠶⠶⠝⠛⠒⠉⠉⢁⣀⣤⡲⠭⠓⠊⠁
  0.5 us ┤ ✱⠚⠛⠋⠉⠉     ⣀⣤⠴⠞⠓⠉
         │       ⣀⡠⠴⠚⠋⠁
         │ │⣀⡤⠴⠒⠉⠁
         │ ✱⠁
         └─┬──────────────┬──────────────┬──────────────┬──────────────────────┬
           8 B          32 B           128 B          512 B                4 KiB
  symbol: time over launches, │ its 95 % interval, ✱ several arms; both axes
  logarithmic

Medians of the launches, over the smallest of the cell (allreduce, 2 ranks)
                     1                1.5                 2                 time
                     ┴─────────────────┴──────────────────┴───────────
    8 B  ● openmpi   ├▒●▒──┤                                            0.350 us
         ○ mpich                          · ▒○    ·                     0.542 us
         ◆ rd        ├◆▒┤                                               0.341 us
         ◇ ring                                       ├▒▒▒▒◇▒▒▒▒     »  0.687 us
         ▲ doubling                      ├─▲▒▒                          0.529 us
  4 KiB  ● openmpi                       ├▒▒▒●▒──┤                       2.72 us
         ○ mpich              ▒○▒                                        2.10 us
         ◆ rd                                                  ├▒◆▒▒─┤   3.66 us
         ◇ ring                           ├▒▒▒▒▒◇▒▒─────┤                2.85 us
         ▲ doubling  ▒▲▒                                                 1.70 us
  ▒ middle half of the launches, symbol: their median, ├ ┤ reach of the rest up
  to 1.5 boxes, · single launches; » farther out

  look at: visits begin slower than they end in 1 of 10 cells of all arms, by
           8.7 % (mpich, allreduce, 4 KiB, 2 ranks; first third against the
           last): warm-ups were too few, and times there are too long by a part
           of that; more repetitions a visit make it weigh less
  data: five
--- exit 0
