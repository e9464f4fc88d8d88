times <- read("times.csv")
times <- first(droplevels(times[!is.na(times$size_bytes) & times$size_bytes > 0, ]), "panel")
sizes <- 2^seq(0, 40, by = if (max(times$size_bytes) > 1024) 4 else 2)
size_text <- function(bytes) ifelse(bytes < 1024, paste(bytes, "B"),
  ifelse(bytes < 1024^2, paste(bytes / 1024, "KiB"), paste(bytes / 1024^2, "MiB")))
picture <- ggplot(times, aes(size_bytes, median_ns, colour = arm, shape = arm)) +
  geom_line(linewidth = 0.4) +
  geom_errorbar(aes(ymin = low_ns, ymax = high_ns), width = 0.05, na.rm = TRUE) +
  geom_point(fill = "white", size = 1.6) +
  scale_x_log10(breaks = sizes, labels = size_text) + scale_y_log10(labels = time_text) +
  arms(times) +
  facet_wrap(~ panel, scales = "free", ncol = 3) +
  labs(x = "message size", y = "time of one call",
       caption = "time over launches with its 95 % interval")
save(picture, "times", width = 8, height = high(nlevels(times$panel), each = 2.6))
