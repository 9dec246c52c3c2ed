// The archive as text for people in a terminal: what `log`, `show`, `diff` and `compare` print.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/archive/search/listing.h"
#include "runtime/base/result.h"
#include "server/look/terminal.h"
#include "server/protocol/protocol.h"

namespace ws::server {

struct LookQuestion {
  std::string name;  ///< The id of a problem, or a kernel's or a ref name@branch; empty: none.
  int most = 30;     ///< Rows of a list.
};

/// One thread. Each answer ends with a line end.
/// @errors of all methods: those of ArchiveListing.
class Look {
 public:
  /// @param listing  Outlives it.
  Look(ArchiveListing& listing, Terminal terminal)
      : listing_(listing),
        terminal_(terminal) {}

  /// Without a name the problems, the newest first; of a problem its kernels; of a kernel its
  /// relatives, each below what it was made from.
  Result<std::string> log(const LookQuestion& question);
  Result<Json> log_json(const LookQuestion& question);

  /// How one kernel stands, its labels, and its source.
  Result<std::string> show(const std::string& name);
  Result<Json> show_json(const std::string& name);

  /// The lines that turn the first kernel into the second one, or the parent of the only one into
  /// that. @errors kInvalidArgument, too: the only one has no parent.
  Result<std::string> diff(const std::vector<std::string>& names);
  Result<Json> diff_json(const std::vector<std::string>& names);

  /// How several kernels stand on each device, the fastest first.
  Result<std::string> compare(const std::vector<std::string>& names);
  Result<Json> compare_json(const std::vector<std::string>& names);

 private:
  Result<ListedPage<ListedProblem>> problem_page(int most);
  Result<ListedPage<ListedKernel>> kernel_page(const std::string& problem_id, int most);
  Result<std::string> problems(int most);
  Result<std::string> kernels_of(const std::string& problem_id, int most);
  Result<std::string> family_of(const std::string& kernel_id, int most);
  Result<std::vector<ListedKernel>> with_standings(const std::vector<std::string>& names);
  Result<std::pair<KernelRow, KernelRow>> two_kernels(const std::vector<std::string>& names);

  ArchiveListing& listing_;
  const Terminal terminal_;
};

}  // namespace ws::server
