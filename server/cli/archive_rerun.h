// Kernels of an archive that are judged once more, through the tools.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/session/services.h"

namespace ws::server {

struct Rerun {
  std::string kernel_id;
  std::string verdict;  ///< The verdict of validate, or the error's text where it gave no answer.
};

/// Validates up to `count` kernels that passed on the default device, drawn at random, with fresh
/// inputs. What comes out is evidence like any other. @param tell  Hears of each.
/// @errors Those of open_services and of the device.
Result<std::vector<Rerun>> rerun_sample(const ServicesOptions& options, int count,
                                        const std::function<void(const std::string&)>& tell);

}  // namespace ws::server
