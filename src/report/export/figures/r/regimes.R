ratio <- first(read("regime_ratio.csv"), "panel")
dodge <- position_dodge(width = 0.6)
picture <- ggplot(ratio, aes(size, ratio, colour = regime, shape = arm, group = interaction(arm, regime))) +
  geom_hline(yintercept = 1, linewidth = 0.3) +
  geom_errorbar(aes(ymin = ratio_low, ymax = ratio_high), position = dodge, width = 0.3,
                na.rm = TRUE) +
  geom_point(position = dodge, size = 2, fill = "white") +
  scale_y_log10() +
  scale_colour_manual(values = rep_len(c("#4D4D4D", "#A6761D", "#7570B3", "#66A61E", "#E7298A"),
                                       nlevels(ratio$regime))) +
  scale_shape_manual(values = look(c(21, 24, 22, 23, 25)),
                     guide = guide_legend(ncol = columns_of(levels(ratio$arm), 60))) +
  panels(~ panel, ratio, scales = "free") +
  labs(x = "message size", y = paste("time / time of", paste(levels(ratio$reference), collapse = ", ")),
       caption = "a colour a regime of the machine: the ratio in it alone")
save(picture + theme(axis.text.x = element_text(angle = 45, hjust = 1)), "regimes",
     width = 9, height = high(nlevels(ratio$panel), each = 2.8))
