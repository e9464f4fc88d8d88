// The frequency of CPUs by Linux's cpufreq: a governor, or one fixed frequency.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/conditions.hpp"

namespace invar::host {

// The CPUs of everything that this process may start, and their hardware threads' siblings (a core
// follows the highest of its threads' requests): all CPUs that ranks can come to, however they are
// bound.
std::vector<std::uint32_t> frequency_cpus(const std::string& sys = "/sys");

// Why `level` ("performance", or "2400000kHz") cannot be set on these CPUs: no cpufreq, a governor
// that the kernel lacks, a frequency out of range, no permission. `sys`: "/sys".
std::optional<Refusal> frequency_refusal(const std::string& level,
                                         const std::vector<std::uint32_t>& cpus,
                                         const std::string& sys = "/sys");

// What a file of the kernel said before it was written: "cpu0/cpufreq/scaling_governor".
struct OldSetting {
  std::string file;
  std::string text;

  bool operator==(const OldSetting&) const = default;
};
using OldSettings = std::vector<OldSetting>;

// Files of frequencies only: what comes from a disk may say anything.
bool is_setting_of_frequency(std::string_view file);

// Every file that says something else afterwards, with what it says and what it should.
std::vector<std::string> put_back(const OldSettings& before, const std::string& sys = "/sys");

// Sets levels, and puts back at its end what was there before.
class Frequency {
 public:
  // `keep` is called with what is there before the first file is written, to be found again should
  // this process be killed; what it throws comes out of set().
  explicit Frequency(std::vector<std::uint32_t> cpus, std::string sys = "/sys",
                     std::function<void(const OldSettings&)> keep = {});
  Frequency(const Frequency&) = delete;
  Frequency& operator=(const Frequency&) = delete;
  ~Frequency();

  // Throws UserError with the file that could not be written, or that says something else
  // afterwards. "default" puts back what was there.
  void set(const std::string& level);
  // Empty if what was set still holds; else the file and what it says ("something else set it").
  [[nodiscard]] std::string changed() const;
  // As put_back() says it. What is left then is tried again at the end, where nobody hears of it.
  std::vector<std::string> restore();

 private:
  void note_before();
  void write(const std::string& path, const std::string& text);

  std::vector<std::uint32_t> cpus_;
  std::string sys_;
  std::function<void(const OldSettings&)> keep_;
  OldSettings before_ = {};
  std::vector<std::pair<std::string, std::string>> set_ = {};
};

}  // namespace invar::host
