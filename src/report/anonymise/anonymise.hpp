// Campaigns that can be given away: names of hosts and people, addresses, folders, what the kernel
// was started with and the environment are replaced, the same one always by the same word. What is
// replaced and what cannot be known to tell who measured: docs/formats.md, "Anonymised".
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/compare/comparison.hpp"
#include "analysis/metadata/metadata.hpp"
#include "store/clock_dir.hpp"
#include "store/reader.hpp"

namespace invar::report {

// First `learn` every campaign, so that numbers are given in the order of the data and names are
// known wherever they occur; then `apply`. The same calls give the same words.
class Anonymiser {
 public:
  // Hosts, users, boots and jobs: from the manifest and from env.json of every launch.
  void learn(const store::Data& data);
  // The hosts and the users whom an experiment with clocks names. Throws UserError where its orders
  // cannot be read: what is not known cannot be replaced.
  void learn(const store::ClockData& data);
  // Learns from one env.json; what cannot be read is passed over.
  void learn_environment(std::string_view env_json);
  // "node7.cluster.org" hides "node7" and "cluster.org", too.
  void learn_host(std::string_view name);
  void learn_user(std::string_view name);
  // "2026-11-22.1a2b3c4d.job-4711": the boot's digits and the job.
  void learn_session(std::string_view session);
  // This process's own host, user and home: what it writes into messages.
  void learn_own();

  // `text` with every known name, and what looks like an address, an identifier or a folder outside
  // of the system's own, replaced.
  [[nodiscard]] std::string apply(std::string_view text);

  // Value of a variable of the environment (or of an arm's setting, with or without "env:"): as
  // `apply` where the name is on the list of those that steer libraries, else "value1".
  [[nodiscard]] std::string variable(std::string_view name, std::string_view value);

  // A fact of metadata ("kernel.command_line", "processor.model", "environment.UCX_TLS").
  [[nodiscard]] std::string fact(std::string_view name, std::string_view value);

  // Everything of a campaign that answers are made of. Its files stay as they are, so metadata are
  // read before or after; `campaign_toml`, `profile_json` and `dir`, which no answer prints as they
  // are, are left alone.
  void apply(store::Data& data);
  void apply(analysis::Metadata& metadata);
  void apply(std::vector<analysis::ComparedArm>& arms);

 private:
  // A word for `name` of this kind ("host" -> "host1"), the same for the same name.
  std::string word(const std::string& kind, std::string_view name);
  // To be replaced wherever it stands as a word of its own; by the word of `alias_of`, if given.
  void hide(const std::string& kind, std::string_view name, std::string_view alias_of = {});
  // Words are given when all names are known: a host that is called "host1" must not be taken for
  // the word of another one.
  void give_words();
  void learn_users_of(std::string_view text);
  // What a site called its own kernel.
  void learn_kernel(std::string_view release);
  void learn_speakers_of(std::string_view text);
  void learn_accounts_of(std::string_view text);
  // Learns from a variable of the environment or of the library.
  void learn_job(std::string_view name, std::string_view value);
  void apply(analysis::Values& values, std::string_view fact_name);
  void apply(analysis::Facts& facts, std::string_view prefix);

  // What `text` has at `at`: its length and what takes its place; length 0: nothing to replace.
  struct Found {
    std::size_t length = 0;
    std::string word = {};
  };
  Found name_at(std::string_view text, std::size_t at) const;
  Found address_at(std::string_view text, std::size_t at);
  Found path_at(std::string_view text, std::size_t at);
  std::string path_word(std::string_view path);

  struct Learned {
    std::string kind = {};
    std::string name = {};
    std::string alias_of = {};
  };
  std::vector<Learned> learned_ = {};               // without a word yet
  std::set<std::string, std::less<>> hidden_ = {};  // all names that are replaced
  // By kind and name.
  std::map<std::string, std::map<std::string, std::string, std::less<>>> words_ = {};
  std::set<std::string, std::less<>> made_ = {};  // all words: what is replaced stays
  // By first character, the longest first.
  std::map<char, std::vector<std::pair<std::string, std::string>>> names_ = {};
};

}  // namespace invar::report
