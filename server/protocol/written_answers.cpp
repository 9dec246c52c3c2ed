#include "server/protocol/written_answers.h"

#include <cstddef>
#include <utility>

#include "server/protocol/json_text.h"

namespace ws::server {
namespace {

constexpr std::size_t kMaxRows = 64;
constexpr std::size_t kMaxArguments = 256;
constexpr std::size_t kMaxResult = std::size_t{64} << 10U;

}  // namespace

std::optional<WrittenAnswers::Question> WrittenAnswers::question(const std::string& tool,
                                                                 const Json& arguments,
                                                                 Revision revision) {
  Question question{.tool = tool, .arguments = {}, .revision = revision};
  for (const auto& [name, value] : arguments.items()) {
    const bool is_text = value.is_string();
    const std::size_t size =
        name.size() + (is_text ? value.get_ref<const std::string&>().size() : 0);
    if (value.is_structured() || question.arguments.size() + size > kMaxArguments) {
      return std::nullopt;
    }
    append_json(question.arguments, name);
    append_json(question.arguments, value);
  }
  return question;
}

std::optional<std::string> WrittenAnswers::find(const Question& question,
                                                const std::shared_ptr<const Json>& answer) const {
  const std::lock_guard lock(mutex_);
  const auto at = rows_.find(question);
  const bool same = at != rows_.end() && at->second.answer == answer;
  return same ? std::optional(at->second.result) : std::nullopt;
}

void WrittenAnswers::note(Question question, std::shared_ptr<const Json> answer,
                          std::string result) {
  if (result.size() > kMaxResult) {
    return;
  }
  const std::lock_guard lock(mutex_);
  if (rows_.size() >= kMaxRows && !rows_.contains(question)) {
    rows_.clear();  // Clients ask few different questions: the next call of each writes it again.
  }
  rows_[std::move(question)] = {std::move(answer), std::move(result)};
}

}  // namespace ws::server
