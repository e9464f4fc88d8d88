effects <- first(read("effects.csv"), "cell")
effects$what <- paste0(effects$factor, ": ", effects$level, " / ", effects$reference)
effects$what <- factor(effects$what, rev(unique(effects$what)))
picture <- ggplot(effects, aes(ratio, what, shape = influence)) +
  geom_rect(aes(xmin = band_low, xmax = band_high, ymin = -Inf, ymax = Inf),
            unique(effects[c("cell", "band_low", "band_high")]), inherit.aes = FALSE,
            fill = "grey85") +
  geom_vline(xintercept = 1, linewidth = 0.3) +
  geom_linerange(aes(xmin = ratio_low, xmax = ratio_high), na.rm = TRUE) +
  geom_point(fill = "white", size = 2) +
  scale_x_log10() +
  scale_shape_manual(values = c("matters" = 19, "does not matter" = 15, "undecided" = 21,
                                "none" = 4)) +
  panels(~ cell, effects) +
  labs(x = "time of the level / time of the reference", y = NULL, shape = NULL,
       caption = "grey: differences that do not matter")
save(picture, "effects", width = 9,
     height = 1.5 + (0.5 + 0.22 * nlevels(effects$what)) * ceiling(nlevels(effects$cell) / 3))
