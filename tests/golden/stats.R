# Makes stats_*.csv, the answers of R (4.2.2) that tests/stats compares with: Rscript stats.R, in
# this folder. Numbers have 17 digits; lists are separated by blanks; what does not exist is an
# empty field. The samples are in stats_samples.csv, the other files name them. Where R's own answer
# is only approximate (root finding, a series cut at 1e-6) tighter tolerances are asked of it.

num <- function(v) {
  v <- as.double(v)
  text <- ifelse(is.infinite(v), ifelse(v > 0, "inf", "-inf"), sprintf("%.17g", v))
  paste(ifelse(is.na(v), "", text), collapse = " ")
}
rows <- list()
row <- function(...) rows[[length(rows) + 1]] <<- vapply(list(...), function(f) {
  if (is.character(f)) f
  else if (is.logical(f) && !anyNA(f)) as.character(as.integer(f))
  else num(f)
}, "")
save <- function(name, columns) {
  text <- c(paste(columns, collapse = ","), vapply(rows, paste, "", collapse = ","))
  writeLines(text, paste0("stats_", name, ".csv"))
  rows <<- list()
}

set.seed(20161121)
times <- function(n, mu = 0) exp(rnorm(n, mu, 0.2)) * 1000      # skewed, no ties
ticks <- function(n, mu = 20) 10 * round(rgamma(n, 4, scale = mu / 4)) # steps of 10, many ties

one_sample <- list(
  single = 3.5, pair = c(1.25, -7), three = c(0.1, 0.2, 0.4), constant = rep(4, 6),
  two_values = c(1, 1, 1, 2), six = times(6), seven = times(7), thirty = times(30),
  fortynine = times(49), fifty = times(50), sixty = times(60), ties10 = ticks(10),
  ties30 = ticks(30), ties200 = ticks(200), large = times(500), negative = rnorm(25),
  zeros = c(0, 0, 1.5, -2.5, 3.25, 4, -0.5, 7), tied_zeros = c(0, 1, -1, 2, 2, -3, 0, 5, 5, 6),
  outliers = c(times(20), 9e4, 1e-3), heavy = rcauchy(40), tiny = rnorm(12) * 1e-9,
  offset = 1e9 + rnorm(15))

two_samples <- list(
  one_one = list(1, 2), one_two = list(3, c(1, 2)), two_two = list(c(1, 2), c(3, 4)),
  three_three = list(times(3), times(3, 1)), three_four = list(c(1, 5, 9), c(2, 3, 4, 5.5)),
  four_four = list(times(4), times(4)), five_five = list(times(5), times(5, 1)),
  ten_ten = list(times(10), times(10, 0.1)), thirty_thirty = list(times(30), times(30, 0.05)),
  apart = list(times(30), times(30, 3)), unequal = list(times(5), times(40, 0.2)),
  unequal_back = list(times(40, 0.2), times(5)), fortynine = list(times(49), times(49, 0.1)),
  fifty = list(times(50), times(49, 0.1)), large = list(times(200), times(300, 0.02)),
  ties = list(ticks(10), ticks(12)), ties_small = list(c(1, 2, 2), c(2, 3)),
  ties_large = list(ticks(100), ticks(80, 24)), ties_across = list(c(1, 2, 3, 4), c(4, 5, 6, 7)),
  constant = list(rep(2, 5), rep(2, 7)), constants = list(rep(2, 5), rep(3, 4)),
  far_tail = list(1:49 + 0.5, 100 + 1:49), middle = list(c(1, 4), c(2, 3)),
  tied_within = list(c(rep(5, 30), 10 * sin(1:10)), 9 * cos(1:45)))

for (s in names(one_sample)) row("one", s, one_sample[[s]], "")
for (s in names(two_samples)) row("two", s, two_samples[[s]][[1]], two_samples[[s]][[2]])
save("samples", c("kind", "case", "x", "y"))

# --- quantile, summary ------------------------------------------------------------------------
for (s in names(one_sample)) for (p in c(0, 0.01, 0.05, 0.25, 1 / 3, 0.5, 0.75, 0.9, 0.975, 1))
  row(s, p, quantile(one_sample[[s]], p, type = 7, names = FALSE))
save("quantile", c("case", "probability", "value"))

for (s in names(one_sample)) {
  x <- one_sample[[s]]
  q <- quantile(x, c(0.25, 0.75), type = 7, names = FALSE)
  reach <- 1.5 * (q[2] - q[1])
  kept <- x[x >= q[1] - reach & x <= q[2] + reach]
  r <- if (length(x) > 2 && diff(range(x)) > 0) acf(x, lag.max = 1, plot = FALSE)$acf[2] else NA
  row(s, mean(x), if (length(x) > 1) var(x) else NA, median(x), q[1], q[2], kept, r)
}
save("summary", c("case", "mean", "variance", "median", "q1", "q3", "kept", "lag1"))

# --- Wilcoxon ---------------------------------------------------------------------------------
alternatives <- c("two.sided", "less", "greater")

quiet <- function(e) suppressWarnings(e)
for (s in names(two_samples)) for (a in alternatives) for (exact in list(NULL, FALSE)) {
  x <- two_samples[[s]][[1]]; y <- two_samples[[s]][[2]]
  t <- quiet(wilcox.test(x, y, alternative = a, exact = exact))
  row("rank_sum", s, 0, a, is.null(exact), t$statistic, t$p.value, grepl("exact", t$method))
}
for (s in names(one_sample)) for (a in alternatives) for (exact in list(NULL, FALSE))
for (mu in c(0, 1000)) {
  x <- one_sample[[s]]
  t <- quiet(wilcox.test(x, mu = mu, alternative = a, exact = exact))
  row("signed_rank", s, mu, a, is.null(exact), t$statistic, t$p.value, grepl("exact", t$method))
}
save("wilcoxon", c("kind", "case", "mu", "alternative", "automatic", "statistic", "p", "exact"))

# --- Hodges-Lehmann ---------------------------------------------------------------------------
# The estimate is the median of the averages or differences by definition; R's own is that only in
# the exact case, and the root of a step function in the other. An interval that R gives with less
# confidence than asked does not exist here; of small misses R does not tell.
ends_of <- function(t, smallest_p, confidence) {
  exact <- grepl("exact", t$method)
  reached <- attr(t$conf.int, "conf.level")
  missed <- if (exact) smallest_p > (1 - confidence) + 1e-12
            else any(is.nan(t$conf.int)) || reached < confidence - 1e-9
  if (missed) c(NA, NA) else t$conf.int
}
for (s in c("single", "pair", "three", "six", "seven", "thirty", "fortynine", "fifty", "sixty",
            "ties10", "ties30", "ties200", "negative", "large"))
for (confidence in c(0.8, 0.9, 0.95, 0.96875, 0.99)) {
  x <- one_sample[[s]]
  t <- quiet(wilcox.test(x, conf.int = TRUE, conf.level = confidence, tol.root = 1e-12))
  averages <- outer(x, x, `+`)
  averages <- averages[!lower.tri(averages)] / 2
  ends <- ends_of(t, 2^(1 - length(x)), confidence)
  row("one", s, confidence, median(averages), ends[1], ends[2], grepl("exact", t$method))
}
for (s in c("one_one", "one_two", "two_two", "three_three", "three_four", "five_five", "ten_ten",
            "thirty_thirty", "unequal", "unequal_back", "fortynine", "fifty", "large",
            "ties_large", "tied_within"))
for (confidence in c(0.8, 0.9, 0.925, 0.95, 0.99)) {
  x <- two_samples[[s]][[1]]; y <- two_samples[[s]][[2]]
  t <- quiet(wilcox.test(x, y, conf.int = TRUE, conf.level = confidence, tol.root = 1e-12))
  ends <- ends_of(t, 2 / choose(length(x) + length(y), length(x)), confidence)
  row("two", s, confidence, median(outer(x, y, `-`)), ends[1], ends[2], grepl("exact", t$method))
}
save("hodges_lehmann", c("kind", "case", "confidence", "estimate", "low", "high", "exact"))

# --- Student ----------------------------------------------------------------------------------
t_row <- function(kind, s, a, mu, confidence, call) {
  t <- tryCatch(call(), error = function(e) NULL)
  # R gives a one-sample test of one value no variance and stops; constant data likewise.
  if (is.null(t)) row(kind, s, a, mu, confidence, "", "", "", "", "", "")
  else row(kind, s, a, mu, confidence, t$statistic, t$parameter, t$p.value, t$stderr,
           t$conf.int[1], t$conf.int[2])
}
for (s in names(one_sample)) for (a in alternatives) for (mu in c(0, 950)) {
  x <- one_sample[[s]]
  t_row("one", s, a, mu, 0.95, function() t.test(x, mu = mu, alternative = a))
}
for (s in names(two_samples)) for (a in alternatives) for (level in c(0.9, 0.99)) {
  x <- two_samples[[s]][[1]]; y <- two_samples[[s]][[2]]
  ask <- function(...) t.test(x, y, alternative = a, conf.level = level, ...)
  t_row("welch", s, a, 0, level, function() ask())
  t_row("pooled", s, a, 1.5, level, function() ask(mu = 1.5, var.equal = TRUE))
  if (length(x) == length(y)) t_row("paired", s, a, 0, level, function() ask(paired = TRUE))
}
save("t_test", c("kind", "case", "alternative", "mu", "confidence", "statistic", "df", "p", "se",
                 "low", "high"))

for (df in c(1, 2, 2.5, 4, 9, 29, 100, 1e4))
for (p in c(1e-10, 1e-4, 0.0005, 0.025, 0.1, 0.5, 0.8, 0.975, 0.99999))
  row(p, df, qt(p, df))
save("t_quantile", c("probability", "df", "value"))

# --- Kolmogorov-Smirnov -----------------------------------------------------------------------
# "less" is asked as "greater" with the samples exchanged: the same statistic, and the same p-value
# where R 4.2 is right (its one-sided p-value with ties and unequal sizes uses the order of ties of
# the other direction). The asymptotic two-sided p-value comes from R's own series, summed to 1e-16
# instead of 1e-6.
for (s in names(two_samples)) for (a in alternatives) for (exact in list(NULL, FALSE)) {
  x <- two_samples[[s]][[1]]; y <- two_samples[[s]][[2]]
  t <- quiet(if (a == "less") ks.test(y, x, alternative = "greater", exact = exact)
             else ks.test(x, y, alternative = a, exact = exact))
  d <- unname(t$statistic)
  p <- t$p.value
  if (!t$exact && a == "two.sided") {
    scaled <- sqrt(length(x) * length(y) / (length(x) + length(y))) * d
    precise <- 1 - .Call(stats:::C_pKS2, p = scaled, tol = 1e-16)
    stopifnot(abs(precise - p) < 1e-5)
    p <- precise
  }
  row(s, a, is.null(exact), d, p, t$exact)
}
save("kolmogorov_smirnov", c("case", "alternative", "automatic", "statistic", "p", "exact"))

# --- multiplicity -----------------------------------------------------------------------------
families <- list(
  single = 0.03, two = c(0.04, 0.02), equal = rep(0.05, 5), ordered = (1:10) / 200,
  mixed = c(0.01, 0.8, 0.03, 0.002, 0.5), absent = c(0.01, NA, 0.04, NA, 0.02),
  only_absent = c(NA_real_, NA), edges = c(0, 1, 1, 0.5), tiny = c(1e-300, 1e-20, 1e-8),
  large = runif(300)^2)
absent <- function(v) paste(ifelse(is.na(v), "NA", sprintf("%.17g", v)), collapse = " ")
for (f in names(families)) {
  p <- families[[f]]
  row(f, absent(p), absent(p.adjust(p, "holm")), absent(p.adjust(p, "BH")))
}
save("adjust", c("case", "p", "holm", "bh"))

# --- ratios with a direction and a margin -----------------------------------------------------
# d are logs of ratios; the null hypothesis is ratio <= 1 + margin (greater), ratio >= 1 / (1 +
# margin) (less). R gives the end of the interval on the side of the claim.
margins <- c(0, 0.02, 0.1, 0.5)
side_of <- function(a, margin) if (a == "greater") log1p(margin) else -log1p(margin)
margin_row <- function(kind, s, a, margin, level, ask) {
  t <- ask(a, side_of(a, margin), level)
  other <- ask(if (a == "greater") "less" else "greater", 0, level)
  ends <- exp(if (a == "greater") c(t$conf.int[1], other$conf.int[2])
              else c(other$conf.int[1], t$conf.int[2]))
  row(kind, s, a, margin, level, t$statistic, t$parameter, t$p.value, ends[1], ends[2])
}
for (a in c("less", "greater")) for (margin in margins) for (level in c(0.9, 0.95, 0.9925)) {
  for (s in c("six", "seven", "thirty", "fortynine", "sixty")) {
    d <- log(one_sample[[s]] / 1000)
    margin_row("paired", s, a, margin, level,
               function(a, mu, level) t.test(d, alternative = a, mu = mu, conf.level = level))
  }
  for (s in c("three_three", "five_five", "ten_ten", "thirty_thirty", "unequal", "unequal_back")) {
    x <- log(two_samples[[s]][[1]]); y <- log(two_samples[[s]][[2]])
    margin_row("unpaired", s, a, margin, level,
               function(a, mu, level) t.test(x, y, alternative = a, mu = mu, conf.level = level))
  }
}
save("margin", c("kind", "case", "alternative", "margin", "confidence", "statistic", "df", "p",
                 "low", "high"))

# One table of tests with mixed directions: p by t.test, then p.adjust over all of them.
mixed <- list(list("two.sided", 0, "six"), list("greater", 0.02, "seven"),
              list("less", 0, "thirty"), list("greater", 0, "thirty"),
              list("two.sided", 0, "fortynine"), list("less", 0.1, "sixty"),
              list("greater", 0, "six"), list("less", 0.02, "fortynine"))
shift <- c(0.3, 0.25, -0.2, 0.1, 0.02, -0.05, 0.4, -0.01)
p <- vapply(seq_along(mixed), function(i) {
  q <- mixed[[i]]
  mu <- if (q[[1]] == "two.sided") 0 else side_of(q[[1]], q[[2]])
  t.test(log(one_sample[[q[[3]]]] / 1000) + shift[i], alternative = q[[1]], mu = mu)$p.value
}, 0)
for (i in seq_along(mixed))
  row(mixed[[i]][[3]], mixed[[i]][[1]], mixed[[i]][[2]], shift[i], p[i], p.adjust(p, "BH")[i],
      p.adjust(p, "holm")[i])
save("mixed_table", c("case", "alternative", "margin", "shift", "p", "bh", "holm"))
