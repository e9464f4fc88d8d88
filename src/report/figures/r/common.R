suppressPackageStartupMessages(library(ggplot2))
theme_set(theme_bw(base_size = 10) + theme(legend.position = "bottom"))
here <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))
here <- if (length(here) == 1) dirname(gsub("~+~", " ", here, fixed = TRUE)) else "."
words <- c("panel", "size", "arm", "reference", "verdict", "decided", "regime", "factor", "level",
           "influence", "pairing", "method", "number")
read <- function(name) {  # numbers, and factors whose levels are in the order of the file
  data <- read.csv(file.path(here, "data", name), colClasses = "character", na.strings = "",
                   encoding = "UTF-8")
  for (column in names(data)) data[[column]] <- if (column %in% words) {
    factor(data[[column]], unique(data[[column]]))
  } else as.numeric(data[[column]])
  if ("size" %in% names(data)) {
    data$size <- factor(data$size, unique(data$size[order(data$size_bytes)]))
    data$cell <- interaction(data$panel, data$size, sep = ", ", drop = TRUE, lex.order = TRUE)
  }
  data
}
first <- function(data, column, most = 12) {  # set `most` higher to draw more panels
  drawn <- head(levels(droplevels(data[[column]])), most)
  left <- nlevels(droplevels(data[[column]])) - length(drawn)
  if (left > 0) cat(left, " more (", column, ") are in the data and not drawn\n", sep = "")
  droplevels(data[data[[column]] %in% drawn, , drop = FALSE])
}
time_text <- function(ns) ifelse(ns >= 999.5e3, paste(signif(ns / 1e6, 3), "ms"),
                                 paste(signif(ns / 1e3, 3), "us"))
colours <- c("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
arms <- function(data) {  # an arm has a colour and a symbol
  n <- nlevels(data$arm)
  list(scale_colour_manual(values = rep_len(colours, n), drop = FALSE),
       scale_shape_manual(values = rep_len(c(21, 24, 22, 23, 25), n), drop = FALSE))
}
save <- function(picture, name, width = 7, height = 4.5) {
  for (type in c("pdf", "png")) {
    file <- file.path(here, paste0(name, ".", type))
    suppressMessages(ggsave(file, picture, width = width, height = height, dpi = 150,
                            limitsize = FALSE,
                            device = if (type == "pdf") cairo_pdf else "png"))
    cat(file, "\n", sep = "")
  }
}
high <- function(panels, columns = 3, each = 2.3) 1.2 + each * ceiling(panels / columns)
