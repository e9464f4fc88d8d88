# tools/invar.R against what Invar itself exports. Usage: Rscript readers_test.R SOURCE_DIR CAMPAIGNS
arguments <- commandArgs(trailingOnly = TRUE)
source(file.path(arguments[1], "tools", "invar.R"), encoding = "UTF-8")
path <- function(...) file.path(arguments[2], ...)

# The same values, whatever their types; R's own parser of decimals is off by a last bit.
expect_same <- function(found, expected, what) {
  difference <- all.equal(found, expected, tolerance = 1e-14, check.attributes = FALSE)
  if (!isTRUE(difference)) stop(what, ": ", paste(difference, collapse = "; "))
  cat("ok:", what, "\n")
}

bytes <- as.raw((7 * (0:99999)) %% 256)
crcs <- read.table(path("crc.txt"), col.names = c("length", "crc"), colClasses = "character")
for (i in seq_len(nrow(crcs))) {
  expect_same(invar_crc32c(bytes[seq_len(as.integer(crcs$length[i]))]), crcs$crc[i],
              paste("crc of", crcs$length[i], "bytes"))
}

for (name in c("plain", "odd", "messages", "damaged")) {
  found <- read_campaign(path(name))$observations
  expected <- read.csv(path(paste0(name, ".csv")), encoding = "UTF-8")
  expect_same(names(found), names(expected), paste(name, "columns"))
  for (column in names(expected)) {
    # A column without any value has no type in a CSV file.
    values <- function(x) if (all(is.na(x) | x == "")) rep(NA, length(x)) else x
    expect_same(values(found[[column]]), values(expected[[column]]), paste(name, column))
  }
}

campaign <- read_campaign(path("damaged"))
expect_same(sort(unique(campaign$observations$group)), c(1, 2, 4), "damaged group is left out")
expect_same(campaign$damage, "launches/0006-beta/env.json: does not match its checksum",
            "damage is named")
expect_same(campaign$warnings, "a \"warning\"\n\u00b5", "warnings")
expect_same(campaign$failed_cells[[1]]$arm, "beta", "failed cells")
expect_same(sort(unique(read_campaign(path("damaged"), verify = FALSE)$observations$group)), 1:4,
            "verify = FALSE takes what is there")
expect_same(names(read_campaign(path("odd"))$failed_groups), "2", "failed groups")

looks <- read_clock_sync(path("synced"))
expect_same(looks$launch, c(1, 1, 2, 2, 3, 3, 4, 4), "looks at the clocks are of launches")
expect_same(looks$arm[1:4], c("alpha", "alpha", "beta", "beta"), "and of arms")
expect_same(looks$at_ps[1:2], c(5e12, 6e12), "times")
expect_same(looks$measured_ps[1:2], c(NA, -310), "a first synchronisation measures nothing")
expect_same(looks$accepted[1:2], c(NA, TRUE), "accepted")
expect_same(looks$restarted[1:2], c(NA, FALSE), "restarted")
expect_same(looks$wander[1:2], c(1e-9, 2e-9), "wander")
expect_same(looks$noise[1:2], c(1, 0.5), "noise")
before <- read_clock_sync(path("synced-before"))
expect_same(names(before), names(looks), "older launches have the same columns")
expect_same(c(before$wander, before$noise, before$restarted), rep(NA, 12), "empty ones")
expect_same(is.null(read_clock_sync(path("plain"))), TRUE, "one clock has no looks")

copy <- tempfile()
dir.create(copy)
invisible(file.copy(path("plain"), copy, recursive = TRUE))
flip <- function(name, byte) {
  file <- file.path(copy, "plain", name)
  all <- readBin(file, "raw", file.size(file))
  all[byte] <- xor(all[byte], as.raw(1))
  writeBin(all, file)
}
flip("manifest.jsonl", 100)
expect_same(sort(unique(read_campaign(file.path(copy, "plain"))$observations$group)), 1:4,
            "a damaged manifest line is taken from the copy")
flip("manifest.copy.jsonl", 101)
message_of <- function(expression) tryCatch({ expression; "no error" }, error = conditionMessage)
expect_same(grepl("manifest is damaged", message_of(read_campaign(file.path(copy, "plain")))), TRUE,
            "a manifest that is damaged in both copies is refused")
expect_same(grepl("is no campaign", message_of(read_campaign(arguments[1]))), TRUE,
            "a directory that is no campaign is refused")
