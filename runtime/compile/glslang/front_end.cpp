#include "runtime/compile/glslang/front_end.h"

#include <algorithm>
#include <array>
#include <memory>

#include <glslang/MachineIndependent/localintermediate.h>
#include <glslang/Public/ResourceLimits.h>
#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>
#include <spirv-tools/libspirv.hpp>
#include <spirv-tools/optimizer.hpp>

#include "runtime/compile/glslang/log_parser.h"
#include "runtime/compile/spirv/bindings.h"

namespace ws::glslang_compiler {
namespace {

constexpr int kGlslVersion = 460;
constexpr std::string_view kVersionMark = "#version";
constexpr const char* kGlslHead =
    "#version 460\n"
    "#extension GL_GOOGLE_include_directive : require\n"
    "#extension GL_EXT_shader_16bit_storage : enable\n"
    "#extension GL_EXT_shader_8bit_storage : enable\n"
    "#extension GL_EXT_shader_explicit_arithmetic_types : enable\n"
    "#extension GL_KHR_shader_subgroup_basic : enable\n"
    "#extension GL_KHR_shader_subgroup_arithmetic : enable\n"
    "#extension GL_KHR_shader_subgroup_ballot : enable\n"
    "#extension GL_KHR_shader_subgroup_shuffle : enable\n"
    "#extension GL_KHR_shader_subgroup_shuffle_relative : enable\n"
    "#extension GL_KHR_shader_subgroup_vote : enable\n";

bool is_hlsl(const CompileRequest& request) {
  return request.source.language == "hlsl";
}

/// A header that includes itself would fill the memory.
constexpr std::size_t kMostIncludes = 64;
constexpr std::string_view kTooNested = "headers include each other more than 64 deep";

/// Only the headers that were sent along.
class SentHeaders : public glslang::TShader::Includer {
 public:
  explicit SentHeaders(const CompileRequest& request)
      : request_(request) {}

  IncludeResult* includeLocal(const char* name, const char* /*includer*/,
                              std::size_t depth) override {
    if (depth > kMostIncludes) {
      return nested_.get();
    }
    const auto at = request_.source.headers.find(name);
    if (at == request_.source.headers.end()) {
      return nullptr;
    }
    results_.push_back(
        std::make_unique<IncludeResult>(at->first, at->second.data(), at->second.size(), nullptr));
    return results_.back().get();
  }

  IncludeResult* includeSystem(const char* name, const char* includer, std::size_t depth) override {
    return includeLocal(name, includer, depth);
  }

  void releaseInclude(IncludeResult* /*result*/) override {}

 private:
  const CompileRequest& request_;
  std::vector<std::unique_ptr<IncludeResult>> results_;
  /// Without a name: the text is an error.
  std::unique_ptr<IncludeResult> nested_ =
      std::make_unique<IncludeResult>("", kTooNested.data(), kTooNested.size(), nullptr);
};

/// The line of #version that a source of GLSL may begin with; the text has to go without it, since
/// the macros come first.
std::string without_version(std::string text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text.compare(first, kVersionMark.size(), kVersionMark) == 0) {
    const std::size_t end = std::min(text.find('\n', first), text.size());
    text.replace(first, end - first, "");
  }
  return text;
}

std::string head_of(const CompileRequest& request, const std::string& entry) {
  std::string head = is_hlsl(request) ? "" : kGlslHead;
  if (!is_hlsl(request) && entry != "main") {
    head += "#define " + entry + " main\n";
  }
  std::vector<std::string> defines = request.defines;
  for (const std::string& option : request.source.options) {
    if (option.starts_with("-D")) {
      defines.push_back(option.substr(2));
    }
  }
  for (std::string define : defines) {
    const std::size_t equals = define.find('=');
    define.replace(std::min(equals, define.size()), 1, equals == define.npos ? " 1" : " ");
    head += "#define " + define + "\n";
  }
  return head;
}

/// A run of glslang on one entry.
class GlslangRun {
 public:
  GlslangRun(const CompileRequest& request, std::string entry)
      : request_(request),
        entry_(std::move(entry)),
        head_(head_of(request, entry_)),
        source_(is_hlsl(request) ? request.source.source : without_version(request.source.source)),
        shader_(EShLangCompute) {}

  std::optional<spirv::Words> run(std::string& log) {
    set_up();
    SentHeaders headers(request_);
    const bool parsed = shader_.parse(GetDefaultResources(), kGlslVersion, ENoProfile,
                                      /*forceDefaultVersionAndProfile=*/false,
                                      /*forwardCompatible=*/false, messages(), headers);
    log = shader_.getInfoLog();
    if (!parsed) {
      return std::nullopt;
    }
    program_.addShader(&shader_);
    const bool linked = program_.link(messages());
    log += program_.getInfoLog();
    if (!linked) {
      return std::nullopt;
    }
    glslang::TIntermediate* const tree = program_.getIntermediate(EShLangCompute);
    // HLSL would get the buffers of SPIR-V 1.2, whatever the target.
    tree->setUseStorageBuffer();
    glslang::SpvOptions options;
    options.generateDebugInfo = true;
    spirv::Words words;
    glslang::GlslangToSpv(*tree, words, &options);
    return words;
  }

 private:
  void set_up() {
    texts_ = {head_.data(), request_.source.macros.data(), source_.data()};
    lengths_ = {static_cast<int>(head_.size()), static_cast<int>(request_.source.macros.size()),
                static_cast<int>(source_.size())};
    shader_.setStringsWithLengthsAndNames(texts_.data(), lengths_.data(), kNames.data(),
                                          static_cast<int>(texts_.size()));
    const bool hlsl = is_hlsl(request_);
    constexpr int kVulkanSemantics = 100;
    shader_.setEnvInput(hlsl ? glslang::EShSourceHlsl : glslang::EShSourceGlsl, EShLangCompute,
                        glslang::EShClientVulkan, kVulkanSemantics);
    shader_.setEnvClient(glslang::EShClientVulkan, glslang::EShTargetVulkan_1_2);
    shader_.setEnvTarget(glslang::EShTargetSpv, glslang::EShTargetSpv_1_5);
    shader_.setAutoMapBindings(true);
    if (hlsl) {
      shader_.setEntryPoint(entry_.c_str());
      shader_.setSourceEntryPoint(entry_.c_str());
    }
  }

  [[nodiscard]] EShMessages messages() const {
    constexpr auto kAll =
        static_cast<unsigned>(EShMsgSpvRules | EShMsgVulkanRules | EShMsgDebugInfo);
    constexpr auto kHlsl =
        static_cast<unsigned>(EShMsgReadHlsl | EShMsgHlslEnable16BitTypes | EShMsgHlslLegalization);
    // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): they are flags.
    return static_cast<EShMessages>(is_hlsl(request_) ? kAll | kHlsl : kAll);
  }

  static constexpr std::array kNames = {"head", "macros", "source"};

  const CompileRequest& request_;
  const std::string entry_;
  const std::string head_;
  const std::string source_;
  std::array<const char*, 3> texts_{};
  std::array<int, 3> lengths_{};
  glslang::TShader shader_;
  glslang::TProgram program_;
};

/// Inlines functions that have buffers as parameters, which Vulkan does not allow.
std::optional<spirv::Words> legalized(const spirv::Words& words) {
  spvtools::Optimizer optimizer(SPV_ENV_VULKAN_1_2);
  optimizer.RegisterLegalizationPasses();
  spvtools::OptimizerOptions options;
  options.set_run_validator(false);
  options.set_preserve_bindings(true);
  spirv::Words legal;
  return optimizer.Run(words.data(), words.size(), &legal, options) ? std::optional(legal)
                                                                    : std::nullopt;
}

Diagnostic error_of(std::string message, const char* region) {
  Diagnostic diagnostic;
  diagnostic.severity = "error";
  diagnostic.message = std::move(message);
  diagnostic.region = region;
  return diagnostic;
}

}  // namespace

std::optional<spirv::Words> compile_entry(const CompileRequest& request, const std::string& entry,
                                          std::vector<Diagnostic>& diagnostics) {
  std::string log;
  const std::optional<spirv::Words> words = GlslangRun(request, entry).run(log);
  if (log.find("Entry point not found") != std::string::npos) {
    diagnostics.push_back(
        error_of("entry `" + entry + "`: the source has no such function", "entry"));
    return std::nullopt;
  }
  for (Diagnostic& diagnostic : parse_log(log, request)) {
    diagnostics.push_back(std::move(diagnostic));
  }
  if (!words) {
    return std::nullopt;
  }
  const Result<spirv::Words> bound = spirv::bind_in_order(*words);
  const std::optional<spirv::Words> legal = !bound             ? std::nullopt
                                            : is_hlsl(request) ? legalized(*bound)
                                                               : std::optional(*bound);
  if (!legal) {
    diagnostics.push_back(
        error_of("entry `" + entry + "`: glslang made no valid code of it", "entry"));
  }
  return legal;
}

std::string why_invalid(const spirv::Words& words) {
  std::string why;
  spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_2);
  tools.SetMessageConsumer([&why](spv_message_level_t /*level*/, const char* /*source*/,
                                  const spv_position_t& /*position*/,
                                  const char* message) { why = why.empty() ? message : why; });
  if (tools.Validate(words)) {
    return {};
  }
  why.resize(std::min(why.find('\n'), why.size()));  // The instruction comes in the next lines.
  return why.empty() ? "it is not valid" : "the code that glslang made of it is not valid: " + why;
}

}  // namespace ws::glslang_compiler
