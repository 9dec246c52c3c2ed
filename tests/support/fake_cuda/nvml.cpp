// The management library, in the same file as the fake driver. Every fifth look at the clock of the
// multiprocessors finds it slowed down, and each look at the processes one more.
#include <cstring>

extern "C" {

int nvmlInit_v2() {
  return 0;
}

int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
  static int handle = 0;
  *device = &handle;
  return std::strlen(uuid) > 0 ? 0 : 1;
}

int nvmlDeviceGetClockInfo(void* /*device*/, int which, unsigned* mhz) {
  constexpr int kSm = 1;
  static unsigned looks = 0;
  *mhz = which != kSm ? 2619 : ++looks % 5 == 0 ? 1400 : 1980;
  return 0;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void* /*device*/, unsigned long long* reasons) {
  *reasons = 0x4 | 0x20;  // The power cap, and heat.
  return 0;
}

int nvmlDeviceGetComputeRunningProcesses_v2(void* /*device*/, unsigned* count, void* /*infos*/) {
  static unsigned looks = 0;
  *count = 3 + looks++;
  return 0;
}

}  // extern "C"
