// HLSL and GLSL as SPIR-V, by glslang and SPIRV-Tools.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/compile/compile.h"
#include "runtime/compile/spirv/module.h"

namespace ws::glslang_compiler {

/// The version of SPIR-V and of Vulkan that shaders are compiled for.
inline constexpr const char* kTargetName = "spirv1.5";

/// One entry of the request as a module with line tables, which binds in order.
///
/// @param diagnostics  Takes what glslang says.
/// @return  Nothing: there are errors among the diagnostics.
std::optional<spirv::Words> compile_entry(const CompileRequest& request, const std::string& entry,
                                          std::vector<Diagnostic>& diagnostics);

/// Why no driver may have the module, in the words of spirv-val; "" when it is valid.
std::string why_invalid(const spirv::Words& words);

}  // namespace ws::glslang_compiler
