if (!requireNamespace("ggplot2", quietly = TRUE)) {
  message("this script needs ggplot2: install the Debian package r-cran-ggplot2")
  quit(save = "no", status = 1)
}
suppressPackageStartupMessages(library(ggplot2))
theme_set(theme_bw(base_size = 10) +
            theme(legend.position = "bottom", plot.margin = margin(6, 16, 6, 6),
                  strip.text = element_text(size = 7)))
here <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))
here <- if (length(here) == 1) dirname(gsub("~+~", " ", here, fixed = TRUE)) else "."
words <- c("panel", "size", "arm", "reference", "verdict", "decided", "regime", "factor", "level",
           "influence", "pairing", "method", "number", "in_arm", "stars")
every_arm <- character()  # in the campaign's order
read <- function(name) {  # numbers, and factors whose levels are in the order of the file
  data <- read.csv(file.path(here, "data", name), colClasses = "character", na.strings = "",
                   encoding = "UTF-8")
  if (name == "arms.csv") return(data)
  for (column in names(data)) data[[column]] <- if (column == "arm" && length(every_arm) > 0) {
    droplevels(factor(data[[column]], every_arm))
  } else if (column %in% words) {
    factor(data[[column]], unique(data[[column]]))
  } else as.numeric(data[[column]])
  if ("size" %in% names(data)) {
    data$size <- factor(data$size, unique(data$size[order(data$size_bytes)]))
    data$cell <- interaction(data$panel, data$size, sep = ", ", drop = TRUE, lex.order = TRUE)
  }
  data
}
not_drawn <- character()  # what the picture says of what it does not show
first <- function(data, column, most = 12) {  # set `most` higher to draw more panels
  every <- levels(droplevels(data[[column]]))
  drawn <- head(every, most)
  if (length(every) > most) {
    not_drawn <<- c(not_drawn, paste0(most, " of ", length(every), " ", column,
                                      "s are drawn, the data have all"))
    cat(tail(not_drawn, 1), "\n", sep = "")
  }
  droplevels(data[data[[column]] %in% drawn, , drop = FALSE])
}
time_text <- function(ns) ifelse(abs(ns) >= 999.5e6, paste(signif(ns / 1e9, 3), "s"),
  ifelse(abs(ns) >= 999.5e3, paste(signif(ns / 1e6, 3), "ms"),
         ifelse(abs(ns) >= 99.95 | ns == 0, paste(signif(ns / 1e3, 3), "\u00b5s"),
                paste(signif(ns, 3), "ns"))))
colours <- c("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
if (file.exists(file.path(here, "data", "arms.csv"))) every_arm <- read("arms.csv")$arm
look <- function(values) setNames(rep_len(values, length(every_arm)), every_arm)
columns_of <- function(labels, room = 100) {  # of a legend
  most <- max(1, min(length(labels), floor(room / (8 + max(nchar(labels))))))
  each <- length(labels) / length(unique(sub(", .*", "", labels)))  # levels of an arm: a line for it
  if (each > 1 && each == round(each) && each <= most) each else most
}
higher <- 0  # for lines of the legend and of the panels' titles
arms <- function(data, fill = guide) {  # an arm looks the same in every figure
  columns <- columns_of(levels(data$arm))
  higher <<- higher + 0.2 * (ceiling(nlevels(data$arm) / columns) - 1)
  guide <- guide_legend(ncol = columns, byrow = TRUE)
  list(scale_colour_manual(values = look(colours), guide = guide),
       scale_shape_manual(values = look(c(21, 24, 22, 23, 25)), guide = guide),
       scale_linetype_manual(values = look(c("solid", "dashed", "dotdash", "dotted")), guide = guide),
       scale_fill_manual(values = look(colours), na.value = "white", guide = fill))
}
panels <- function(facets, data, columns = 3, width = 34, ...) {
  titles <- unlist(lapply(all.vars(facets), function(name) levels(data[[name]])))
  lines <- max(0, lengths(strwrap(titles, width, simplify = FALSE)) - 1)
  rows <- ceiling(nlevels(data[[all.vars(facets)[1]]]) / columns)
  higher <<- higher + 0.13 * lines * rows
  facet_wrap(facets, ncol = columns, labeller = label_wrap_gen(width), ...)
}
save <- function(picture, name, width = 7, height = 4.5) {
  if (length(not_drawn) > 0) {
    higher <<- higher + 0.15 * length(not_drawn)
    told <- c(picture$labels$caption, not_drawn)
    picture <- picture + labs(caption = paste(told, collapse = "\n"))
  }
  for (type in c("pdf", "png")) {
    file <- file.path(here, paste0(name, ".", type))
    suppressMessages(ggsave(file, picture, width = width, height = height + higher, dpi = 300,
                            limitsize = FALSE,
                            device = if (type == "pdf") cairo_pdf else "png"))
    cat(file, "\n", sep = "")
  }
}
high <- function(panels, columns = 3, each = 2.3) 1.2 + each * ceiling(panels / columns)
