#include "driver/prepare/last_regime.hpp"

#include <filesystem>
#include <system_error>

#include "base/file.hpp"
#include "base/text.hpp"
#include "launch/process/paths.hpp"

namespace invar::driver {
namespace {

std::filesystem::path file_of(const std::string& host) {
  return launch::invar_home() / "regimes" / host;
}

}  // namespace

std::optional<base::CanaryBand> last_regime(const std::string& host) {
  const std::optional<std::string> text = base::read_file(file_of(host).string());
  if (!text) return std::nullopt;
  return base::parse_band(text->substr(0, text->find('\n'))).value;
}

void remember_regime(const std::string& host, const base::CanaryBand& band) {
  const std::filesystem::path file = file_of(host);
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  if (error) return;
  static_cast<void>(base::write_whole_file(file, base::band_text(band) + '\n',
                                           file.string() + ".new", base::IfThere::kReplace, false));
}

}  // namespace invar::driver
