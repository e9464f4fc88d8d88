# Writes stats_dip.csv: answers of R's diptest 0.76 (Debian: r-cran-diptest) for tests/stats/model/modes_test.cpp, and prints
# the table of quantiles that src/stats/model/modes.cpp has. Rscript tests/golden/dip.R [table]
library(diptest)
if (identical(commandArgs(TRUE), "table")) {
  set.seed(20261121)
  probabilities <- c(.01, .1, .25, .5, .75, .9, .95, .98, .99, .995, .998, .999)
  for (n in c(4, 5, 6, 8, 10, 15, 20, 30, 50, 100, 200, 500, 1000, 2000, 5000, 10000)) {
    samples <- if (n <= 200) 50000 else if (n <= 1000) 20000 else 10000
    dips <- replicate(samples, dip(runif(n)))
    cat(n, sprintf("%.5f", quantile(dips, probabilities) * sqrt(n)), "\n")
  }
  quit()
}
set.seed(2)
rows <- "kind,case,n,probability,value,x"
add <- function(...) rows <<- c(rows, paste(..., sep = ","))
for (n in c(4, 5, 7, 10, 20, 50, 100)) {
  samples <- list(uniform = runif(n), normal = rnorm(n), exponential = rexp(n), lognormal = rlnorm(n, 0, 2),
                  two = c(rnorm(n - n %/% 3), rnorm(n %/% 3, 6)), u_shaped = rbeta(n, .5, .5), steep = rgamma(n, .3))
  for (s in names(samples)) {
    x <- sort(samples[[s]])
    add("dip", s, n, "", sprintf("%.17g", dip(x)), paste(sprintf("%.17g", x), collapse = " "))
  }
}
# Their own table, from 1000001 samples a size: the published quantiles of Hartigan and Hartigan 1985, more precisely.
data(qDiptab)
for (n in c("10", "20", "50", "100", "200", "500", "1000", "5000"))
  for (p in c("0.1", "0.5", "0.9", "0.95", "0.99"))
    add("quantile", "uniform", n, p, sprintf("%.17g", qDiptab[n, p]), "")
writeLines(rows, file.path(dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE))), "stats_dip.csv"))
