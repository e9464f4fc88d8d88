histogram <- first(read("histogram.csv"), "cell")
density <- read("density.csv")
density <- droplevels(density[density$cell %in% levels(histogram$cell), ])
times <- read("times.csv")
times <- droplevels(times[times$cell %in% levels(histogram$cell), ])
picture <- ggplot(histogram, aes(colour = arm)) +
  geom_rect(aes(xmin = low_ns, xmax = high_ns, ymin = 0, ymax = per_ns, fill = arm),
            alpha = 0.25, linewidth = 0) +
  geom_line(aes(ns, per_ns, linetype = arm), density, linewidth = 0.4) +
  geom_vline(aes(xintercept = mean_ns, colour = arm, linetype = arm), times, linewidth = 0.3) +
  scale_x_continuous(labels = time_text) +
  scale_y_continuous(labels = function(per_ns) signif(1000 * per_ns, 3)) + arms(histogram) +
  panels(~ cell, histogram, scales = "free") +
  labs(x = "time of one call", y = "share of the observations per \u00b5s",
       caption = "bars: histogram; line: kernel density, upright at the mean; the tail is in ecdf.pdf")
save(picture, "distribution", width = 9, height = high(nlevels(histogram$cell)))
