// What a campaign ended with undecided: in words for people, and from the words of old manifests.
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "store/manifest/manifest.hpp"

namespace invar::store {

std::string LeftOpen::text() const {
  return reason + ": " + std::to_string(undecided) + " of " + std::to_string(questions) +
         " questions " + (undecided == 1 ? "is" : "are") + " not decided";
}

// "all looks were taken: 3 of 9 questions are not decided", perhaps "; " and advice behind it.
std::optional<LeftOpen> left_open_in_words(std::string_view text) {
  const std::size_t end = text.find(" are not decided");
  if (end == std::string_view::npos) return std::nullopt;
  const std::size_t colon = text.rfind(": ", end);
  if (colon == std::string_view::npos || colon == 0 || colon + 2 > end) return std::nullopt;
  const std::vector<std::string_view> words =
      base::split(text.substr(colon + 2, end - colon - 2), ' ');
  if (words.size() != 4 || words[1] != "of" || !words[3].starts_with("question")) {
    return std::nullopt;
  }
  const std::optional<std::uint64_t> undecided = base::parse_u64(words[0]);
  const std::optional<std::uint64_t> questions = base::parse_u64(words[2]);
  if (!undecided || !questions) return std::nullopt;
  return LeftOpen{.reason = std::string(text.substr(0, colon)),
                  .undecided = *undecided,
                  .questions = *questions};
}

}  // namespace invar::store
