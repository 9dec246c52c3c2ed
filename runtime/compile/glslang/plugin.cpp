#include "runtime/compile/glslang/plugin.h"

#include <chrono>

#include <glslang/Public/ShaderLang.h>
#include <glslang/build_info.h>

#include "runtime/base/clock.h"
#include "runtime/compile/diagnostics.h"
#include "runtime/compile/glslang/front_end.h"
#include "runtime/compile/spirv/bounds.h"
#include "runtime/compile/spirv/shader.h"

namespace ws::glslang_compiler {
namespace {

/// Every device of Vulkan has so many.
constexpr std::uint32_t kMostPushBytes = 128;

CompiledEntry entry_of(const std::string& name, const spirv::Shader& shader) {
  CompiledEntry entry;
  entry.name = name;
  entry.lowered = shader.entry;
  entry.by_name = true;
  entry.block = shader.block;
  entry.shared_bytes = shader.shared_bytes;
  entry.params = spirv::params_of(shader);
  return entry;
}

/// The checks of one entry, numbered on from those of the entries before it.
void add_checks(spirv::CheckedShader checked, spirv::ShaderCode& code, Image& image) {
  const auto sites = static_cast<std::uint32_t>(image.sites.size());
  const auto objects = static_cast<std::uint32_t>(image.objects.size());
  for (spirv::CheckedAccess& access : checked.code.accesses) {
    access.site += sites;
    access.object += objects;
  }
  image.sites.insert(image.sites.end(), checked.sites.begin(), checked.sites.end());
  image.objects.insert(image.objects.end(), checked.objects.begin(), checked.objects.end());
  code = std::move(checked.code);
}

/// @return  Nothing: `diagnostics` has an error.
std::optional<spirv::ShaderCode> build_entry(const CompileRequest& request, const std::string& name,
                                             std::vector<Diagnostic>& diagnostics, Image& image) {
  const auto refuse = [&](std::string why) {
    Diagnostic diagnostic;
    diagnostic.severity = "error";
    diagnostic.message = "entry `" + name + "`: " + std::move(why);
    diagnostic.region = "entry";
    diagnostics.push_back(std::move(diagnostic));
    return std::nullopt;
  };
  spirv::ShaderCode code;
  std::optional<spirv::Words> words = compile_entry(request, name, diagnostics);
  if (!words) {
    return std::nullopt;
  }
  code.words = *std::move(words);
  const Result<spirv::Shader> shader = spirv::read_shader(code.words);
  if (!shader) {
    return refuse(shader.error().message);
  }
  if (shader->push_bytes > kMostPushBytes) {
    return refuse("its push constants have " + std::to_string(shader->push_bytes) +
                  " bytes; every device has " + std::to_string(kMostPushBytes) +
                  ", and a cbuffer may have more");
  }
  if (request.build == Build::kBounds) {
    Result<spirv::CheckedShader> checked = spirv::check_bounds(code.words);
    if (!checked) {
      return refuse(checked.error().message);
    }
    add_checks(*std::move(checked), code, image);
  }
  if (const std::string why = why_invalid(code.words); !why.empty()) {
    return refuse(why);
  }
  image.entries.push_back(entry_of(name, *shader));
  return code;
}

CompileOutcome build(const CompileRequest& request) {
  CompileOutcome outcome;
  std::vector<Diagnostic> diagnostics;
  std::vector<spirv::ShaderCode> shaders;
  for (const std::string& entry : request.source.entries) {
    std::optional<spirv::ShaderCode> code = build_entry(request, entry, diagnostics, outcome.image);
    if (!code) {
      break;  // The other entries have most of the same errors.
    }
    shaders.push_back(*std::move(code));
  }
  settle(std::move(diagnostics), outcome);
  if (outcome.verdict == CompileVerdict::kCompiled) {
    outcome.image.blob = spirv::encode_shaders(shaders);
  } else {
    outcome.image = Image();
  }
  return outcome;
}

void compile(const char* request, std::size_t size,
             void (*reply)(void* context, const char* bytes, std::size_t size), void* context) {
  const auto start = std::chrono::steady_clock::now();
  CompileOutcome outcome;
  if (const auto decoded = decode_compile_request(std::string_view(request, size))) {
    outcome = build(*decoded);
  } else {
    outcome.verdict = CompileVerdict::kUnsupported;
    outcome.message = to_text(decoded.error());
  }
  outcome.compile_ms = elapsed_ms(start);
  const std::string bytes = encode(outcome);
  reply(context, bytes.data(), bytes.size());
}

}  // namespace
}  // namespace ws::glslang_compiler

#define WS_TEXT_OF(number) #number
#define WS_VERSION_TEXT(major, minor, patch) \
  "glslang " WS_TEXT_OF(major) "." WS_TEXT_OF(minor) "." WS_TEXT_OF(patch)

const WsSpirvPlugin* warpsmith_spirv_plugin() {
  static const bool ready = glslang::InitializeProcess();
  static const WsSpirvPlugin plugin = {
      ws::kSpirvPluginAbi,
      WS_VERSION_TEXT(GLSLANG_VERSION_MAJOR, GLSLANG_VERSION_MINOR, GLSLANG_VERSION_PATCH),
      &ws::glslang_compiler::compile};
  return ready ? &plugin : nullptr;
}
