#include "tests/support/run_program.h"

#include <chrono>

#include "tests/support/child.h"

namespace ws {

Ended run_program(const std::vector<std::string>& arguments, const std::string& input,
                  const std::string& program) {
  Child child(program, arguments);
  child.write(input);
  child.close_input();
  Ended ended;
  ended.out = child.rest();
  ended.err = child.errors();
  ended.status = child.wait(std::chrono::seconds(10)).value_or(-1);
  return ended;
}

}  // namespace ws
