launches <- read("launches.csv")
launches <- first(launches[!is.na(launches$mean_ns), ], "cell")
picture <- ggplot(launches, aes(group, mean_ns, colour = arm, shape = arm)) +
  geom_errorbar(aes(ymin = mean_low_ns, ymax = mean_high_ns), width = 0.4, na.rm = TRUE) +
  geom_point(fill = "white", size = 1.4) +
  scale_y_continuous(labels = time_text) + arms(launches) +
  panels(~ cell, launches, scales = "free_y") +
  labs(x = "launch group, in the order of measurement", y = "mean of the launch",
       caption = "with its 95 % interval over repetitions, without outliers")
save(picture, "means", width = 9, height = high(nlevels(launches$cell)))
