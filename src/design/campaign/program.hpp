// Foreign programs as arms: a command with placeholders that is run once for every cell and launch,
// and how the one time that it prints, or the rate that one follows from, is found.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "design/campaign/arms.hpp"
#include "record/cell.hpp"

namespace invar::design {

struct ResolvedCells;

// Where the time stands in a program's output.
struct ParseRule {
  enum class Kind { kImb, kOsu, kPattern };
  Kind kind = Kind::kPattern;
  std::string column = {};  // of imb: "avg", "min", "max"
  std::string pattern = {};
  double unit_ns = 0;  // of a number that the pattern finds
  // The number is a rate, in so many bytes a second; 0: it is a time.
  double unit_bytes_per_s = 0;
  // Messages in a row, for imb and osu. The command says how many, else it is the suite's own
  // number. 0: nobody can tell, because the command's first word is not a program of theirs.
  std::uint32_t window = 0;
};

// `parse`: imb (its t_avg[usec]), imb:min, imb:max, osu, or a regular expression (ECMAScript) with
// one group. Its unit is `unit` (ns, us, ms, s, or of a rate B/s, kB/s, MB/s, GB/s, KiB/s, MiB/s,
// GiB/s) or, if that is empty, the unit that stands behind the group in the expression. Complaints:
// no such rule, no group or several, no unit or two.
std::optional<Complaint> parse_rule_complaint(const Program& program);
// The program must be one without complaints.
ParseRule parse_rule(const Program& program);

// Words as a shell would split them (quotes, backslashes), placeholders not yet replaced.
// Complaints: no word, a quote that is not closed, a placeholder that is none of {size}
// {log2size} {bytes} {ranks} {operation}; {{ and }} stand for braces.
std::optional<Complaint> command_complaint(const std::string& command);

// Bytes that a call of the cell names, on all its ranks: of operations that walk over memory those
// of a pass over all their arrays (record::OperationInfo::walks), of others the size of each rank's
// block. None: the cell has no size.
std::optional<std::uint64_t> bytes_of_pass(const record::Cell& cell,
                                           const record::OperationInfo& operation);

// The command of a cell. Throws UserError naming the cell: {size} without a size, {log2size} of a
// size that is not a power of two.
std::vector<std::string> command_words(const std::string& command, const record::Cell& cell,
                                       const record::OperationInfo& operation,
                                       const std::string& place);

// The placeholder occurs, as in takes(command, "size").
bool takes(const std::string& command, std::string_view placeholder);

// "IMB-MPI1": what a program is called in a label.
std::string program_name(const std::string& command);

// Throws UserError with all faults of all program arms: cells whose command cannot be made, cells
// that would run the same command with the same ranks, which is one cell measured twice under two
// names, streams of ours beside which a suite would send another number of messages in a row, and a
// rate of what has no size, or of as many passes as our engine chooses.
void check_commands(const Campaign& campaign, const ResolvedCells& cells, const std::string& place);

}  // namespace invar::design
