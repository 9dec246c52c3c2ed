// The kernels and problems that answers have named lately, as resources.
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "tools/tool.h"

namespace ws {

/// Any thread.
class RecentResources {
 public:
  /// The changes that an answer tells of.
  struct News {
    bool list = false;                    ///< rows() gives other ones now.
    std::vector<std::string> contents{};  ///< The addresses of resources that say more now.
  };

  /// Reads the answer of any tool.
  News note(const Json& answer);

  /// [{uri, name, description, mimeType}], the latest first, each kernel before its problem. Only
  /// what answers to the principal of this thread's viewer (viewer.h) have named, or to one that
  /// shares, where it does not see all.
  [[nodiscard]] Json rows() const;

 private:
  struct Kernel {
    std::string id;
    std::string problem;             ///< Empty: no answer has named it.
    std::set<std::string> owners{};  ///< The principals whose answers have named it.
    bool shared = false;             ///< So has an answer to one that shares.
  };

  static void note_viewer(Kernel& kernel);
  bool note_kernel(const std::string& id, const std::string& problem);
  bool note_evidence(const std::string& id);

  mutable std::mutex mutex_;
  std::deque<Kernel> kernels_;        // guarded by mutex_; the latest first
  std::deque<std::string> evidence_;  // guarded by mutex_; ids, the latest first
};

}  // namespace ws
