values <- read("reproducibility.csv")
boxes <- read("reproducibility_box.csv")
values$method <- factor(values$method, rev(levels(values$method)))
boxes$method <- factor(boxes$method, levels(values$method))
picture <- ggplot(values, aes(y = method)) +
  geom_boxplot(aes(xmin = low, xlower = q1, xmiddle = median, xupper = q3, xmax = high), boxes,
               stat = "identity") +
  geom_point(aes(x = normalised), position = position_jitter(height = 0.15, width = 0, seed = 1),
             size = 0.7, alpha = 0.4, colour = colours[1], na.rm = TRUE) +
  facet_wrap(~ number, scales = "free_x") +
  labs(x = "value of a repeat / least of all repeats", y = NULL,
       caption = "a point is a cell and arm in one repeat of the campaign; 1 is the best there is")
if (max(values$normalised, na.rm = TRUE) > 4) picture <- picture + scale_x_log10()
save(picture, "reproducibility", width = 8, height = 1.5 + 0.35 * nlevels(values$method))
