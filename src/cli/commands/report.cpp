// `invar report ARG...`: campaigns, repeated campaigns and experiments with clocks as one page.
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <set>

#include "analysis/clocks/clock_experiments.hpp"
#include "analysis/network/network_import.hpp"
#include "analysis/page/page.hpp"
#include "analysis/reproduce/reproduce_directory.hpp"
#include "analysis/tuning/tuned_dir.hpp"
#include "base/collect.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/answer.hpp"
#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/problems.hpp"
#include "platform/simgrid_csv.hpp"
#include "report/anonymise/anonymise.hpp"
#include "report/kit/text_table.hpp"
#include "report/page/page_html.hpp"
#include "report/page/page_json.hpp"
#include "store/clock_dir.hpp"
#include "store/reader.hpp"
#include "store/reproduction.hpp"
#include "store/version.hpp"

namespace invar::cli {
namespace {

namespace fs = std::filesystem;

struct ReportWords {
  std::vector<std::string> sources = {};
  std::optional<std::string> output = {};
  std::string format = "html";
  bool anonymise = false;
  std::string page_template = {};  // for tests: instead of the built one

  [[nodiscard]] bool json() const { return format == "json"; }
  // Empty: standard output.
  [[nodiscard]] fs::path file() const {
    if (!output) return json() ? fs::path() : fs::path("report.html");
    // Through a link to what it stands for: the link stays.
    std::error_code error;
    const fs::path target = fs::canonical(*output, error);
    return error ? fs::path(*output) : target;
  }
};

std::string now_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

// Beside this program in a build tree, else where it is installed.
std::string read_template(const ReportWords& words) {
  if (!words.page_template.empty()) {
    const auto text = base::read_file(words.page_template);
    if (!text) throw base::UserError(words.page_template, "cannot be read");
    return *text;
  }
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  for (const char* place : {"page.html", "../share/invar/page.html"}) {
    if (error) break;
    if (const auto text = base::read_file((program.parent_path() / place).string())) return *text;
  }
  throw base::UserError(base::Fault{
      .place = "report",
      .what = "the page was not built with this invar: neither " +
              (program.parent_path() / "page.html").string() +
              " nor ../share/invar/page.html is there",
      .remedy = "build it (it needs PyPI and npm: docs/guide.md, \"The report page\"), or take "
                "the data with --format json"});
}

// A page is made anew as often as one likes; nothing else is overwritten.
void check_output(const fs::path& file, const std::string& name, base::Faults& faults) {
  std::error_code error;
  if (file.empty() || !fs::exists(file, error)) return;
  if (fs::is_regular_file(file, error)) {
    const auto old = base::read_file(file.string());
    if (old && report::is_invar_page(*old)) return;
  }
  faults.add(name, "exists already and is not a page of Invar",
             "choose another name with -o, or remove it");
}

void read_reproduction_dir(const fs::path& dir, analysis::PageSources& sources) {
  sources.reproduce_name = analysis::campaign_names({dir}).front();
  try {
    sources.reproduce = analysis::reproduced_from(dir);
  } catch (const base::UserError&) {
    throw;
  } catch (const base::CommandError& error) {
    sources.reproduce_missing = error.faults().front().what;
  }
}

// All of them, or every fault of all of them.
analysis::PageSources read_sources(const ReportWords& words, base::Faults& faults) {
  analysis::PageSources sources;
  std::set<fs::path> seen;
  std::vector<fs::path> clocks;
  std::vector<fs::path> calibrations;
  for (const std::string& name : words.sources) {
    std::error_code error;
    const fs::path path = fs::weakly_canonical(name, error);
    if (!error && !seen.insert(path).second) {
      faults.add(name, "is named twice", "name it once");
      continue;
    }
    if (name.ends_with(".csv") && !fs::is_directory(name, error)) {
      faults.add(name, "is a table, and a page is made of directories",
                 "measure or simulate again, 'invar clocks NAME ... -o DIR', and report DIR");
    } else if (store::is_clock_dir(name)) {
      clocks.emplace_back(name);
    } else if (platform::is_calibration(name)) {
      calibrations.emplace_back(name);
    } else if (fs::exists(fs::path(name) / store::kReproduction, error)) {
      if (!sources.reproduce_name.empty()) {
        faults.add(name, "a page has room for one directory of 'invar reproduce'",
                   "make a page of each");
        continue;
      }
      base::collect(faults, [&] { read_reproduction_dir(name, sources); });
    } else {
      base::collect(faults, [&] { sources.campaigns.push_back(store::read_campaign_dir(name)); });
    }
  }
  // Their damage has an exit status of its own: what is wrong with the command is told first.
  faults.throw_if_any();
  const std::vector<std::string> names = analysis::campaign_names(clocks);
  for (std::size_t i = 0; i < names.size(); ++i) {
    sources.answers.push_back(
        {.source = names[i], .answer = analysis::clock_answer(store::read_clock_dir(clocks[i]))});
  }
  const std::vector<std::string> folders = analysis::campaign_names(calibrations);
  for (std::size_t i = 0; i < folders.size(); ++i) {
    sources.answers.push_back({.source = folders[i],
                               .answer = analysis::answer_of(
                                   analysis::network_of_calibration(calibrations[i].string()))});
  }
  return sources;
}

// An answer about a tuned file speaks of its confirmations, too, which may be of other hosts.
void learn_confirmations(const fs::path& dir, report::Anonymiser& names) {
  for (const std::uint32_t number : analysis::confirmations_in(dir)) {
    try {
      names.learn(store::read_campaign_dir(analysis::confirmation_dir(dir, number)));
    } catch (const base::CommandError&) {
      continue;  // the answer leaves it out, and says so
    }
  }
}

// Everybody whom the sources may name, before the first word is given.
void learn_names(const ReportWords& words, const analysis::PageSources& sources,
                 report::Anonymiser& names) {
  for (const store::Data& data : sources.campaigns) names.learn(data);
  for (const std::string& name : words.sources) {
    std::error_code error;
    learn_confirmations(name, names);
    if (store::is_clock_dir(name)) names.learn(store::read_clock_dir(name));
    if (!fs::exists(fs::path(name) / store::kReproduction, error)) continue;
    for (const fs::path& dir : analysis::campaigns_of(name))
      names.learn(store::read_campaign_dir(dir));
  }
  names.learn_own();
}

int run_report(const ReportWords& words) {
  base::Faults faults;
  const fs::path file = words.file();
  if (words.format != "html" && words.format != "json") {
    const std::vector<std::string> known{"html", "json"};
    faults.add("--format", "unknown format '" + words.format + "'",
               base::did_you_mean(words.format, known));
  }
  if (words.output && words.output->empty()) faults.add("-o", "the name is empty", "write a name");
  check_output(file, words.output.value_or(file.string()), faults);
  std::string page_template;
  if (faults.empty() && !words.json()) {
    base::collect(faults, [&] { page_template = read_template(words); });
  }
  analysis::PageSources sources = read_sources(words, faults);
  faults.throw_if_any();
  report::PageStamp stamp{.invar = store::version_text(), .made_at = now_utc()};
  report::Anonymiser names;
  if (words.anonymise) {
    learn_names(words, sources, names);
    for (store::Data& data : sources.campaigns) names.apply(data);
    if (sources.reproduce) names.apply(sources.reproduce->arms);
    sources.change_metadata = [&](analysis::Metadata& metadata) { names.apply(metadata); };
    stamp.anonymised = true;
    stamp.rewrite = [&](std::string_view word) { return names.apply(word); };
  }
  const analysis::Page page = analysis::make_page(std::move(sources));
  std::string text = report::page_json(page, stamp);
  if (!words.json()) {
    const auto html = report::page_html(page_template, text);
    if (!html) {
      throw base::UserError("report", "the built page has no place for the data",
                            "build it again: web/README.md");
    }
    text = *html;
  }
  report::Anonymiser* given_away = words.anonymise ? &names : nullptr;
  for (const analysis::CampaignPage& campaign : page.campaigns) {
    tell_problems(campaign.name, campaign.problems, given_away);
  }
  if (!page.reproduce_missing.empty()) {
    std::cerr << report::printable("invar: " + page.reproduce_missing) << "\n";
  }
  if (file.empty()) {
    print(text);
  } else {
    replace_file(file, text);
    print(fmt::format("{}\n", words.output.value_or(file.string())));
  }
  return analysis::exit_status(page.health);
}

}  // namespace

void add_report(CLI::App& app, Outcome& outcome) {
  auto words = std::make_shared<ReportWords>();
  CLI::App* command =
      app.add_subcommand("report", "campaigns as one page for a browser, with every figure");
  command
      ->add_option("SOURCE", words->sources,
                   "directories of campaigns (two: compared with each other), of 'invar "
                   "reproduce', of 'invar clocks ... -o DIR', and what SimGrid's "
                   "platform-calibration left")
      ->required();
  command
      ->add_option("-o,--output", words->output,
                   "the page; report.html if left out. A page of Invar is replaced, nothing else; "
                   "folders on the way to it are made")
      ->type_name("FILE");
  command
      ->add_option("--format", words->format,
                   "html, or json: the page's data (standard output without -o)")
      ->type_name("F");
  command->add_flag("--anonymise", words->anonymise,
                    "names of hosts and users, addresses, folders and the environment replaced");
  command->add_option("--template", words->page_template)->type_name("FILE")->group("");
  command->callback([&outcome, words] { outcome.run = [words] { return run_report(*words); }; });
}

}  // namespace invar::cli
