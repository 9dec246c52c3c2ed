// Compiles Triton's kernels for NVIDIA GPUs: parsed as for the CPU engine, made PTX by Triton
// itself in a worker, and machine code by nvJitLink in another.
#pragma once

#include <memory>

#include "runtime/compile/compile_service.h"
#include "runtime/device/language_compiler.h"
#include "runtime/device/tile/tile_parser.h"

namespace ws {

struct TritonServices {
  std::shared_ptr<TileParser> parser;
  std::shared_ptr<CompileService> triton;     ///< Made by triton_service().
  std::shared_ptr<CompileService> assembler;  ///< Made by ptx_service().
};

/// Each launch of a request becomes an entry of the image, equal ones the same. A launch's code
/// depends on its constants, and of its numbers and addresses on what Triton's own launcher looks
/// at: whether an integer is 1 or a multiple of 16, and whether an address is.
std::shared_ptr<LanguageCompiler> make_triton_compiler(TritonServices services);

}  // namespace ws
