# Says in R what repetitions.py has written into stats_repetitions.csv and stats_median_interval.csv, and stops where the
# two differ: Rscript repetitions.R, in this folder. It writes nothing.

read <- function(name) read.csv(name, stringsAsFactors = FALSE)
samples <- read("stats_samples.csv")
sample_of <- function(case) {
  as.double(strsplit(samples$x[samples$kind == "one" & samples$case == case], " ")[[1]])
}
rank_of <- function(n, confidence) {
  l <- sum(2 * pbinom(0:(n - 1), n, 0.5) <= 1 - confidence)
  if (l == 0) NA else l
}
variation <- function(x) if (mean(x) > 0) sd(x) / mean(x) else NA
same <- function(what, expected, actual) {
  if (is.na(expected) != is.na(actual) ||
      (!is.na(expected) && abs(actual - expected) > 1e-12 * abs(expected) + 1e-15)) {
    stop(what, ": ", actual, " in R, ", expected, " in the file")
  }
}

rows <- read("stats_repetitions.csv")
for (i in seq_len(nrow(rows))) {
  row <- rows[i, ]
  x <- sample_of(row$case)
  n <- row$n
  what <- function(name) paste(row$case, n, name)
  means <- cumsum(x[1:n]) / seq_len(n)
  medians <- vapply(seq_len(n), function(k) median(x[1:k]), 0)
  same(what("mean"), row$mean, means[n])
  same(what("median"), row$median, medians[n])
  same(what("rse"), row$rse, if (n > 1 && means[n] > 0) sd(x[1:n]) / sqrt(n) / means[n] else NA)
  same(what("cov_mean"), row$cov_mean,
       if (n >= row$mean_window) variation(tail(means, row$mean_window)) else NA)
  same(what("cov_median"), row$cov_median,
       if (n >= row$median_window) variation(tail(medians, row$median_window)) else NA)
  l <- rank_of(n, 0.95)
  ordered <- sort(x[1:n])
  same(what("half_width"), row$half_width,
       if (is.na(l) || medians[n] <= 0) NA
       else (ordered[n + 1 - l] - ordered[l] + row$step) / 2 / medians[n])
}
ranks <- read("stats_median_interval.csv")
for (i in seq_len(nrow(ranks))) {
  same(paste("rank", ranks$n[i], ranks$confidence[i]), ranks$rank[i],
       rank_of(ranks$n[i], ranks$confidence[i]))
}
cat(nrow(rows), "rows and", nrow(ranks), "ranks agree\n")
