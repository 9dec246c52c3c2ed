// Bytes of a file of the compile cache, and of a compile worker's frames: what can be read is the
// same when it is written again.
#include <string>

#include "runtime/compile/store_file.h"
#include "tests/fuzz/must.h"

namespace {

using ws::fuzz::must;

void check_frame(std::string_view frame) {
  if (const auto outcome = ws::decode_compile_outcome(frame); outcome) {
    const std::string once = ws::encode(*outcome);
    const auto again = ws::decode_compile_outcome(once);
    must(again && ws::encode(*again) == once);
    const std::string key(64, 'a');
    must(ws::decode_entry(key, ws::encode_entry(key, *outcome)).has_value());
    must(!ws::decode_entry(std::string(64, 'b'), ws::encode_entry(key, *outcome)).has_value());
  }
  if (const auto request = ws::decode_compile_request(frame); request) {
    const auto again = ws::decode_compile_request(ws::encode(*request));
    must(again && ws::encode(*again) == ws::encode(*request));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = ws::fuzz::text_of(data, size);
  const auto entry = ws::decode_entry(std::string(64, 'a'), bytes);
  must(entry || !entry.error().message.empty());
  check_frame(bytes);
  return 0;
}
