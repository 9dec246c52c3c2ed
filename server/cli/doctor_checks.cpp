#include "server/cli/doctor_checks.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/files.h"
#include "runtime/base/parallel.h"
#include "runtime/compile/clang/plugin.h"
#include "runtime/compile/gpu_libraries.h"
#include "runtime/compile/hip_kit.h"
#include "runtime/compile/hip_service.h"
#include "runtime/compile/nvrtc_service.h"
#include "runtime/compile/toolkit.h"
#include "runtime/compile/triton_service.h"
#include "runtime/device/cpu/cpu_backend.h"
#include "runtime/device/cpu/sandbox.h"
#include "runtime/device/cuda/cuda_backend.h"
#include "runtime/device/hip/hip_backend.h"
#include "runtime/session/skills.h"
#include "server/cli/app.h"
#include "server/text_format.h"

namespace ws::server {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEngineDevice = "cpu:0";
constexpr const char* kEngineCheck = "CPU engine";
constexpr const char* kGpuCheck = "GPU";
constexpr const char* kHipCheck = "HIP";
constexpr const char* kTritonCheck = "Triton";
constexpr const char* kLibrariesCheck = "libraries";
constexpr std::uint64_t kEnoughMemory = std::uint64_t{1} << 30U;
constexpr const char* kPluginFix =
    "apt install llvm-19-dev libclang-19-dev lld-19, then build again with "
    "-DWARPSMITH_CPU_ENGINE=ON";

Check version_check(const DoctorSubject& /*subject*/) {
  return {"version", CheckState::kOk, std::string("warpsmith ") + version(), {}};
}

std::uint64_t size_of(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code unreadable;
    const std::uintmax_t size =
        entry->is_regular_file(unreadable) ? entry->file_size(unreadable) : 0;
    bytes += unreadable ? 0 : size;
  }
  return bytes;
}

Check data_check(const DoctorSubject& subject) {
  std::error_code error;
  const fs::path folder = fs::absolute(subject.data_dir, error);
  fs::path present = folder;
  while (!fs::exists(present, error) && present.has_relative_path()) {
    present = present.parent_path();
  }
  const bool here = present == folder;
  if (!fs::is_directory(present, error) || ::access(present.c_str(), W_OK | X_OK) != 0) {
    return {"data folder", CheckState::kMissing,
            folder.string() + (here ? " is" : " cannot be made: " + present.string() + " is") +
                " not a folder that you may write to",
            "choose another with --data DIR, or change its owner"};
  }
  return {"data folder",
          CheckState::kOk,
          folder.string() + (here ? ", writable, " + size_text(size_of(folder))
                                  : ", made when a server first needs it"),
          {}};
}

Check engine_check(const DoctorSubject& subject) {
  const fs::path plugin = subject.executable.parent_path() / kClangPluginFile;
  if (::access(plugin.c_str(), R_OK) != 0) {
    return {kEngineCheck, CheckState::kMissing, plugin.string() + " is not there", kPluginFix};
  }
  const auto info = make_cpu_backend(subject.executable.string())->info();
  if (!info) {
    const Error& error = info.error();
    return {kEngineCheck, CheckState::kMissing,
            error.message + (error.source.empty() ? "" : " (" + error.source + ")"), kPluginFix};
  }
  return {kEngineCheck,
          CheckState::kOk,
          "cpu:0, " + info->toolkit + ", compiles for " + info->arch + ", emulated",
          {}};
}

/// In a process of its own, as nobody leaves a sandbox: enters it and tries to open a file.
bool sandbox_holds() {
  const pid_t child = ::fork();
  if (child == 0) {
    const bool entered = cpu::enter_sandbox({}).has_value();
    ::_exit(entered && ::open("/", O_RDONLY | O_CLOEXEC) < 0 ? 0 : 1);
  }
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

Check sandbox_check(const DoctorSubject& /*subject*/) {
  if (!sandbox_holds()) {
    return {"sandbox", CheckState::kMissing, "seccomp does not confine a process here",
            "use a kernel with CONFIG_SECCOMP_FILTER, or a container that may call seccomp"};
  }
  const int abi = cpu::landlock_abi();
  if (abi == 0) {
    return {"sandbox", CheckState::kNote, "seccomp works; this kernel has no landlock",
            "nothing to do; with Linux 5.13 or later files are denied twice"};
  }
  return {"sandbox", CheckState::kOk, "seccomp works, landlock ABI " + std::to_string(abi), {}};
}

Check cores_check(const DoctorSubject& /*subject*/) {
  return {"cores", CheckState::kOk, std::to_string(core_count()), {}};
}

/// The number of kibibytes that /proc/meminfo gives for `field`, in bytes; 0: it does not.
std::uint64_t meminfo(const std::string& text, const std::string& field) {
  constexpr std::uint64_t kKib = 1024;
  const std::size_t at = text.find(field + ":");
  return at == std::string::npos
             ? 0
             : std::strtoull(text.c_str() + at + field.size() + 1, nullptr, 10) * kKib;
}

Check memory_check(const DoctorSubject& /*subject*/) {
  const std::string text = read_file("/proc/meminfo").value_or("");
  const std::uint64_t available = meminfo(text, "MemAvailable");
  const std::string value =
      size_text(meminfo(text, "MemTotal")) + ", " + size_text(available) + " available";
  return available < kEnoughMemory ? Check{"memory", CheckState::kNote, value,
                                           "free some: a compile may take up to 1 GiB"}
                                   : Check{"memory", CheckState::kOk, value, {}};
}

Check kernel_check(const DoctorSubject& /*subject*/) {
  utsname name{};
  ::uname(&name);
  return {"system",
          CheckState::kOk,
          std::string(name.sysname) + " " + name.release + " " + name.machine,
          {}};
}

/// "always [madvise] never": the word in brackets holds.
Check huge_pages_check(const DoctorSubject& /*subject*/) {
  const std::string text =
      read_file("/sys/kernel/mm/transparent_hugepage/enabled").value_or("[absent]");
  const std::size_t open = text.find('[');
  const std::size_t close = text.find(']', std::min(open, text.size()));
  const std::string word =
      close == std::string::npos ? "absent" : text.substr(open + 1, close - open - 1);
  if (word == "always" || word == "madvise") {
    return {"huge pages", CheckState::kOk, word, {}};
  }
  return {"huge pages", CheckState::kNote, word + ": kernels with barriers run slower",
          "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled, as root"};
}

Check toolkit_check(const DoctorSubject& subject) {
  const auto toolkit = find_toolkit(subject.cuda_folders);
  if (!toolkit) {
    return {"CUDA", CheckState::kNote, toolkit.error().message, toolkit.error().hint};
  }
  CompileService compiler(nvrtc_service(subject.executable.string(), *toolkit));
  const auto info = compiler.info();
  if (!info) {
    return {"CUDA", CheckState::kNote, toolkit->library + ": " + info.error().message,
            "install the toolkit again, or name another in WARPSMITH_CUDA"};
  }
  return {
      "CUDA", toolkit->include.empty() ? CheckState::kNote : CheckState::kOk,
      info->version + ", " + toolkit->library + (toolkit->include.empty() ? ", no headers" : ""),
      toolkit->include.empty() ? "install the toolkit's headers, for cuda_fp16.h and others" : ""};
}

/// Triton's kernels run on the CPU engine without it.
Check triton_check(const DoctorSubject& subject) {
  const auto kit = find_triton(subject.interpreters);
  if (!kit) {
    return {kTritonCheck, CheckState::kNote,
            "not installed: its kernels run on the CPU engine only",
            "pip install triton, and name the interpreter in WARPSMITH_PYTHON"};
  }
  const auto toolkit = find_toolkit(subject.cuda_folders);
  if (!toolkit || find_linker(*toolkit).empty()) {
    return {kTritonCheck, CheckState::kNote,
            kit->folder + ", without nvJitLink: its kernels run on the CPU engine only",
            "install CUDA with nvJitLink (package libnvjitlink-13-0)"};
  }
  CompileService compiler(triton_service(subject.executable.string(), *kit));
  const auto info = compiler.info();
  if (!info) {
    return {kTritonCheck, CheckState::kNote,
            kit->interpreter + ": " + info.error().message + ": " + info.error().source,
            "install Triton 3.6 for this interpreter, or name another in WARPSMITH_PYTHON"};
  }
  return {kTritonCheck, CheckState::kOk, info->version + ", " + kit->interpreter, {}};
}

/// Kernels run without them; they are baselines.
Check libraries_check(const DoctorSubject& subject) {
  const std::string cublas =
      find_gpu_library(GpuLibrary::kCublasLt, subject.cuda_folders, subject.interpreters);
  const std::string cudnn =
      find_gpu_library(GpuLibrary::kCudnn, subject.cuda_folders, subject.interpreters);
  const std::string value = (cublas.empty() ? "no cuBLAS" : cublas) + ", " +
                            (cudnn.empty() ? "no cuDNN" : cudnn) +
                            ": baselines of benchmark on NVIDIA GPUs";
  const bool both = !cublas.empty() && !cudnn.empty();
  return {kLibrariesCheck, both ? CheckState::kOk : CheckState::kNote, value,
          both             ? ""
          : cublas.empty() ? kCublasFix
                           : kCudnnFix};
}

/// The compiler alone makes kernels; what AMD's GPUs do with them nobody has seen yet.
Check hip_check(const DoctorSubject& subject) {
  const auto kit = find_hip_kit(subject.hip_folders);
  if (!kit) {
    return {kHipCheck, CheckState::kNote, kit.error().message, kit.error().hint};
  }
  CompileService compiler(hip_service(subject.executable.string(), *kit));
  const auto info = compiler.info();
  if (!info) {
    return {kHipCheck, CheckState::kNote, kit->compiler + ": " + info.error().message,
            "install ROCm's HIP runtime again, or name another in WARPSMITH_HIP"};
  }
  const int gpus = count_hip_devices();
  return {kHipCheck,
          CheckState::kOk,
          info->version + ", " + kit->compiler + ", " + std::to_string(gpus) +
              (gpus == 1 ? " AMD GPU" : " AMD GPUs") + "; not run on AMD hardware yet",
          {}};
}

/// "cuda:0 NAME, sm_90a, ...". @errors as Backend::info.
Result<std::string> gpu_text(const DoctorSubject& subject, const Toolkit& toolkit, int index) {
  CudaOptions options;
  options.executable = subject.executable.string();
  options.device = index;
  options.visible = subject.cuda_visible.value_or("");
  const auto backend = make_cuda_backend(
      std::move(options),
      std::make_shared<CompileService>(nvrtc_service(subject.executable.string(), toolkit)));
  WS_TRY(const DeviceInfo info, backend->info());
  std::string text = info.id + " " + info.name + ", " + info.arch + ", " +
                     size_text(info.memory_bytes) + ", driver for " + info.driver;
  for (const std::string& note : info.notes) {
    text += ", " + note;
  }
  return text;
}

/// The value begins with the first GPU that can be used, if there is one.
Check gpu_check(const DoctorSubject& subject) {
  const int count = count_cuda_devices(subject.cuda_visible);
  if (count == 0) {
    return {
        kGpuCheck, CheckState::kNote, "no NVIDIA GPU is here; kernels run on the CPU engine", {}};
  }
  const auto toolkit = find_toolkit(subject.cuda_folders);
  if (!toolkit) {
    return {kGpuCheck, CheckState::kNote,
            std::to_string(count) + " here, not used without a toolkit", toolkit.error().hint};
  }
  std::string usable;
  std::string failed;
  std::string fix;
  for (int i = 0; i < count; ++i) {
    const auto text = gpu_text(subject, *toolkit, i);
    std::string& list = text ? usable : failed;
    list += (list.empty() ? "" : "; ") +
            (text ? *text : "cuda:" + std::to_string(i) + ": " + text.error().message);
    fix = text ? fix : text.error().hint;
  }
  const std::string both = usable + (usable.empty() || failed.empty() ? "" : "; ") + failed;
  return {kGpuCheck, usable.empty() ? CheckState::kNote : CheckState::kOk, both, fix};
}

/// Transformations; the first file that cannot be used is named.
Check skills_check(const DoctorSubject& subject) {
  ServicesOptions options;
  options.executable = subject.executable;
  options.skills = subject.skills;
  const SkillLibrary skills = current_skills(options);
  const std::string value = std::to_string(skills.transformations.size()) + " here";
  if (!skills.problems.empty()) {
    const SkillProblem& first = skills.problems.front();
    return {"skills", CheckState::kNote,
            value + ", " + std::to_string(skills.problems.size()) + " cannot be used",
            first.file + ": " + first.reason};
  }
  return skills.transformations.empty()
             ? Check{"skills", CheckState::kNote, "no transformations are here",
                     "put the folder `skills` of the sources beside the program"}
             : Check{"skills", CheckState::kOk, value, {}};
}

/// In the order of the table. The sandbox forks, so it comes before what starts threads.
constexpr std::array kChecks = {&version_check, &data_check,   &sandbox_check,   &engine_check,
                                &cores_check,   &memory_check, &kernel_check,    &huge_pages_check,
                                &toolkit_check, &gpu_check,    &libraries_check, &triton_check,
                                &hip_check,     &skills_check};

}  // namespace

std::string_view name_of(CheckState state) {
  switch (state) {
    case CheckState::kOk:
      return "ok";
    case CheckState::kMissing:
      return "missing";
    case CheckState::kNote:
      break;
  }
  return "note";
}

std::vector<Check> examine(const DoctorSubject& subject) {
  std::vector<Check> checks;
  for (const auto check : kChecks) {
    checks.push_back(check(subject));
  }
  if (default_device(checks) != kEngineDevice) {
    for (Check& check : checks) {  // Good to have, but there is a better device.
      const bool missing = check.what == kEngineCheck && check.state == CheckState::kMissing;
      check.state = missing ? CheckState::kNote : check.state;
    }
  }
  return checks;
}

std::string default_device(const std::vector<Check>& checks) {
  const auto gpu = std::find_if(checks.begin(), checks.end(), [](const Check& check) {
    return check.what == kGpuCheck && check.state == CheckState::kOk;
  });
  return gpu == checks.end() ? kEngineDevice : gpu->value.substr(0, gpu->value.find(' '));
}

std::string doctor_table(const std::vector<Check>& checks) {
  constexpr std::size_t kStateWidth = 9;
  constexpr std::size_t kWhatWidth = 13;
  std::string text;
  for (const Check& check : checks) {
    text += padded(name_of(check.state), kStateWidth) + padded(check.what, kWhatWidth) +
            check.value + "\n";
    if (!check.fix.empty()) {
      text += std::string(kStateWidth + kWhatWidth, ' ') + "fix: " + check.fix + "\n";
    }
  }
  return text;
}

}  // namespace ws::server
