rows <- read(paste0(spec$name, ".csv"))
named <- function(values) {  # also what has no name
  values <- ifelse(is.na(values), "", as.character(values))
  factor(values, unique(values))
}
rows$panel <- named(rows$panel)
rows$series <- named(rows$series)
rows <- first(rows[!is.na(rows$y), ], "panel")
rows$series <- droplevels(rows$series)
interval <- any(!is.na(rows$low))
dense <- spec$joined && max(table(rows$series, rows$panel)) > 60
beside <- position_dodge(width = if (spec$x == "words") 0.5 else 0)
several <- nlevels(rows$series) > 1
guide <- if (several) guide_legend(ncol = columns_of(levels(rows$series))) else "none"
higher <- 0.2 * (ceiling(nlevels(rows$series) / columns_of(levels(rows$series))) - 1)
numbers <- function(x) format(if (x == round(x)) x else signif(x, 4), trim = TRUE, drop0trailing = TRUE, scientific = FALSE)
texts <- function(kind) if (kind == "time") time_text else Vectorize(function(x) if (is.na(x)) NA else numbers(x))
picture <- ggplot(rows, aes(x, y, colour = series, shape = series, linetype = series, group = series))
if (spec$y == "ratio") picture <- picture + geom_hline(yintercept = 1, linewidth = 0.3)
if (interval && dense) picture <- picture +
  geom_ribbon(aes(ymin = low, ymax = high, fill = series), colour = NA, alpha = 0.2, na.rm = TRUE)
if (interval && !dense) picture <- picture +
  geom_linerange(aes(ymin = low, ymax = high), linetype = "solid", position = beside, na.rm = TRUE)
if (spec$joined) picture <- picture + geom_line(linewidth = 0.4)
fitted <- spec$fit != ""
if (!dense) picture <- picture +
  geom_point(position = beside, fill = "white", size = if (fitted) 0.7 else 1.6, alpha = if (fitted) 0.7 else 1)
if (fitted) {  # a line beside the points, which breaks off between its pieces
  rows$part <- interaction(rows$series, if (spec$piece == "") 1 else rows[[spec$piece]])
  lines <- rows[!is.na(rows[[spec$fit]]), ]
  look <- aes(x, .data[[spec$fit]], linetype = series, group = part)
  picture <- picture + geom_line(look, lines, colour = "white", linewidth = 1, inherit.aes = FALSE) +
    geom_line(look, lines, colour = "black", linewidth = 0.5, inherit.aes = FALSE)
}
y_texts <- texts(spec$y)
picture <- picture +
  (if (spec$y_log) scale_y_log10(labels = y_texts) else scale_y_continuous(labels = y_texts)) +
  scale_colour_manual(values = rep_len(colours, nlevels(rows$series)), guide = guide) +
  scale_fill_manual(values = rep_len(colours, nlevels(rows$series)), guide = guide) +
  scale_shape_manual(values = rep_len(c(21, 24, 22, 23, 25), nlevels(rows$series)), guide = guide) +
  scale_linetype_manual(values = rep_len(c("solid", "dashed", "dotdash", "dotted"), nlevels(rows$series)),
                        guide = guide) +
  panels(~ panel, rows, scales = "free", columns = 2, width = 60) +
  labs(x = spec$x_title, y = spec$y_title, colour = NULL, fill = NULL, shape = NULL, linetype = NULL)
if (identical(levels(rows$panel), "")) {  # one, which has no name
  picture <- picture + theme(strip.text = element_blank(), strip.background = element_blank())
}
if (spec$x == "words") {
  picture <- picture + theme(axis.text.x = element_text(angle = 45, hjust = 1))
} else {
  at <- sort(unique(rows$x))
  if (length(at) > 8 || any(at != round(at))) at <- waiver()  # else ticks where there are values
  picture <- picture + if (spec$x_log) scale_x_log10(breaks = at, labels = texts(spec$x)) else
    scale_x_continuous(breaks = at, labels = texts(spec$x))
}
save(picture, spec$name, width = if (nlevels(rows$panel) > 1) 8 else 6,
     height = high(nlevels(rows$panel), columns = 2, each = 3))
