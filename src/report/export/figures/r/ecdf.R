ecdf <- first(read("ecdf.csv"), "cell")
tail <- read("tail.csv")
tail <- droplevels(tail[tail$cell %in% levels(ecdf$cell), ])
both <- rbind(
  data.frame(ecdf[c("cell", "arm", "ns")], y = ecdf$share, part = "share of the observations"),
  data.frame(tail[c("cell", "arm", "ns")], y = log10(tail$beyond), part = "log10 of the share beyond"))
both$part <- factor(both$part, unique(both$part))
picture <- ggplot(both, aes(ns, y, colour = arm, linetype = arm)) +
  geom_step(linewidth = 0.5) +
  scale_x_log10(labels = time_text) + arms(ecdf) +
  panels(~ cell + part, ecdf, scales = "free", columns = 4) +
  labs(x = "time of one call", y = NULL,
       caption = "of every cell: the distribution function, and the tail beyond each time")
save(picture, "ecdf", width = 11, height = high(2 * nlevels(ecdf$cell), columns = 4, each = 2.4))
