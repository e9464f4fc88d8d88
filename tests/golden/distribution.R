# Writes stats_distribution.csv, R's answers for tests/stats/describe/distribution_test.cpp: Rscript distribution.R, in this folder.
# A row: what was asked, the case, its numbers in (lists separated by blanks), R's numbers out. Samples are those of
# stats_samples.csv ("one") and some of its own, which stand in rows of kind "sample".
num <- function(v) paste(sprintf("%.17g", as.double(v)), collapse = " ")
lines <- readLines("stats_samples.csv")
fields <- strsplit(lines[-1], ",", fixed = TRUE)
ones <- Filter(function(f) f[1] == "one", fields)
samples <- setNames(lapply(ones, function(f) as.numeric(strsplit(f[3], " ")[[1]])), vapply(ones, `[`, "", 2))
set.seed(1991)
round9 <- function(v) as.numeric(sprintf("%.9g", v))
own <- list(
  heaps = round9(c(rnorm(300, 500, 5), rnorm(200, 560, 8))),
  far_heap = round9(c(rnorm(450, 500, 5), rnorm(50, 2000, 30))),
  tail = round9(500 + rexp(1000) * 10 + ifelse(runif(1000) < 0.01, 5000 * rexp(1000), 0)),
  big = round9(exp(rnorm(5000, 6, 0.1))),
  steps = 10 * round(rnorm(800, 52, 1.5)))
out <- "kind,case,asked,answer"
add <- function(kind, case, asked, answer)
  out <<- c(out, paste(kind, case, num(asked), if (is.character(answer)) answer else num(answer), sep = ","))
for (s in names(own)) add("sample", s, own[[s]], "")
samples <- c(samples, own)

for (s in names(samples)) {
  x <- samples[[s]]
  n <- length(x)
  add("width", s, numeric(0), 2 * IQR(x) / n^(1 / 3))
  q <- quantile(x, c(.25, .75), names = FALSE)
  outer <- quantile(x, c(.025, .975), names = FALSE)
  pad <- .1 * diff(outer)
  add("central", s, numeric(0), c(max(min(x), min(outer[1] - pad, q[1] - 3 * diff(q))),
                                  min(max(x), max(outer[2] + pad, q[2] + 3 * diff(q)))))
  kept <- x[x >= q[1] - 1.5 * diff(q) & x <= q[2] + 1.5 * diff(q)]
  add("box", s, numeric(0), c(min(min(kept), q[1]), q[1], median(x), q[2], max(max(kept), q[2])))
  if (n < 2) next
  if (n <= 500) {
    line <- diff(q) / diff(qnorm(c(.25, .75)))
    add("qq", s, numeric(0), c(sort(qqnorm(x, plot.it = FALSE)$x)))
    add("qqline", s, numeric(0), c(q[1] - line * qnorm(.25), line))
    add("ecdf", s, sort(unique(x)), ecdf(x)(sort(unique(x))))
  }
  if (diff(range(x)) == 0) next
  add("nrd0", s, numeric(0), bw.nrd0(x))
  # Far from 0 R counts in bins that overflow, and around it in one of double width.
  sj <- tryCatch(suppressWarnings(bw.SJ(x - min(x), nb = 1000, method = "ste", tol = 1e-9 * bw.nrd0(x))), error = function(e) NULL)
  if (!is.null(sj)) add("sj", s, numeric(0), sj)
  # The estimate as it is defined; R's density() rounds to a grid of its own.
  h <- bw.nrd0(x)
  at <- seq(min(x) - h, max(x) + h, length.out = 25)
  add("density", s, c(h, at[1], at[25]), vapply(at, function(a) mean(dnorm(a, x, h)), 0))
}
writeLines(out, "stats_distribution.csv")
