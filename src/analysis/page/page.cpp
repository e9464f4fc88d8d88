#include "analysis/page/page.hpp"

#include <algorithm>
#include <set>

#include "analysis/compare/compare.hpp"
#include "analysis/page/page_cards.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"

namespace invar::analysis {
namespace {

std::string last_part(const std::filesystem::path& dir) {
  const std::filesystem::path normal = dir.lexically_normal();
  return (normal.has_filename() ? normal.filename() : normal.parent_path().filename()).string();
}

void compare_two(const std::vector<Study>& campaigns, Page& page) {
  if (campaigns.size() != 2) {
    page.comparison_missing = campaigns.size() < 2
                                  ? "one campaign: its own comparison is what there is"
                                  : "campaigns are compared with each other in twos";
    return;
  }
  const Study both(campaigns[0], campaigns[1]);
  if (const std::optional<Lack> lack = campaigns_lack(both)) {
    page.comparison_missing = lack->text();
  } else {
    page.comparison = compare_campaigns(both);
  }
}

// What experiments with clocks found, one after the other: no sentence speaks of all of them.
std::string answers_sentence(const Page& page) {
  constexpr std::size_t kHeadline = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(kHeadline, page.answers.size()); ++i) {
    text += (i == 0 ? "" : " ") + page.answers[i].answer.sentence;
  }
  if (page.answers.size() > kHeadline) {
    text += " " + count_text(page.answers.size() - kHeadline, "experiment") + " more, below.";
  }
  return text;
}

std::string page_sentence(const Page& page) {
  if (page.comparison) return page.comparison->sentence;
  if (page.campaigns.size() == 1) return page.campaigns.front().sentence;
  if (page.campaigns.empty()) {
    if (page.reproduce) return page.reproduce->sentence;
    if (!page.reproduce_missing.empty()) return "Nothing to show: " + page.reproduce_missing + ".";
    return answers_sentence(page);
  }
  // Each campaign is a session of its own: no sentence speaks of all of them.
  std::vector<std::string> names;
  names.reserve(page.campaigns.size());
  for (const CampaignPage& campaign : page.campaigns) names.push_back(campaign.name);
  return count_text(page.campaigns.size(), "campaign") +
         ", each with an answer of its own: " + list_text(names) + ".";
}

}  // namespace

std::vector<std::string> campaign_names(const std::vector<std::filesystem::path>& dirs) {
  std::multiset<std::string> parts;
  for (const std::filesystem::path& dir : dirs) parts.insert(last_part(dir));
  std::vector<std::string> names;
  for (const std::filesystem::path& dir : dirs) {
    const std::string part = last_part(dir);
    names.push_back(parts.count(part) == 1 ? part : dir.string());
  }
  return names;
}

Page make_page(PageSources sources) {
  Page page{.reproduce = std::move(sources.reproduce),
            .reproduce_missing = std::move(sources.reproduce_missing),
            .answers = std::move(sources.answers)};
  std::vector<Study> campaigns;
  campaigns.reserve(sources.campaigns.size());
  for (store::Data& data : sources.campaigns) campaigns.emplace_back(std::move(data));
  std::vector<std::filesystem::path> dirs;
  std::size_t distributions = 0;
  for (const Study& study : campaigns) {
    const store::Data& data = study.all();
    dirs.push_back(data.dir);
    distributions += data.cells.size() * data.arms.size();
  }
  page.metadata_columns = campaign_names(dirs);
  const FigureResolution resolution = figure_resolution(distributions);
  std::vector<Metadata> metadata;
  for (std::size_t i = 0; i < campaigns.size(); ++i) {
    page.campaigns.push_back(campaign_page(campaigns[i], page.metadata_columns[i], resolution));
    CampaignPage& campaign = page.campaigns.back();
    metadata.push_back(read_metadata(campaigns[i].all()));
    if (sources.change_metadata) sources.change_metadata(metadata.back());
    for (const std::string& path : metadata.back().unreadable) {
      campaign.problems.push_back(path + " cannot be read: what it recorded is missing here");
    }
    page.health += campaign.health;
  }
  if (page.reproduce) page.health += page.reproduce->health;
  if (!page.reproduce_missing.empty()) ++page.health.unfinished;
  compare_two(campaigns, page);
  page.metadata = metadata_rows(metadata);
  page.method = method_of(page, campaigns, metadata);
  std::vector<std::string> titles = page.metadata_columns;
  if (!sources.reproduce_name.empty()) titles.push_back(sources.reproduce_name);
  for (const PageAnswer& one : page.answers) {
    titles.push_back(one.source);
    page.health += one.answer.health;
  }
  page.title = base::first_items(titles, 3, ", ");
  page.sentence = page_sentence(page);
  page.cards = cards_of(page);
  return page;
}

}  // namespace invar::analysis
