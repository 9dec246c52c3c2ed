#include "runtime/device/cuda/offline_backend.h"

#include "runtime/device/cuda/arch.h"
#include "runtime/device/offline_backend.h"

namespace ws {

std::unique_ptr<Backend> make_offline_cuda_backend(std::string arch,
                                                   std::shared_ptr<CompileService> compiler,
                                                   std::shared_ptr<LanguageCompiler> tiles) {
  DeviceInfo device;
  device.backend = "cuda";
  device.languages = {"cuda"};
  if (tiles != nullptr) {
    device.languages.emplace_back(tiles->language());
  }
  device.features = cuda::features_of(arch);
  if (const cuda::ArchSpec* spec = cuda::find_arch(arch)) {
    device.limits = cuda::limits_of(*spec);
  }
  device.arch = std::move(arch);
  return make_offline_backend(std::move(device),
                              {.info = [compiler] { return compiler->info(); },
                               .compile =
                                   [compiler, tiles](const CompileRequest& request,
                                                     const std::stop_token& stop, bool fresh) {
                                     const bool tile = tiles != nullptr &&
                                                       request.source.language == tiles->language();
                                     return tile ? tiles->compile(request, stop, fresh)
                                                 : compiler->compile(request, stop, fresh);
                                   },
                               .warm = [compiler] { compiler->warm(); }});
}

}  // namespace ws
