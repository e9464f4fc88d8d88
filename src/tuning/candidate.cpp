#include "tuning/candidate.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <vector>

#include "base/text.hpp"

namespace invar::tuning {
namespace {

struct CandidateWord {
  CandidateKind kind;
  std::string_view word;
  bool named;
};

constexpr std::array<CandidateWord, 5> kCandidateWords{{
    {CandidateKind::kAsGiven, kAsGivenText, false},
    {CandidateKind::kLibraryDefault, "library-default", false},
    {CandidateKind::kAlgorithm, "algorithm", true},
    {CandidateKind::kMockup, "mockup", true},
    {CandidateKind::kReference, "reference", true},
}};

constexpr std::string_view kCandidateForms =
    "known: default, library-default, algorithm:NAME, mockup:OPERATION=PARTS, "
    "reference:OPERATION@ALGORITHM, the last three with :fanout=N and :segment=BYTES behind";

base::Parsed<Candidate> no_candidate(std::string_view text, const std::string& why) {
  return {.value = {}, .error = "'" + std::string(text) + "' is not a candidate: " + why};
}

// Sets the knob that `part` names ("fanout=8"). What is wrong with it; empty: nothing.
std::string take_knob(std::string_view part, Candidate& candidate) {
  const std::size_t equals = part.find('=');
  const std::string_view knob = part.substr(0, equals);
  if (equals == std::string_view::npos || (knob != "fanout" && knob != "segment")) {
    return "'" + std::string(part) + "' is neither fanout=N nor segment=BYTES";
  }
  const std::optional<std::uint64_t> number = base::parse_u64(part.substr(equals + 1));
  if (!number || *number == 0) {
    return "'" + std::string(part) + "' needs a whole number above 0 (0 is said by leaving it out)";
  }
  if (knob == "segment") {
    if (candidate.segment_bytes != 0) return "segment= stands twice";
    candidate.segment_bytes = *number;
    return {};
  }
  if (candidate.fanout != 0) return "fanout= stands twice";
  if (*number > std::numeric_limits<std::uint32_t>::max()) {
    return "'" + std::string(part) + "' is too large";
  }
  candidate.fanout = static_cast<std::uint32_t>(*number);
  return {};
}

}  // namespace

bool needs_shim(const Candidate& candidate) {
  return candidate.kind == CandidateKind::kMockup || candidate.kind == CandidateKind::kReference;
}

std::string to_string(const Candidate& candidate) {
  const CandidateWord& word = kCandidateWords[static_cast<std::size_t>(candidate.kind)];
  std::string text(word.word);
  if (!word.named) return text;
  text += ':' + candidate.name;
  if (candidate.fanout != 0) text += ":fanout=" + std::to_string(candidate.fanout);
  if (candidate.segment_bytes != 0) text += ":segment=" + std::to_string(candidate.segment_bytes);
  return text;
}

base::Parsed<Candidate> parse_candidate(std::string_view text) {
  const std::vector<std::string_view> parts = base::split(text, ':');
  const auto word = std::ranges::find(kCandidateWords, parts.front(), &CandidateWord::word);
  if (word == kCandidateWords.end()) return no_candidate(text, std::string(kCandidateForms));
  Candidate candidate{.kind = word->kind};
  if (!word->named) {
    if (parts.size() > 1) {
      return no_candidate(text, "nothing stands behind " + std::string(word->word));
    }
    return {.value = std::move(candidate), .error = {}};
  }
  if (parts.size() < 2 || parts[1].empty()) {
    return no_candidate(text, "a name is missing; " + std::string(kCandidateForms));
  }
  candidate.name = parts[1];
  for (std::size_t i = 2; i < parts.size(); ++i) {
    const std::string wrong = take_knob(parts[i], candidate);
    if (!wrong.empty()) return no_candidate(text, wrong);
  }
  return {.value = std::move(candidate), .error = {}};
}

}  // namespace invar::tuning
