ratio <- first(read("regime_ratio.csv"), "panel")
dodge <- position_dodge(width = 0.6)
picture <- ggplot(ratio, aes(size, ratio, colour = arm, shape = regime, group = interaction(arm, regime))) +
  geom_hline(yintercept = 1, linewidth = 0.3) +
  geom_errorbar(aes(ymin = ratio_low, ymax = ratio_high), position = dodge, width = 0.3,
                na.rm = TRUE) +
  geom_point(position = dodge, size = 2, fill = "white") +
  scale_y_log10() +
  scale_colour_manual(values = rep_len(colours, nlevels(ratio$arm))) +
  scale_shape_manual(values = rep_len(c(21, 24, 22, 23, 25), nlevels(ratio$regime))) +
  facet_wrap(~ panel, scales = "free", ncol = 3) +
  labs(x = "message size", y = paste("time / time of", paste(levels(ratio$reference), collapse = ", ")),
       caption = "a symbol a regime of the machine: the ratio in it alone")
save(picture + theme(axis.text.x = element_text(angle = 45, hjust = 1)), "regimes",
     width = 9, height = high(nlevels(ratio$panel), each = 2.8))
