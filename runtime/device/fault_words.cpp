#include "runtime/device/fault_words.h"

namespace ws {

Site site_at(const Image& image, std::uint32_t site) {
  return site < image.sites.size() ? image.sites[site] : Site{};
}

std::string place_text(const Site& site) {
  return site.region.empty() ? "an unknown line" : site.region + ":" + std::to_string(site.line);
}

std::string who(const Fault& fault) {
  std::string text;
  text += fault.thread ? " by thread " + text_of_triple(*fault.thread) : "";
  text += fault.block ? (fault.thread ? " of block " : " in block ") + text_of_triple(*fault.block)
                      : "";
  return text;
}

}  // namespace ws
