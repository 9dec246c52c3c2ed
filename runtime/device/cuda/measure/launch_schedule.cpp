#include "runtime/device/cuda/measure/launch_schedule.h"

#include "runtime/base/keyed_stream.h"

namespace ws::cuda {

std::vector<ScheduledLaunch> schedule_launches(const TimingRequest& request,
                                               std::mt19937_64& draws) {
  std::vector<ScheduledLaunch> launches;
  std::uint64_t shared = 0;
  for (std::uint32_t i = 0; i < request.launches; ++i) {
    ScheduledLaunch launch;
    if (request.shared == 0) {
      launch.kept = draws() % (i + 1) == 0;
      launch.inputs = request.inputs == 0 ? 0 : derive_seed(request.poison, "own inputs", i);
    } else if (draws() % (request.launches - i) < request.shared - shared) {
      // So many of the launches that remain are shared.
      launch.kept = derive_seed(request.inputs, "kept", shared) % (shared + 1) == 0;
      launch.inputs = derive_seed(request.inputs, "shared inputs", shared);
      launch.shared = shared++;
    } else {
      launch.inputs = derive_seed(request.poison, "own inputs", i);
    }
    launches.push_back(launch);
  }
  return launches;
}

}  // namespace ws::cuda
