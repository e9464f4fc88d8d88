#include "analysis/tuning/tuned_dir.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "base/text.hpp"

namespace invar::analysis {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kConfirmation = "confirm-";
constexpr std::string_view kTested = "tested-";

std::optional<std::uint32_t> confirmation_number(const std::string& name) {
  if (!name.starts_with(kConfirmation)) return std::nullopt;
  const auto number = base::parse_u64(std::string_view(name).substr(kConfirmation.size()));
  if (!number || *number == 0 || *number > std::numeric_limits<std::uint32_t>::max()) {
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(*number);
}

}  // namespace

fs::path confirmation_dir(const fs::path& dir, std::uint32_t number) {
  return dir / (std::string(kConfirmation) + std::to_string(number));
}

fs::path tested_dir(const fs::path& dir, std::uint32_t number) {
  return dir / (std::string(kTested) + std::to_string(number));
}

bool is_confirmation_dir(const fs::path& dir) {
  return confirmation_number(dir.filename().string()).has_value();
}

std::vector<std::uint32_t> confirmations_in(const fs::path& dir) {
  std::vector<std::uint32_t> numbers;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(dir, none)) {
    const auto number = confirmation_number(entry.path().filename().string());
    if (number && entry.is_directory(none)) numbers.push_back(*number);
  }
  std::ranges::sort(numbers);
  return numbers;
}

}  // namespace invar::analysis
