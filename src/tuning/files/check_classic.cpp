#include "tuning/files/check_classic.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/text.hpp"

namespace invar::tuning {
namespace {

constexpr std::string_view kHeader = "rule-file-version-";
constexpr Version kKnowsHeader{5, 0, 7};
constexpr Version kKnowsJson{6, 0, 0};

struct Token {
  std::string_view text = {};
  int line = 0;
};

// What stands behind a '#' is a comment.
std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  int line = 0;
  for (const std::string_view whole : base::split(text, '\n')) {
    ++line;
    std::string_view rest = whole.substr(0, whole.find('#'));
    while (true) {
      const std::size_t begin = rest.find_first_not_of(" \t\r");
      if (begin == std::string_view::npos) break;
      rest.remove_prefix(begin);
      const std::string_view word = rest.substr(0, rest.find_first_of(" \t\r"));
      tokens.push_back({word, line});
      rest.remove_prefix(word.size());
    }
  }
  return tokens;
}

// Reads the numbers one after the other, and stops at the first fault.
class ClassicReader {
 public:
  // `with_requests`: a rule may have a fifth number on its line, as since version 2 of the form.
  ClassicReader(std::vector<Token> tokens, bool with_requests)
      : tokens_(std::move(tokens)), with_requests_(with_requests) {}

  std::vector<ClassicFault> check() {
    const auto operations = next("the number of operations");
    for (std::uint64_t i = 0; operations && i < *operations && faults_.empty(); ++i) {
      read_operation();
    }
    if (faults_.empty() && at_ < tokens_.size()) {
      fault("'" + std::string(tokens_[at_].text) + "' stands behind the last rule",
            "make the numbers of operations, communicators and rules right");
    }
    return std::move(faults_);
  }

 private:
  std::optional<std::uint64_t> next(const std::string& what) {
    if (!faults_.empty()) return std::nullopt;
    if (at_ == tokens_.size()) {
      fault("the file ends where " + what + " should be", "write it");
      return std::nullopt;
    }
    const auto number = base::parse_u64(tokens_[at_].text);
    if (!number) {
      fault("'" + std::string(tokens_[at_].text) + "' stands where " + what + " should be",
            "write a whole number");
      return std::nullopt;
    }
    ++at_;
    return number;
  }

  void read_operation() {
    next("the number of an operation");
    const auto communicators = next("the number of communicator sizes");
    std::optional<std::uint64_t> before;
    for (std::uint64_t i = 0; communicators && i < *communicators && faults_.empty(); ++i) {
      const auto ranks = next("the size of a communicator");
      if (ranks && before && *ranks <= *before) {
        --at_;
        fault("a communicator of " + std::to_string(*ranks) + " ranks stands behind one of " +
                  std::to_string(*before),
              "sort them: the library takes the last one that is not larger");
      }
      before = ranks;
      read_rules(ranks.value_or(0));
    }
  }

  void read_rules(std::uint64_t ranks) {
    const auto rules = next("the number of rules");
    std::optional<std::uint64_t> before;
    for (std::uint64_t i = 0; rules && i < *rules && faults_.empty(); ++i) {
      const auto bytes = next("the bytes from which a rule holds");
      if (bytes && i == 0 && *bytes != 0) {
        --at_;
        fault("the first rule for " + std::to_string(ranks) + " ranks begins at " +
                  std::to_string(*bytes) +
                  " bytes: without one for 0 the library drops the whole "
                  "file without a word",
              "write '0 0 0 0' before it, and count it");
      } else if (bytes && before && *bytes <= *before) {
        --at_;
        fault("a rule from " + std::to_string(*bytes) + " bytes on stands behind one from " +
                  std::to_string(*before),
              "sort them");
      }
      before = bytes;
      for (const char* what : {"an algorithm", "a fan-out", "the bytes of a segment"}) next(what);
      const bool fifth =
          with_requests_ && at_ < tokens_.size() && tokens_[at_].line == tokens_[at_ - 1].line;
      if (fifth) next("a number of requests");
    }
  }

  void fault(std::string what, std::string remedy) {
    const int line = tokens_.empty() ? 1 : tokens_[std::min(at_, tokens_.size() - 1)].line;
    faults_.push_back({.line = line, .what = std::move(what), .remedy = std::move(remedy)});
  }

  std::vector<Token> tokens_;
  bool with_requests_;
  std::size_t at_ = 0;
  std::vector<ClassicFault> faults_ = {};
};

}  // namespace

std::vector<ClassicFault> check_classic(std::string_view text, const Version& version) {
  if (base::trim(text).starts_with('{')) {
    if (version >= kKnowsJson) return {};
    return {{.line = 1,
             .what = "rules in JSON: Open MPI " + to_string(version) + " looks for numbers alone",
             .remedy = "write the classic form, as before 6.0"}};
  }
  std::vector<Token> tokens = tokens_of(text);
  const bool headed = !tokens.empty() && tokens.front().text.starts_with(kHeader);
  if (!headed) return ClassicReader(std::move(tokens), false).check();
  const std::string_view form = tokens.front().text.substr(kHeader.size());
  if (version < kKnowsHeader) {
    return {{.line = 1,
             .what = "a header of version " + std::string(form) + ": Open MPI " +
                     to_string(version) + " ignores the file without a word",
             .remedy = "write the file without header, as before 5.0.7"}};
  }
  tokens.erase(tokens.begin());
  return ClassicReader(std::move(tokens), form != "1").check();
}

}  // namespace invar::tuning
