#include "tuning/probes/size_law_probe.hpp"

#include <algorithm>

namespace invar::tuning {
namespace {

// Sizes of the block: powers of two, so that they are whole numbers of the usual elements.
constexpr std::uint64_t kSmallBytes = 4096;
constexpr std::uint64_t kLargeBytes = 65536;

// The block that counts as `threshold` if blocks are compared with all ranks' together.
std::uint64_t limit_by_ranks(const SizeLawQuestion& question, std::uint64_t threshold_bytes) {
  return threshold_bytes / question.ranks;
}

// A limit that every law but the constants reaches within the sizes, each at another one.
SizeLawProbe middle_probe(const SizeLawQuestion& question) {
  const std::uint64_t step = kSmallBytes * question.element_bytes;
  const std::uint64_t low = step;  // times ranks: the threshold
  const std::uint64_t threshold = step * question.ranks;
  return {.threshold_bytes = threshold,
          .sizes_bytes = {low / 2, low,
                          (low + threshold) / 2 / question.element_bytes * question.element_bytes,
                          threshold, 2 * threshold, 4 * threshold * question.ranks}};
}

bool any_acts(const SizeLawAnswer& answer) {
  return std::ranges::any_of(answer.acts, [](const RuleActs& one) { return one == true; });
}

bool all_known(const SizeLawAnswer& answer) {
  return std::ranges::all_of(answer.acts, [](const RuleActs& one) { return one.has_value(); });
}

// From which size on the rule acts at all larger ones, if it does at no smaller one.
std::optional<std::uint64_t> first_acting(const SizeLawAnswer& answer) {
  const auto first = std::ranges::find(answer.acts, RuleActs(true));
  if (first == answer.acts.end()) return std::nullopt;
  const bool stays =
      std::all_of(first, answer.acts.end(), [](const RuleActs& one) { return one == true; });
  if (!stays) return std::nullopt;
  return answer.probe.sizes_bytes[static_cast<std::size_t>(first - answer.acts.begin())];
}

// `usual`, or the expected one if it compares the same for equal blocks.
SizeLaw law_named(const SizeLawQuestion& question, SizeLaw usual) {
  if (!question.expected) return usual;
  constexpr std::uint64_t kAny = kSmallBytes;
  return compared_bytes(*question.expected, kAny, question.ranks) ==
                 compared_bytes(usual, kAny, question.ranks)
             ? *question.expected
             : usual;
}

SizeLawFinding law_found(SizeLaw law) {
  return {.reads_file = true,
          .law = law,
          .words = "the library compares " + std::string(to_string(law))};
}

SizeLawFinding law_unclear(const std::string& why) { return {.reads_file = true, .words = why}; }

}  // namespace

std::optional<SizeLawProbe> next_size_law_probe(const SizeLawQuestion& question,
                                                std::span<const SizeLawAnswer> answers) {
  if (question.ranks < 2) return std::nullopt;
  if (answers.empty()) {
    return SizeLawProbe{.threshold_bytes = 0, .sizes_bytes = {kSmallBytes, kLargeBytes}};
  }
  if (answers.size() == 1 && any_acts(answers[0])) return middle_probe(question);
  // No size reaches the limit: is a constant compared, and which?
  if (answers.size() == 2 && all_known(answers[1]) && !any_acts(answers[1])) {
    return SizeLawProbe{.threshold_bytes = question.element_bytes * question.ranks,
                        .sizes_bytes = {kSmallBytes, kLargeBytes}};
  }
  return std::nullopt;
}

SizeLawFinding find_size_law(const SizeLawQuestion& question,
                             std::span<const SizeLawAnswer> answers) {
  if (question.ranks < 2) return {.words = "one rank tells no law from another"};
  if (answers.empty()) return {.words = "nothing was asked"};
  if (!any_acts(answers[0])) {
    return {.words = all_known(answers[0])
                         ? "the file is not read: a rule for all sizes changes nothing"
                         : "whether the file is read cannot be seen"};
  }
  if (answers.size() < 2) return law_unclear("the file is read; what is compared was not asked");
  const SizeLawAnswer& middle = answers[1];
  if (!all_known(middle))
    return law_unclear("at some sizes it cannot be seen whether the rule acts");
  if (!any_acts(middle)) {
    if (answers.size() < 3) return law_unclear("no size reaches the limit");
    if (any_acts(answers[2])) return law_found(SizeLaw::kTypeTimesRanks);
    return all_known(answers[2]) ? law_found(SizeLaw::kNothing)
                                 : law_unclear("whether anything is compared cannot be seen");
  }
  const auto first = first_acting(middle);
  const std::uint64_t threshold = middle.probe.threshold_bytes;
  if (first == threshold) return law_found(law_named(question, SizeLaw::kBlock));
  if (first == limit_by_ranks(question, threshold)) {
    return law_found(law_named(question, SizeLaw::kBlockTimesRanks));
  }
  return law_unclear(first ? "a limit of " + std::to_string(threshold) + " B acts from blocks of " +
                                 std::to_string(*first) + " B on, by no law that is known"
                           : "the rule acts at some sizes and not at larger ones");
}

RuleActs acts_by_time(double without_ns, double with_ns, double alone_ns) {
  constexpr double kPlainly = 2;
  constexpr double kAlike = 1.25;
  if (!(without_ns > 0) || !(with_ns > 0) || !(alone_ns > 0)) return std::nullopt;
  // On a logarithmic scale, where times are compared.
  const bool nearer = with_ns * with_ns > without_ns * alone_ns;
  if (with_ns >= kPlainly * without_ns && nearer) return true;
  if (with_ns <= kAlike * without_ns) return false;
  return std::nullopt;
}

bool is_plainly_slow(std::span<const double> own_ns, std::span<const double> library_ns) {
  constexpr double kTimesSlower = 3;
  if (own_ns.empty() || own_ns.size() != library_ns.size()) return false;
  for (std::size_t i = 0; i < own_ns.size(); ++i) {
    if (!(library_ns[i] > 0) || own_ns[i] < kTimesSlower * library_ns[i]) return false;
  }
  return true;
}

}  // namespace invar::tuning
