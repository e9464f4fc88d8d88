times <- first(read("times.csv"), "panel")
# Places on the logarithmic axis for what has no size, or none above 0.
no_size <- 2^-6
zero <- 2^-3
times$place <- ifelse(is.na(times$size_bytes), no_size, pmax(times$size_bytes, zero))
sizes <- sort(unique(times$place))
sized <- sizes[sizes >= 1]  # as many ticks as there is room for, all at sizes that were measured
sizes <- c(sizes[sizes < 1], sized[(seq_along(sized) - 1) %% (1 + length(sized) %/% 8) == 0])
size_text <- function(bytes) ifelse(bytes < 0.05, "no size", ifelse(bytes < 0.5, "0 B",
  ifelse(bytes < 1024, paste(round(bytes), "B"),
         ifelse(bytes < 1024^2, paste(signif(bytes / 1024, 4), "KiB"), paste(signif(bytes / 1024^2, 4), "MiB")))))
picture <- ggplot(times, aes(place, median_ns, colour = arm, shape = arm)) +
  geom_line(data = times[times$place >= 1, ], linewidth = 0.4) +
  geom_linerange(aes(ymin = low_ns, ymax = high_ns), na.rm = TRUE) +
  geom_point(fill = "white", size = 1.6) +
  scale_x_log10(breaks = sizes, labels = size_text) + scale_y_log10(labels = time_text) +
  arms(times) +
  panels(~ panel, times, scales = "free") +
  labs(x = "message size", y = "time of one call",
       caption = "time over launches with its 95 % interval")
save(picture, "times", width = 8, height = high(nlevels(times$panel), each = 2.6))
