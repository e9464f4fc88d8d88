launches <- first(read("launches.csv"), "panel")
boxes <- read("boxes.csv")
boxes <- droplevels(boxes[boxes$panel %in% levels(launches$panel), ])
compared <- read("ratio.csv")
side <- position_dodge(width = 0.75)
# An axis for the boxes of each panel: launches far beyond them are counted, and would flatten them.
top <- 1 + 1.6 * (tapply(boxes$high, boxes$panel, max) - 1)
launches$beyond <- launches$relative > pmax(top[as.character(launches$panel)], 1.02)
far <- launches[launches$beyond, ]
places <- boxes[c("panel", "size", "arm", "high")]  # all, so that texts stand where boxes stand
stars <- compared[!is.na(compared$stars), c("panel", "size", "arm", "stars")]
stars <- if (nrow(stars) == 0) stars else merge(places, stars, all.x = TRUE)
picture <- ggplot(boxes, aes(size, colour = arm, group = interaction(size, arm))) +
  geom_boxplot(aes(ymin = low, lower = q1, middle = median, upper = q3, ymax = high),
               stat = "identity", position = side, width = 0.6, na.rm = TRUE) +
  geom_point(aes(y = relative, shape = arm), launches[!launches$beyond, ], size = 0.8, alpha = 0.5,
             position = position_jitterdodge(jitter.width = 0.15, seed = 1)) +
  arms(launches) +
  panels(~ panel, launches, scales = "free") +
  labs(x = "message size", y = "median of the launch /\nsmallest of the size",
       caption = paste("a point is a launch; whiskers reach up to 1.5 boxes;",
                       "an arrow: launches beyond the axis, and how far the last one is"))
if (nrow(stars) > 0) picture <- picture +
  geom_text(aes(y = high, label = ifelse(is.na(stars), "", as.character(stars))), stars,
            position = side, vjust = -0.2, show.legend = FALSE)
if (nrow(far) > 0) {
  count <- aggregate(relative ~ panel + size + arm, far, length)
  count$far <- aggregate(relative ~ panel + size + arm, far, max)$relative
  count <- merge(places, count, all.x = TRUE)
  count$text <- ifelse(is.na(count$far), "", paste0("\u2191", count$relative, ": ", signif(count$far, 3)))
  picture <- picture + geom_text(aes(y = top[as.character(panel)], label = text), count,
    position = side, angle = 90, hjust = 1, size = 2.2, show.legend = FALSE)
}
room <- expansion(mult = c(0.05, 0.12))  # for asterisks
picture <- picture + if (max(boxes$high) > 4) scale_y_log10(expand = room) else scale_y_continuous(expand = room)
save(picture + theme(axis.text.x = element_text(angle = 45, hjust = 1)), "launches",
     width = 8, height = high(nlevels(launches$panel), each = 2.8))
