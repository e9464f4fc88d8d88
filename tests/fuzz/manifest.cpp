// manifest.jsonl and its copy: what verify, status and every analysis read first. The input is the
// main file; the copy is the same without its last line, so that lines are lost and restored.
#include "store/manifest/manifest.hpp"

#include "fuzz/fuzz.hpp"
#include "store/manifest/manifest_text.hpp"
#include "store/reader.hpp"

namespace {

using namespace invar;

// Lines of what was read, read again.
void round_trip(const store::Manifest& manifest) {
  std::vector<std::string> lines{
      store::campaign_line(1, manifest.campaign_toml, manifest.place, "session")};
  for (const store::ArmRecord& arm : manifest.arms) lines.push_back(store::arm_line(2, arm));
  for (const auto& [launch, seal] : manifest.seals) lines.push_back(store::launch_line(3, seal));
  for (const auto& [number, group] : manifest.groups) lines.push_back(store::group_line(4, group));
  std::vector<store::DecidedLine> decided = manifest.decided;
  for (store::DecidedLine& one : decided) {
    one.added.clear();  // their plans are not written here
    lines.push_back(store::decided_line(5, one, std::nullopt));
  }
  const store::Manifest again = store::read_manifest(lines, "written.jsonl");
  fuzz::must_hold(again.campaign_toml == manifest.campaign_toml, "the campaign is the one read");
  fuzz::must_hold(again.place == manifest.place, "the place written is the one read");
  fuzz::must_hold(again.arms == manifest.arms, "arms written are those read");
  fuzz::must_hold(again.seals == manifest.seals, "seals written are those read");
  fuzz::must_hold(again.decided == decided, "decisions written are those read");
  fuzz::must_hold(again.groups.size() == manifest.groups.size(), "groups written are those read");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Directory dir;
  const std::string_view raw = fuzz::text_of(data, size);
  const std::string text = fuzz::with_valid_crcs(raw);
  const std::size_t last = text.size() < 2 ? std::string::npos : text.rfind('\n', text.size() - 2);
  dir.put("manifest.jsonl", text);
  dir.put("manifest.copy.jsonl",
          last == std::string::npos ? raw : std::string_view(text).substr(0, last + 1));
  fuzz::may_be_refused([&] { store::verify_campaign_dir(dir.path()); });
  fuzz::may_be_refused([&] { store::read_campaign_dir(dir.path()); });
  fuzz::may_be_refused([&] {
    try {
      const store::ManifestText read = store::read_manifest_text(dir.path());
      round_trip(store::read_manifest(read.lines, "manifest.jsonl"));
    } catch (const base::CommandError&) {
      throw;
    } catch (const std::runtime_error&) {
      // A line that lacks what its kind must have: the callers call it damage.
    }
  });
  return 0;
}
