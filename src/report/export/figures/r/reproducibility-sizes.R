values <- read("reproducibility.csv")
values <- values[!is.na(values$normalised), ]
values$part <- interaction(values$number, values$panel, sep = ", ", drop = TRUE, lex.order = TRUE)
values <- first(values, "part")
picture <- ggplot(values, aes(size, normalised, colour = method)) +
  geom_boxplot(outlier.size = 0.6, width = 0.6) +
  scale_colour_manual(values = rep_len(colours, nlevels(values$method)),
                      guide = guide_legend(ncol = columns_of(levels(values$method)))) +
  panels(~ part, values, scales = "free", columns = 2) +
  labs(x = "message size", y = "value of a repeat / least of all repeats", colour = NULL,
       caption = "a box: all repeats and arms of a size; 1 is the best there is")
if (max(values$normalised) > 4) picture <- picture + scale_y_log10()
save(picture + theme(axis.text.x = element_text(angle = 45, hjust = 1)), "reproducibility-sizes",
     width = 9, height = high(nlevels(values$part), columns = 2, each = 2.8))
