# Makes stats_variance.csv, the answers of R (4.2.2) that tests/stats/model/variance_analysis_test.cpp compares with: Rscript
# variance.R, in this folder. A layout is written block by block (Kruskal-Wallis: sample by sample); units as stratum, block,
# unit and value, value after value.

set.seed(20161121)
num <- function(v) paste(sprintf("%.17g", v), collapse = " ")
layouts <- list(
  two = matrix(rnorm(12), 6), three = matrix(rnorm(30) + rep(c(0, 0.5, 1), each = 10), 10),
  ties = matrix(round(rnorm(40) * 2), 10), small = matrix(c(1, 2, 4, 3, 5, 9), 2),
  many = matrix(rexp(200), 40), apart = matrix(rnorm(24) * 1e-3 + rep(1:4, each = 6), 6))
rows <- c("kind,case,values,levels,statistic,df1,df2,p,extra")
add <- function(kind, case, values, levels, statistic, df1, df2, p, extra) rows <<- c(rows, paste(
  kind, case, values, levels, num(statistic), num(df1), num(df2), num(p), num(extra), sep = ","))
for (name in names(layouts)) {
  m <- layouts[[name]]; n <- nrow(m); k <- ncol(m)
  d <- data.frame(y = as.vector(t(m)), block = factor(rep(1:n, each = k)), level = factor(rep(1:k, n)))
  a <- anova(lm(y ~ block + level, d))
  values <- num(as.vector(t(m)))
  add("blocks", name, values, k, a["level", "F value"], k - 1, a["Residuals", "Df"], a["level", "Pr(>F)"],
      a["Residuals", "Mean Sq"])
  f <- friedman.test(m)
  add("friedman", name, values, k, f$statistic, f$parameter, 0, f$p.value, 0)
  h <- kruskal.test(as.vector(m), rep(1:k, each = n))$statistic
  f <- (h / (k - 1)) / ((n * k - 1 - h) / (n * k - k))
  add("kruskal", name, num(as.vector(m)), k, f, k - 1, n * k - k, pf(f, k - 1, n * k - k, lower.tail = FALSE), 0)
}
# Values of units in blocks, within strata; what a unit of variance adds to the mean square of units is a trace
# (Henderson's third method).
add_units <- function(name, d) {
  d$b <- factor(paste(d$stratum, d$block))
  d$u <- factor(d$unit)
  compare <- function(y) anova(lm(y ~ d$b), lm(y ~ d$b + d$u))
  a <- compare(d$y)
  mse <- a$RSS[2] / a$Res.Df[2]
  project <- function(x) { q <- qr(x); q <- qr.Q(q)[, seq_len(q$rank)]; q %*% t(q) }
  z <- model.matrix(~ u - 1, d)
  b <- model.matrix(~ b - 1, d)
  per_unit <- sum(diag(t(z) %*% (project(cbind(b, z)) - project(b)) %*% z)) / a$Df[2]
  values <- num(as.vector(rbind(d$stratum - 1, as.integer(d$b) - 1, d$unit - 1, d$y)))
  add("units", name, values, 0, a$F[2], a$Df[2], a$Res.Df[2], a$`Pr(>F)`[2],
      c(mse, (a$`Sum of Sq`[2] / a$Df[2] - mse) / per_unit))
  aligned <- d$y - ave(d$y, d$b)
  r <- compare(ave(round(aligned, 12), d$stratum, FUN = rank))
  add("ranks", name, values, 0, r$F[2], r$Df[2], r$Res.Df[2], r$`Pr(>F)`[2], 0)
}
# Two values in each of three blocks, four units in each of two strata.
even <- expand.grid(r = 1:2, block = 1:3, unit = 1:8)
even$stratum <- (even$unit - 1) %/% 4 + 1
even$y <- rnorm(nrow(even)) + rnorm(8)[even$unit] + even$block * even$stratum
add_units("even", even)
# Three, two and five units of 1 to 9 values in each of two blocks: strata of different sizes.
uneven <- do.call(rbind, lapply(1:10, function(u) expand.grid(r = seq_len(c(9, 1, 2, 1, 4, 3, 3, 1, 1, 6)[u]), block = 1:2,
  unit = u, stratum = c(1, 1, 1, 2, 2, 3, 3, 3, 3, 3)[u])))
uneven$y <- rnorm(nrow(uneven)) + 2 * rnorm(10)[uneven$unit] + uneven$block
add_units("uneven", uneven)
# Interactions of three factors: residuals of the additive model in each of five blocks.
full <- expand.grid(c = 0:2, b = 0:1, a = 0:1)
for (name in c("crossed", "gaps")) {
  d <- if (name == "gaps") full[!(full$a == 1 & full$c == 2), ] else full
  y <- replicate(5, rnorm(nrow(d)) + d$a + d$b * d$c)
  model <- apply(y, 2, function(v) residuals(lm(v ~ factor(a) + factor(b) + factor(c), d)))
  left <- rowMeans(model)^2 - apply(model, 1, var) / ncol(y)
  df <- lm(y[, 1] ~ factor(a) + factor(b) + factor(c), d)$df.residual
  add("together", name, num(as.vector(y)), 0, mean(left), df, 0, 0, 0)
}
for (x in c(0.01, 1, 4, 60)) for (df in list(c(1, 5), c(3, 40), c(10, 2)))
  add("f", "tail", num(x), 0, pf(x, df[1], df[2], lower.tail = FALSE), df[1], df[2], qf(0.975, df[1], df[2]), 0)
writeLines(rows, "stats_variance.csv")
