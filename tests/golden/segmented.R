# Writes stats_segmented.csv: the best divisions that R's strucchange 1.5 (Debian: r-cran-strucchange) finds, for
# tests/stats/model/segmented_test.cpp. Rscript tests/golden/segmented.R, a minute.
# A row of kind "points": sizes, times and variances of a case. Of kind "fit": the number of pieces, the weighted residual sum of squares
# and the last point (from 1) of every piece but the last one; the sum is once more by lm() over these pieces, to show how many digits agree.
suppressMessages(library(strucchange))
set.seed(20261128)
num <- function(v) paste(sprintf("%.17g", v), collapse = " ")
rows <- "kind,case,pieces,x,y,variance,rss,rss_lm,breaks"
# Sizes drawn log-uniformly, each once.
sizes <- function(n, from, to) sort(sample(unique(round(exp(runif(20 * n, log(from), log(to))))), n))
steps <- function(x, at, intercepts, slopes) {
  piece <- findInterval(x, at, left.open = TRUE) + 1
  intercepts[piece] + slopes[piece] * x
}
cases <- list()
add <- function(name, x, y, v, pieces) cases[[name]] <<- list(x = x, y = y, v = v, pieces = pieces)
x <- sizes(150, 1, 2^30)
y <- steps(x, c(64, 1420, 32768, 1e6), c(300, 500, 2000, 9000, 20000), c(1.5, .4, .3, .12, .1)) * exp(rnorm(150, 0, .02))
add("network", x, y, (.02 * y)^2, 11)
x <- sizes(120, 1024, 2^28)
y <- steps(x, c(32768, 1e6, 3e7), c(-20, -2e3, -1e6, -5e6), c(.02, .08, .2, .4)) + .05 * x * rnorm(120) * .2 + 40
add("memory", x, y, (abs(.02 * y) + 1)^2, 9)
x <- 1:80
add("equal", x, steps(x, c(20, 55), c(3, 30, 10), c(1, -.5, .2)) + rnorm(80), rep(1, 80), 7)
x <- sizes(60, 1, 2^20)
add("unequal", x, (500 + .3 * x) * exp(rnorm(60, 0, .05)), (500 + .3 * x)^2 * exp(rnorm(60, -6, 1.5)), 6)
x <- sizes(100, 1, 2^30)
add("quiet", x, steps(x, c(4096), c(300, 4000), c(.4, .1)) * (1 + 1e-6 * rnorm(100)), (1e-6 * x + 1e-4)^2, 5)
x <- sizes(490, 1, 2^24)
y <- steps(x, round(exp(seq(log(30), log(6e6), length.out = 11))), 300 * 1.6^(0:11), .8 * .8^(0:11)) * exp(rnorm(490, 0, .015))
add("large", x, y, (.015 * y)^2, 12)
for (name in names(cases)) {
  case <- cases[[name]]
  # As they are written: the fit is of these.
  case[c("x", "y", "v")] <- lapply(case[c("x", "y", "v")], function(v) as.numeric(sprintf("%.9g", v)))
  rows <- c(rows, paste("points", name, "", num(case$x), num(case$y), num(case$v), "", "", "", sep = ","))
  d <- data.frame(x = case$x, y = case$y, w = 1 / sqrt(case$v))
  n <- nrow(d)
  found <- breakpoints(I(y * w) ~ 0 + I(w) + I(x * w), data = d, h = 5, breaks = case$pieces - 1)
  for (pieces in 1:case$pieces) {
    breaks <- if (pieces == 1) integer(0) else breakpoints(found, breaks = pieces - 1)$breakpoints
    from <- c(1, breaks + 1)
    to <- c(breaks, n)
    rss <- sum(mapply(found$RSS, from, to))
    by_lm <- sum(mapply(function(a, b) sum(resid(lm(I(y * w) ~ 0 + I(w) + I(x * w), d[a:b, ]))^2), from, to))
    rows <- c(rows, paste("fit", name, pieces, "", "", "", num(rss), num(by_lm), paste(breaks, collapse = " "), sep = ","))
  }
}
writeLines(rows, file.path(dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE))), "stats_segmented.csv"))
