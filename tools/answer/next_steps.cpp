#include "tools/answer/next_steps.h"

namespace ws {

Json advice(const std::string& why) {
  return {{"why", why}};
}

Json read_step(const std::string& uri, const std::string& why) {
  return {{"read", uri}, {"why", why}};
}

Json edit_step(const std::string& tool, const std::string& kernel_id, const std::string& why) {
  return read_step("kernel://" + kernel_id + "/source",
                   why + ": send " + tool + " `base` " + kernel_id + " and `edits`");
}

}  // namespace ws
