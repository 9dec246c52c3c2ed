// Names of the standard library that device code uses: those of <cuda/std/*>.
#pragma once

#include "cuda_std.h"

namespace std {
using namespace cuda::std;
}
