// The kernels and problems that answers have named lately, as resources.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
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
    bool list = false;  ///< rows() gives other ones now to the viewer of this thread (viewer.h).
    std::vector<std::string> contents{};  ///< The addresses of resources that say more now.
    std::string kernel{};                 ///< They are of this one.
    std::string evidence{};               ///< They say more by this.
  };

  /// Reads the answer of any tool.
  News note(const Json& answer);

  /// [{uri, name, description, mimeType}], the latest first, each kernel before its problem. Only
  /// what answers to the principal of this thread's viewer have named, or to one that shares, where
  /// it does not see all.
  /// @param sees  Whether this thread's viewer sees the kernel of an id.
  [[nodiscard]] Json rows(const std::function<bool(const std::string& id)>& sees) const;

 private:
  struct Kernel {
    std::string id;
    std::string problem;       ///< Empty: no answer has named it.
    std::uint64_t number = 0;  ///< In the order in which they were named first.
    bool shared = false;       ///< An answer to one that shares has named it.
  };

  bool note_kernel(const std::string& id, const std::string& problem);
  bool note_evidence(const std::string& id);
  void forget_owners();
  [[nodiscard]] std::vector<Kernel> kernels_for_viewer() const;

  mutable std::mutex mutex_;
  std::uint64_t last_ = 0;                             // guarded by mutex_
  std::map<std::string, std::deque<Kernel>> kernels_;  // guarded by mutex_; of each principal, the
                                                       // latest first
  std::deque<std::string> evidence_;                   // guarded by mutex_; ids, the latest first
};

}  // namespace ws
