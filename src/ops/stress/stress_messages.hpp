// Streams of messages between ranks of which every byte is looked at.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ops/stress/stress_difference.hpp"
#include "ops/stress/stress_plan.hpp"
#include "record/stress/stress_fault.hpp"
#include "record/stress/stress_order.hpp"
#include "record/stress/stress_state.hpp"

namespace invar::ops {

using TellStressFault = std::function<void(const record::StressFault&)>;

class StressMessages {
 public:
  // Collective: makes two communicators. Everything outlives it.
  StressMessages(MPI_Comm world, const record::StressOrder& order, const StressPlan& plan,
                 record::StressState& state, TellStressFault tell);
  StressMessages(const StressMessages&) = delete;
  StressMessages& operator=(const StressMessages&) = delete;
  ~StressMessages();

  // Messages `first` to `first` + `count` - 1 of that kind; collective, and all of it is over at
  // the end. In pairs within one matching. Nobody may begin before all have ended the last one: a
  // receive from anybody would take what belongs to the next. Throws std::runtime_error where the
  // library returns an error, behind which nothing is known any more; it has been told.
  void exchange(record::StressKind kind, std::uint64_t first, std::uint64_t count);

 private:
  // Room for a message, with guard zones around it.
  struct Slot {
    std::unique_ptr<std::byte[]> memory = {};
    std::byte* begin = nullptr;  // of a cache line
    StressMessage message = {};
    StressContent content = {};
    StressPeers peers = {};
    MPI_Request request = MPI_REQUEST_NULL;
    bool used = false;

    [[nodiscard]] std::byte* data(std::uint32_t shift) const {
      return begin + record::kStressGuardBytes + shift;
    }
  };

  void send(Slot& slot, const StressMessage& message, const StressPeers& peers);
  void finish_send(Slot& slot);
  // Poisons the buffer, and posts the receive where it is an early one.
  void prepare(Slot& slot, const StressMessage& message, const StressPeers& peers);
  // Waits for it and looks at it. `outgoing`: the message that a Sendrecv sends.
  void receive(Slot& slot, Slot& outgoing);
  void look_at(const Slot& slot, const MPI_Status& status);
  void look_around(const Slot& slot);
  void wait(const Slot& slot, MPI_Request& request, MPI_Status* status, const char* call,
            record::StressDoing doing);
  [[nodiscard]] std::vector<OtherStressMessage> others_near(const Slot& slot) const;
  [[nodiscard]] record::StressFault fault_of(const Slot& slot, bool received,
                                             std::string_view fault, std::string what) const;
  void need(const Slot& slot, bool received, const char* call, int code);
  void say(record::StressDoing doing, const Slot& slot, bool received);

  const StressPlan& plan_;
  record::StressState& state_;
  TellStressFault tell_;
  bool yields_;
  int rank_ = 0;
  // Receives that are posted early, and those that come when it is their turn: apart, so that
  // each of them matches in order, whatever tag and source it says.
  MPI_Comm early_ = MPI_COMM_NULL;
  MPI_Comm late_ = MPI_COMM_NULL;
  std::vector<Slot> sending_;
  std::vector<Slot> receiving_;
};

}  // namespace invar::ops
