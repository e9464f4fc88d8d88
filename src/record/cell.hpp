// A cell: one level of every factor that does not define the arm (record/factors.hpp). The members'
// first values are the usual levels.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "record/factors.hpp"

namespace invar::record {

// A root that moves on by one rank after every repetition.
constexpr std::uint32_t kRotatingRoot = 0xffffffffU;

// Repetitions are measured as the campaign says, not as some other suite does it.
constexpr std::string_view kOwnScheme = "invar";

struct Factor;

struct Cell {
  std::uint32_t id = 0;  // counts from 0 over the campaign
  std::string operation = {};
  std::optional<std::uint64_t> size_bytes = {};  // none: an operation without a size (barrier)
  std::uint32_t ranks = 2;
  std::uint32_t nodes = 1;
  std::uint32_t ppn = 2;               // ranks per node; of the fullest where they differ
  std::string mapping = "packed";      // packed | round-robin: over the nodes
  std::string rank_order = "natural";  // natural | reversed | shuffled: after the mapping
  std::uint32_t root = 0;              // kRotatingRoot: repetition i has root i mod ranks
  std::string datatype = {};           // "byte", "int32"; empty where no data move
  std::string reduction = {};          // "sum"; empty where the operation reduces nothing
  std::string in_place = {};           // "no", "yes"; empty where MPI knows no such form
  std::string topology = {};           // "ring", "cartesian"; empty where there is none
  std::string cache = "warm";          // warm | cold-flush | cold-cycle
  std::string placement = "random";    // of the buffers: random | same | fixed:OFFSET
  std::string sync = "round-time";     // record/synchronisation.hpp
  std::string arrival = "none";        // none | a pattern with its amplitude (record/arrival.hpp)
  std::string clock = "auto";          // auto | tsc | monotonic-raw | mpi-wtime
  std::uint64_t dither_ns = 1000;      // 0: off
  // Planted into every call by all arms but the first (self-test); 0: nothing.
  std::uint64_t delay_ns = 0;
  std::string batches = "short";  // of calls that are too short for the clock: short | never
  // How blocks differ in length, where they may (record/operation/distribution.hpp).
  std::string distribution = "regular";
  std::uint64_t segment_bytes = 0;  // of a message at most; 0: whole
  std::string marks = "off";        // of operations that may leave them out: off | on
  // What the library is told to run: default | algorithm:NAME... (record/algorithms).
  std::string algorithm = "default";
  // For operations that send messages of their own (record/p2p); the others have the usual levels.
  std::string pattern = {};            // who sends to whom; empty: no such operation
  std::string form = "blocking";       // blocking | non-blocking | persistent | sendrecv | ...
  std::string send_mode = "standard";  // standard | synchronous | ready | buffered
  std::string source = "specific";     // of receives: specific | any
  std::string tag = "specific";        // likewise
  std::string receives = "in-call";    // in-call | before: before the repetition is synchronised
  std::string pending = "none";        // receives that nothing matches: none | same:N | any:N | ...
  std::string unexpected = "none";     // messages that nobody receives: none | same:N | other:N
  std::uint32_t window = 1;            // messages of a call to each peer
  std::string train_delay = "off";     // between these: off | a time (record/p2p/train_delay.hpp)
  std::string packing = "type";        // of gaps: type | hand | mpi
  std::string others = "asleep";       // what ranks do that stand by
  std::string cold_side = "both";      // whose cache is cold: both | sender | receiver
  std::string compute = "off";         // meanwhile (record/p2p/compute_level.hpp)
  std::string compute_kernel = "chain";  // chain | memory
  std::string compute_side = "both";     // both | starts | answers
  std::uint32_t progress_calls = 0;      // MPI_Test in equal pieces of the computation
  // For memory operations (record/memory); the others have the usual levels.
  std::string stride = "packed";      // between starts of elements: packed | bytes
  std::string width = "widest";       // of a load or store: widest | 4 | 8 | 16 | 32 | 64 bytes
  std::uint32_t unroll = 8;           // elements in a turn of the inner loop: 1, 2, 4, 8, 16
  std::string loops = "auto";         // passes in a repetition: auto | auto:K | N
  std::uint32_t chains = 1;           // followed at a time
  std::string access = "sequential";  // sequential | random | random-in-page | line-per-page
  std::string pages = "default";      // default | 4KiB | thp | 2MiB | 1GiB
  std::string allocation = "arena";   // arena | malloc: anew for every visit
  std::string policy = "other";       // of the scheduler: other | batch | idle | fifo | rr | nice:N
  std::string numa = "default";       // default | local | node:N | interleaved
  std::string scheme{kOwnScheme};     // how repetitions are measured (record/scheme.hpp)
  // Cells of one family are measured together because they are compared. The same levels in
  // another family are another cell: it has visits, batches and repetitions of its own.
  std::string family = {};  // empty: none

  // Equal levels of all factors, whatever the ids.
  [[nodiscard]] bool same_levels(const Cell& other) const;
};

// The place of `wanted`, one of `own`, among another campaign's cells: the cell of the same levels,
// else the one that differs in nothing but its family, which is each campaign's own matter, if both
// campaigns have only one such cell. So no cell is the counterpart of two.
std::optional<std::size_t> counterpart(const Cell& wanted, std::span<const Cell> own,
                                       std::span<const Cell> cells);

// A cell whose levels are those that absent columns mean (Factor::absent); of the others the usual
// ones.
Cell cell_of_absent_levels(std::uint32_t id);

// The factors that a table of these cells has columns of, in their order: those of every version,
// and later ones where some cell has another level than the absent one.
std::vector<const Factor*> written_factors(std::span<const Cell> cells);

// Does a reader have to be told this factor's level to know which cell is meant? Not where it
// follows from the operation, as the default datatype does; numbers of ranks and nodes are told
// wherever they differ. Operation and size are always told, the family only where cells differ in
// nothing else.
bool tells_cells_apart(const Factor& factor, std::span<const Cell> cells);

// The cells without their sizes, as rows over sizes are called; without their families too, where
// these tell none of the cells from another.
std::vector<Cell> without_sizes(std::span<const Cell> cells);

// "allreduce, 1 KiB, 2 ranks", and the levels that are not the usual ones: for messages.
std::string cell_text(const Cell& cell);

// A factor that tells cells apart.
struct ToldFactor {
  const Factor* factor = nullptr;
  // Where cells differ in it that differ in none of operation, size, ranks and nodes: elsewhere a
  // usual level (Factor::silent) tells a cell from no other one.
  std::set<std::string> places = {};
};

// Texts of cells that stand together in one list or table: also every level that tells one from
// another, so that two different cells never look alike. A usual level is told only beside cells
// that have another one.
class CellTexts {
 public:
  explicit CellTexts(std::span<const Cell> cells);
  [[nodiscard]] std::string operator()(const Cell& cell) const;

 private:
  std::vector<ToldFactor> told_ = {};
  std::vector<ToldFactor> told_of_own_ = {};  // of cells by kOwnScheme
};

// A text for every cell, the same for cells that differ in nothing but `apart`. What follows from
// other factors does not count. Where an operation has no level of a factor, as an own one may have
// no form in place, it counts as the first level that a cell has: operations can be told apart by
// their names alone.
std::vector<std::string> levels_but(std::span<const Cell> cells,
                                    std::span<const Factor* const> apart);

// Indices of the cells as answers list them: operations in the order of their first cells, of each
// one curve after the other (what differs in nothing but the size), ascending by size (none first).
// What a decision added to a campaign under way stands where it belongs, not where it was found.
std::vector<std::uint32_t> reading_order(std::span<const Cell> cells);

}  // namespace invar::record
