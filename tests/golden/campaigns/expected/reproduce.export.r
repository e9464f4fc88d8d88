$ invar export reproduce --to r -o figures && contents figures
figures: reproducibility.R, reproducibility-sizes.R
=== figures/README.txt
Figures of the campaign reproduce, exported by invar 0.1.0

Between 3 repeats invar's times differ by 1.9 % in the median cell, its ratios by 3.4 %; the times
that one run reports: osu's by 11 % (same time: 11 %), imb's by 1756 % (same time: 1756 %) and
skampi's by 9.3 % (same time: 9.3 %); no verdicts of invar contradict each other.

State of the campaign: complete.
look at: the campaigns do not speak of one regime of the machine (reproduce/01/invar at 218ns:362ns,
         reproduce/02/invar over everything, reproduce/03/invar at 218ns:362ns): their ratios differ
         by that as well
look at: not 3.0 s but (median of a repeat) invar 5.7 s, osu 2.3 s, imb 2.2 s and skampi 2.2 s: of a
         short budget the first launches tell too little, and a campaign may ask for a number of
         launches of its own

Needs R with ggplot2 (Debian: r-base-core and r-cran-ggplot2).
Rscript ratio.R, from any directory, writes ratio.pdf and ratio.png beside the script.

reproducibility.R: Numbers of every method over repeats of a campaign, each over the least of its
                   repeats.
reproducibility-sizes.R: The same numbers by message size, a box a method.

Data, one row a thing that is drawn. An empty field: the value does not exist.

data/reproducibility.csv
  panel: operation and factors of the cell
  size_bytes: message size, bytes; empty: an operation without one
  size: the same with a unit
  method: whose numbers these are
  number: time or ratio
  arm: label of the arm
  repeat: of the campaign, from 1
  value: time in ns, or ratio to the first arm
  normalised: value / least of all repeats

data/reproducibility_box.csv
  method: whose numbers these are
  number: time or ratio
  low: end of the lower whisker, value / least of all repeats
  q1: first quartile
  median: of all cells and arms that have a value in every repeat
  q3: third quartile
  high: end of the upper whisker
=== figures/data/reproducibility.csv
panel,size_bytes,size,method,number,arm,repeat,value,normalised
"bcast, 2 ranks",8,8 B,invar,time,openmpi,1,301.88920716326567,1.0339232225366055
"bcast, 2 ranks",8,8 B,invar,time,openmpi,2,291.98416341071925,1
"bcast, 2 ranks",8,8 B,invar,time,openmpi,3,298.86252381554755,1.0235573064116934
"bcast, 2 ranks",8,8 B,invar,time,mpich,1,407.09903349337435,1.0038995140813318
"bcast, 2 ranks",8,8 B,invar,time,mpich,2,405.5177114672782,1
"bcast, 2 ranks",8,8 B,invar,time,mpich,3,406.68324067477334,1.0028741758363104
"bcast, 2 ranks",8,8 B,invar,ratio,mpich,1,1.358827925425805,1
"bcast, 2 ranks",8,8 B,invar,ratio,mpich,2,1.404864705364858,1.0338797717338837
"bcast, 2 ranks",8,8 B,invar,ratio,mpich,3,1.3648979620606172,1.0044671120759532
"bcast, 2 ranks",8,8 B,"osu, one run",time,openmpi,1,325.267,1.0096677815630797
"bcast, 2 ranks",8,8 B,"osu, one run",time,openmpi,2,334.5135,1.0383700266178286
"bcast, 2 ranks",8,8 B,"osu, one run",time,openmpi,3,322.1525,1
"bcast, 2 ranks",8,8 B,"osu, one run",time,mpich,1,272.98649399999994,1.1795511528342115
"bcast, 2 ranks",8,8 B,"osu, one run",time,mpich,2,235.92299749999995,1.0194029733984855
"bcast, 2 ranks",8,8 B,"osu, one run",time,mpich,3,231.43251849999996,1
"bcast, 2 ranks",8,8 B,"osu, one run",ratio,mpich,1,0.8392689513538106,1.1899933339847169
"bcast, 2 ranks",8,8 B,"osu, one run",ratio,mpich,2,0.7052719770652005,1
"bcast, 2 ranks",8,8 B,"osu, one run",ratio,mpich,3,0.7183942961796043,1.0186060407064643
"bcast, 2 ranks",8,8 B,"osu, same time",time,openmpi,1,325.267,1.0096677815630797
"bcast, 2 ranks",8,8 B,"osu, same time",time,openmpi,2,334.5135,1.0383700266178286
"bcast, 2 ranks",8,8 B,"osu, same time",time,openmpi,3,322.1525,1
"bcast, 2 ranks",8,8 B,"osu, same time",time,mpich,1,272.98649399999994,1.1795511528342115
"bcast, 2 ranks",8,8 B,"osu, same time",time,mpich,2,235.92299749999995,1.0194029733984855
"bcast, 2 ranks",8,8 B,"osu, same time",time,mpich,3,231.43251849999996,1
"bcast, 2 ranks",8,8 B,"osu, same time",ratio,mpich,1,0.8392689513538106,1.1899933339847169
"bcast, 2 ranks",8,8 B,"osu, same time",ratio,mpich,2,0.7052719770652005,1
"bcast, 2 ranks",8,8 B,"osu, same time",ratio,mpich,3,0.7183942961796043,1.0186060407064643
"bcast, 2 ranks",8,8 B,"imb, one run",time,openmpi,1,325.084,1
"bcast, 2 ranks",8,8 B,"imb, one run",time,openmpi,2,362.4305,1.114882614954904
"bcast, 2 ranks",8,8 B,"imb, one run",time,openmpi,3,363.05800267359774,1.1168128935093629
"bcast, 2 ranks",8,8 B,"imb, one run",time,mpich,1,229.93949550000016,1
"bcast, 2 ranks",8,8 B,"imb, one run",time,mpich,2,8280.42388972478,36.0113162452545
"bcast, 2 ranks",8,8 B,"imb, one run",time,mpich,3,244.8834989999999,1.064991024997703
"bcast, 2 ranks",8,8 B,"imb, one run",ratio,mpich,1,0.7073233241254573,1.04865944153076
"bcast, 2 ranks",8,8 B,"imb, one run",ratio,mpich,2,22.846928969070703,33.87227164185682
"bcast, 2 ranks",8,8 B,"imb, one run",ratio,mpich,3,0.6745024133792721,1
"bcast, 2 ranks",8,8 B,"imb, same time",time,openmpi,1,325.084,1
"bcast, 2 ranks",8,8 B,"imb, same time",time,openmpi,2,362.4305,1.114882614954904
"bcast, 2 ranks",8,8 B,"imb, same time",time,openmpi,3,363.05800267359774,1.1168128935093629
"bcast, 2 ranks",8,8 B,"imb, same time",time,mpich,1,229.93949550000016,1
"bcast, 2 ranks",8,8 B,"imb, same time",time,mpich,2,8280.42388972478,36.0113162452545
"bcast, 2 ranks",8,8 B,"imb, same time",time,mpich,3,244.8834989999999,1.064991024997703
"bcast, 2 ranks",8,8 B,"imb, same time",ratio,mpich,1,0.7073233241254573,1.04865944153076
"bcast, 2 ranks",8,8 B,"imb, same time",ratio,mpich,2,22.846928969070703,33.87227164185682
"bcast, 2 ranks",8,8 B,"imb, same time",ratio,mpich,3,0.6745024133792721,1
"bcast, 2 ranks",8,8 B,"skampi, one run",time,openmpi,1,299.9549411764706,1.1349086005387399
"bcast, 2 ranks",8,8 B,"skampi, one run",time,openmpi,2,268.0998823529412,1.0143818971355727
"bcast, 2 ranks",8,8 B,"skampi, one run",time,openmpi,3,264.2987647058823,1
"bcast, 2 ranks",8,8 B,"skampi, one run",time,mpich,1,402.44382352941176,1
"bcast, 2 ranks",8,8 B,"skampi, one run",time,mpich,2,413.30347058823526,1.0269842557492495
"bcast, 2 ranks",8,8 B,"skampi, one run",time,mpich,3,422.9414705882353,1.0509329398549596
"bcast, 2 ranks",8,8 B,"skampi, one run",ratio,mpich,1,1.3416809269784442,1
"bcast, 2 ranks",8,8 B,"skampi, one run",ratio,mpich,2,1.5416025809520504,1.1490083446470714
"bcast, 2 ranks",8,8 B,"skampi, one run",ratio,mpich,3,1.600240058098244,1.1927128320308558
"bcast, 2 ranks",8,8 B,"skampi, same time",time,openmpi,1,299.9549411764706,1.1349086005387399
"bcast, 2 ranks",8,8 B,"skampi, same time",time,openmpi,2,268.0998823529412,1.0143818971355727
"bcast, 2 ranks",8,8 B,"skampi, same time",time,openmpi,3,264.2987647058823,1
"bcast, 2 ranks",8,8 B,"skampi, same time",time,mpich,1,402.44382352941176,1
"bcast, 2 ranks",8,8 B,"skampi, same time",time,mpich,2,413.30347058823526,1.0269842557492495
"bcast, 2 ranks",8,8 B,"skampi, same time",time,mpich,3,422.9414705882353,1.0509329398549596
"bcast, 2 ranks",8,8 B,"skampi, same time",ratio,mpich,1,1.3416809269784442,1
"bcast, 2 ranks",8,8 B,"skampi, same time",ratio,mpich,2,1.5416025809520504,1.1490083446470714
"bcast, 2 ranks",8,8 B,"skampi, same time",ratio,mpich,3,1.600240058098244,1.1927128320308558
"bcast, 2 ranks",8,8 B,"reprompi, one run",time,openmpi,1,320.3845,1.089600511497644
"bcast, 2 ranks",8,8 B,"reprompi, one run",time,openmpi,2,294.0385,1
"bcast, 2 ranks",8,8 B,"reprompi, one run",time,openmpi,3,301.154,1.0241992120079513
"bcast, 2 ranks",8,8 B,"reprompi, one run",time,mpich,1,396.154,1.0157794871794872
"bcast, 2 ranks",8,8 B,"reprompi, one run",time,mpich,2,399.231,1.0236692307692308
"bcast, 2 ranks",8,8 B,"reprompi, one run",time,mpich,3,390,1
"bcast, 2 ranks",8,8 B,"reprompi, one run",ratio,mpich,1,1.2364955233477275,1
"bcast, 2 ranks",8,8 B,"reprompi, one run",ratio,mpich,2,1.3577507707324041,1.098063636378065
"bcast, 2 ranks",8,8 B,"reprompi, one run",ratio,mpich,3,1.2950184955205641,1.0473297080885418
"bcast, 2 ranks",8,8 B,"reprompi, same time",time,openmpi,1,304.4873333333333,1.0569644823175273
"bcast, 2 ranks",8,8 B,"reprompi, same time",time,openmpi,2,300.513,1.043168410315986
"bcast, 2 ranks",8,8 B,"reprompi, same time",time,openmpi,3,288.07716666666664,1
"bcast, 2 ranks",8,8 B,"reprompi, same time",time,mpich,1,402.436,1
"bcast, 2 ranks",8,8 B,"reprompi, same time",time,mpich,2,402.69266666666664,1.0006377825708104
"bcast, 2 ranks",8,8 B,"reprompi, same time",time,mpich,3,402.5643333333333,1.0003188912854053
"bcast, 2 ranks",8,8 B,"reprompi, same time",ratio,mpich,1,1.3216838795702504,1
"bcast, 2 ranks",8,8 B,"reprompi, same time",ratio,mpich,2,1.3400174590339409,1.0138713800985844
"bcast, 2 ranks",8,8 B,"reprompi, same time",ratio,mpich,3,1.3974184000467467,1.057301539079921
=== figures/data/reproducibility_box.csv
method,number,low,q1,median,q3,high
invar,time,1,1.0007185439590776,1.003386844958821,1.018642858329103,1.0339232225366055
invar,ratio,1,1.0022335560379765,1.0044671120759532,1.0191734419049183,1.0338797717338837
"osu, one run",time,1,1.0024169453907699,1.0145353774807826,1.033628263312993,1.0383700266178286
"osu, one run",ratio,1,1.009303020353232,1.0186060407064643,1.1042996873455906,1.1899933339847169
"osu, same time",time,1,1.0024169453907699,1.0145353774807826,1.033628263312993,1.0383700266178286
"osu, same time",ratio,1,1.009303020353232,1.0186060407064643,1.1042996873455906,1.1899933339847169
"imb, one run",time,1,1.0162477562494256,1.0899368199763035,1.116330323870748,1.1168128935093629
"imb, one run",ratio,1,1.02432972076538,1.04865944153076,17.46046554169379,33.87227164185682
"imb, same time",time,1,1.0162477562494256,1.0899368199763035,1.116330323870748,1.1168128935093629
"imb, same time",ratio,1,1.02432972076538,1.04865944153076,17.46046554169379,33.87227164185682
"skampi, one run",time,1,1.0035954742838933,1.020683076442411,1.0449457688285322,1.0509329398549596
"skampi, one run",ratio,1,1.0745041723235356,1.1490083446470714,1.1708605883389636,1.1927128320308558
"skampi, same time",time,1,1.0035954742838933,1.020683076442411,1.0449457688285322,1.0509329398549596
"skampi, same time",ratio,1,1.0745041723235356,1.1490083446470714,1.1708605883389636,1.1927128320308558
"reprompi, one run",time,1,1.0039448717948718,1.019724358974359,1.0240667166982713,1.0241992120079513
"reprompi, one run",ratio,1,1.023664854044271,1.0473297080885418,1.0726966722333033,1.098063636378065
"reprompi, same time",time,1,1.0000797228213514,1.0004783369281078,1.032535753379692,1.0569644823175273
"reprompi, same time",ratio,1,1.0069356900492923,1.0138713800985844,1.0355864595892528,1.057301539079921
=== figures/reproducibility-sizes.R
# The same numbers by message size, a box a method.
# Campaign reproduce; exported by invar 0.1.0; data: data/reproducibility.csv
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

values <- read("reproducibility.csv")
values <- values[!is.na(values$normalised), ]
values$part <- interaction(values$number, values$panel, sep = ", ", drop = TRUE, lex.order = TRUE)
values <- first(values, "part")
picture <- ggplot(values, aes(size, normalised, colour = method)) +
  geom_boxplot(outlier.size = 0.6, width = 0.6) +
  scale_colour_manual(values = rep_len(colours, nlevels(values$method)),
                      guide = guide_legend(ncol = columns_of(levels(values$method)))) +
  panels(~ part, values, scales = "free", columns = 2) +
  labs(x = "message size", y = "value of a repeat / least of all repeats", colour = NULL,
       caption = "a box: all repeats and arms of a size; 1 is the best there is")
if (max(values$normalised) > 4) picture <- picture + scale_y_log10()
save(picture + theme(axis.text.x = element_text(angle = 45, hjust = 1)), "reproducibility-sizes",
     width = 9, height = high(nlevels(values$part), columns = 2, each = 2.8))
=== figures/reproducibility.R
# Numbers of every method over repeats of a campaign, each over the least of its repeats.
# Campaign reproduce; exported by invar 0.1.0; data: data/reproducibility.csv data/reproducibility_box.csv
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
--- exit 0
