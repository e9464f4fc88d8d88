order <- first(read("order.csv"), "cell", most = 4)
medians <- read("order_median.csv")
medians <- droplevels(medians[medians$cell %in% levels(order$cell), ])
perturbed <- read("perturbations.csv")
picture <- ggplot(order) +
  geom_rect(aes(xmin = begin_s, xmax = end_s, ymin = min(order$low_ns), ymax = Inf),
            perturbed, fill = "#E69F00", colour = "#E69F00", linewidth = 0.2, alpha = 0.4) +
  geom_rect(aes(xmin = from_s, xmax = to_s, ymin = low_ns, ymax = high_ns, fill = count)) +
  geom_point(aes(seconds, median_ns), medians, size = 0.4, colour = "#D55E00") +
  scale_fill_gradient(low = "grey85", high = "black", trans = "log10") +
  scale_y_log10(labels = time_text) +
  panels(~ cell + arm, order, scales = "free_y", columns = nlevels(order$arm)) +
  labs(x = "seconds of measuring since the campaign's start", y = "time of one call",
       fill = "observations",
       caption = "point: median of a stretch of time; orange: the machine ran slower")
save(picture, "order", width = 3.6 * max(2, nlevels(order$arm)), height = 1.5 + 2 * nlevels(order$cell))
