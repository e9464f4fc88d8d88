$ invar show two --plot
7 cells of 2 arms, 6 launch groups: 2 ranks, 1 host, shared memory, this
session.

  ● openmpi   ○ mpich

Time of one call over the message size (from the first start to the last end)

allreduce, 2 ranks
         │                                                                    ⢀○
         │                                                                 ⣀⠔⡪⠕●
   10 us ┤                                                             ⢀⡠⢔⡩⠒⠉
         │                                                          ⢀⠤⢒⡡⠒⠁
         │                                                       ⣀⠔⢊⠥⠒⠁
    5 us ┤                                                   ⢀⡠⠔⢉⠤⠊⠁
         │                                                ⣀⠤⠊⣁⠤⠊⠁
         │                                             ⡠⠔⠊⣀⠔⠊
    2 us ┤                                          ⣀⠔⠋⣀⠔⠊
         │                                      │⡠⠔⠉⢀⠤⠋
         │                             ⣀⣀⡠⠤⠤⠒⠒⠒⠉○⢀⠤⠊⠁
    1 us ┤                   ⣀⣀⡠⠤⠔⠒⠒⠊⠉⠉   ⣀⣀⡠⠤⠔⠒●⠁
         │        ⢀⣀⣀⠤⠤⠔⠒⠒⠊⠉⠉   ⢀⣀⣀⠤⠤⠔⠒⠊⠉⠉
  0.5 us ┤ ○⠤⠒⠒⠒⠉⠉⠁    ⢀⣀⣀⠤⠤⠔⠒⠊⠉⠁
         │    ⣀⣀⡠⠤⠤⠒⠒⠉⠉⠁
         │ ●⠉⠉
         └─┬─────────┬──────────┬─────────┬──────────┬─────────┬───────────────┬
           8 B     32 B       128 B     512 B      2 KiB     8 KiB        64 KiB

bcast, 2 ranks
         │                                                                    ⢀✱
         │                                                                 ⣀⡴⠞⠋│
         │                                                             ⣀⡤⠖⠋⠁
    2 us ┤                                                         ⣀⡤⠖⠋⠁
         │                                                     ⣀⣤⠖⠋⠁
         │                                                ⢀⡠⣔⠶⠛⠉
         │                                            ⢀⡠⢔⡪⠕⠊
    1 us ┤                                        ⢀⡠⠤⢒⡕⠊⠁
         │                                   ⢀⣀⠤●⢊⡡⠔⠊⠁
         │                             ⢀⣀⢤⣔⣒⡩⠥⠤⠒○⠁
         │                     ⣀⣀⣠⣤⠤⠖⠒⠛⠉⠉⠁
  0.5 us ┤ │        ⣀⣀⣀⠤⠤⠔⠒⠒⣊⡩⠭⠒⠋⠁
         │ ○⠤⠤⠔⠒⠒⠊⠉⠉  ⣀⡠⠤⠒⠊⠉
         │ │   ⢀⣀⠤⠔⠒⠊⠉
         │ ●⠔⠒⠉⠁
         │ │
         └─┬─────────┬──────────┬─────────┬──────────┬─────────┬───────────────┬
           8 B     32 B       128 B     512 B      2 KiB     8 KiB        64 KiB
  symbol: time over launches, │ its 95 % interval, ✱ several arms; both axes
  logarithmic

Medians of the launches, over the smallest of the cell
                     1             1.5            2             2.5         time
                     ┴──────────────┴─────────────┴──────────────┴────
  allreduce, 2 ranks
     8 B  ● openmpi  ├▒●┤                                               0.338 us
          ○ mpich                    ├─○▒─┤                             0.523 us
   1 KiB  ● openmpi  ▒●┤                                                0.984 us
          ○ mpich              ├▒○▒▒──┤                                  1.37 us
  64 KiB  ● openmpi  ▒● ·                                                15.6 us
          ○ mpich        ○▒                                              17.7 us
  bcast, 2 ranks
     8 B  ● openmpi  ·  ▒●▒─┤                                           0.294 us
          ○ mpich                   ├▒○          ·                      0.409 us
   1 KiB  ● openmpi      ├●▒                                            0.858 us
          ○ mpich    ▒○ ·                                               0.742 us
  64 KiB  ● openmpi  ●▒                                                  3.20 us
          ○ mpich      ○·                                                3.39 us
  barrier, 2 ranks
          ● openmpi  ├●▒┤                                               0.306 us
          ○ mpich                                               ├─▒○▒»  0.752 us
  ▒ middle half of the launches, symbol: their median, ├ ┤ reach of the rest up
  to 1.5 boxes, · single launches; » farther out

  data: two
--- exit 0
