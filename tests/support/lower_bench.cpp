#include "tests/support/lower_bench.h"

#include <doctest/doctest.h>

#include "runtime/base/files.h"
#include "runtime/compile/toolkit.h"
#include "runtime/kernel/form/lines.h"
#include "tests/support/golden.h"

namespace ws::test {

Json example_form(const std::string& path) {
  const auto text = read_file(source_dir() / ("examples/kernels/" + path + ".json"));
  REQUIRE(text.has_value());
  return Json::parse(*text);
}

std::string with_text(std::string text, const std::string& old, const std::string& now) {
  const std::size_t at = text.find(old);
  REQUIRE_MESSAGE(at != std::string::npos, old);
  return text.replace(at, old.size(), now);
}

std::string LoweredFrom::line(std::size_t n) const {
  return split_lines(kernel["source"].get<std::string>()).at(n - 1);
}

Json LoweredFrom::replace(std::size_t n, const std::string& text) const {
  return {{"op", "replace"}, {"from", n}, {"old", line(n)}, {"text", text}};
}

Json LoweredFrom::lower(const std::string& target, const Json& edits) const {
  Json arguments = {{"kernel_id", kernel_id}, {"target_ir", target}};
  if (!edits.is_null()) {
    arguments["edits"] = edits;
  }
  return tools().result("apply_transformation", arguments);
}

std::string LoweredFrom::refusal(const std::string& target, const Json& edits) const {
  Json arguments = {{"kernel_id", kernel_id}, {"target_ir", target}};
  if (!edits.is_null()) {
    arguments["edits"] = edits;
  }
  return tools().refusal("apply_transformation", arguments);
}

LoweredFrom lifted_example(const std::string& problem, const std::string& kernel) {
  LoweredFrom from;
  from.kernel = example_form(problem + "/" + kernel);
  from.kernel_id = tools().compiled(example_form(problem + "/problem"), from.kernel);
  from.ir = tools().result("lift_to_ir", {{"kernel_id", from.kernel_id}, {"detail", "full"}})["ir"];
  return from;
}

bool toolkit_is_here(const char* left_out) {
  const auto toolkit = find_toolkit({});
  if (!toolkit) {
    MESSAGE("left out: " << left_out << " (" << toolkit.error().message << ")");
  }
  return toolkit.has_value();
}

LoweredFrom lifted_for_arch(const std::string& problem, const std::string& kernel) {
  LoweredFrom made;
  made.kernel = example_form(problem + "/" + kernel);
  made.kernel_id =
      tools().result("compile_kernel", {{"problem", example_form(problem + "/problem")},
                                        {"kernel", made.kernel},
                                        {"arch", kArch}})["kernel_id"];
  made.ir = tools().result("lift_to_ir", {{"kernel_id", made.kernel_id}, {"detail", "full"}})["ir"];
  return made;
}

std::string with_line(std::string text, const std::string& begin, const std::string& line) {
  const std::size_t at = text.find(begin);
  REQUIRE_MESSAGE(at != std::string::npos, begin);
  return text.insert(text.find('\n', at) + 1, line + "\n");
}

const LoweredFrom& attention() {
  static const LoweredFrom from = lifted_example("attention-plain", "attention_plain");
  return from;
}

}  // namespace ws::test
