launches <- first(read("launches.csv"), "panel")
picture <- ggplot(launches, aes(size, relative, colour = arm)) +
  geom_boxplot(outlier.shape = NA, na.rm = TRUE) +
  geom_point(aes(shape = arm), size = 0.8, alpha = 0.5,
             position = position_jitterdodge(jitter.width = 0.15, seed = 1)) +
  arms(launches) +
  panels(~ panel, launches, scales = "free") +
  labs(x = "message size", y = "median of the launch / smallest of the size",
       caption = "a point is a launch; whiskers reach up to 1.5 boxes")
if (max(launches$relative) > 4) picture <- picture + scale_y_log10()
save(picture + theme(axis.text.x = element_text(angle = 45, hjust = 1)), "launches",
     width = 8, height = high(nlevels(launches$panel), each = 2.8))
