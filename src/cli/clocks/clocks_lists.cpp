#include "cli/clocks/clocks_lists.hpp"

#include <fmt/format.h>

#include <iterator>
#include <vector>

#include "analysis/clocks/clock_experiments.hpp"
#include "base/csv.hpp"
#include "cli/clocks/clocks_campaigns.hpp"
#include "clock/algorithm.hpp"
#include "clocksim/network.hpp"

namespace invar::cli {
namespace {

struct ListedExperiment {
  std::string name = {};
  std::string source = {};
  std::string about = {};
};

std::vector<ListedExperiment> listed() {
  std::vector<ListedExperiment> all;
  for (const analysis::ClockExperiment& one : analysis::clock_experiments()) {
    const char* where = one.live.empty() ? "" : one.simulated.empty() ? "+ " : "* ";
    all.push_back({std::string(one.name), std::string(one.source), where + std::string(one.about)});
  }
  for (const ClockCampaign& one : clock_campaigns()) {
    all.push_back({one.name, one.source, std::string("+ ") + one.about});
  }
  return all;
}

}  // namespace

std::string clock_lists_text() {
  std::string text =
      "Experiments (invar clocks NAME --help; *: also with --library, +: only with it)\n";
  auto out = std::back_inserter(text);
  for (const ListedExperiment& e : listed()) {
    fmt::format_to(out, "  {:<19}{:<80}{}\n", e.name, e.about, e.source);
  }
  text += "\nAlgorithms and their parameters (NAME:parameter=value:...)\n";
  for (const clock::Algorithm& algorithm : clock::algorithms()) {
    fmt::format_to(out, "  {:<10}{}\n            {}\n", algorithm.name, algorithm.summary,
                   algorithm.source);
    for (const clock::Parameter& p : algorithm.parameters) {
      fmt::format_to(out, "              {:<22}{:<8g}{}\n", p.name, p.value, p.meaning);
    }
  }
  text +=
      "\nSimulated networks (--network NAME, or replay:FILE with one round trip in ns a line)\n";
  for (const clocksim::Network& network : clocksim::networks()) {
    fmt::format_to(out, "  {:<12}{}\n", network.name, network.summary);
  }
  return text;
}

std::string clock_lists_csv() {
  std::string text = "kind,name,parameter,default,least,most,summary,source\n";
  auto out = std::back_inserter(text);
  for (const ListedExperiment& e : listed()) {
    fmt::format_to(out, "experiment,{},,,,,{},{}\n", e.name, base::csv_field(e.about),
                   base::csv_field(e.source));
  }
  for (const clock::Algorithm& a : clock::algorithms()) {
    fmt::format_to(out, "algorithm,{},,,,,{},{}\n", a.name, base::csv_field(a.summary),
                   base::csv_field(a.source));
    for (const clock::Parameter& p : a.parameters) {
      fmt::format_to(out, "parameter,{},{},{:g},{:g},{:g},{},\n", a.name, p.name, p.value, p.least,
                     p.most, base::csv_field(p.meaning));
    }
  }
  for (const clocksim::Network& network : clocksim::networks()) {
    fmt::format_to(out, "network,{},,,,,{},\n", network.name, base::csv_field(network.summary));
  }
  return text;
}

}  // namespace invar::cli
