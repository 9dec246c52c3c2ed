#include "runtime/lift/symbolic/control.h"

#include <utility>

namespace ws::lift {

Value Control::leave() {
  Value result = std::move(frames_.back().result);
  frames_.pop_back();
  return result;
}

ObjectId Control::find(VariableId variable) const {
  const std::map<VariableId, ObjectId>& known = frames_.back().variables;
  const auto found = known.find(variable);
  return found == known.end() ? kNone : found->second;
}

void Control::forget_from(std::size_t objects) {
  for (Frame& frame : frames_) {
    std::erase_if(frame.variables, [&](const auto& entry) {
      return static_cast<std::size_t>(entry.second) >= objects;
    });
  }
}

std::size_t Control::leave_body() {
  const std::size_t conditions = bodies_.back().conditions;
  bodies_.pop_back();
  return conditions;
}

}  // namespace ws::lift
