// campaign.toml: read_campaign and campaign_toml.
#include "design/campaign/campaign.hpp"
#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace invar;
  fuzz::may_be_refused([&] {
    const design::Campaign campaign =
        design::read_campaign(fuzz::text_of(data, size), "campaign.toml");
    const std::string toml = design::campaign_toml(campaign);
    // It must be written so that it can be read: a refusal here is a fault.
    try {
      const design::Campaign again = design::read_campaign(toml, "written.toml");
      fuzz::must_hold(design::campaign_toml(again) == toml, "a campaign written is the one read");
    } catch (const base::CommandError& error) {
      std::fprintf(stderr, "%s\n%s\n", error.what(), toml.c_str());
      fuzz::must_hold(false, "a campaign that was written can be read");
    }
  });
  return 0;
}
