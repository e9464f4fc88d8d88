// A directory that is gone on with: the input is its manifest, the only
// launch there holds nothing. Whatever resume mends, discards or refuses, another resume finds
// nothing more to do.
#include "fuzz/fuzz.hpp"
#include "store/campaign_dir.hpp"
#include "store/manifest/manifest_text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace invar;
  static const fuzz::Directory dir;
  const std::filesystem::path campaign = dir.path() / "campaign";
  std::filesystem::remove_all(campaign);
  std::filesystem::create_directory(campaign);
  dir.put("beside", "precious");
  const std::string text = fuzz::with_valid_crcs(fuzz::text_of(data, size));
  std::filesystem::create_directories(campaign / "launches/0001-alpha");
  dir.put("campaign/launches/0001-alpha/journal.jsonl", "");
  dir.put("campaign/launches/0001-alpha/timings.bin", "");
  dir.put("campaign/manifest.jsonl", text);
  dir.put("campaign/manifest.copy.jsonl", text);
  const auto resumed = [&] {
    try {
      std::vector<std::string> notes;
      store::CampaignDir::resume(campaign, notes);
      return true;
    } catch (const base::CommandError&) {
      return false;
    }
  };
  if (resumed()) fuzz::must_hold(resumed(), "what was resumed can be resumed");
  std::ifstream beside(dir.path() / "beside");
  std::string kept;
  std::getline(beside, kept);
  fuzz::must_hold(kept == "precious", "what lies beside a campaign stays");
  return 0;
}
