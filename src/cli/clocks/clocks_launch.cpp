#include "cli/clocks/clocks_launch.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "cli/parse.hpp"
#include "design/campaign/hosts.hpp"

namespace invar::cli {
namespace {

constexpr std::uint32_t kMostLaunches = 1000;

std::vector<design::Host> hosts_of_file(const std::string& path) {
  const auto text = base::read_file(path);
  if (!text) {
    throw base::UserError("--hostfile", "'" + path + "' cannot be read",
                          "name a file with one host a line");
  }
  return design::read_hostfile(*text, path);
}

std::vector<std::uint32_t> rank_numbers(const LaunchWords& words) {
  std::vector<std::uint32_t> numbers;
  for (const std::string& word : parse_words("--ranks", words.ranks)) {
    const std::uint32_t number = parse_positive("--ranks", word);
    if (std::ranges::find(numbers, number) != numbers.end()) {
      throw base::UserError("--ranks", word + " is there twice", "name it once");
    }
    numbers.push_back(number);
  }
  if (numbers.size() > 1 && !words.several_ranks) {
    throw base::UserError("--ranks", "this experiment has one number of ranks",
                          "name one; invar clocks scaling takes several");
  }
  return numbers;
}

}  // namespace

void add_launch_options(CLI::App& command, LaunchWords& words, CLI::Option* library,
                        bool launches) {
  std::vector<CLI::Option*> options;
  CLI::Option* hosts =
      command
          .add_option("--hosts", words.hosts,
                      "hosts to run on, a,b or a:4,b:4 (with so many ranks on each); one rank a "
                      "host if nothing else is said")
          ->type_name("HOST,...");
  options.push_back(hosts);
  options.push_back(
      command.add_option("--hostfile", words.hostfile, "the same in a file, one host a line")
          ->type_name("FILE")
          ->excludes(hosts));
  options.push_back(command
                        .add_option("--pinning", words.pinning,
                                    "core binds each rank to a core of its host, none does not")
                        ->type_name("HOW")
                        ->check(CLI::IsMember({"core", "none"})));
  if (launches) {
    options.push_back(command
                          .add_option("--launches", words.launches,
                                      "of the library, one after the other; intervals are then "
                                      "those of their means")
                          ->type_name("N"));
  }
  if (library == nullptr) return;
  for (CLI::Option* option : options) option->needs(library);
}

void read_launch_words(const LaunchWords& words, FaultReader& reader, driver::ClockOrder& order) {
  reader.read([&] {
    if (!words.ranks.empty()) order.ranks = rank_numbers(words);
  });
  reader.read([&] {
    if (!words.hosts.empty()) {
      order.hosts = design::parse_hosts(parse_words("--hosts", words.hosts), "--hosts");
    }
  });
  reader.read([&] {
    if (!words.hostfile.empty()) order.hosts = hosts_of_file(words.hostfile);
  });
  reader.read([&] {
    order.spec.launches = parse_positive("--launches", words.launches);
    if (order.spec.launches > kMostLaunches) {
      throw base::UserError("--launches", "'" + words.launches + "' is out of range",
                            "at most " + std::to_string(kMostLaunches));
    }
  });
  order.pinning = words.pinning;
}

void check_virtual_hosts(const driver::ClockOrder& order) {
  if (!order.spec.virtual_clocks.any() || order.spec.virtual_where_possible) return;
  if (order.hosts.size() < 2) return;
  throw base::UserError("--virtual-skew",
                        "is for ranks of one host, and there are " +
                            std::to_string(order.hosts.size()) + ", whose real clocks differ",
                        "leave it out, or name one host");
}

}  // namespace invar::cli
