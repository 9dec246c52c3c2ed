#include "tests/bench/engine_side.h"

#include <algorithm>

#include <dlfcn.h>

#include "runtime/base/clock.h"
#include "runtime/base/processor_time.h"
#include "runtime/device/bind.h"

namespace ws::bench {
namespace {

/// After pages moved a launch over 12 MB took three times as long as later ones, and five
/// launches later as long as all others.
constexpr int kUntimedLaunches = 5;

}  // namespace

Result<const WsClangPlugin*> plugin_of(const std::string& build) {
  const std::string path = build + "/bin/" + kClangPluginFile;
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* symbol = library == nullptr ? nullptr : ::dlsym(library, "warpsmith_clang_plugin");
  if (symbol == nullptr) {
    return fail(ErrorCode::kIo, "no plug-in at " + path);
  }
  return reinterpret_cast<const WsClangPlugin* (*)()>(symbol)();
}

Result<CompileOutcome> compile(const WsClangPlugin& plugin, const RenderedSource& source,
                               Build build) {
  CompileRequest request;
  request.source = source;
  request.build = build;
  std::string reply;
  const std::string bytes = encode(request);
  plugin.compile(
      bytes.data(), bytes.size(),
      [](void* context, const char* text, std::size_t size) {
        static_cast<std::string*>(context)->assign(text, size);
      },
      &reply);
  WS_TRY(CompileOutcome outcome, decode_compile_outcome(reply));
  if (outcome.verdict != CompileVerdict::kCompiled) {
    return fail(ErrorCode::kInvalidArgument, outcome.message);
  }
  return outcome;
}

Status EngineSide::prepare(CompileOutcome outcome, const ResolvedPlan& plan, const Arena& arena,
                           cpu::Region& region, unsigned helpers) {
  compiled_ = std::move(outcome);
  WS_TRY(plan_, bind_plan(plan, compiled_.image, arena));
  WS_TRY(cpu::LoadedImage image, cpu::LoadedImage::load(compiled_.image, region));
  image_ = std::make_unique<cpu::LoadedImage>(std::move(image));
  launcher_ = std::make_unique<cpu::Launcher>(*image_, compiled_.image, plan_, region, arena.fd());
  WS_CHECK(launcher_->reserve(1 + helpers));
  launcher_->start_threads(helpers);
  return {};
}

Status EngineSide::settle() {
  WS_CHECK(launcher_->run({.poison = 1, .elsewhere = 1}));
  for (int i = 0; i < kUntimedLaunches; ++i) {
    WS_CHECK(launcher_->run({.poison = 1}));
  }
  return {};
}

Status EngineSide::run() {
  const auto before = thread_processor_time();
  WS_CHECK(launcher_->run({.poison = 1}));
  const auto used = thread_processor_time() - before;
  times_us_.push_back(std::chrono::duration<double, std::micro>(used).count());
  return {};
}

Status EngineSide::run_by_the_clock() {
  const auto before = std::chrono::steady_clock::now();
  WS_CHECK(launcher_->run({.poison = 1}));
  times_us_.push_back(elapsed_ms(before) * 1000);
  return {};
}

double EngineSide::at(double share) {
  std::sort(times_us_.begin(), times_us_.end());
  return times_us_[static_cast<std::size_t>(share * static_cast<double>(times_us_.size() - 1))];
}

}  // namespace ws::bench
