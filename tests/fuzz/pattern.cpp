// Levels of point-to-point operations: patterns, queues, computation.
#include <tuple>

#include "fuzz/fuzz.hpp"
#include "record/p2p/compute_level.hpp"
#include "record/p2p/levels.hpp"
#include "record/p2p/train_delay.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace invar;
  const std::string text(fuzz::text_of(data, size));
  if (const auto pattern = record::parse_pattern(text)) {
    fuzz::must_hold(record::pattern_text(*pattern) == text, "a pattern written is that read");
    for (const std::uint32_t ranks : {1U, 2U, 3U, 8U, 24U}) {
      for (const auto messages : {record::Messages::kMatched, record::Messages::kDirected,
                                  record::Messages::kPartners, record::Messages::kPairs}) {
        if (!record::lack_of_pattern(*pattern, messages, ranks).complaint.empty()) continue;
        std::size_t sent = 0;
        std::size_t received = 0;
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
          sent += record::sends_to(*pattern, ranks, rank).size();
          received += record::receives_from(*pattern, ranks, rank).size();
        }
        fuzz::must_hold(sent > 0 && sent == received, "what is sent is received");
        for (const record::RankPair& pair : record::pairs_of(*pattern, ranks)) {
          fuzz::must_hold(pair.from < ranks && pair.to < ranks && pair.from != pair.to,
                          "a pair is of two ranks that there are");
        }
      }
    }
  }
  if (const auto queue = record::parse_queue(text)) {
    fuzz::must_hold(record::queue_text(*queue) == text, "a queue written is that read");
  }
  // What people may write is what plans can have.
  for (const auto& [level, expand, key] :
       {std::tuple(record::pattern_level(text), &record::expand_pattern, "pattern"),
        std::tuple(record::compute_level(text), &record::expand_compute, "compute")}) {
    fuzz::must_hold(level.text.has_value() != !level.complaint.empty(), "a level, or why not");
    if (!level.text) continue;
    for (const std::string& one : expand(*level.text, 5)) {
      record::Cell cell;
      fuzz::must_hold(record::find_factor_by_key(key)->parse(cell, one), "a level of a cell");
    }
  }
  const record::LevelText delay = record::train_delay_level(text);
  fuzz::must_hold(delay.text.has_value() != !delay.complaint.empty(), "a delay, or why not");
  if (delay.text) {
    fuzz::must_hold(record::parse_train_delay(*delay.text).has_value(), "a delay of a cell");
  }
  return 0;
}
