#include "launch/algorithms/size_laws.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "launch/algorithms/forced.hpp"
#include "launch/algorithms/seen_traffic.hpp"
#include "launch/algorithms/try_all.hpp"
#include "tuning/files/mpich_tree.hpp"
#include "tuning/tuned_file.hpp"

namespace invar::launch {
namespace {

constexpr std::uint32_t kCalls = 21;
constexpr std::uint32_t kTimedRanks = 2;
// Where the rule ends: beyond every size that is asked.
constexpr std::uint64_t kEndBytes = std::uint64_t{1} << 30U;

// What an instrument sees of a size: a number that is compared with others of the same size.
struct Look {
  bool failed = true;
  tuning::Traffic messages = {};
  double median_ns = 0;
};
using Looks = std::vector<Look>;  // by size

Looks look_by_messages(const ProbePlace& place, const SizeLawOrder& order,
                       std::span<const std::uint64_t> sizes_bytes, const ToldLevel* level) {
  std::vector<TrafficOrder> orders;
  orders.reserve(sizes_bytes.size());
  for (const std::uint64_t size_bytes : sizes_bytes) {
    orders.push_back({.operation = order.operation,
                      .ranks = order.ranks,
                      .size_bytes = size_bytes,
                      .level = level});
  }
  Looks looks;
  looks.reserve(sizes_bytes.size());
  for (SeenTraffic& seen : see_traffic(place, orders)) {
    // What went past the counters looks alike whatever runs.
    const bool counted = seen.why_not.empty() && !seen.messages.empty();
    looks.push_back({.failed = !counted, .messages = std::move(seen.messages)});
  }
  return looks;
}

Looks look_by_time(const ProbePlace& place, const SizeLawOrder& order,
                   std::span<const std::uint64_t> sizes_bytes, const ToldLevel* level) {
  std::vector<record::Try> tries;
  tries.reserve(sizes_bytes.size());
  for (const std::uint64_t size_bytes : sizes_bytes) {
    tries.push_back({.kind = record::TryKind::kTime,
                     .operation = order.operation,
                     .size_bytes = size_bytes,
                     .calls = kCalls,
                     .switched = level == nullptr ? "" : record::switch_text(level->told)});
  }
  Looks looks;
  looks.reserve(sizes_bytes.size());
  for (const TryResult& result : try_all(place, order.ranks, tries)) {
    looks.push_back({.failed = !result.failure.empty() || !result.median_ns,
                     .median_ns = result.median_ns.value_or(0)});
  }
  return looks;
}

using LookAt = Looks (*)(const ProbePlace&, const SizeLawOrder&, std::span<const std::uint64_t>,
                         const ToldLevel*);

bool any_failed(const Looks& looks) {
  return std::ranges::any_of(looks, [](const Look& look) { return look.failed; });
}

// All sizes that any probe may ask for: what is seen of a level alone is looked at once.
std::vector<std::uint64_t> all_sizes(const tuning::SizeLawQuestion& question) {
  std::vector<std::uint64_t> sizes;
  const auto add = [&](std::span<const tuning::SizeLawAnswer> answers) {
    if (const auto probe = tuning::next_size_law_probe(question, answers)) {
      sizes.insert(sizes.end(), probe->sizes_bytes.begin(), probe->sizes_bytes.end());
    }
  };
  std::vector<tuning::SizeLawAnswer> answers(1);
  answers.front().acts = {true, true};
  add({});
  add(answers);
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

// One way of seeing what runs.
class Instrument {
 public:
  Instrument(const ProbePlace& place, const SizeLawOrder& order, LookAt look_at,
             std::vector<std::uint64_t> sizes_bytes)
      : place_(place), order_(order), look_at_(look_at), sizes_bytes_(std::move(sizes_bytes)) {
    library_ = look_at_(place_, order_, sizes_bytes_, nullptr);
  }

  // A level that differs plainly from what the library runs, at every size; null: none does.
  const ToldLevel* find_standing_out() {
    if (any_failed(library_)) return nullptr;
    for (const ToldLevel& level : order_.levels) {
      if (level.asked.operation != order_.operation) continue;
      alone_ = look_alone(level);
      if (!any_failed(alone_) && stands_out()) return &level;
    }
    return nullptr;
  }

  // What a launch with the file shows, for the sizes of a probe.
  std::vector<tuning::RuleActs> acts(const ProbePlace& with_file,
                                     const tuning::SizeLawProbe& probe) const {
    const Looks looks = look_at_(with_file, order_, probe.sizes_bytes, nullptr);
    std::vector<tuning::RuleActs> acts;
    acts.reserve(looks.size());
    for (std::size_t i = 0; i < looks.size(); ++i) {
      const auto place =
          std::ranges::lower_bound(sizes_bytes_, probe.sizes_bytes[i]) - sizes_bytes_.begin();
      acts.push_back(acts_at(looks[i], static_cast<std::size_t>(place)));
    }
    return acts;
  }

 private:
  // Told inside the launch, or where that cannot be when it starts.
  [[nodiscard]] Looks look_alone(const ToldLevel& level) const {
    if (level.lacks.empty()) return look_at_(place_, order_, sizes_bytes_, &level);
    ProbePlace forced{
        .profile = place_.profile, .environment = place_.environment, .launcher = place_.launcher};
    const std::vector<tuning::ForcedArm> arms = forced_arms(place_.profile, std::span(&level, 1));
    if (arms.empty()) return {Look{}};
    const tuning::Variables& settings = arms.front().settings;
    forced.environment.insert(forced.environment.end(), settings.begin(), settings.end());
    return look_at_(forced, order_, sizes_bytes_, nullptr);
  }

  [[nodiscard]] bool by_messages() const { return look_at_ == look_by_messages; }

  [[nodiscard]] bool stands_out() const {
    if (by_messages()) {
      for (std::size_t i = 0; i < alone_.size(); ++i) {
        if (alone_[i].messages == library_[i].messages) return false;
      }
      return true;
    }
    std::vector<double> own;
    std::vector<double> library;
    own.reserve(alone_.size());
    library.reserve(alone_.size());
    for (std::size_t i = 0; i < alone_.size(); ++i) {
      own.push_back(alone_[i].median_ns);
      library.push_back(library_[i].median_ns);
    }
    return tuning::is_plainly_slow(own, library);
  }

  [[nodiscard]] tuning::RuleActs acts_at(const Look& look, std::size_t size) const {
    if (look.failed || size >= sizes_bytes_.size()) return std::nullopt;
    if (!by_messages()) {
      return tuning::acts_by_time(library_[size].median_ns, look.median_ns, alone_[size].median_ns);
    }
    if (look.messages == alone_[size].messages) return true;
    if (look.messages == library_[size].messages) return false;
    return std::nullopt;
  }

  const ProbePlace& place_;
  const SizeLawOrder& order_;
  LookAt look_at_;
  std::vector<std::uint64_t> sizes_bytes_;
  Looks library_ = {};  // without any file
  Looks alone_ = {};    // the level, told inside a launch
};

// The launch with a file that has one rule for the level, or why there is none.
struct WithFile {
  Environment environment = {};
  std::string why_not = {};
};

WithFile write_rule(const ProbePlace& place, const KnownLibrary& known, const SizeLawOrder& order,
                    const ToldLevel& level, std::uint64_t threshold_bytes, const ProbeDir& dir) {
  const std::string name(tuning::file_name_of(tuning::format_of(known.library, known.version)));
  const std::filesystem::path path = dir.path() / (name.empty() ? "rules" : name);
  // As if blocks were compared: the limit stands in the file as it is.
  tuning::TuningRequest request{.table = tuning::DecisionTable({{.operation = order.operation,
                                                                 .ranks = order.ranks,
                                                                 .from_bytes = threshold_bytes,
                                                                 .to_bytes = kEndBytes,
                                                                 .candidate = level.candidate}}),
                                .library = known.library,
                                .version = known.version,
                                .laws = {{order.operation, tuning::SizeLaw::kBlock}},
                                .path = path.string(),
                                .base_tree = own_selection_tree(place.profile),
                                .device_tree = own_device_tree(place.profile)};
  WithFile with;
  const tuning::TunedFile file = tuning::write_tuned(request);
  if (file.written.empty()) {
    with.why_not = file.dropped.empty() ? "nothing is written for it" : file.dropped.front().reason;
    return with;
  }
  if (!file.text.empty()) write_atomically(path, file.text);
  if (!file.device_text.empty()) {
    write_atomically(dir.path() / tuning::kDeviceFileName, file.device_text);
  }
  for (const auto& setting : place.environment) {
    const bool hides = std::ranges::find(file.unset, setting.first) != file.unset.end();
    if (!hides) with.environment.push_back(setting);
  }
  with.environment.insert(with.environment.end(), file.set.begin(), file.set.end());
  return with;
}

using FindTree = std::optional<std::string> (*)(std::string_view);

std::string tree_of(const Profile& profile, FindTree find) {
  for (const auto& [file, checksum] : profile.checksums) {
    const std::string name = std::filesystem::path(file).filename().string();
    if (name.find("libmpi") == std::string::npos) continue;
    const auto bytes = base::read_file(file);
    if (!bytes) continue;
    if (auto tree = find(*bytes)) return std::move(*tree);
  }
  return {};
}

LearnedLaw learn_by(const ProbePlace& place, const SizeLawOrder& order, const KnownLibrary& known,
                    LookAt look_at, const std::string& how) {
  const tuning::SizeLawQuestion question{
      .operation = order.operation,
      .ranks = order.ranks,
      .element_bytes = order.element_bytes,
      .expected = tuning::expected_size_law(known.library, known.version, order.operation)};
  Instrument instrument(place, order, look_at, all_sizes(question));
  LearnedLaw learned;
  const ToldLevel* const level = instrument.find_standing_out();
  if (level == nullptr) {
    learned.finding.words = "no algorithm of " + order.operation + " stands out here, " + how;
    return learned;
  }
  std::vector<tuning::SizeLawAnswer> answers;
  while (const auto probe = tuning::next_size_law_probe(question, answers)) {
    const ProbeDir dir(place);
    const WithFile with = write_rule(place, known, order, *level, probe->threshold_bytes, dir);
    if (!with.why_not.empty()) {
      learned.finding.words = with.why_not;
      return learned;
    }
    const ProbePlace with_file{
        .profile = place.profile, .environment = with.environment, .launcher = place.launcher};
    answers.push_back({.probe = *probe, .acts = instrument.acts(with_file, *probe)});
  }
  learned.finding = tuning::find_size_law(question, answers);
  learned.seen_by = level->asked.level + ", " + how;
  return learned;
}

}  // namespace

std::string own_selection_tree(const Profile& profile) {
  return tree_of(profile, tuning::find_mpich_tree);
}

std::string own_device_tree(const Profile& profile) {
  constexpr std::string_view kTold = "MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE";
  const bool told = std::ranges::any_of(
      profile.variables, [&](const ControlVariable& one) { return one.name == kTold; });
  return told ? tree_of(profile, tuning::find_mpich_device_tree) : std::string();
}

LearnedLaw learn_size_law(const ProbePlace& place, const SizeLawOrder& order) {
  const KnownLibrary known = known_library(place.profile);
  if (!known.lacks.empty()) return {.finding = {.words = known.lacks}};
  try {
    // What decides beside a file would hide it.
    const std::vector<std::string> hiding =
        tuning::overruling_variables(known.library, order.operation);
    ProbePlace open{.profile = place.profile, .launcher = place.launcher};
    for (const auto& setting : place.environment) {
      const bool hides = std::ranges::find(hiding, setting.first) != hiding.end();
      if (!hides) open.environment.push_back(setting);
    }
    if (counts_messages(place.profile)) {
      LearnedLaw learned = learn_by(open, order, known, look_by_messages, "by its messages");
      if (!learned.seen_by.empty()) return learned;
    }
    // Ranks that share cores have no times.
    SizeLawOrder timed = order;
    timed.ranks = kTimedRanks;
    return learn_by(open, timed, known, look_by_time, "by its time");
  } catch (const base::UserError& error) {
    return {.finding = {.words = error.faults().front().what}};
  }
}

tuning::SizeLaws laws_of(const std::map<std::string, LearnedLaw>& learned) {
  tuning::SizeLaws laws;
  for (const auto& [operation, one] : learned) {
    if (one.finding.law) laws.emplace(operation, *one.finding.law);
  }
  return laws;
}

}  // namespace invar::launch
