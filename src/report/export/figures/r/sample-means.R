means <- first(read("sample_means.csv"), "cell", most = 4)
histogram <- read("sample_means_histogram.csv")
histogram <- droplevels(histogram[histogram$cell %in% levels(means$cell), ])
parts <- c(rbind(paste0("means of ", unique(means$sample_size)), paste0("Q-Q of ", unique(means$sample_size))))
means$part <- factor(paste0("Q-Q of ", means$sample_size), parts)
histogram$part <- factor(paste0("means of ", histogram$sample_size), parts)
picture <- ggplot(means, aes(colour = arm)) +
  geom_rect(aes(xmin = low_ns / 1000, xmax = high_ns / 1000, ymin = 0, ymax = count, fill = arm), histogram,
            alpha = 0.3, linewidth = 0.2) +
  geom_line(aes(normal, line_ns / 1000, linetype = arm), linewidth = 0.4) +
  geom_point(aes(normal, mean_ns / 1000, shape = arm), size = 0.8, fill = "white") + arms(means) +
  panels(~ cell + part, means, scales = "free", columns = 2 * length(unique(means$sample_size))) +
  labs(x = "mean, \u00b5s (histograms); quantile of the normal distribution (Q-Q)",
       y = "samples of 500; mean, \u00b5s (Q-Q)",
       caption = "repetitions of one launch; on the line: normally distributed")
save(picture, "sample-means", width = 11, height = high(nlevels(means$cell), columns = 1, each = 2.4))
