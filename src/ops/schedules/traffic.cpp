#include "ops/schedules/traffic.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

namespace invar::ops {
namespace {

constexpr std::uint64_t kFnvBasis = 0xcbf29ce484222325U;
constexpr std::uint64_t kFnvPrime = 0x100000001b3U;

// FNV-1a (Fowler, Noll, Vo).
std::string digest(const std::string& text) {
  std::uint64_t hash = kFnvBasis;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= kFnvPrime;
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string digits(16, '0');
  for (std::size_t i = digits.size(); i-- > 0; hash >>= 4U) digits[i] = kDigits[hash & 15U];
  return digits;
}

std::string message_text(char kind, int partner, const Piece& piece) {
  return kind + std::to_string(partner) + ':' + std::to_string(piece.elements) + ' ';
}

// What a rank does, wait after wait. Messages that are under way together are in no order.
std::string order_of_rank(const Steps& steps) {
  std::string text;
  std::vector<std::string> earlier;
  std::vector<std::string> own;
  const auto wait_for = [&](std::vector<std::string>& messages) {
    if (messages.empty()) return;
    std::sort(messages.begin(), messages.end());
    for (const std::string& message : messages) text += message;
    text += "| ";
    messages.clear();
  };
  for (const Step& step : steps) {
    if (step.from != kNobody) own.push_back(message_text('r', step.from, step.received));
    if (step.to != kNobody) own.push_back(message_text('s', step.to, step.sent));
    if (step.wait == Wait::kEarlier) wait_for(earlier);
    earlier.insert(earlier.end(), std::make_move_iterator(own.begin()),
                   std::make_move_iterator(own.end()));
    own.clear();
    if (step.wait == Wait::kAll) wait_for(earlier);
    if (step.then == Then::kNothingMore || step.into.elements == 0) continue;
    text +=
        (step.then == Then::kCopy ? "copy " : "reduce ") + std::to_string(step.into.elements) + ' ';
  }
  wait_for(earlier);
  return text;
}

}  // namespace

std::vector<MessageCount> message_counts(const Algorithm& algorithm, Position at) {
  std::map<std::pair<int, int>, MessageCount> pairs;
  for (at.rank = 0; at.rank < at.ranks; ++at.rank) {
    for (const Step& step : algorithm.steps(at)) {
      if (step.to == kNobody) continue;
      MessageCount& count = pairs[{at.rank, step.to}];
      count.from = at.rank;
      count.to = step.to;
      ++count.messages;
      count.elements += step.sent.elements;
    }
  }
  std::vector<MessageCount> counts;
  counts.reserve(pairs.size());
  for (const auto& [pair, count] : pairs) counts.push_back(count);
  return counts;
}

std::string order_of_steps(const Algorithm& algorithm, Position at) {
  std::string text;
  for (at.rank = 0; at.rank < at.ranks; ++at.rank) {
    text += order_of_rank(algorithm.steps(at)) + '\n';
  }
  return digest(text);
}

}  // namespace invar::ops
