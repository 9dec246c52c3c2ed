// A connection of libpq's that waits for notices.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/archive/postgres/link.h"
#include "runtime/archive/store/notices.h"

namespace ws {

class Listener final : public NoticeEngine {
 public:
  /// @param channel  A plain name.
  static Result<std::unique_ptr<NoticeEngine>> open(const PostgresTarget& target,
                                                    const std::string& channel);

  Result<std::vector<std::string>> wait(std::chrono::milliseconds most, int wake) override;

 private:
  explicit Listener(const PostgresTarget& target)
      : link_(target) {}

  /// Those that libpq has read.
  std::vector<std::string> take();

  Link link_;
};

}  // namespace ws
