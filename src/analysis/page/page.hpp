// A page about one campaign or several: everything that `invar report` says (docs/formats.md, "The
// page's data").
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/answer/answer.hpp"
#include "analysis/metadata/metadata_rows.hpp"
#include "analysis/metadata/method_words.hpp"
#include "analysis/page/campaign_page.hpp"
#include "analysis/reproduce/reproduce.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

struct PageCard {
  std::string label = {};
  std::string value = {};
  std::string detail = {};
};

// What an experiment that is not a campaign says.
struct PageAnswer {
  std::string source = {};  // its directory, as campaigns are named
  Answer answer = {};
};

struct Page {
  std::string title = {};
  std::string sentence = {};
  std::vector<PageCard> cards = {};
  std::vector<CampaignPage> campaigns = {};
  std::optional<Comparison> comparison = {};  // of two campaigns
  std::string comparison_missing = {};
  std::optional<Reproduced> reproduce = {};
  std::string reproduce_missing = {};  // a directory of `reproduce` from which nothing follows yet
  std::vector<PageAnswer> answers = {};
  std::vector<std::string> metadata_columns = {};  // names of the campaigns
  std::vector<MetadataRow> metadata = {};
  MethodText method = {};

  Health health = {};  // of all campaigns and of the repeats
};

struct PageSources {
  std::vector<store::Data> campaigns = {};
  std::optional<Reproduced> reproduce = {};
  std::string reproduce_missing = {};
  std::string reproduce_name = {};  // of its directory
  std::vector<PageAnswer> answers = {};
  // What is done to the metadata of every campaign before anything is made of them (names taken
  // out); empty: nothing.
  std::function<void(Metadata&)> change_metadata = {};
};

// Throws UserError where a campaign's own copy of its file cannot be read.
Page make_page(PageSources sources);

// "2026-11-21-om": last parts of directories; whole paths where these are not different.
std::vector<std::string> campaign_names(const std::vector<std::filesystem::path>& dirs);

}  // namespace invar::analysis
