// The output of a kernel's compile for an NVIDIA GPU: PTX and SASS, to read.
#pragma once

#include <string>

#include "runtime/evaluate/subject.h"
#include "runtime/session/services.h"

namespace ws {

/// Selects a compile: the newest one of those that fit.
struct ViewChoice {
  std::string arch;      ///< "sm_90a"; "" = any.
  std::string evidence;  ///< The evidence of that call of compile_kernel; "" = any.
};

/// Empty when there is none. @errors kNotFound: no such kernel or evidence.
Result<std::string> ptx_view(Services& services, const std::string& kernel_id,
                             const ViewChoice& choice);

/// Compiles again where the cache has forgotten it, and disassembles. Where there is no
/// disassembler, or no compile to look at, one line that says so. @errors as ptx_view; those of
/// compiling; kTimeout.
Result<std::string> sass_view(Services& services, const std::string& kernel_id,
                              const ViewChoice& choice);

/// The code for AMD's GPUs of `choice.arch`, compiled with the kernel's default parameters and
/// disassembled. Where it cannot be, one line that says why. @errors as sass_view.
Result<std::string> isa_view(Services& services, const std::string& kernel_id,
                             const ViewChoice& choice);

/// The machine code's text. @errors kUnsupported: no disassembler is here, and how to get one;
/// those of disassemble().
Result<std::string> sass_of(const Services& services, const Image& image);

}  // namespace ws
