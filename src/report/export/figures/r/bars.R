launches <- read("launches.csv")
launches <- launches[!is.na(launches$mean_ns), ]
shown <- head(sort(unique(launches$group)), 2)  # other launch groups: change this
launches <- first(launches[launches$group %in% shown, ], "panel", most = 6)
launches$launch <- factor(paste("launch group", launches$group))
same <- merge(aggregate(mean_ns ~ panel, launches, max), unique(launches["launch"]))  # axes
picture <- ggplot(launches, aes(size, mean_ns, fill = arm)) +
  geom_col(position = position_dodge(width = 0.8), width = 0.7, colour = "black", linewidth = 0.2) +
  geom_blank(aes(y = mean_ns), same, inherit.aes = FALSE) +
  scale_y_continuous(labels = time_text) + arms(launches, fill = "legend") +
  panels(~ panel + launch, launches, scales = "free", columns = 2) +
  labs(x = "message size", y = "mean of the repetitions of one launch",
       caption = "without outliers; what a single launch says changes with the launch")
save(picture + theme(axis.text.x = element_text(angle = 45, hjust = 1)), "bars", width = 8,
     height = high(2 * nlevels(launches$panel), columns = 2, each = 2.6))
