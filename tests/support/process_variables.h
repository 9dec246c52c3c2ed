// Variables in the environment of programs that a test starts.
#pragma once

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace ws::test {

/// They are set as long as this lives, and not set afterwards. For one thread that uses the
/// environment.
class ProcessVariables {
 public:
  explicit ProcessVariables(std::vector<std::pair<std::string, std::string>> variables)
      : variables_(std::move(variables)) {
    for (const auto& [name, value] : variables_) {
      ::setenv(name.c_str(), value.c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
    }
  }

  ProcessVariables(const ProcessVariables&) = delete;
  ProcessVariables& operator=(const ProcessVariables&) = delete;

  ~ProcessVariables() {
    for (const auto& [name, value] : variables_) {
      ::unsetenv(name.c_str());  // NOLINT(concurrency-mt-unsafe)
    }
  }

 private:
  const std::vector<std::pair<std::string, std::string>> variables_;
};

}  // namespace ws::test
