means <- first(read("normality.csv"), "cell")
picture <- ggplot(means, aes(normal, mean_ns, colour = arm, shape = arm)) +
  geom_line(aes(y = line_ns, linetype = arm), linewidth = 0.4) +
  geom_point(size = 1, fill = "white") +
  scale_y_continuous(labels = time_text) + arms(means) +
  panels(~ cell, means, scales = "free_y") +
  labs(x = "quantile of the normal distribution", y = "mean of the repetitions of a sample",
       caption = paste("samples of", paste(unique(means$sample_size), collapse = ", "),
                       "repetitions of one launch; on the line: normally distributed"))
save(picture, "normality", width = 9, height = high(nlevels(means$cell)))
