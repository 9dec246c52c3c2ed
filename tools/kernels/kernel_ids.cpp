#include "tools/kernels/kernel_ids.h"

#include <algorithm>
#include <set>

#include "runtime/search/words.h"

namespace ws {
namespace {

constexpr std::size_t kMostHits = 100;
constexpr int kMostSampled = 1000;
constexpr std::size_t kMostWords = 8;

}  // namespace

std::vector<std::string> kernel_ids(Services& services, const std::string& start) {
  std::vector<std::string> found;
  std::set<std::string> known;
  const auto add = [&](const std::string& id) {
    if (id.starts_with(start) && known.insert(id).second) {
      found.push_back(id);
    }
  };
  SearchRequest request;
  request.words = words_of(start, kMostWords);
  std::erase(request.words, "krn");
  request.failures = true;
  request.limit = kMostHits;
  if (const auto hits = services.archive->search(request); hits && !request.words.empty()) {
    for (const SearchHit& hit : hits->hits) {
      add(hit.kernel_id);
    }
  }
  std::set<std::string> passed;  // Drawn at random: in order they are the same each time.
  for (const Device& device : services.devices) {
    const auto info = device.backend->info();
    const auto ids = info ? services.archive->sample_passed(info->key(), kMostSampled)
                          : Result<std::vector<std::string>>(std::vector<std::string>());
    if (ids) {
      passed.insert(ids->begin(), ids->end());
    }
  }
  std::for_each(passed.begin(), passed.end(), add);
  return found;
}

}  // namespace ws
