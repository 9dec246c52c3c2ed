// Answers that wait for nothing, as they were written.
#pragma once

#include <compare>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "server/protocol/protocol.h"

namespace ws::server {

/// Holds some of the latest, each for one call: the same call gets the same text as long as the
/// tool gives the same object. Any thread.
class WrittenAnswers {
 public:
  /// The calls that get one answer.
  struct Question {
    std::string tool;
    std::string arguments;  ///< As JSON text.
    Revision revision;

    auto operator<=>(const Question&) const = default;
  };

  /// Nothing where the arguments are longer than is worth keeping.
  static std::optional<Question> question(const std::string& tool, const Json& arguments,
                                          Revision revision);

  /// The result, as JSON text. Nothing: there is none that was made of `answer`.
  [[nodiscard]] std::optional<std::string> find(const Question& question,
                                                const std::shared_ptr<const Json>& answer) const;

  /// Replaces that of another answer.
  void note(Question question, std::shared_ptr<const Json> answer, std::string result);

 private:
  struct Row {
    std::shared_ptr<const Json> answer;
    std::string result;
  };

  mutable std::mutex mutex_;
  std::map<Question, Row> rows_;  // guarded by mutex_
};

}  // namespace ws::server
