#include "runtime/exchange/shallow_json.h"

#include <nlohmann/json.hpp>

namespace ws {
namespace {

constexpr int kMaxDepth = 100;

}  // namespace

Result<nlohmann::json> parse_shallow(std::string_view text) {
  bool deep = false;
  nlohmann::json value = nlohmann::json::parse(
      text,
      [&deep](int depth, nlohmann::json::parse_event_t /*event*/, nlohmann::json& /*parsed*/) {
        deep = deep || depth > kMaxDepth;
        return !deep;
      },
      false);
  if (deep) {
    return fail(ErrorCode::kInvalidArgument, "nested deeper than 100");
  }
  return value;
}

}  // namespace ws
