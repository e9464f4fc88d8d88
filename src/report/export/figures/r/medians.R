launches <- first(read("launches.csv"), "cell")
times <- read("times.csv")
times <- droplevels(times[times$cell %in% levels(launches$cell), ])
picture <- ggplot(launches, aes(group, median_ns, colour = arm)) +
  geom_rect(aes(xmin = -Inf, xmax = Inf, ymin = low_ns, ymax = high_ns, fill = arm), times,
            inherit.aes = FALSE, alpha = 0.15, na.rm = TRUE) +
  geom_hline(aes(yintercept = median_ns, colour = arm, linetype = arm), times) +
  geom_point(aes(shape = arm), fill = "white", size = 1.4) +
  scale_y_log10(labels = time_text) + arms(launches) +
  panels(~ cell, launches, scales = "free_y") +
  labs(x = "launch group, in the order of measurement", y = "median of the launch",
       caption = "line and band: over all launches, with the 95 % interval")
save(picture, "medians", width = 9, height = high(nlevels(launches$cell)))
