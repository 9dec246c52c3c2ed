#include "runtime/lift/symbolic/reports.h"

namespace ws::lift {

bool Reports::set_trial(bool trial) {
  return std::exchange(trial_, trial);
}

Status Reports::store(const StoreGroup& group) {
  return trial_ ? Status() : sink_.store(group);
}

Result<std::optional<Logical>> Reports::stage(const StoreGroup& group) {
  return trial_ ? Result<std::optional<Logical>>(std::nullopt) : sink_.stage(group);
}

Status Reports::sync(const Range& range) {
  return trial_ ? Status() : sink_.sync(range);
}

Status Reports::leave(TermId condition, const Range& range) {
  return trial_ ? Status() : sink_.leave(condition, range);
}

Status Reports::begin_loop(const LoopEvent& loop, const std::vector<Update>& initial) {
  return trial_ ? Status() : sink_.begin_loop(loop, initial);
}

Status Reports::update(const std::vector<Update>& updates, const Range& range) {
  return trial_ ? Status() : sink_.update(updates, range);
}

Status Reports::end_loop() {
  return trial_ ? Status() : sink_.end_loop();
}

}  // namespace ws::lift
