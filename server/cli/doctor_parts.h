// The checks of `doctor`, one by one. Each takes up to some seconds, as it starts what it asks.
#pragma once

#include "server/cli/doctor_checks.h"

namespace ws::server {

/// The names of checks that say which device a server uses.
inline constexpr const char* kEngineCheck = "CPU engine";
inline constexpr const char* kGpuCheck = "GPU";

// doctor_machine.cpp: this program and the machine.
Check version_check(const DoctorSubject& subject);
Check data_check(const DoctorSubject& subject);
/// Forks: call it before anything starts threads.
Check sandbox_check(const DoctorSubject& subject);
Check cores_check(const DoctorSubject& subject);
Check memory_check(const DoctorSubject& subject);
Check kernel_check(const DoctorSubject& subject);
/// A server that is started from here.
Check groups_check(const DoctorSubject& subject);
/// Kernels with barriers run slower without them.
Check huge_pages_check(const DoctorSubject& subject);
/// Names the first file of a transformation that cannot be used.
Check skills_check(const DoctorSubject& subject);

// doctor_devices.cpp: devices, their compilers and libraries.
Check engine_check(const DoctorSubject& subject);
Check toolkit_check(const DoctorSubject& subject);
/// Its value begins with the first GPU that can be used, if there is one.
Check gpu_check(const DoctorSubject& subject);
/// Kernels run without them; they are baselines.
Check libraries_check(const DoctorSubject& subject);
/// Its kernels run on the CPU engine without it.
Check triton_check(const DoctorSubject& subject);
/// The compiler alone makes kernels.
Check hip_check(const DoctorSubject& subject);
/// Only shaders need it.
Check vulkan_check(const DoctorSubject& subject);

}  // namespace ws::server
