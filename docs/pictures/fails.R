# Pictures for docs/methods.md: when each statistic fails. Simulated with fixed seeds; base R.
#
#   Rscript docs/pictures/fails.R [NAME...]        writes docs/pictures/fails-NAME.png
args <- commandArgs(FALSE)
here <- dirname(normalizePath(sub("^--file=", "", grep("^--file=", args, value = TRUE))))
wanted <- commandArgs(TRUE)

blue <- "#0072B2"; orange <- "#D55E00"; grey <- "#777777"

picture <- function(name, draw) {
  if (length(wanted) > 0 && !(name %in% wanted)) return(invisible())
  png(file.path(here, paste0("fails-", name, ".png")), width = 1040, height = 560, res = 144, type = "cairo")
  par(mar = c(4, 4.2, 2.2, .8), mgp = c(2.6, .7, 0), las = 1, cex.main = .95, font.main = 1)
  set.seed(20161121)
  draw()
  dev.off()
}

lines_of <- function(x, ys, names, main, xlab, ylab, ylim = range(0, unlist(ys), na.rm = TRUE), log = "", limit = NULL,
                     where = "topleft") {
  colours <- c(blue, orange, grey)[seq_along(ys)]
  plot(range(x), ylim, type = "n", xlab = xlab, ylab = ylab, main = main, log = log)
  if (!is.null(limit)) abline(h = limit, lty = 3, col = grey)
  for (i in seq_along(ys)) lines(x, ys[[i]], type = "b", pch = 14 + i, lty = i, lwd = 2, col = colours[i])
  legend(where, names, col = colours, lty = seq_along(ys), pch = 14 + seq_along(ys), lwd = 2, bty = "n", cex = .85)
}

share <- function(n, yes) mean(replicate(n, yes()))

picture("median", function() {
  truth <- seq(200, 212, .5)
  read <- function(t) round((t + rnorm(2001, 0, 4)) / 10) * 10
  grouped <- function(x) {
    m <- median(x); f <- sum(x == m); below <- sum(x < m)
    m - 5 + 10 * (length(x) / 2 - below) / f
  }
  lines_of(truth, list(sapply(truth, function(t) median(read(t))), sapply(truth, function(t) grouped(read(t)) )),
           c("plain median", "grouped median"), "A clock with steps of 10 ns: the plain median hides 4 %", "true time (ns)",
           "reported (ns)", ylim = c(198, 216))
})

picture("wilcoxon", function() {
  n <- 2:12
  lines_of(n, list(2 / choose(2 * n, n), 2 / 2^n), c("rank-sum, n launches of each arm", "signed-rank, n pairs"),
           "Few launches: no data whatever can give a small p", "launches", "smallest p that can be reached", log = "y",
           ylim = c(1e-6, 1), limit = .05, where = "bottomleft")
})

picture("hodges-lehmann", function() {
  launches <- c(3:20)
  lines_of(launches, list(1 - 2 / 2^launches), "widest interval there is (smallest to largest)",
           "Below 6 launches no interval reaches 95 %", "launches", "confidence", ylim = c(.7, 1), limit = .95,
           where = "bottomright")
})

picture("student", function() {
  per <- c(5, 10, 20, 50, 100, 200)
  wrong <- function(n, on_launches) share(1500, function() {
    draw <- function() rnorm(5, 0, .04)
    a <- rep(draw(), each = n) + rnorm(5 * n, 0, .05); b <- rep(draw(), each = n) + rnorm(5 * n, 0, .05)
    if (on_launches) { a <- tapply(a, rep(1:5, each = n), mean); b <- tapply(b, rep(1:5, each = n), mean) }
    t.test(a, b)$p.value < .05
  })
  lines_of(per, list(sapply(per, wrong, FALSE), sapply(per, wrong, TRUE)),
           c("Welch's t on all repetitions", "on one value a launch"),
           "Identical arms, launches that differ by 4 %: repetitions are not independent", "repetitions a launch (5 launches)",
           "called different", log = "x", ylim = c(0, 1), limit = .05)
})

picture("kolmogorov", function() {
  n <- c(20, 50, 100, 200, 500, 1000, 2000)
  lines_of(n, list(sapply(n, function(k) share(400, function()
             suppressWarnings(ks.test(rnorm(k), rnorm(k, 0, 1.15))$p.value < .05)))),
           "same median, spread 15 % larger",
           "It rejects what nobody asked about: the medians are equal", "observations of each arm", "called different", log = "x",
           ylim = c(0, 1), limit = .05)
})

picture("dip", function() {
  par(mfrow = c(1, 2))
  for (mass in c(.04, .35)) {
    x <- c(rnorm(round(2000 * (1 - mass)), 1, .05), rnorm(round(2000 * mass), 1.5, .05))
    hist(x, breaks = 60, col = if (mass < .1) orange else blue, border = NA, yaxt = "n", ylab = "", xlab = "time (us)",
         main = if (mass < .1) "4 % apart: one mode, it says" else "35 %: two modes")
  }
})

picture("mixture", function() {
  x <- seq(.6, 3, .002)
  plot(x, .7 * dnorm(x, 1, .05) + .3 * dnorm(x, 1.25, .4), type = "l", lwd = 2, col = orange, yaxt = "n", xlab = "canary (us)",
       ylab = "density", main = "A heavy tail is fitted by a wide component, and is no second regime")
  lines(x, .3 * dnorm(x, 1.25, .4), lty = 2, col = grey); lines(x, .7 * dnorm(x, 1, .05), lty = 2, col = grey)
  text(1.9, .9, "no valley between the two\ncomponents: one regime", cex = .85)
})

picture("changepoints", function() {
  drift <- cumsum(rnorm(150, 0, .012)); y <- drift + rnorm(150, 0, .01)
  segments_of <- function(y, b) {
    n <- length(y); s <- c(0, cumsum(y)); q <- c(0, cumsum(y^2)); f <- c(-b, rep(Inf, n)); from <- integer(n)
    for (t in 1:n) for (u in 0:(t - 1)) {
      cost <- f[u + 1] + (q[t + 1] - q[u + 1] - (s[t + 1] - s[u + 1])^2 / (t - u)) / .0002 + b
      if (cost < f[t + 1]) { f[t + 1] <- cost; from[t] <- u }
    }
    ends <- c(); t <- n
    while (t > 0) { ends <- c(t, ends); t <- from[t] }
    ends
  }
  plot(y, pch = 16, cex = .5, col = grey, xlab = "visit, in order of time", ylab = "log residual",
       main = "A drift without any step: change points see many")
  begin <- 1
  for (end in segments_of(y, 2 * log(150))) { lines(c(begin, end), rep(mean(y[begin:end]), 2), col = orange, lwd = 3); begin <- end + 1 }
})

picture("shapiro", function() {
  n <- c(5, 10, 20, 50, 100, 200, 500, 1000)
  lines_of(n, list(sapply(n, function(k) share(300, function() shapiro.test(rt(k, 12))$p.value < .05)),
                   sapply(n, function(k) share(300, function() shapiro.test(rexp(k))$p.value < .05))),
           c("nearly normal (t with 12 df)", "exponential"), "Few values prove nothing, many prove what does not matter",
           "values", "called not normal", log = "x", ylim = c(0, 1), where = "right")
})

picture("many-tests", function() {
  m <- c(1, 2, 5, 10, 20, 50, 100)
  lines_of(m, list(1 - .95^m, rep(.05, length(m))), c("no correction", "Benjamini-Hochberg or Holm"),
           "Independent cells without any difference", "cells in a table", "tables with a false verdict", log = "x",
           ylim = c(0, 1), limit = .05)
})

picture("equivalent", function() {
  known <- c(0, 2, 5, 10, 15)
  tables <- function(k, spared) share(600, function() {
    p <- sapply(seq_len(20), function(i) t.test(if (i <= k) rnorm(5, .005, .001) else rnorm(5, 0, .05))$p.value)
    if (spared && k > 0) p[seq_len(k)] <- 1
    any(p.adjust(p, "BH")[seq_len(20) > k] < .05)
  })
  lines_of(known, list(sapply(known, tables, FALSE), sapply(known, tables, TRUE)),
           c("counted with their p", "counted with p = 1 (Invar)"),
           "Cells known to differ by .5 % beside cells without a difference", "such cells in a table of 20",
           "tables with a false verdict", ylim = c(0, .35), limit = .05)
})

ar <- function(n, rho) as.numeric(filter(c(rnorm(1), rnorm(n - 1, 0, sqrt(1 - rho^2))), rho, "recursive"))

picture("invar", function() {
  rho <- seq(0, .5, .1)
  tables <- function(r, n) share(500, function() {
    p <- sapply(1:20, function(i) t.test(ar(n, r))$p.value)
    any(p.adjust(p, "BH") < .05)
  })
  lines_of(rho, list(sapply(rho, tables, 5), sapply(rho, tables, 12)), c("5 launch groups", "12 launch groups"),
           "Launch groups that resemble the one before (A against A, 20 cells)", "lag-1 autocorrelation of d",
           "tables with a false verdict", limit = .05)
})

picture("looks", function() {
  at <- c(3, 5, 8, 12, 20, 30); alpha <- .05 * c(.10, .15, .20, .20, .20, .15)
  first <- function(level) {
    hits <- replicate(1200, {
      d <- matrix(rnorm(30 * 20), 30); found <- FALSE; result <- logical(6)
      for (i in 1:6) {
        if (!found) found <- any(p.adjust(apply(d[1:at[i], ], 2, function(x) t.test(x)$p.value), "BH") < level[i])
        result[i] <- found
      }
      result
    })
    rowMeans(hits)
  }
  lines_of(at, list(first(rep(.05, 6)), first(alpha)), c("each look at .05", "shares of alpha (Invar)"),
           "Looking again and again (A against A, 20 cells)", "launch groups at the look", "tables with a false verdict so far",
           limit = .05)
})

picture("bias", function() {
  true <- c(0, .01, .02, .03, .05, .08); at <- c(3, 5, 8, 12, 20, 30); alpha <- .05 * c(.10, .15, .20, .20, .20, .15)
  reported <- function(effect) mean(replicate(1500, {
    d <- rnorm(30, effect, .03)
    for (i in 1:6) { x <- d[1:at[i]]; if (t.test(x)$p.value < alpha[i]) break }
    mean(x)
  }))
  lines_of(100 * true, list(100 * sapply(true, reported), 100 * true), c("reported at the end", "no bias"),
           "Who stops where it looks large reports too much (one cell, sd of d 3 %)", "true difference (%)", "reported (%)")
})

picture("regimes", function() {
  shares <- seq(0, 1, .1)
  lines_of(shares, list(sapply(shares, function(s) 1.12 * s + .84 * (1 - s)), rep(1.12, 11), rep(.84, 11)),
           c("over everything", "in the fast regime", "in the slow regime"),
           "Two regimes that disagree: the answer depends on how long each lasted", "share of the fast regime", "ratio B / A",
           ylim = c(.75, 1.3), limit = 1)
})

picture("perturbations", function() {
  visits <- c(1, 2, 3, 5, 8, 12); slow <- c(.05, .12, .3)
  found <- function(k, size) share(300, function() {
    y <- rnorm(60, 0, .03); y[20 + seq_len(k)] <- y[20 + seq_len(k)] + log(1 + size)
    raw <- y; y <- pmax(pmin(y, .09), -.09)
    best <- Inf; inside <- FALSE; whole <- sum((y - mean(y))^2)
    for (b in 1:56) for (e in (b + 2):min(59, b + 14)) {
      i <- y[b:e]; o <- y[-(b:e)]
      cost <- sum((i - mean(i))^2) + sum((o - mean(o))^2)
      if (cost < best) { best <- cost; inside <- median(raw[b:e]) > log(1.1) }
    }
    inside && (whole - best) / .0009 > 4 * log(60)
  })
  lines_of(visits, lapply(slow, function(s) sapply(visits, found, s)), c("5 % slower", "12 % slower", "30 % slower"),
           "Short or slight slow-downs stay unseen (60 visits, sd 3 %)", "visits that were slowed", "found", ylim = c(0, 1),
           where = "right")
})

picture("effective", function() {
  rho <- seq(0, .9, .1)
  covers <- function(r, correct) share(600, function() {
    x <- ar(200, r); a <- max(0, acf(x, 1, plot = FALSE)$acf[2])
    n <- if (correct) max(2, 200 * (1 - a) / (1 + a)) else 200
    abs(mean(x)) <= qt(.975, n - 1) * sd(x) / sqrt(n)
  })
  lines_of(rho, list(sapply(rho, covers, FALSE), sapply(rho, covers, TRUE)), c("taken as 200", "effective sample size"),
           "200 repetitions that resemble the one before", "lag-1 autocorrelation", "intervals of 95 % that hold the truth",
           ylim = c(0, 1), limit = .95, where = "bottomleft")
})

picture("averages", function() {
  spikes <- c(0, .001, .002, .005, .01, .02)
  summary_of <- function(s, f) median(replicate(200, f(ifelse(runif(1000) < s, 100, 1) + rnorm(1000, 0, .02))))
  lines_of(100 * spikes, list(sapply(spikes, summary_of, mean), sapply(spikes, summary_of, median)),
           c("mean (osu, imb)", "median (reprompi, nbcbench)"), "A few interruptions of 100 us in a call of 1 us",
           "repetitions that are interrupted (%)", "reported (us)")
})

picture("least", function() {
  runs <- c(1, 2, 5, 10, 20, 50, 100)
  lines_of(runs, list(sapply(runs, function(k) mean(replicate(800, min(rnorm(k, 1, .05))))), rep(1, 7)),
           c("least of the averages (mpptest, mpicroscope)", "mean of the averages"), "The least falls the longer one measures",
           "averages taken", "reported (us)", ylim = c(.85, 1.05), log = "x", where = "bottomleft")
})

picture("ranks", function() {
  p <- c(2, 4, 8, 16, 32, 64)
  lines_of(p, list((1 * (p - 1) + 10) / p, rep(10, 6)), c("mean over ranks (osu, imb)", "largest rank"),
           "One rank waits 10 us, the others 1 us", "ranks", "reported (us)", log = "x", where = "right", ylim = c(0, 11))
})

picture("factors", function() {
  lost <- c(0, .1, .2, .3, .4)
  marginal <- function(l) { full <- rbind(c(1, 1), c(1, 1)); full[2, 2] <- 1 - l
    a <- matrix(c(0, -.7, .7, 0), 2); w <- full; sum(a[2, ] * w[2, ]) / sum(w[2, ]) - sum(a[1, ] * w[1, ]) / sum(w[1, ]) }
  lines_of(100 * lost, list(sapply(lost, marginal), rep(-.7, 5)), c("difference of the level's means", "paired by combination (Invar)"),
           "Combinations that are missing: means of levels compare different things", "missing of one combination (%)",
           "effect on the log time", ylim = c(-1, 0))
})

picture("reproduce", function() {
  n <- c(2, 3, 5, 10, 20, 30)
  lines_of(n, list(100 * sapply(n, function(k) mean(replicate(2000, { x <- exp(rnorm(k, 0, .02)); max(x) / min(x) - 1 })))),
           "results that vary by 2 % (sd)", "(max - min) / min grows with the number of repeats: compare equal numbers", "repeats",
           "spread (%)")
})
