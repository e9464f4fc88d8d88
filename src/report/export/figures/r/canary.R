canary <- read("canary.csv")
histogram <- read("canary_histogram.csv")
parts <- c("over time", "how often")
canary$part <- factor(parts[1], parts)
histogram$part <- factor(parts[2], parts)
picture <- ggplot(canary) +
  geom_linerange(aes(seconds, ymin = low_ns, ymax = high_ns), colour = "grey60") +
  geom_point(aes(seconds, median_ns), size = 0.6, colour = colours[1]) +
  geom_rect(aes(xmin = 0, xmax = count, ymin = low_ns, ymax = high_ns), histogram,
            fill = colours[1]) +
  scale_y_log10(labels = time_text) +
  coord_cartesian(ylim = range(canary$low_ns, canary$high_ns)) +
  facet_wrap(~ part, scales = "free_x") +
  labs(x = "seconds of measuring (left), visits (right)", y = "round trip between two cores",
       caption = "the state of the machine, without MPI; grey: 5 % to 95 %")
save(picture, "canary", width = 8, height = 3.5)
