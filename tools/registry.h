// The tools a server has, in one fixed order, each with its schemas compiled.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/schema_check.h"
#include "tools/tool.h"

namespace ws {

/// Owns the tools. Filled once at start, then only read: any thread.
class ToolRegistry {
 public:
  struct Entry {
    std::unique_ptr<Tool> tool;
    SchemaCheck input;
    SchemaCheck output;
  };

  /// Adds a tool and compiles its schemas. An error in it (a bad or taken name, a missing or
  /// bad schema) is our own mistake, never a client's: it is kept for `status`.
  void add(std::unique_ptr<Tool> tool);

  /// @errors kInternal: the first tool that could not be added, and why.
  [[nodiscard]] const Status& status() const { return status_; }

  /// Null when there is no such tool.
  [[nodiscard]] const Entry* find(std::string_view name) const;

  /// Sorted by name, so that clients can cache their prompts.
  [[nodiscard]] std::vector<const Entry*> list() const;

  /// Sorted.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  Status try_add(std::unique_ptr<Tool> tool);

  std::map<std::string, Entry, std::less<>> entries_;
  Status status_;
};

}  // namespace ws
