// The kernels and problems that answers have named lately, as resources.
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
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

  /// [{uri, name, description, mimeType}], the latest first, each kernel before its problem.
  [[nodiscard]] Json rows() const;

 private:
  struct Kernel {
    std::string id;
    std::string problem;  ///< Empty: no answer has named it.
  };

  bool note_kernel(const std::string& id, const std::string& problem);
  bool note_evidence(const std::string& id);

  mutable std::mutex mutex_;
  std::deque<Kernel> kernels_;        // guarded by mutex_; the latest first
  std::deque<std::string> evidence_;  // guarded by mutex_; ids, the latest first
};

}  // namespace ws
