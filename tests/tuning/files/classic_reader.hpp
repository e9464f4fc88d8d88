// Open MPI's classic rules as coll/tuned reads them, written apart from their writer: what
// communicators and calls get from a file, with the traps.
#pragma once

#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace invar::tuning {

struct OpenMpiRule {
  std::uint64_t from = 0;
  long algorithm = 0;
  long fanout = 0;
  long segment_bytes = 0;
};

class ClassicReader {
 public:
  // `versioned`: as from 5.0.7 on.
  ClassicReader(std::string text, bool versioned) : text_(std::move(text)) {
    read_file(versioned);
    if (!read_) operations_.clear();
  }

  // False: Open MPI would drop the file without a word.
  [[nodiscard]] bool read() const { return read_; }

  // "ALGORITHM/FANOUT/SEGMENT"; "default" where its own function decides.
  [[nodiscard]] std::string decide(int operation, std::uint32_t ranks, std::uint64_t bytes) const {
    const auto found = operations_.find(operation);
    if (found == operations_.end() || found->second.empty()) return "default";
    // The largest number of ranks that is not above, and the first one for want of such a one.
    const Ranks* chosen = &found->second.front();
    for (const Ranks& candidate : found->second) {
      if (candidate.ranks > static_cast<long>(ranks)) break;
      chosen = &candidate;
    }
    if (chosen->rules.empty()) return "default";
    const OpenMpiRule* rule = &chosen->rules.front();
    for (const OpenMpiRule& candidate : chosen->rules) {
      if (candidate.from > bytes) break;
      rule = &candidate;
    }
    if (rule->algorithm == 0) return "default";
    return std::to_string(rule->algorithm) + '/' + std::to_string(rule->fanout) + '/' +
           std::to_string(rule->segment_bytes);
  }

 private:
  struct Ranks {
    long ranks = 0;
    std::vector<OpenMpiRule> rules = {};
  };

  void read_file(bool versioned) {
    constexpr std::string_view kHeader = "rule-file-version-";
    long version = 1;
    if (versioned && text_.starts_with(kHeader)) {
      at_ = kHeader.size();
      version = next_number().value_or(-1);
    }
    const auto operations = next_number();
    if (!operations || *operations < 0 || *operations > 22) return;
    for (long i = 0; i < *operations; ++i) {
      const auto operation = next_number();
      const auto counts = next_number();
      if (!operation || *operation < 0 || *operation >= 22 || !counts || *counts < 0) return;
      std::vector<Ranks>& all = operations_[static_cast<int>(*operation)];
      for (long k = 0; k < *counts; ++k) {
        if (!read_ranks(all.emplace_back(), version)) return;
      }
    }
    read_ = true;
  }

  bool read_ranks(Ranks& ranks, long version) {
    const auto count = next_number();
    const auto sizes = next_number();
    if (!count || *count < 0 || !sizes || *sizes < 0) return false;
    ranks.ranks = *count;
    for (long i = 0; i < *sizes; ++i) {
      std::vector<long> numbers;
      for (int k = 0; k < 4; ++k) {
        const auto number = next_number();
        if (!number || *number < 0) return false;
        numbers.push_back(*number);
      }
      if (version > 1 && digit_on_this_line() && next_number().value_or(-1) < 0) return false;
      if (i == 0 && numbers[0] != 0) return false;
      ranks.rules.push_back(
          {static_cast<std::uint64_t>(numbers[0]), numbers[1], numbers[2], numbers[3]});
    }
    return true;
  }

  // As scanf's "%li" in a loop that throws away what is not a number, and comments.
  std::optional<long> next_number() {
    while (at_ < text_.size()) {
      const char* begin = text_.c_str() + at_;
      char* end = nullptr;
      const long number = std::strtol(begin, &end, 0);
      if (end != begin) {
        at_ += static_cast<std::size_t>(end - begin);
        return number;
      }
      while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
      if (at_ == text_.size()) return {};
      if (text_[at_++] != '#') continue;
      while (at_ < text_.size() && text_[at_++] != '\n') {
      }
    }
    return {};
  }

  bool digit_on_this_line() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0;
  }

  std::string text_;
  std::size_t at_ = 0;
  bool read_ = false;
  std::map<int, std::vector<Ranks>> operations_ = {};
};

}  // namespace invar::tuning
