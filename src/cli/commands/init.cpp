#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "base/collect.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/answer.hpp"
#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/parse.hpp"
#include "cli/quick_words.hpp"
#include "design/campaign/campaign.hpp"
#include "design/factors/sizes.hpp"

namespace invar::cli {
namespace {

struct InitWords {
  std::vector<std::string> arms;
  std::string operation = "bcast,allreduce,alltoall";
  std::string size = "8,1KiB,64KiB";
  std::string output = "campaign.toml";
  bool all = false;
};

// A single word may be the file: no library is called so.
bool names_a_file(const std::string& word) { return word == "-" || word.ends_with(".toml"); }

std::string written_campaign(const InitWords& words) {
  if (words.all) return design::commented_campaign();
  base::Faults faults;
  std::vector<std::string> operations;
  std::vector<std::uint64_t> sizes_bytes;
  base::collect(faults, [&] { operations = parse_words("--operation", words.operation); });
  base::collect(faults, [&] { sizes_bytes = design::parse_size_list(words.size, "--size"); });
  std::optional<std::vector<design::Arm>> arms = parse_arms(words.arms, "init", faults);
  if (arms) base::collect(faults, [&] { design::label_arms(*arms, "init"); });
  faults.throw_if_any();
  return design::short_campaign(*arms, operations, sizes_bytes);
}

int run_init(InitWords words) {
  if (words.arms.size() == 1 && names_a_file(words.arms.front())) {
    words.output = words.arms.front();
    words.arms.clear();
  }
  if (words.all && !words.arms.empty()) {
    throw base::UserError("--all", "shows every key with its default, and no arms",
                          "leave --all or the arms out");
  }
  const std::string text = written_campaign(words);
  if (words.output == "-") {
    print(text);
    return 0;
  }
  write_new_file(words.output, text);
  print(
      fmt::format("Wrote {0}. Edit it, then: invar plan {0}\n", base::shell_quoted(words.output)));
  return 0;
}

}  // namespace

void add_init(CLI::App& app, Outcome& outcome) {
  auto words = std::make_shared<InitWords>();
  CLI::App* command = app.add_subcommand("init", "write a campaign to begin with");
  command->add_option("ARM", words->arms,
                      "a library of 'invar mpi list', with settings or without, as of race; none: "
                      "all libraries of the machine that runs it. Or the file: FILE.toml");
  command->add_option("--operation", words->operation, "operations, a,b,c")->capture_default_str();
  command->add_option("--size", words->size, "sizes, 8,1KiB:64KiB (a:b is the range by factor 2)")
      ->capture_default_str();
  command->add_flag("--all", words->all, "every key there is, each explained, with its default");
  command
      ->add_option("-o,--output", words->output,
                   "its name; folders on the way to it are made; - prints it")
      ->capture_default_str();
  command->callback([&outcome, words] { outcome.run = [words] { return run_init(*words); }; });
}

}  // namespace invar::cli
