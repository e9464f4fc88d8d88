power <- read("power.csv")
power$groups <- factor(power$groups)
picture <- ggplot(power, aes(100 * effect, 100 * found, colour = groups, shape = groups)) +
  geom_hline(aes(yintercept = 100 * alpha), linetype = "dashed", linewidth = 0.3) +
  geom_line() + geom_point(fill = "white", size = 2) +
  scale_colour_manual(values = rep_len(colours, nlevels(power$groups))) +
  scale_shape_manual(values = rep_len(c(21, 24, 22, 23, 25), nlevels(power$groups))) +
  coord_cartesian(ylim = c(0, 100)) +
  facet_wrap(~ pairing) +
  labs(x = "planted delay, % of the time of a call", y = "found, % of the tables",
       colour = "launch groups", shape = "launch groups",
       caption = "at 0: false verdicts, % of the cells; dashed: alpha")
save(picture, "power", width = 8, height = 4)
