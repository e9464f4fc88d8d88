# Writes stats_shapiro.csv, the answers of R's shapiro.test to the samples of stats_samples.csv and to some of its own,
# for tests/stats/test/shapiro_wilk_test.cpp: Rscript shapiro.R, in this folder.
set.seed(1995)
cases <- list()
for (n in c(3, 4, 5, 6, 7, 11, 12, 13, 20, 50, 500, 5000)) {
  cases[[paste0("normal", n)]] <- rnorm(n)
  if (n <= 500) cases[[paste0("exponential", n)]] <- rexp(n)
  if (n <= 50) cases[[paste0("ties", n)]] <- c(1, 2, round(5 * runif(n - 2)))
}
cases$heavy <- rt(40, 2)
cases$far <- 1e9 + rnorm(30)
cases$tiny <- 1e-9 * rnorm(30)
cases$outlier <- c(rnorm(10), 100)
# The values as they are written: the test is of these.
text <- lapply(cases, function(x) sprintf("%.9g", x))
cases <- lapply(text, as.numeric)
rows <- "case,w,p,x"
for (s in names(cases)) {
  t <- shapiro.test(cases[[s]])
  rows <- c(rows, paste(s, sprintf("%.17g", t$statistic), sprintf("%.17g", t$p.value), paste(text[[s]], collapse = " "), sep = ","))
}
writeLines(rows, "stats_shapiro.csv")
