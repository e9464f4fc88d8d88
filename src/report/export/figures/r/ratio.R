ratio <- first(read("ratio.csv"), "panel")
dodge <- position_dodge(width = 0.5)
picture <- ggplot(ratio, aes(size, ratio, colour = arm, shape = arm, group = arm)) +
  geom_rect(aes(xmin = -Inf, xmax = Inf, ymin = band_low, ymax = band_high),
            unique(ratio[c("panel", "band_low", "band_high")]), inherit.aes = FALSE,
            fill = "grey85", na.rm = TRUE) +
  geom_hline(yintercept = 1, linewidth = 0.3) +
  geom_errorbar(aes(ymin = ratio_low, ymax = ratio_high), position = dodge, width = 0.3,
                na.rm = TRUE) +
  geom_point(aes(fill = ifelse(decided == "yes", as.character(arm), NA)), position = dodge,
             size = 2) +
  scale_y_log10() + arms(ratio, fill = "none") +
  panels(~ panel, ratio, scales = "free") +
  labs(x = "message size", y = paste("time / time of", paste(levels(ratio$reference),
                                                              collapse = ", ")),
       caption = paste0("filled: decided", if (!all(is.na(ratio$band_low)))
                        "; grey: differences that do not matter"))
save(picture + theme(axis.text.x = element_text(angle = 45, hjust = 1)), "ratio",
     width = 8, height = high(nlevels(ratio$panel), each = 2.8))
