// Files that are whole or not there at all, whatever ends the process while they are written. What
// goes wrong comes back as an errno: every caller has its own words and remedies for it.
#pragma once

#include <filesystem>
#include <string_view>

namespace invar::base {

enum class IfThere { kReplace, kRefuse };

// Writes `beside`, a name in the same directory, and gives it the name `path` when it is complete.
// `durable`: the bytes and the name are on the disk before this returns. 0, or the errno of what
// went wrong: EEXIST where `path` is there and is to be refused. Then nothing of it stays.
int write_whole_file(const std::filesystem::path& path, std::string_view text,
                     const std::filesystem::path& beside, IfThere if_there, bool durable);

// A directory's one name, whoever names it: absolute, without dots, without a slash at its end.
// Links in it stay.
std::filesystem::path absolute_name(const std::filesystem::path& directory);

// Opens a new file for writing, instead of whatever has this name: a link of somebody else's is
// not followed. A descriptor, or -1 with errno.
int create_anew(const std::filesystem::path& path);

// Writes everything, however often the kernel takes only a part. 0, or the errno.
int write_all(int descriptor, std::string_view text);

// A descriptor of open(2), closed at the end of the scope.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

}  // namespace invar::base
