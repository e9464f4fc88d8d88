#include "platform/platform_files.hpp"

#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "platform/inversion.hpp"
#include "platform/platform_source.hpp"
#include "platform/usual_formulas.hpp"

namespace invar::platform {
namespace {

void add_clippings(const std::vector<Clipping>& clippings, const std::string& whose,
                   std::vector<std::string>& remarks) {
  for (const Clipping& clipping : clippings) {
    remarks.push_back(whose + "clipped: " + clipping_text(clipping));
  }
}

bool is_inside(const PlatformModel& model) { return model.pairs_are == PairsAre::kInsideHost; }

SourceOrder source_order(const FilesOrder& order, std::vector<std::string>& remarks) {
  SourceOrder source{.inside_host = order.model,
                     .between_hosts = order.model,
                     .seed = order.seed,
                     .stem = order.stem};
  if (order.other) {
    (is_inside(order.model) ? source.between_hosts : source.inside_host) = *order.other;
  } else {
    remarks.push_back(is_inside(order.model)
                          ? "C++ platform: pairs between hosts were not measured: it is one host"
                          : "C++ platform: pairs inside a host were not measured: it has one core "
                            "a host");
  }
  source.inside_host.pairs_are = PairsAre::kInsideHost;
  source.between_hosts.pairs_are = PairsAre::kBetweenHosts;
  // The platform has no pairs that nobody measured.
  const bool both = order.other.has_value();
  source.hosts = both ? 2 : is_inside(order.model) ? 1 : order.ranks;
  source.cores = both || is_inside(order.model) ? order.ranks : 1;
  return source;
}

// In both classes of pairs a rank has a node of its own.
ClusterShape shape_of(std::uint32_t ranks) { return {.nodes = ranks, .cores = 1}; }

}  // namespace

std::string run_text(const std::string& stem, std::uint32_t ranks) {
  return "smpirun -np " + std::to_string(ranks) + " -platform " + stem + ".xml -hostfile " + stem +
         ".hosts " + kRunOptions + " PROGRAM";
}

PlatformFiles platform_files(const FilesOrder& order) {
  PlatformFiles made;
  const Inversion inversion = invert(order.model);
  for (const std::string& sentence : unmeasured(order.model)) made.remarks.push_back(sentence);
  add_clippings(inversion.clippings, "", made.remarks);
  const ClusterShape shape = shape_of(order.ranks);

  std::vector<std::string> comments = order.about;
  comments.insert(comments.end(), made.remarks.begin(), made.remarks.end());
  comments.emplace_back(
      "programs in C are compiled by smpicc -fno-gnu-unique -O2, in C++ by smpicxx");
  comments.emplace_back("with the same options, and both run by");
  comments.push_back(run_text(order.stem, order.ranks));
  comments.emplace_back("(cfg has two hyphens in front, which no comment may hold)");
  comments.push_back("without surf/precision smpirun itself rounds times to 1 ns");
  std::string xml = simgrid_xml(inversion.platform, shape, comments);

  std::vector<std::string> of_source;
  const SourceOrder ordered = source_order(order, of_source);
  if (order.other) {
    for (const std::string& sentence : unmeasured(*order.other)) {
      of_source.push_back("C++ platform, the other pairs: " + sentence);
    }
  }
  // What it cannot say is known when it is made, and stands in its comments.
  const PlatformSource first = platform_source(ordered, {});
  for (const std::string& caution : first.cautions) {
    of_source.push_back("C++ platform: " + caution);
  }
  if (order.other) {
    const bool inside = is_inside(order.model);
    add_clippings(inside ? first.between_clippings : first.inside_clippings,
                  "C++ platform, the other pairs: ", of_source);
  }
  comments = order.about;
  comments.insert(comments.end(), made.remarks.begin(), made.remarks.end());
  comments.insert(comments.end(), of_source.begin(), of_source.end());
  comments.emplace_back(
      "noise: lines are the medians of times, which vary about them as they were measured");
  const Interruptions& interruptions = order.model.interruptions;
  comments.push_back(interruptions.share > 0
                         ? "interruptions: " + base::shortest_text(interruptions.share) +
                               " of messages take " +
                               base::duration_text(interruptions.duration_ns) +
                               " longer whatever their size, drawn once a message"
                         : std::string("interruptions: none was measured"));
  if (std::string warning = interruptions_warning(order.model); !warning.empty()) {
    comments.push_back(std::move(warning));
  }
  const PlatformSource source = platform_source(ordered, comments);
  made.remarks.insert(made.remarks.end(), of_source.begin(), of_source.end());

  made.files.push_back({order.stem + ".xml", std::move(xml)});
  made.files.push_back({order.stem + ".hosts", hostfile_text(shape)});
  made.files.push_back({order.stem + ".cpp", source.text});
  made.files.push_back(
      {order.stem + ".cpp.hosts", hostfile_text({.nodes = ordered.hosts, .cores = ordered.cores})});
  return made;
}

std::string defaults_xml(const PlatformModel& model, std::uint32_t ranks) {
  const std::vector<std::string> comments{
      "latency and bandwidth alone: SimGrid's own parameters for the rest, for comparison"};
  return simgrid_xml(invert(model).platform, shape_of(ranks), comments, XmlSays::kClusterAlone);
}

std::string usual_xml(const PlatformModel& model, std::uint32_t ranks) {
  const std::vector<std::string> comments{
      "by the formulas of SimGrid's platform-calibration, for comparison"};
  return simgrid_xml(usual_formulas(model), shape_of(ranks), comments);
}

}  // namespace invar::platform
