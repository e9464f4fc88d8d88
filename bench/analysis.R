# What `invar compare` computes, from the CSV: visit medians, one log ratio a block, one value a group, t test per cell,
# Benjamini-Hochberg. Base R, written as one would write it. Usage: Rscript analysis.R FILE.csv
arguments <- commandArgs(trailingOnly = TRUE)
observations <- read.csv(arguments[1])
valid <- observations[bitwAnd(observations$flags, 7L) == 0, ]
visits <- aggregate(local_ns ~ group + size_bytes + block + arm, valid, median)
arms <- unique(observations$arm)
pairs <- merge(visits[visits$arm == arms[1], ], visits[visits$arm == arms[2], ], by = c("group", "size_bytes", "block"))
pairs$d <- log(pairs$local_ns.y) - log(pairs$local_ns.x)
groups <- aggregate(d ~ group + size_bytes, pairs, median)
result <- do.call(rbind, lapply(split(groups, groups$size_bytes), function(cell) {
  test <- t.test(cell$d)
  data.frame(size_bytes = cell$size_bytes[1], ratio = exp(test$estimate), p = test$p.value)
}))
result$p_adjusted <- p.adjust(result$p, "BH")
cat(nrow(result), "cells,", nrow(observations), "observations\n")
