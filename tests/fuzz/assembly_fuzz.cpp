// Inline assembly as a kernel writes it that no compiler has taken: it is lifted in the server. The
// first byte says how many of the operands are results.
#include "tests/fuzz/must.h"
#include "tests/support/small_kernel.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ws::lift;
  using ws::fuzz::must;
  if (size == 0) {
    return 0;
  }
  SmallKernel kernel(128);
  const NodeId own = kernel.element(kernel.shared(), kernel.thread());
  kernel.add(kernel.barrier());
  kernel.add(kernel.assembly(std::string(ws::fuzz::text_of(data + 1, size - 1)),
                             {own, kernel.address(), kernel.in(), kernel.number(1)}, data[0] % 3));
  kernel.add(kernel.assign(kernel.element(kernel.out(), kernel.thread()), own));
  const ws::Result<Program> program = kernel.lifted();
  must(program && (program->whole() || !program->not_lifted.empty() || !program->holes.empty()));
  return 0;
}
