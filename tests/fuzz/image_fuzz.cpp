// Files that a compiler of somebody else made, from bytes that may be anything: a cubin, a code
// object, a SPIR-V module. Each is read as all three.
#include <cstring>
#include <vector>

#include "runtime/compile/cubin/cubin.h"
#include "runtime/compile/hip/code_object.h"
#include "runtime/compile/spirv/bindings.h"
#include "runtime/compile/spirv/bounds.h"
#include "runtime/compile/spirv/shader.h"
#include "tests/fuzz/must.h"

namespace {

using ws::fuzz::must;

template <typename T>
bool is_explained(const ws::Result<T>& result) {
  return result || !result.error().message.empty();
}

void read_as_shader(std::string_view bytes) {
  ws::spirv::Words words(bytes.size() / sizeof(std::uint32_t));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(std::uint32_t));
  const auto shader = ws::spirv::read_shader(words);
  must(is_explained(shader));
  if (!shader) {
    return;
  }
  must(ws::spirv::params_of(*shader).size() >= shader->bindings.size());
  const auto checked = ws::spirv::check_bounds(words);
  must(is_explained(checked));
  if (checked) {  // The pass makes nothing that its own reader refuses.
    must(ws::spirv::instructions_of(checked->code.words).has_value());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = ws::fuzz::text_of(data, size);
  must(is_explained(ws::read_cubin(bytes)));
  must(is_explained(ws::hip::read_code_object(bytes)));
  read_as_shader(bytes);
  return 0;
}
