#include "platform/simgrid_xml.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

namespace invar::platform {
namespace {

// Below it SimGrid takes two moments for one. smpirun sets 1e-9 itself unless it is told otherwise.
constexpr double kPrecision = 1e-12;
// No flow is capped by it: the bound is this over twice the latency.
constexpr double kNoWindow = 1e12;
constexpr const char* kNodeName = "node-";

std::string xml_number(double value) { return base::shortest_text(value); }

std::string overheads_text(const std::vector<OverheadSection>& sections) {
  std::string text;
  for (const OverheadSection& section : sections) {
    text += (text.empty() ? "" : ";") + std::to_string(section.above_bytes) + ':' +
            xml_number(section.intercept_s) + ':' + xml_number(section.slope_s);
  }
  return text;
}

std::string factors_text(const std::vector<FactorSection>& sections) {
  std::string text;
  for (const FactorSection& section : sections) {
    text += (text.empty() ? "" : ";") + std::to_string(section.above_bytes) + ':' +
            xml_number(section.factor);
  }
  return text;
}

std::string bandwidth_text(double bandwidth_bps) { return xml_number(bandwidth_bps) + "Bps"; }
std::string time_text(double time_s) { return xml_number(time_s) + 's'; }

void add_config(const SimgridPlatform& platform, std::vector<SimgridProperty>& properties) {
  const auto add = [&](const char* name, std::string value) {
    properties.push_back({.name = name, .value = std::move(value)});
  };
  add("smpi/os", overheads_text(platform.send));
  add("smpi/ois", overheads_text(platform.isend));
  add("smpi/or", overheads_text(platform.receive));
  add("smpi/bw-factor", factors_text(platform.bandwidth_factor));
  add("smpi/lat-factor", factors_text(platform.latency_factor));
  add("smpi/async-small-thresh", std::to_string(platform.async_bytes));
  add("smpi/send-is-detached-thresh", std::to_string(platform.detached_bytes));
  if (platform.wtime_s) add("smpi/wtime", xml_number(*platform.wtime_s));
  if (platform.test_s) add("smpi/test", xml_number(*platform.test_s));
  if (platform.iprobe_s) add("smpi/iprobe", xml_number(*platform.iprobe_s));
  // Else every look that finds nothing takes longer than the one before.
  if (platform.test_s || platform.iprobe_s) add("smpi/grow-injected-times", "no");
  if (!platform.selector.empty()) add("smpi/coll-selector", platform.selector);
  add("network/TCP-gamma", xml_number(kNoWindow));
  // Acknowledgements are in the measured bandwidths.
  add("network/crosstraffic", "no");
  add("surf/precision", xml_number(kPrecision));
}

// A flow alone is held to what a pair reaches, flows together to what pairs reach together. A
// bandwidth factor scales how fast a flow is and not its share, so the cap cannot be a factor.
void add_cluster(const SimgridPlatform& platform, const ClusterShape& shape,
                 std::vector<SimgridProperty>& properties) {
  const bool inside = platform.pairs_are == PairsAre::kInsideHost;
  const auto add = [&](const char* name, std::string value) {
    properties.push_back({.name = std::string("cluster ") + name, .value = std::move(value)});
  };
  add("nodes", std::to_string(shape.nodes));
  add("core", std::to_string(shape.cores));
  add("bw", bandwidth_text(inside ? platform.pair_bandwidth_bps : platform.shared_bandwidth_bps));
  // A route has two links.
  add("lat", time_text(platform.latency_s / 2));
  add("bb_bw",
      bandwidth_text(inside ? platform.shared_bandwidth_bps : platform.pair_bandwidth_bps));
  add("bb_lat", time_text(0));
  add("bb_sharing_policy", inside ? "SHARED" : "FATPIPE");
  // Ranks of one node: factors know only the size, and so they are as far from each other as any.
  add("loopback_bw", bandwidth_text(flow_bandwidth_bps(platform)));
  add("loopback_lat", time_text(platform.latency_s));
}

// Two hyphens may not stand in a comment.
std::string comment_text(std::string_view line) {
  std::string text;
  for (const char c : base::without_controls(line)) {
    if (c == '-' && !text.empty() && text.back() == '-') text += ' ';
    text += c;
  }
  return text + (text.ends_with('-') ? " " : "");
}

}  // namespace

std::string node_name(std::uint32_t node) { return kNodeName + std::to_string(node); }

std::string hostfile_text(const ClusterShape& shape) {
  std::string text;
  for (std::uint32_t node = 0; node < shape.nodes; ++node) {
    for (std::uint32_t core = 0; core < shape.cores; ++core) text += node_name(node) + '\n';
  }
  return text;
}

std::vector<SimgridProperty> properties_of(const SimgridPlatform& platform,
                                           const ClusterShape& shape) {
  std::vector<SimgridProperty> properties;
  add_config(platform, properties);
  add_cluster(platform, shape, properties);
  return properties;
}

std::string simgrid_xml(const SimgridPlatform& platform, const ClusterShape& shape,
                        std::span<const std::string> comments, XmlSays says) {
  constexpr std::string_view kClusterPrefix = "cluster ";
  std::vector<SimgridProperty> properties = properties_of(platform, shape);
  if (says == XmlSays::kClusterAlone) {
    std::erase_if(properties, [&](const SimgridProperty& property) {
      return !property.name.starts_with(kClusterPrefix);
    });
  }
  base::Faults faults;
  check_properties(properties, "", faults);
  if (shape.nodes == 0) faults.add("cluster nodes", "is 0", "a cluster has a node");
  if (shape.cores == 0) faults.add("cluster core", "is 0", "a node has a core");
  faults.throw_if_any();
  std::string text =
      "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n";
  for (const std::string& comment : comments) text += "<!-- " + comment_text(comment) + " -->\n";
  text += "<platform version=\"4.1\">\n";
  if (says == XmlSays::kEverything) text += "  <config id=\"General\">\n";
  std::string cluster = "    <cluster id=\"cluster\" prefix=\"" + std::string(kNodeName) +
                        "\" suffix=\"\" radical=\"0-" + std::to_string(shape.nodes - 1) +
                        "\" speed=\"1Gf\" sharing_policy=\"SPLITDUPLEX\"";
  for (const SimgridProperty& property : properties) {
    if (!property.name.starts_with(kClusterPrefix)) {
      text += "    <prop id=\"" + property.name + "\" value=\"" + property.value + "\"/>\n";
    } else if (property.name != "cluster nodes") {
      cluster += "\n             " + property.name.substr(kClusterPrefix.size()) + "=\"" +
                 property.value + '"';
    }
  }
  if (says == XmlSays::kEverything) text += "  </config>\n";
  return text + "  <zone id=\"world\" routing=\"Full\">\n" + cluster +
         "/>\n  </zone>\n</platform>\n";
}

}  // namespace invar::platform
