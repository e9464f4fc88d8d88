#include "analysis/metadata/method_words.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "analysis/metadata/method_analysis_words.hpp"
#include "analysis/metadata/method_design_words.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "design/factors/simulated.hpp"
#include "record/synchronisation.hpp"

namespace invar::analysis {
namespace {

std::string fact(const Metadata& metadata, const char* name) {
  const auto found = metadata.facts.find(name);
  if (found == metadata.facts.end()) return {};
  std::string text = found->second.text();
  return text == "(unknown)" || text == "(empty)" ? std::string() : text;
}

std::string machine_words(const MethodSource& source) {
  const Metadata& metadata = *source.metadata;
  std::string text = "Measurements ran on " + source.data->scope;
  const std::string model = fact(metadata, "processor.model");
  if (!model.empty()) text += " (" + model;
  const std::string online = fact(metadata, "processor.online");
  if (!model.empty() && !online.empty()) text += ", processors " + online;
  if (!model.empty()) text += ")";
  const std::string kernel = fact(metadata, "kernel.release");
  if (!kernel.empty()) text += " under Linux " + kernel;
  const std::string distribution = fact(metadata, "kernel.distribution");
  if (!kernel.empty() && !distribution.empty()) text += " (" + distribution + ")";
  if (!fact(metadata, "hypervisor").empty()) text += ", in a virtual machine";
  const std::string pinning = fact(metadata, "pinning");
  const std::string map = fact(metadata, "rank-to-core map");
  if (pinning == "core") {
    text += ". Every process was bound to one core before MPI_Init";
    if (!map.empty()) text += " (rank:core " + map + ")";
  } else if (pinning == "none") {
    text += ". Processes were not bound to cores";
  } else if (pinning == design::kSimulatedRanks) {
    text +=
        ". There all processes were simulated by SimGrid, on the machine of a platform file, and "
        "all times are simulated ones";
  }
  const std::size_t sessions = source.data->sessions.size();
  text += ". The data come from " + count_text(sessions, "session");
  if (sessions == 1) text += ", and nothing is claimed beyond it";
  return text + ".";
}

std::string library_words(const MethodSource& source) {
  std::string text = "Compared were";
  if (source.data->arms.size() == 1) text = "Measured was";
  std::vector<std::string> arms;
  for (const store::ArmRecord& arm : source.data->arms) {
    const std::string version = arm.library_version.empty() ? arm.library : arm.library_version;
    std::string words = arm.label + " (" + version;
    for (const auto& [name, value] : arm.settings) words += ", " + name + "=" + value;
    if (!arm.program.empty()) words += ", program '" + arm.program + "'";
    arms.push_back(words + ")");
  }
  text += " " + list_text(arms) + ".";
  std::set<std::string> compilers;
  for (const ArmFacts& arm : source.metadata->arms) {
    const auto found = arm.facts.find("compiler");
    if (found == arm.facts.end()) continue;
    const auto flags = arm.facts.find("compiler_flags");
    compilers.insert(found->second.text() +
                     (flags == arm.facts.end() ? "" : ", with " + flags->second.text()));
  }
  if (!compilers.empty()) {
    text += " The measuring program was built against each library by its own compiler wrapper (" +
            base::join(std::vector(compilers.begin(), compilers.end()), "; ") + ").";
  }
  for (const ArmFacts& arm : source.metadata->arms) {
    const auto found = arm.facts.find("configured");
    if (found == arm.facts.end()) continue;
    text += " " + list_text(arm.labels) + (arm.labels.size() == 1 ? " was" : " were") +
            " configured with " + found->second.text() + ".";
  }
  return text;
}

// "8 B to 1 MiB (12 sizes)".
std::string sizes_words(const std::vector<record::Cell>& cells) {
  std::set<std::uint64_t> sizes;
  for (const record::Cell& cell : cells) {
    if (cell.size_bytes) sizes.insert(*cell.size_bytes);
  }
  if (sizes.empty()) return {};
  if (sizes.size() == 1) return " with messages of " + base::size_text(*sizes.begin());
  return " with " + std::to_string(sizes.size()) + " message sizes from " +
         base::size_text(*sizes.begin()) + " to " + base::size_text(*sizes.rbegin());
}

std::string cell_words(const MethodSource& source) {
  const std::vector<record::Cell> cells = counted_cells(source);
  std::vector<std::string> operations;
  for (const record::Cell& cell : cells) {
    if (std::ranges::find(operations, cell.operation) == operations.end()) {
      operations.push_back(cell.operation);
    }
  }
  std::string text = "The campaign has " + count_text(cells.size(), "cell") + ": " +
                     list_text(operations) + sizes_words(cells);
  std::vector<std::string> factors;
  for (const record::Factor& factor : record::factors()) {
    using enum record::FactorRole;
    if (factor.role == kSubject || factor.role == kScheme || factor.role == kFamily) continue;
    if (!record::tells_cells_apart(factor, cells)) continue;
    std::vector<std::string> levels;
    for (const record::Cell& cell : cells) {
      const std::string level = factor.text(cell);
      if (!level.empty() && std::ranges::find(levels, level) == levels.end()) {
        levels.push_back(level);
      }
    }
    if (levels.size() > 1) {
      factors.push_back(std::string(factor.name) + " (" + base::first_items(levels, 6, ", ") + ")");
    }
  }
  if (!factors.empty()) text += "; also varied: " + list_text(factors);
  text += ".";
  const auto is_program = [](const store::ArmRecord& arm) { return !arm.program.empty(); };
  const auto programs = std::ranges::count_if(source.data->arms, is_program);
  if (programs < std::ssize(source.data->arms)) {
    text += " Every result was checked before it was timed.";
  }
  if (programs > 0) {
    text +=
        " Programs of others were run once a launch and cell, and count by the one time that "
        "they print.";
  }
  if (std::ranges::any_of(cells, [](const record::Cell& cell) { return cell.delay_ns > 0; })) {
    text += " Known delays were planted into calls of the second arm, so that the truth is known.";
  }
  return text;
}

std::string point_words(const TickPoint& point, const record::OperationInfo& info) {
  if (point.kind == TickPoint::Kind::kMark) return "the mark '" + info.marks[point.mark].name + "'";
  return point.kind == TickPoint::Kind::kStart ? "the start" : "the end";
}

// " The time of handover is 'one way': from the start of rank 1 to the end of rank 2, ..."
std::string headline_words(const MethodSource& source) {
  constexpr std::size_t kMostRanks = 4;
  const auto ranks_text = [](const std::vector<std::uint32_t>& ranks) {
    std::vector<std::string> words;
    words.reserve(ranks.size());
    for (const std::uint32_t rank : ranks) words.push_back(std::to_string(rank));
    return (ranks.size() == 1 ? "rank " : "ranks ") + base::first_items(words, kMostRanks, ", ");
  };
  std::string text;
  std::set<std::string> told;
  for (const record::Cell& cell : counted_cells(source)) {
    const record::OperationInfo info = source.data->operation(cell.operation);
    const ChosenTime headline = choose_time(info, cell, {});
    if (!headline.time || !told.insert(cell.operation).second) continue;
    const DeclaredTime& time = *headline.time;
    const bool several = time.from_ranks.size() > 1 || time.to_ranks.size() > 1;
    text += " The time of " + cell.operation + " is '" + time.name + "': from " +
            point_words(time.from, info) + " of " + ranks_text(time.from_ranks) + " to " +
            point_words(time.to, info) +
            (time.needs_common_time() ? " of " + ranks_text(time.to_ranks) : std::string());
    if (time.kind == record::TimeKind::kAcross) {
      text += several ? ", from the first to the last of them, on one clock" : ", on one clock";
    } else if (time.kind == record::TimeKind::kLast) {
      text += several ? ", of the one that ends last, on one clock" : "";
    } else {
      text += several ? ", the longest of them" : "";
    }
    text += ".";
  }
  return text;
}

std::string clock_words(const MethodSource& source, Citations& cite) {
  // Programs synchronise and time as they please.
  const auto is_program = [](const store::ArmRecord& arm) { return !arm.program.empty(); };
  if (std::ranges::all_of(source.data->arms, is_program)) return {};
  std::vector<std::string> syncs;
  std::set<std::uint64_t> dithers;
  for (const record::Cell& cell : counted_cells(source)) {
    dithers.insert(cell.dither_ns);
    if (std::ranges::find(syncs, cell.sync) == syncs.end()) syncs.push_back(cell.sync);
  }
  std::string text;
  if (!syncs.empty()) {
    std::vector<std::string> words;
    words.reserve(syncs.size());
    for (const std::string& sync : syncs) {
      words.push_back(sync + ": " + std::string(record::synchronisation(sync).method) +
                      cite(sync == "round-time" ? "Hunold 2018" : "Hunold 2015"));
    }
    text = "Repetitions were synchronised by " + base::join(words, "; by ") + ".";
    if (dithers.size() == 1 && *dithers.begin() > 0) {
      text += " Before it each rank waited a random time of up to " +
              base::duration_text(static_cast<double>(*dithers.begin())) +
              ", so that repetitions do not lock into a phase" + cite("Gropp 1999") + ".";
    }
  }
  text += source.global_runtime
              ? " The run-time is global: from the first rank's start to the last rank's end, on "
                "clocks put into one time."
              : " The run-time is local: the longest of the ranks' own times from start to end.";
  if (source.global_runtime && !source.local_cells.empty()) {
    text += " In " + list_text(source.local_cells) +
            ", where most global times were not valid, it is local: the longest of the ranks' own "
            "times.";
  }
  text += headline_words(source);
  const std::string clock = fact(*source.metadata, "clock.source");
  if (!clock.empty()) {
    text += " The clock was " + clock;
    if (source.data->clock_step_ns > 0) {
      text += ", which advances in steps of " + base::duration_text(source.data->clock_step_ns) +
              "; ties within a step were spread over it";
    }
    text += ".";
  }
  return text.starts_with(' ') ? text.substr(1) : text;
}

// The versions of Invar that measured, each once.
std::vector<std::string> measured_by(std::span<const MethodSource> campaigns) {
  std::vector<std::string> versions;
  for (const MethodSource& source : campaigns) {
    if (source.data->groups.empty()) continue;
    for (const std::string& version : source.data->made_by) {
      if (std::ranges::find(versions, version) == versions.end()) versions.push_back(version);
    }
  }
  return versions;
}

}  // namespace

std::string Citations::operator()(const std::string& key) {
  keys_.insert(key);
  return " [" + key + "]";
}

std::vector<Reference> Citations::references() const {
  std::vector<Reference> references;
  for (const Reference& known : known_references()) {
    if (keys_.contains(known.key)) references.push_back(known);
  }
  return references;
}

MethodText method_text(std::span<const MethodSource> campaigns) {
  Citations cite;
  std::vector<std::vector<std::string>> texts;  // [topic][campaign]
  std::vector<std::string> names;
  for (const MethodSource& source : campaigns) {
    if (source.data->groups.empty()) continue;
    names.push_back(source.name);
    const std::vector<std::string> own{machine_words(source),     library_words(source),
                                       cell_words(source),        design_words(source, cite),
                                       clock_words(source, cite), statistics_words(source, cite),
                                       figure_words(source, cite)};
    texts.resize(own.size());
    for (std::size_t i = 0; i < own.size(); ++i) texts[i].push_back(own[i]);
  }
  MethodText result;
  for (const std::vector<std::string>& topic : texts) {
    const bool alike =
        std::ranges::all_of(topic, [&](const std::string& text) { return text == topic.front(); });
    for (std::size_t i = 0; i < (alike ? 1 : topic.size()); ++i) {
      if (topic[i].empty()) continue;
      result.paragraphs.push_back(alike ? topic[i] : names[i] + ": " + topic[i]);
    }
  }
  if (!result.paragraphs.empty()) {
    result.paragraphs.insert(result.paragraphs.begin(),
                             measured_with_words(measured_by(campaigns), cite));
  }
  result.references = cite.references();
  return result;
}

}  // namespace invar::analysis
