// Which calls of MPI a cell's messages are made of, where each of them lies, and whose data the
// verification expects in which slot. For two ranks or more.
#include "ops/seen_messages.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "ops/call/setup.hpp"
#include "ops/catalogue.hpp"
#include "ops/expect.hpp"
#include "ops/p2p/tags.hpp"
#include "ops/p2p/untimed.hpp"
#include "ops/p2p/verify.hpp"
#include "ops/verify.hpp"
#include "record/p2p/levels.hpp"

namespace invar::ops::test {
namespace {

MPI_Comm comm_of_calls = MPI_COMM_NULL;

record::Cell cell_of_messages(const std::string& operation) {
  int ranks = 1;
  MPI_Comm_size(comm_of_calls, &ranks);
  record::Cell cell{.operation = operation, .size_bytes = 64};
  cell.ranks = static_cast<std::uint32_t>(ranks);
  return cell;
}

// A cell's call in buffers of its own, filled for a check.
class CellCall {
 public:
  explicit CellCall(const record::Cell& cell)
      : operation_(operation_for(*find_operation(cell.operation), cell)),
        setup_(cell, operation_, comm_of_calls) {
    if (!setup_.errors().empty()) return;
    need_ = setup_.need();
    arena_.emplace(std::span(&need_, 1));
    base::Random random(1);
    setup_.place(arena_->place(random, need_));
    fill_for_check(operation_, setup_.call());
  }

  [[nodiscard]] std::string error() const {
    return setup_.errors().empty() ? "" : setup_.errors().front();
  }
  [[nodiscard]] const Operation& operation() const { return operation_; }
  [[nodiscard]] Call& call() { return setup_.call(); }
  [[nodiscard]] const BufferNeed& need() const { return need_; }

  // What is seen of the call itself, without what makes it right.
  std::string functions() {
    Call& c = setup_.call();
    seen.clear();
    if (c.role == record::Role::kStandsBy) return "";
    if (operation_.before_untimed != nullptr) operation_.before_untimed(c);
    looking = true;
    operation_.call(c);
    looking = false;
    if (operation_.behind_untimed != nullptr) operation_.behind_untimed(c);
    return seen_functions();
  }

  [[nodiscard]] std::string mismatch() {
    Checker checker(operation_, setup_.call());
    operation_.verify(setup_.call(), checker);
    const auto found = checker.finish();
    return found ? found->text() : "";
  }

 private:
  Operation operation_;
  CallSetup setup_;
  BufferNeed need_ = {};
  std::optional<Arena> arena_ = {};
};

struct CallsOf {
  const char* operation;
  const char* form;
  const char* mode;
  const char* receives;
  const char* starts;   // what the rank that starts calls
  const char* answers;  // and the other one
};

// A window has two messages.
constexpr CallsOf kCallsOf[] = {
    {"pingpong", "blocking", "standard", "in-call", "Send Recv", "Recv Send"},
    {"pingpong", "blocking", "synchronous", "in-call", "Ssend Recv", "Recv Ssend"},
    {"pingpong", "blocking", "buffered", "in-call", "Bsend Recv", "Recv Bsend"},
    {"pingpong", "blocking", "ready", "before", "Rsend Wait", "Wait Rsend"},
    {"pingpong", "non-blocking", "standard", "in-call", "Isend Wait Irecv Wait",
     "Irecv Wait Isend Wait"},
    {"pingpong", "non-blocking", "ready", "before", "Irsend Wait Wait", "Wait Irsend Wait"},
    {"pingpong", "persistent", "buffered", "in-call", "Start Wait Start Wait",
     "Start Wait Start Wait"},
    {"pingpong", "persistent", "standard", "before", "Start Wait Wait", "Wait Start Wait"},
    {"pingpong", "sendrecv", "standard", "in-call", "Sendrecv", "Recv Send"},
    {"pingpong", "matched-probe", "standard", "in-call", "Send Mprobe Mrecv", "Mprobe Mrecv Send"},
    {"oneway", "blocking", "standard", "in-call", "Send", "Recv"},
    {"oneway", "blocking", "buffered", "in-call", "Bsend", "Recv"},
    {"oneway", "blocking", "standard", "before", "Send", "Waitall"},
    {"oneway", "non-blocking", "synchronous", "in-call", "Issend Waitall", "Irecv Waitall"},
    {"oneway", "persistent", "standard", "before", "Start Waitall", "Waitall"},
    {"oneway", "sendrecv", "standard", "in-call", "Sendrecv", "Sendrecv"},
    {"oneway", "matched-probe", "synchronous", "in-call", "Ssend", "Mprobe Mrecv"},
    {"exchange", "blocking", "standard", "in-call", "Irecv Send Waitall", "Irecv Send Waitall"},
    {"exchange", "blocking", "ready", "before", "Rsend Waitall", "Rsend Waitall"},
    {"exchange", "non-blocking", "buffered", "in-call", "Irecv Ibsend Waitall",
     "Irecv Ibsend Waitall"},
    {"exchange", "persistent", "standard", "in-call", "Start Start Waitall", "Start Start Waitall"},
    {"exchange", "sendrecv", "standard", "in-call", "Sendrecv", "Sendrecv"},
    {"exchange", "matched-probe", "standard", "in-call", "Isend Mprobe Mrecv Waitall",
     "Isend Mprobe Mrecv Waitall"},
    // Behind its messages a stream has an acknowledgement.
    {"stream", "blocking", "standard", "in-call", "Send Send Recv", "Recv Recv Send"},
    {"stream", "non-blocking", "standard", "in-call", "Isend Isend Waitall Recv",
     "Irecv Irecv Waitall Send"},
    {"bistream", "non-blocking", "standard", "before", "Isend Isend Waitall Irecv Send Waitall",
     "Isend Isend Waitall Irecv Send Waitall"},
    {"memcpy", "blocking", "standard", "in-call", "", ""},
    // Named after a call, which is made; a train is over when its answer is there.
    {"send", "blocking", "standard", "in-call", "Send", "Recv"},
    {"send", "blocking", "standard", "before", "Send", "Wait"},
    {"ssend", "blocking", "standard", "in-call", "Ssend", "Recv"},
    {"isend", "blocking", "standard", "in-call", "Isend Wait", "Recv"},
    {"isend", "blocking", "standard", "before", "Isend Wait", "Wait"},
    {"recv", "blocking", "standard", "in-call", "Send", "Recv"},
    {"recv", "blocking", "standard", "before", "Send", "Wait"},
    {"train", "blocking", "standard", "in-call", "Send Send Recv", "Recv Recv Send"},
    {"train", "blocking", "standard", "before", "Send Send Recv", "Waitall Send"},
};

record::Cell cell_with(const CallsOf& row) {
  record::Cell cell = cell_of_messages(row.operation);
  cell.form = row.form;
  cell.send_mode = row.mode;
  cell.receives = row.receives;
  if (find_operation(row.operation)->windowed) cell.window = 2;
  return cell;
}

void forms_and_modes_are_the_calls_that_they_are_named_after(Expectations& t) {
  for (const CallsOf& row : kCallsOf) {
    const std::string name =
        std::string(row.operation) + ", " + row.form + ", " + row.mode + ", " + row.receives;
    CellCall cell(cell_with(row));
    t.expect_equal(cell.error(), "", name);
    if (!cell.error().empty()) continue;
    const record::Role role = cell.call().role;
    const std::string wanted = role == record::Role::kStarts    ? row.starts
                               : role == record::Role::kAnswers ? row.answers
                                                                : "";
    t.expect_equal(cell.functions(), wanted, name);
    t.expect_equal(cell.mismatch(), "", name);
  }
}

void data_are_packed_where_a_cell_says_so(Expectations& t) {
  for (const char* packing : {"type", "hand", "mpi"}) {
    record::Cell cell = cell_of_messages("exchange");
    cell.datatype = "struct";
    cell.packing = packing;
    CellCall packed(cell);
    const std::string wanted =
        std::string(packing) == "mpi" ? "Irecv Pack Send Waitall Unpack" : "Irecv Send Waitall";
    const bool talks = packed.call().role != record::Role::kStandsBy;
    t.expect_equal(packed.functions(), talks ? wanted : "", packing);
    t.expect_equal(packed.mismatch(), "", packing);
    const std::size_t slots = std::string(packing) == "type" ? 0 : 2;
    t.expect(packed.need().scratch_bytes == slots * packed.need().send_bytes,
             "room for what comes and for what goes");
  }
}

// Suites receive a whole window into one buffer, which MPI forbids: of two receives that overlap
// nothing is promised.
void slots_never_overlap(Expectations& t) {
  for (const char* operation : {"stream", "bistream", "halo", "exchange", "oneway", "train"}) {
    for (const char* form : {"blocking", "non-blocking", "sendrecv"}) {
      const bool one_form = call_choice(*find_operation(operation)) != record::CallChoice::kCalls;
      if (one_form && std::string(form) != "blocking") continue;
      record::Cell cell = cell_of_messages(operation);
      cell.form = form;
      if (find_operation(operation)->windowed) cell.window = 16;
      CellCall window(cell);
      window.functions();
      const Call& c = window.call();
      std::vector<std::pair<const std::byte*, const std::byte*>> received;
      for (const SeenMessage& message : seen) {
        if (message.is_send() || message.bytes == 0) continue;
        received.emplace_back(message.data, message.data + message.bytes);
      }
      std::ranges::sort(received);
      const std::string name = std::string(operation) + ", " + form;
      const std::size_t wanted = c.peers->from.size() * static_cast<std::size_t>(cell.window);
      t.expect(received.size() == wanted, name + ": " + std::to_string(received.size()) +
                                              " receives, not " + std::to_string(wanted));
      for (std::size_t i = 0; i < received.size(); ++i) {
        t.expect(
            received[i].first >= c.recv && received[i].second <= c.recv + window.need().recv_bytes,
            name + ": inside of recv");
        if (i > 0) t.expect(received[i - 1].second <= received[i].first, name + ": no overlap");
      }
    }
  }
}

// An acknowledgement must be no message that a receive from anybody takes.
void nothing_but_messages_travels_on_their_communicator(Expectations& t) {
  for (const char* operation : {"stream", "bistream", "oneway", "exchange", "pingpong", "halo",
                                "send", "isend", "ssend", "recv", "train"}) {
    record::Cell cell = cell_of_messages(operation);
    if (call_choice(*find_operation(operation)) == record::CallChoice::kCalls) {
      cell.form = "non-blocking";
    }
    cell.source = cell.tag = "any";
    CellCall any(cell);
    any.functions();
    for (const SeenMessage& message : seen) {
      if (message.comm != any.call().comm || !message.is_send()) continue;
      t.expect(message.tag == kMessageTag, std::string(operation) + ": a message of its own");
    }
    t.expect_equal(any.mismatch(), "", operation);
  }
}

// Two of three ranks send to the third one, which takes what comes. Who is first is open, but not
// the order of one sender's messages.
void messages_of_one_source_stay_in_order(Expectations& t) {
  record::Cell cell = cell_of_messages("stream");
  if (cell.ranks != 3) return;
  cell.pattern = "fan-in:2";
  cell.window = 3;
  cell.source = "any";
  CellCall fan(cell);
  fan.functions();
  t.expect_equal(fan.mismatch(), "", "as it came");
  Call& c = fan.call();
  if (c.rank != 0) return;
  const std::size_t block = c.block_bytes;
  const auto slot = [&](std::size_t number) { return c.recv + number * block; };
  const auto swapped = [&](std::size_t a, std::size_t b) {
    std::swap_ranges(slot(a), slot(a) + block, slot(b));
  };
  // As it would have come from the one sender after the other.
  std::vector<std::byte> ordered(6 * block);
  const auto& pattern = c.element->pattern;
  for (int source = 1; source <= 2; ++source) {
    pattern(std::span(ordered).subspan(static_cast<std::size_t>(source - 1) * 3 * block, 3 * block),
            source, 0);
  }
  std::ranges::copy(ordered, c.recv);
  t.expect_equal(fan.mismatch(), "", "one behind the other");
  swapped(2, 3);
  t.expect_equal(fan.mismatch(), "", "the second sender's first comes before the first one's last");
  swapped(1, 2);
  swapped(0, 1);
  t.expect_equal(fan.mismatch(), "", "and before all of them");
  swapped(1, 2);
  t.expect_contains(fan.mismatch(), "recv byte ", "two of one sender are swapped");
  swapped(1, 2);
  std::copy_n(slot(1), block, slot(2));
  t.expect_contains(fan.mismatch(), "recv byte ", "one comes twice, another never");
}

// On two ranks both neighbours are one rank, and messages are told apart by their order.
void slots_of_neighbours_that_are_one_rank_are_in_order(Expectations& t) {
  record::Cell cell = cell_of_messages("halo");
  if (cell.ranks != 2) return;
  using Messages = std::vector<SentMessage>;
  const int other = 1 - CellCall(cell).call().rank;
  CellCall in_order(cell);
  t.expect(messages_of_slots(in_order.call()) == Messages{{other, 0}, {other, 1}},
           "sent down first, received as the first");
  cell.form = "sendrecv";
  CellCall opposite(cell);
  t.expect(messages_of_slots(opposite.call()) == Messages{{other, 1}, {other, 0}},
           "what is sent down comes from above");
}

// What nobody times has what it needs, also where a hook does so for calls that count.
void levels_say_what_untimed_calls_need(Expectations& t) {
  const auto parts = [](const char* operation, const char* mode, const char* receives) {
    record::Cell cell = cell_of_messages(operation);
    cell.send_mode = mode;
    cell.receives = receives;
    const Operation called = operation_for(*find_operation(operation), cell);
    return std::string(called.before_untimed == nullptr ? "-" : "before") +
           (called.behind_untimed == nullptr ? " -" : " behind");
  };
  t.expect_equal(parts("pingpong", "standard", "in-call"), "- -", "nothing");
  t.expect_equal(parts("pingpong", "standard", "before"), "before -", "posts");
  t.expect_equal(parts("pingpong", "buffered", "in-call"), "before behind", "a buffer");
  t.expect_equal(parts("oneway", "standard", "in-call"), "- behind", "an acknowledgement");
  t.expect_equal(parts("stream", "standard", "in-call"), "- -", "it has its own");
  t.expect_equal(parts("train", "standard", "in-call"), "- -", "it has its own, too");
  for (const char* operation : {"send", "isend", "ssend", "recv"}) {
    t.expect_equal(parts(operation, "standard", "in-call"), "- behind", operation);
    t.expect_equal(parts(operation, "standard", "before"), "before behind", operation);
  }
  t.expect_equal(parts("halo", "standard", "in-call"), "- -", "who sends is named");
  record::Cell any = cell_of_messages("halo");
  any.ranks = 4;
  any.source = "any";
  t.expect(operation_for(*find_operation("halo"), any).behind_untimed == acknowledge_untimed,
           "receives from anybody are of calls that are apart");
}

// Also of long messages, which wait for their receives.
void receives_from_anybody_end_in_calls_in_a_row(Expectations& t) {
  record::Cell cell = cell_of_messages("halo");
  cell.size_bytes = 1 << 20;
  cell.source = "any";
  CellCall any(cell);
  for (int call = 0; call < 20; ++call) {
    t.expect(make_call(any.operation(), any.call()) == MPI_SUCCESS, "call");
    t.expect_equal(any.mismatch(), "", "what a call behind sends is not taken");
  }
}

}  // namespace
}  // namespace invar::ops::test

int main(int argc, char** argv) {
  using namespace invar::ops::test;
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm_of_calls);
  MPI_Comm_set_errhandler(comm_of_calls, MPI_ERRORS_RETURN);
  Expectations t;
  // Setups share what lives as long as one of them.
  {
    const CellCall first(cell_of_messages("pingpong"));
    forms_and_modes_are_the_calls_that_they_are_named_after(t);
    data_are_packed_where_a_cell_says_so(t);
    slots_never_overlap(t);
    nothing_but_messages_travels_on_their_communicator(t);
    messages_of_one_source_stay_in_order(t);
    slots_of_neighbours_that_are_one_rank_are_in_order(t);
    levels_say_what_untimed_calls_need(t);
    receives_from_anybody_end_in_calls_in_a_row(t);
  }
  MPI_Comm_free(&comm_of_calls);
  const int status = t.finish("messages_selftest");
  MPI_Finalize();
  return status;
}
