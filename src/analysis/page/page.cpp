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

void compare_two(const std::vector<store::Data>& campaigns, Page& page) {
  if (campaigns.size() != 2) {
    page.comparison_missing = campaigns.size() < 2
                                  ? "one campaign: its own comparison is what there is"
                                  : "campaigns are compared with each other in twos";
    return;
  }
  try {
    page.comparison = compare_campaigns(campaigns[0], campaigns[1], CompareOptions{});
  } catch (const base::CommandError& error) {
    std::vector<std::string> texts;
    for (const base::Fault& fault : error.faults()) texts.push_back(fault.what);
    page.comparison_missing = base::join(texts, "; ");
  }
}

std::string page_sentence(const Page& page) {
  if (page.comparison) return page.comparison->sentence;
  if (page.campaigns.size() == 1) return page.campaigns.front().sentence;
  if (page.campaigns.empty()) {
    if (page.reproduce) return page.reproduce->sentence;
    if (!page.reproduce_missing.empty()) return "Nothing to show: " + page.reproduce_missing + ".";
    return count_text(page.clocks.size(), "table") + " of clocks.";
  }
  // Each campaign is a session of its own: no sentence speaks of all of them.
  std::vector<std::string> names;
  names.reserve(page.campaigns.size());
  for (const CampaignPage& campaign : page.campaigns) names.push_back(campaign.name);
  return count_text(page.campaigns.size(), "campaign") +
         ", each with an answer of its own: " + list_text(names) + ".";
}

}  // namespace

base::Exit worse(base::Exit one, base::Exit other) {
  for (const base::Exit status :
       {base::Exit::kDamaged, base::Exit::kMeasurementFailed, base::Exit::kIncomplete}) {
    if (one == status || other == status) return status;
  }
  return base::Exit::kDone;
}

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
            .clocks = std::move(sources.clocks),
            .status = sources.reproduce_status};
  const std::vector<store::Data>& campaigns = sources.campaigns;
  std::vector<std::filesystem::path> dirs;
  std::size_t distributions = 0;
  for (const store::Data& data : campaigns) {
    dirs.push_back(data.dir);
    distributions += data.cells.size() * data.arms.size();
  }
  page.metadata_columns = campaign_names(dirs);
  const FigureResolution resolution = figure_resolution(distributions);
  std::vector<Metadata> metadata;
  for (std::size_t i = 0; i < campaigns.size(); ++i) {
    page.campaigns.push_back(campaign_page(campaigns[i], page.metadata_columns[i], resolution));
    CampaignPage& campaign = page.campaigns.back();
    metadata.push_back(read_metadata(campaigns[i]));
    if (sources.change_metadata) sources.change_metadata(metadata.back());
    for (const std::string& path : metadata.back().unreadable) {
      campaign.problems.push_back(path + " cannot be read: what it recorded is missing here");
    }
    page.status = worse(page.status, campaign.status);
  }
  compare_two(campaigns, page);
  page.metadata = metadata_rows(metadata);
  page.method = method_of(page, campaigns, metadata);
  std::vector<std::string> titles = page.metadata_columns;
  if (!sources.reproduce_name.empty()) titles.push_back(sources.reproduce_name);
  for (const ClockTable& table : page.clocks) titles.push_back(table.source);
  page.title = base::first_items(titles, 3, ", ");
  page.sentence = page_sentence(page);
  page.cards = cards_of(page);
  return page;
}

}  // namespace invar::analysis
