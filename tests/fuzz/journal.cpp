// journal.jsonl: read_journal and journal_line.
#include "store/journal_reader.hpp"

#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace invar;
  const std::string_view raw = fuzz::text_of(data, size);
  store::read_journal(raw, "journal.jsonl");
  const store::Journal journal = store::read_journal(fuzz::with_valid_crcs(raw), "journal.jsonl");
  // Whatever else the text held, the visits that were read are what a journal of theirs would say.
  std::string text;
  for (const record::VisitLine& line : journal.visits) text += record::journal_line(line) + '\n';
  for (const record::FailureLine& line : journal.failures) {
    text += record::journal_line(line) + '\n';
  }
  const store::Journal again = store::read_journal(text, "written.jsonl");
  fuzz::must_hold(again.faults.empty() && !again.torn, "a journal that was written can be read");
  fuzz::must_hold(again.visits == journal.visits, "visits written are those read");
  fuzz::must_hold(again.failures == journal.failures, "failures written are those read");
  return 0;
}
