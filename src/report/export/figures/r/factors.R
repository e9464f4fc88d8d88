share <- first(read("share.csv"), "cell")
share$factor <- factor(share$factor, rev(levels(share$factor)))
picture <- ggplot(share, aes(100 * share, factor, fill = influence)) +
  geom_col(colour = "black", linewidth = 0.2) +
  geom_text(aes(label = paste(signif(100 * share, 2), "%")), hjust = -0.1, size = 2.6) +
  scale_x_continuous(expand = expansion(mult = c(0, 0.25))) +
  scale_fill_manual(values = c("matters" = "#0072B2", "does not matter" = "white",
                               "undecided" = "#E69F00", "none" = "grey80")) +
  panels(~ cell, share, scales = "free_x") +
  labs(x = "share of the variance of log times, %", y = NULL, fill = NULL)
save(picture, "factors", width = 9,
     height = 1 + (0.5 + 0.25 * nlevels(share$factor)) * ceiling(nlevels(share$cell) / 3))
