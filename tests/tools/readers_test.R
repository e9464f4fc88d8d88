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
expect_same(grepl("is not a campaign", message_of(read_campaign(arguments[1]))), TRUE,
            "a directory that is not a campaign is refused")

# Whatever stands in a directory is read right, or left out and named, or refused with a condition of
# its own class. What is drawn follows from the seed.
set.seed(17, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
pick <- function(from) from[[sample.int(length(from), 1)]]
bytes_of <- function(file) readBin(file, "raw", file.size(file))
nested <- function(first, last, depth) paste0(strrep(first, depth), "1", strrep(last, depth))
others <- c("-1", "0.5", "1e999", "4294967295", "4294967296", "18446744073709551615", strrep("9", 5000),
            "null", "true", "\"\"", "\"\\ud800\"", "\"\\u00\"", "\"../..\"", "{}", "[]", "[[1],2]", "}", "",
            nested("[", "]", 50), nested("[", "]", 20000), nested("{\"a\":", "}", 20000), nested("[", "", 3000))
in_line <- function(bytes) {
  lines <- strsplit(rawToChar(bytes), "\n", fixed = TRUE)[[1]]
  number <- sample.int(length(lines), 1)
  found <- gregexpr("(?<=[:,\\[])(-?[0-9][-+.eE0-9]*|\"[^\"]*\"|true|false|null)", lines[number], perl = TRUE,
                    useBytes = TRUE)[[1]]
  at <- sample.int(length(found), 1)
  end <- found[at] + attr(found, "match.length")[at]
  line <- charToRaw(lines[number])
  line <- c(line[seq_len(found[at] - 1)], charToRaw(pick(others)), line[-seq_len(end - 1)])
  before <- charToRaw(paste0(lines[seq_len(number - 1)], "\n", collapse = ""))
  after <- charToRaw(paste0(lines[-seq_len(number)], "\n", collapse = ""))
  c(if (number > 1) before, line, charToRaw("\n"), if (number < length(lines)) after)
}
flipped <- function(bytes) {
  at <- sample.int(length(bytes), pick(list(1, 1, 3, 20)), replace = TRUE)
  bytes[at] <- xor(bytes[at], as.raw(2^sample(0:7, 1)))
  bytes
}
cut_off <- function(bytes) bytes[seq_len(sample.int(length(bytes), 1) - 1)]

for (name in c("odd", "synced")) {
  invisible(file.copy(path(name), copy, recursive = TRUE))
  here <- file.path(copy, name)
  manifests <- file.path(here, c("manifest.jsonl", "manifest.copy.jsonl"))
  manifest <- bytes_of(manifests[1])
  read <- list.files(here, "^(journal.jsonl|timings.bin|clock_sync.csv)$", recursive = TRUE)
  outcomes <- character()
  for (case in seq_len(25)) {
    spoilt <- pick(c(rep("manifest.jsonl", 6), pick(read), pick(read), pick(read)))
    whole <- bytes_of(file.path(here, spoilt))
    how <- pick(c("flipped", "cut_off", if (endsWith(spoilt, ".jsonl")) rep("in_line", 4)))
    bytes <- get(how)(whole)
    writeBin(bytes, file.path(here, spoilt))
    what <- paste0(name, ", case ", case, ": ", how, " ", spoilt)
    if (spoilt == "manifest.jsonl") {
      writeBin(bytes, manifests[2])
    } else {
      # Its seal says so many bytes; nobody looks at checksums.
      lines <- strsplit(rawToChar(manifest), "\n", fixed = TRUE)[[1]]
      of_it <- grepl(paste0("\"dir\":\"", dirname(spoilt), "\""), lines, fixed = TRUE, useBytes = TRUE)
      lines[of_it] <- sub(paste0("(\"", basename(spoilt), "\":.\"bytes\":)[0-9]+"), paste0("\\1", length(bytes)),
                          lines[of_it], useBytes = TRUE)
      for (file in manifests) writeBin(charToRaw(paste0(lines, "\n", collapse = "")), file)
    }
    begin <- proc.time()[["user.self"]]
    for (reader in list(read_campaign, read_clock_sync)) {
      told <- tryCatch({
        suppressWarnings(reader(here, verify = FALSE))
        "read"
      }, error = identity)
      if (inherits(told, "invar_campaign_error")) told <- "refused"
      if (!is.character(told)) stop(what, ": ", conditionMessage(told))
      outcomes <- c(outcomes, told)
    }
    if (proc.time()[["user.self"]] - begin > 2) stop(what, ": takes too long")
    writeBin(whole, file.path(here, spoilt))
    for (file in manifests) writeBin(manifest, file)
  }
  expect_same(sort(unique(outcomes)), c("read", "refused"), paste(name, "spoilt is read or refused"))
}

# A pipe is not waited for.
for (file in file.path(copy, "odd", c("manifest.jsonl", "launches/0001-a_b/journal.jsonl"))) {
  unlink(file)
  stopifnot(system2("mkfifo", shQuote(file)) == 0)
}
piped <- read_campaign(file.path(copy, "odd"), verify = FALSE)
expect_same(unique(piped$observations$group), 3, "a group with a pipe is left out")
expect_same(startsWith(piped$damage, "launches/0001-a_b/journal.jsonl: has 0 bytes"), TRUE, "and named")
