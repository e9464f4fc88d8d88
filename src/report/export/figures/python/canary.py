canary, histogram = read("canary.csv"), read("canary_histogram.csv")
figure, (left, right) = plt.subplots(1, 2, sharey=True, layout="constrained", figsize=(8, 3.2),
                                     width_ratios=[3, 1])
left.vlines([row["seconds"] for row in canary], [row["low_ns"] for row in canary],
            [row["high_ns"] for row in canary], color="0.6", linewidth=0.8)
left.plot([row["seconds"] for row in canary], [row["median_ns"] for row in canary], ".",
          markersize=3, color=COLOURS[0])
right.barh([row["low_ns"] for row in histogram], [row["count"] for row in histogram],
           [row["high_ns"] - row["low_ns"] for row in histogram], align="edge", color=COLOURS[0])
left.set_yscale("log")
left.set_ylim(0.9 * min(row["low_ns"] for row in canary), 1.1 * max(row["high_ns"] for row in canary))
log_ticks(left.yaxis, time_text)
left.set_ylabel("round trip between two cores (grey: 5 % to 95 %)")
left.set_xlabel("seconds of measuring since the campaign's start")
right.set_xlabel("visits")
save(figure, "canary")
