// Arguments of a tool against the tool's own schema: the first byte says which tool. They fit, or
// the reason names the field.
#include <array>
#include <fstream>
#include <string>

#include "tests/fuzz/must.h"
#include "tools/schema_check.h"

namespace {

using ws::fuzz::must;
using ws::fuzz::text_of;

const std::vector<ws::SchemaCheck>& checks() {
  static const std::vector<ws::SchemaCheck> all = [] {
    std::vector<ws::SchemaCheck> made;
    for (const char* tool : {"compile_kernel", "validate", "tune", "job", "verify_ir"}) {
      std::ifstream file(std::string(WS_SOURCE_DIR "/tools/") + tool + "/schema.json");
      const auto schema = nlohmann::json::parse(file);
      auto check = ws::SchemaCheck::compile(schema.at("inputSchema"));
      must(check.has_value());
      made.push_back(*std::move(check));
    }
    return made;
  }();
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const auto value = nlohmann::json::parse(text_of(data + 1, size - 1), nullptr, false);
  if (value.is_discarded()) {
    return 0;
  }
  const ws::Status fits = checks()[*data % checks().size()].check(value);
  must(fits || !fits.error().message.empty());
  return 0;
}
