#include "runtime/device/tile/tile_backend.h"

#include <algorithm>

#include "runtime/device/sanitizer.h"
#include "runtime/device/tile/tile_compiler.h"
#include "runtime/device/tile/tile_session.h"
#include "runtime/kernel/language.h"

namespace ws {
namespace {

class TileBackend : public Backend, public Sanitizes {
 public:
  TileBackend(std::unique_ptr<Backend> device, std::shared_ptr<TileParser> parser,
              HostWorkers& workers)
      : device_(std::move(device)),
        sanitizes_(dynamic_cast<Sanitizes&>(*device_)),
        compiler_(std::move(parser)),
        workers_(workers) {}

  Result<DeviceInfo> info() override {
    WS_TRY(DeviceInfo info, device_->info());
    for (const LanguageInfo& language : kLanguages) {
      if (language.tiles) {
        info.languages.emplace_back(language.name);
      }
    }
    return info;
  }

  Result<CompileReply> compile(const CompileRequest& request, const std::stop_token& stop,
                               bool fresh) override {
    return is_tile_language(request.source.language) ? compiler_.compile(request, stop, fresh)
                                                     : device_->compile(request, stop, fresh);
  }

  Result<std::unique_ptr<Session>> open(const Image& image, const RunPlan& plan,
                                        std::shared_ptr<Arena> arena) override {
    return is_tile_image(image.blob) ? open_tile_session(workers_, image, plan, std::move(arena))
                                     : device_->open(image, plan, std::move(arena));
  }

  Result<CoreGate::Hold> quiet(const std::stop_token& stop) override {
    return device_->quiet(stop);
  }

  void warm() override { device_->warm(); }

  [[nodiscard]] std::optional<Error> no_sanitizer() const override {
    return sanitizes_.no_sanitizer();
  }

  [[nodiscard]] std::vector<SanitizerTool> tools() const override { return sanitizes_.tools(); }

  [[nodiscard]] Build build() const override { return sanitizes_.build(); }

  Result<std::vector<SanitizerRecord>> sanitize(const Image& image, const RunPlan& plan,
                                                std::shared_ptr<Arena> arena, SanitizerTool tool,
                                                std::chrono::milliseconds limit,
                                                const std::stop_token& stop) override {
    if (is_tile_image(image.blob)) {
      // Every run of a kernel of tiles looks at each access, and ends at what is wrong.
      return std::vector<SanitizerRecord>();
    }
    return sanitizes_.sanitize(image, plan, std::move(arena), tool, limit, stop);
  }

 private:
  std::unique_ptr<Backend> device_;
  Sanitizes& sanitizes_;
  TileCompiler compiler_;
  HostWorkers& workers_;
};

}  // namespace

std::unique_ptr<Backend> make_tile_backend(std::unique_ptr<Backend> device,
                                           std::shared_ptr<TileParser> parser,
                                           HostWorkers& workers) {
  return std::make_unique<TileBackend>(std::move(device), std::move(parser), workers);
}

}  // namespace ws
