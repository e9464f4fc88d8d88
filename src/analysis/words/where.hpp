// Cells in words: "8 B to 1 KiB", "allreduce (8 B) and bcast", "20 of 48 cells (all of bcast)".
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "record/cell.hpp"

namespace invar::analysis {

// All cells that a sentence speaks about; describes subsets of them.
class CellWords {
 public:
  // Without repetitions; `cells` keeps the order of the campaign.
  explicit CellWords(const std::vector<record::Cell>& cells);

  // A subset (indices, ascending) as a list of items, each one a size, a range of sizes, or an
  // operation (with other factors that vary) and its sizes.
  [[nodiscard]] std::vector<std::string> items(const std::vector<std::size_t>& subset) const;

  // "20 of 48 cells (all of bcast)", for subsets whose list would be too long. Names that are long
  // themselves are left out.
  [[nodiscard]] std::string counted(const std::vector<std::size_t>& subset) const;

  // Sizes of one operation that follow one another: "bcast 8 B to 1 KiB", "all of bcast".
  struct Piece {
    std::string words = {};
    std::vector<std::size_t> cells = {};
  };
  // What a subset (indices, ascending) falls into, in the order of the campaign.
  [[nodiscard]] std::vector<Piece> pieces(const std::vector<std::size_t>& subset) const;

  [[nodiscard]] std::size_t count() const { return cells_.size(); }

 private:
  // Cells that differ by their size alone.
  struct Family {
    std::string name = {};                // empty: there is only one family
    std::vector<std::size_t> cells = {};  // by size
  };

  // Chosen cells of a family that follow one another by size.
  static std::vector<std::vector<std::size_t>> runs(const Family& family,
                                                    const std::vector<bool>& chosen);
  // A run: "8 B to 1 KiB" or each of its few sizes.
  [[nodiscard]] std::vector<std::string> run_words(const std::vector<std::size_t>& run) const;
  [[nodiscard]] std::vector<std::string> ranges(const Family& family,
                                                const std::vector<bool>& chosen) const;
  [[nodiscard]] std::vector<bool> chosen(const std::vector<std::size_t>& subset) const;

  std::vector<record::Cell> cells_;
  std::vector<Family> families_;
  bool sizes_vary_ = false;
};

}  // namespace invar::analysis
