# Reads the raw data of an Invar campaign. Base R, no packages.
#
#   source("invar.R")
#   campaign <- read_campaign("my-campaign")
#   valid <- subset(campaign$observations, bitwAnd(flags, invar_left_out) == 0)
#   aggregate(local_ns ~ arm + operation + size_bytes, valid, median)
#
# campaign$observations is a data frame with the columns of `invar export --to csv`, one row a
# repetition, times in ns; campaign$arms, $cells, $failed_cells, $damage... say what they are of.
# Only complete groups are read, and groups with damage are left out whole and listed in $damage.
# What is not a campaign, or has a manifest that is damaged or of another kind, stops with a condition
# of the class invar_campaign_error, whatever stands in it.
#
# Every checksum is checked unless verify = FALSE (some 10 MB/s; `invar verify` does it at the speed
# of the disk, after which verify = FALSE is safe). docs/formats.md describes the files.

invar_flags <- c(warm_up = 1L, late = 2L, past_window = 4L, interrupted = 8L, repeats_late = 16L,
                 global_invalid = 32L, oversubscribed = 64L, batch = 128L, lost = 256L,
                 probed = 512L, error_unstated = 1024L, apart = 2048L)
# What an analysis leaves out; global_invalid as well, if it looks at global times. Lost ones it
# leaves out where starts were too far apart, decided for each cell (docs/methods.md).
invar_left_out <- 7L

# --- CRC-32C ------------------------------------------------------------------------------------
# Words are kept as two halves of 16 bits, because R has no unsigned integers and 2^31 is its NA.

.invar_table <- local({
  high <- integer(256)
  low <- integer(256)
  for (byte in 0:255) {
    h <- 0L
    l <- byte
    for (bit in 1:8) {
      odd <- bitwAnd(l, 1L) == 1L
      l <- bitwOr(bitwShiftR(l, 1L), bitwShiftL(bitwAnd(h, 1L), 15L))
      h <- bitwShiftR(h, 1L)
      if (odd) {
        h <- bitwXor(h, 0x82f6L)
        l <- bitwXor(l, 0x3b78L)
      }
    }
    high[byte + 1L] <- as.integer(h)
    low[byte + 1L] <- as.integer(l)
  }
  list(high = high, low = low)
})

# One byte further, for vectors of words.
.invar_step <- function(word, byte) {
  at <- bitwAnd(bitwXor(word$low, byte), 255L) + 1L
  list(low = bitwXor(.invar_table$low[at],
                     bitwOr(bitwShiftR(word$low, 8L), bitwShiftL(bitwAnd(word$high, 255L), 8L))),
       high = bitwXor(.invar_table$high[at], bitwShiftR(word$high, 8L)))
}

# A linear map of words, given by what it makes of each bit, on every word.
.invar_apply <- function(columns, word) {
  low <- integer(length(word$low))
  high <- low
  for (bit in 0:31) {
    half <- if (bit < 16) word$low else word$high
    set <- bitwAnd(bitwShiftR(half, bit %% 16L), 1L)
    low <- bitwXor(low, set * columns$low[bit + 1L])
    high <- bitwXor(high, set * columns$high[bit + 1L])
  }
  list(low = low, high = high)
}

.invar_hex <- function(word) sprintf("%04x%04x", bitwXor(word$high, 65535L),
                                     bitwXor(word$low, 65535L))

# CRC-32C of a raw vector, eight hexadecimal digits. Long ones in stripes that go through the table
# together: zero bytes in front do not change a CRC that starts from 0, and starting from all ones is
# the same as inverting the first four bytes.
invar_crc32c <- function(bytes) {
  if (length(bytes) < 2048) {
    word <- list(low = 65535L, high = 65535L)
    for (byte in as.integer(bytes)) word <- .invar_step(word, byte)
    return(.invar_hex(word))
  }
  count <- 2^floor(log2(length(bytes) / 1024))
  stripe <- ceiling(length(bytes) / count)
  bytes[1:4] <- xor(bytes[1:4], as.raw(255))
  all <- matrix(as.integer(c(raw(count * stripe - length(bytes)), bytes)), nrow = count,
                byrow = TRUE)
  word <- list(low = integer(count), high = integer(count))
  for (i in seq_len(stripe)) word <- .invar_step(word, all[, i])
  columns <- list(low = as.integer(c(2^(0:15), rep(0, 16))),
                  high = as.integer(c(rep(0, 16), 2^(0:15))))
  for (i in seq_len(stripe)) columns <- .invar_step(columns, 0L)
  while (count > 1) {
    odd <- seq(1, count, by = 2)
    front <- .invar_apply(columns, list(low = word$low[odd], high = word$high[odd]))
    word <- list(low = bitwXor(front$low, word$low[odd + 1]),
                 high = bitwXor(front$high, word$high[odd + 1]))
    columns <- .invar_apply(columns, columns)
    count <- count / 2
  }
  .invar_hex(word)
}

# --- what is refused ------------------------------------------------------------------------------

.invar_refuse <- function(...) {
  stop(structure(list(message = paste0(...), call = NULL),
                 class = c("invar_campaign_error", "error", "condition")))
}

# line[[key]], which must be one text ("character"), one whole number from 0 ("double"), or TRUE or
# FALSE ("logical").
.invar_taken <- function(line, key, kind, below = 2^31) {
  value <- line[[key]]
  stopifnot(typeof(value) == kind, length(value) == 1, !is.na(value))
  if (kind == "double") stopifnot(value >= 0, value < below, value == floor(value))
  value
}

.invar_texts <- function(values) {
  stopifnot(is.list(values), all(vapply(values, is.character, TRUE)))
  unlist(values)
}

# A name of a file in a folder, and no way out of it.
.invar_plain_name <- function(name) {
  grepl("^[^/\001-\037\177]+$", name, useBytes = TRUE) && !name %in% c(".", "..") &&
    nchar(name, "bytes") < 256
}

# --- JSON ---------------------------------------------------------------------------------------

.invar_unquote <- function(text) {
  text <- substr(text, 2, nchar(text) - 1)
  if (!grepl("\\", text, fixed = TRUE)) return(text)
  parts <- regmatches(text, gregexpr("\\\\u[0-9a-fA-F]{4}|\\\\.|[^\\\\]+", text, perl = TRUE))[[1]]
  plain <- c(n = "\n", t = "\t", r = "\r", b = "\b", f = "\f")
  decoded <- vapply(parts, function(part) {
    if (substr(part, 1, 1) != "\\") return(part)
    letter <- substr(part, 2, 2)
    if (letter == "u") {
      stopifnot(nchar(part) == 6)
      character <- intToUtf8(strtoi(substr(part, 3, 6), 16L))
      stopifnot(!is.na(character))  # half of a pair
      return(character)
    }
    if (letter %in% names(plain)) plain[[letter]] else letter
  }, "")
  paste(decoded, collapse = "")
}

# Deeper than anything that Invar writes.
.invar_most_nested <- 100

.invar_tokens <- function(text) {
  pattern <- paste0('"(?:[^"\\\\]|\\\\.)*+"|-?[0-9][-+.eE0-9]*|true|false|null|[][{}:,]')
  found <- gregexpr(pattern, text, perl = TRUE, useBytes = TRUE)[[1]]
  stopifnot(found > 0)
  # Cut from a long text one by one they would take a time that grows with its square.
  bytes <- charToRaw(text)
  tokens <- mapply(function(begin, length) rawToChar(bytes[begin + seq_len(length) - 1L]),
                   found, attr(found, "match.length"))
  Encoding(tokens) <- "UTF-8"
  depth <- cumsum((tokens %in% c("{", "[")) - (tokens %in% c("}", "]")))
  stopifnot(depth <= .invar_most_nested)
  tokens
}

.invar_json <- function(text) {
  tokens <- .invar_tokens(text)
  at <- 0L
  value <- function() {
    at <<- at + 1L
    token <- tokens[at]
    first <- substr(token, 1, 1)
    if (first == '"') return(.invar_unquote(token))
    if (first == "{" || first == "[") {
      close <- if (first == "{") "}" else "]"
      result <- list()
      keys <- character()
      while (tokens[at + 1L] != close) {
        if (tokens[at + 1L] == ",") at <<- at + 1L
        if (first == "{") {
          keys[length(keys) + 1L] <- .invar_unquote(tokens[at + 1L])
          at <<- at + 2L
        }
        result[length(result) + 1L] <- list(value())
      }
      at <<- at + 1L
      if (first == "[" || length(keys) == 0) return(result)
      names(result) <- keys
      return(result[!duplicated(keys, fromLast = TRUE)])
    }
    if (token == "null") return(NULL)
    number <- switch(token, true = TRUE, false = FALSE, suppressWarnings(as.numeric(token)))
    stopifnot(!is.na(number))
    number
  }
  value()
}

# --- the manifest -------------------------------------------------------------------------------

# A pipe, which would be waited for, has no bytes either.
.invar_bytes <- function(path) {
  size <- file.size(path)
  if (size > 0) readBin(path, "raw", size) else raw(0)
}

# Lines of text in UTF-8.
.invar_text_lines <- function(path) {
  lines <- strsplit(rawToChar(.invar_bytes(path)), "\n", fixed = TRUE)[[1]]
  stopifnot(validUTF8(lines))
  Encoding(lines) <- "UTF-8"
  lines
}

.invar_split <- function(path) {
  bytes <- .invar_bytes(path)
  ends <- which(bytes == as.raw(10L))
  begins <- c(1L, ends + 1L)[seq_along(ends)]
  Map(function(begin, end) bytes[seq_len(end - begin) + begin - 1L], begins, ends)
}

.invar_line_holds <- function(line) {
  tail <- 23L  # ,"line_crc":"89abcdef"}
  if (length(line) <= tail) return(FALSE)
  body <- line[seq_len(length(line) - tail)]
  identical(line[length(line) - tail + seq_len(tail)],
            charToRaw(paste0(',"line_crc":"', invar_crc32c(body), '"}')))
}

# The manifest's lines, each from the copy in which its checksum holds; a plan without its text.
.invar_manifest_lines <- function(dir, verify) {
  lines <- list()
  paths <- file.path(dir, c("manifest.jsonl", "manifest.copy.jsonl"))
  if (!any(file.exists(paths))) .invar_refuse(dir, ": is not a campaign: it has no manifest.jsonl")
  for (path in paths[file.exists(paths)]) {
    for (line in .invar_split(path)) {
      # A damaged byte may be one that text cannot have.
      head <- line[seq_len(min(64L, length(line)))]
      head <- rawToChar(head[head != as.raw(0L)])
      found <- regmatches(head, regexec('^\\{"type":"[^"]*","line":([0-9]{1,9}),', head,
                                        useBytes = TRUE))[[1]]
      if (length(found) < 2 || !is.null(lines[[found[2]]])) next
      if (any(line == as.raw(0L)) || (verify && !.invar_line_holds(line))) next
      text <- rawToChar(line)
      if (startsWith(text, '{"type":"plan"')) text <- sub(',"csv":.*', "}", text, useBytes = TRUE)
      Encoding(text) <- "UTF-8"
      lines[[found[2]]] <- text
    }
  }
  if (length(lines) == 0 || !setequal(names(lines), as.character(seq_along(lines)))) {
    .invar_refuse(dir, ": the manifest is damaged; see 'invar verify'")
  }
  lines[as.character(seq_along(lines))]
}

# Puts what a line of the manifest says to the rest. Stops where it is none that Invar writes.
.invar_take_line <- function(line, result, dir) {
  type <- .invar_taken(line, "type", "character")
  if (!type %in% c("restored", "session", "warning")) result$ended <- type == "end"
  if (type == "campaign") {
    schema <- .invar_taken(line, "schema", "double")
    if (schema != 1) .invar_refuse(dir, ": schema ", schema, " is unknown to this reader")
    for (key in c("scope", "toml", "time")) .invar_taken(line, key, "character")
    result[c("scope", "toml", "created")] <- line[c("scope", "toml", "time")]
  } else if (type == "plan" || (type == "decided" && !is.null(line[["cells"]]))) {
    factors <- .invar_texts(line[["factors"]])
    cells <- do.call(rbind, lapply(line[["cells"]], .invar_texts))
    colnames(cells) <- factors
    if (is.null(result$cells) || nrow(cells) > nrow(result$cells)) {
      result$cells <- utils::type.convert(as.data.frame(cells), as.is = TRUE)
    }
  } else if (type == "arm") {
    result$arms[[.invar_taken(line, "label", "character")]] <-
      line[c("label", "library", "library_version", "settings")]
  } else if (type == "launch") {
    seal <- lapply(c(launch = "launch", group = "group"), .invar_taken, line = line,
                   kind = "double")
    seal <- c(seal, lapply(c(arm = "arm", session = "session", dir = "dir"), .invar_taken,
                           line = line, kind = "character"))
    files <- line[["files"]]
    stopifnot(seal$arm %in% names(result$arms), startsWith(seal$dir, "launches/"),
              .invar_plain_name(substring(seal$dir, 10)), is.list(files),
              length(files) == 0 || !is.null(names(files)))
    for (name in names(files)) {
      stopifnot(.invar_plain_name(name))
      .invar_taken(files[[name]], "bytes", "double", 2^53)
      .invar_taken(files[[name]], "crc", "character")
    }
    seal$files <- files
    result$seals[[as.character(seal$launch)]] <- seal
  } else if (type == "group") {
    launches <- line[["launches"]]
    stopifnot(is.list(launches), all(vapply(launches, is.numeric, TRUE)),
              !anyDuplicated(unlist(launches)))
    .invar_taken(line, "complete", "logical")
    result$groups[[as.character(.invar_taken(line, "group", "double"))]] <- line
  } else if (type == "discarded") {
    for (launch in line[["launches"]]) {
      result$seals[[as.character(.invar_taken(launch, "launch", "double"))]] <- NULL
    }
    group <- as.character(.invar_taken(line, "group", "double"))
    if (isTRUE(result$groups[[group]]$complete)) result$groups[[group]] <- NULL
  } else if (type == "failed_cell") {
    .invar_taken(line, "cell", "double")
    .invar_taken(line, "arm", "character")
    result$failed_cells[[length(result$failed_cells) + 1L]] <- line[c("cell", "arm", "reason")]
  } else if (type == "warning") {
    result$warnings <- c(result$warnings, .invar_taken(line, "text", "character"))
  }
  if (is.null(result$scope)) {
    .invar_refuse(dir, ": is not a campaign: its manifest is of something else")
  }
  result
}

.invar_read_manifest <- function(dir, verify) {
  result <- list(arms = list(), cells = NULL, failed_cells = list(), warnings = character(),
                 seals = list(), groups = list(), ended = FALSE)
  lines <- .invar_manifest_lines(dir, verify)
  for (number in seq_along(lines)) {
    result <- tryCatch({
      stopifnot(validUTF8(lines[[number]]))
      .invar_take_line(.invar_json(lines[[number]]), result, dir)
    }, error = function(error) {
      if (inherits(error, "invar_campaign_error")) stop(error)
      .invar_refuse(dir, ": line ", number,
                    " of the manifest is none that this reader knows; see 'invar verify'")
    })
  }
  if (anyDuplicated(vapply(result$seals, `[[`, "", "dir"))) {
    .invar_refuse(dir, ": the manifest has one folder for several launches")
  }
  result
}

# --- launches -----------------------------------------------------------------------------------

.invar_check_files <- function(dir, seal, verify) {
  faults <- character()
  for (name in names(seal$files)) {
    path <- file.path(dir, seal$dir, name)
    place <- paste0(seal$dir, "/", name)
    if (!file.exists(path)) {
      faults <- c(faults, paste0(place, ": is missing"))
    } else if (file.size(path) != seal$files[[name]]$bytes) {
      faults <- c(faults, paste0(place, ": has ", file.size(path), " bytes instead of ",
                                 seal$files[[name]]$bytes))
    } else if (verify && invar_crc32c(.invar_bytes(path)) != seal$files[[name]]$crc) {
      faults <- c(faults, paste0(place, ": does not match its checksum"))
    }
  }
  faults
}

.invar_unsigned <- function(word) {
  word <- as.numeric(word)
  word[is.na(word)] <- -2^31
  ifelse(word < 0, word + 2^32, word)
}

# A 64-bit integer as a double: exact below 2^53 ps, that is for 2.5 hours.
.invar_long <- function(low, high) {
  high <- as.numeric(high)
  high[is.na(high)] <- -2^31
  high * 2^32 + .invar_unsigned(low)
}

.invar_numbers <- function(lines, key) {
  pattern <- paste0('"', key, '":\\K[0-9]{1,10}(?=[,}])')
  numbers <- as.numeric(regmatches(lines, regexpr(pattern, lines, perl = TRUE)))
  stopifnot(length(numbers) == length(lines))
  numbers
}

# NULL if its journal and its records do not fit each other.
.invar_read_launch <- function(dir, seal, campaign) {
  tryCatch(.invar_read_files(dir, seal, campaign), error = function(error) NULL)
}

.invar_read_files <- function(dir, seal, campaign) {
  path <- file.path(dir, seal$dir)
  stopifnot(c("journal.jsonl", "timings.bin") %in% names(seal$files))
  lines <- .invar_text_lines(file.path(path, "journal.jsonl"))
  failures <- lapply(lines[startsWith(lines, '{"type":"failure"')], .invar_json)
  lines <- lines[startsWith(lines, '{"type":"visit"')]
  bytes <- .invar_bytes(file.path(path, "timings.bin"))
  words <- matrix(readBin(bytes, "integer", 16 * (length(bytes) %/% 64), size = 4,
                          endian = "little"), nrow = 16)
  counts <- .invar_numbers(lines, "records")
  if (sum(counts) != ncol(words) ||
      any(.invar_numbers(lines, "first_record") != cumsum(counts) - counts)) {
    return(NULL)
  }
  per_visit <- function(values) rep(values, counts)
  canary <- regmatches(lines, regexpr('"canary_ps":\\[\\K[0-9,]*(?=\\])', lines, perl = TRUE))
  stopifnot(length(canary) == length(lines))
  canary <- vapply(strsplit(canary, ","), function(hosts) {
    if (length(hosts) == 0) NA_real_ else max(as.numeric(hosts))
  }, 0)
  flags <- .invar_unsigned(words[16, ]) %% 65536
  has_flag <- function(name) bitwAnd(as.integer(flags), invar_flags[[name]]) != 0
  local_only <- has_flag("global_invalid")
  ns <- function(i) .invar_long(words[i, ], words[i + 1, ]) / 1000
  global <- function(values) ifelse(local_only, NA, values)
  cell <- per_visit(.invar_numbers(lines, "cell")) + 1
  stopifnot(cell <= nrow(campaign$cells))
  observations <- data.frame(
    session = rep(seal$session, ncol(words)), group = rep(seal$group, ncol(words)),
    launch = rep(seal$launch, ncol(words)), arm = rep(seal$arm, ncol(words)))
  observations <- cbind(observations, campaign$cells[cell, , drop = FALSE], data.frame(
    calls = per_visit(.invar_numbers(lines, "calls")),
    round = per_visit(.invar_numbers(lines, "round")),
    block = per_visit(.invar_numbers(lines, "block")),
    visit = .invar_unsigned(words[1, ]), repetition = .invar_unsigned(words[2, ]),
    start_ns = ns(3), global_ns = global(ns(5)), local_ns = ns(7), local_min_ns = ns(9),
    local_mean_ns = ns(11), start_skew_ns = global(ns(13)),
    uncertainty_ns = ifelse(has_flag("error_unstated"), NA,
                            global(.invar_unsigned(words[15, ]) / 1000)),
    canary_ns = per_visit(canary) / 1000, flags = as.integer(flags)))
  rownames(observations) <- NULL
  list(observations = observations,
       failures = lapply(failures, function(line) {
         list(cell = .invar_taken(line, "cell", "double"), arm = seal$arm,
              reason = .invar_taken(line, "reason", "character"))
       }))
}

.invar_complete_groups <- function(campaign) {
  numbers <- sort(as.integer(names(campaign$groups)))
  Filter(function(number) campaign$groups[[as.character(number)]]$complete, numbers)
}

# Seals of a complete group's launches, and what is wrong with their files.
.invar_group <- function(dir, campaign, number, verify) {
  group <- campaign$groups[[as.character(number)]]
  seals <- lapply(group$launches, function(launch) campaign$seals[[as.character(launch)]])
  faults <- unlist(lapply(seals, function(seal) {
    lacks <- is.null(seal) || seal$group != number
    if (lacks) "manifest.jsonl: lacks a seal" else .invar_check_files(dir, seal, verify)
  }))
  list(seals = seals, faults = faults)
}

.invar_clock_columns <- c("clock", "rank", "epoch", "at_ps", "offset_ps", "skew", "offset_sd_ps",
                          "skew_sd", "measured_ps", "measured_sd_ps", "innovation_ps",
                          "innovation_sd_ps", "accepted", "origin_ticks", "ps_per_tick", "wander",
                          "noise", "restarted")

# The launch's rows of clock_sync.csv; none where all ranks read one clock, NULL where the file is
# none that Invar writes.
.invar_read_clock_sync <- function(dir, seal) {
  if (is.null(seal$files[["clock_sync.csv"]])) return(data.frame())
  tryCatch({
    lines <- .invar_text_lines(file.path(dir, seal$dir, "clock_sync.csv"))
    rows <- utils::read.csv(text = lines, na.strings = "")
    for (name in setdiff(c("wander", "noise", "restarted"), names(rows))) rows[[name]] <- NA
    rows <- rows[.invar_clock_columns]
    if (nrow(rows) == 0) return(data.frame())
    for (name in c("accepted", "restarted")) rows[[name]] <- rows[[name]] == "yes"
    for (name in .invar_clock_columns[-1]) {
      stopifnot(is.numeric(rows[[name]]) || is.logical(rows[[name]]))
    }
    cbind(data.frame(group = seal$group, launch = seal$launch, arm = seal$arm), rows)
  }, error = function(error) NULL, warning = function(warning) NULL)
}

# Every look at the clocks (clock_sync.csv) of all complete, undamaged groups, or NULL where there
# is none: a data frame with its columns behind group, launch and arm. NA: does not exist, or was
# not recorded yet. Warns of damage.
read_clock_sync <- function(dir, verify = TRUE) {
  campaign <- .invar_read_manifest(dir, verify)
  parts <- list()
  for (number in .invar_complete_groups(campaign)) {
    group <- .invar_group(dir, campaign, number, verify)
    faults <- group$faults
    if (length(faults) == 0) {
      launches <- lapply(group$seals, function(seal) .invar_read_clock_sync(dir, seal))
      if (any(vapply(launches, is.null, TRUE))) {
        faults <- paste0("group ", number, ": its clock_sync.csv is none that this reader knows")
      } else {
        parts <- c(parts, Filter(function(rows) nrow(rows) > 0, launches))
      }
    }
    if (length(faults) > 0) warning(paste(faults, collapse = "; "))
  }
  if (length(parts) > 0) do.call(rbind, parts) else NULL
}

# All observations of all complete, undamaged groups, and what they are of. Visits of a cell that
# failed in an arm are still there: $failed_cells names them.
read_campaign <- function(dir, verify = TRUE) {
  campaign <- .invar_read_manifest(dir, verify)
  campaign$damage <- character()
  parts <- list()
  for (number in .invar_complete_groups(campaign)) {
    group <- .invar_group(dir, campaign, number, verify)
    seals <- group$seals
    faults <- group$faults
    if (length(faults) == 0) {
      launches <- lapply(seals, function(seal) .invar_read_launch(dir, seal, campaign))
      if (any(vapply(launches, is.null, TRUE))) {
        faults <- paste0("group ", number, ": its journals do not fit its records")
      } else {
        parts <- c(parts, lapply(launches, `[[`, "observations"))
        new <- unlist(lapply(launches, `[[`, "failures"), recursive = FALSE)
        known <- vapply(campaign$failed_cells, function(f) paste(f$cell, f$arm), "")
        new <- Filter(function(f) !paste(f$cell, f$arm) %in% known, new)
        campaign$failed_cells <- c(campaign$failed_cells, new)
      }
    }
    campaign$damage <- c(campaign$damage, faults)
  }
  campaign$failed_groups <- Filter(function(group) !group$complete, campaign$groups)
  campaign$observations <- if (length(parts) > 0) do.call(rbind, parts) else NULL
  campaign$seals <- NULL
  campaign$groups <- NULL
  campaign
}
