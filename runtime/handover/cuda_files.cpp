#include <utility>

#include "runtime/handover/common_files.h"
#include "runtime/handover/launch_text.h"
#include "runtime/handover/launcher.h"
#include "runtime/kernel/plan/workloads.h"

namespace ws {
namespace {

constexpr const char* kMainHelpers = R"cpp(
  // Memory on the device, with a copy on the host.
  template <typename T>
  struct Buffer {
    std::vector<T> host;
    T* device = nullptr;

    explicit Buffer(std::int64_t count)
        : host(static_cast<std::size_t>(count)) {
      check(cudaMalloc(reinterpret_cast<void**>(&device), sizeof(T) * (host.size() + 1)));
    }

    ~Buffer() { cudaFree(device); }

    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    static void check(cudaError_t code) {
      if (code != cudaSuccess) {
        throw std::runtime_error(cudaGetErrorString(code));
      }
    }

    void upload() {
      check(cudaMemcpy(device, host.data(), sizeof(T) * host.size(), cudaMemcpyHostToDevice));
    }

    void download() {
      check(cudaMemcpy(host.data(), device, sizeof(T) * host.size(), cudaMemcpyDeviceToHost));
    }
  };

  template <typename T>
  void fill(Buffer<T>& buffer, double low, double high, std::mt19937& random) {
    std::uniform_real_distribution<double> draw(low, high);
    for (T& value : buffer.host) {
      value = static_cast<T>(static_cast<float>(draw(random)));
    }
    buffer.upload();
  }

  // How far two outputs are apart, as a share of the largest wanted value; not a number where one
  // is not.
  template <typename T>
  double distance(Buffer<T>& got, Buffer<T>& want) {
    got.download();
    want.download();
    double largest = 0, apart = 0;
    for (std::size_t i = 0; i < got.host.size(); ++i) {
      const double a = static_cast<double>(got.host[i]), b = static_cast<double>(want.host[i]);
      if (!(std::abs(a - b) >= 0) && !(std::isnan(a) && std::isnan(b)) && a != b) {
        return std::nan("");
      }
      largest = std::fmax(largest, std::isfinite(b) ? std::abs(b) : 0);
      apart = std::fmax(apart, a == b ? 0 : std::abs(a - b));
    }
    return largest > 0 ? apart / largest : apart;
  }
)cpp";

/// The type of an element in the program's memory.
std::string element_type(DType type) {
  switch (type) {
    case DType::kF16:
      return "__half";
    case DType::kBf16:
      return "__nv_bfloat16";
    case DType::kF8e4m3:
      return "__nv_fp8_e4m3";
    case DType::kF8e5m2:
      return "__nv_fp8_e5m2";
    case DType::kBool:
      return "std::uint8_t";
    default:
      return cpp_type(type);
  }
}

std::string fill_range(const ArgSpec& arg) {
  const auto number = [&](const char* name, double usual) {
    const auto said = arg.fill.params.find(name);
    return std::to_string(said == arg.fill.params.end() ? usual : said->second);
  };
  if (arg.fill.kind == "zeros") {
    return "0.0, 0.0";
  }
  return is_float(arg.type) ? number("low", -1) + ", " + number("high", 1)
                            : number("low", 0) + ", " + number("high", 2);
}

class MainText {
 public:
  MainText(const Handover& handover, const Workload& workload)
      : handover_(handover),
        workload_(workload),
        space_(handover_name(handover.kernel)),
        compares_(handover.problem.reference != nullptr) {}

  Result<std::string> write() {
    WS_TRY(const std::string buffers, buffers_text());
    return provenance_comment(handover_, "// ") +
           "#include <cmath>\n#include <cstdio>\n#include <exception>\n#include <random>\n"
           "#include <stdexcept>\n#include <vector>\n\n#include <cuda_bf16.h>\n#include "
           "<cuda_fp16.h>\n#include <cuda_fp8.h>\n\n#include \"kernel.h\"\n" +
           (compares_ ? "#include \"reference.h\"\n" : "") + "\nnamespace {\n" + kMainHelpers +
           "\nint compare() {\n" + numbers_text(space_, "numbers") + "  std::mt19937 random(1);\n" +
           buffers + "  " + space_ + "::launch(numbers, " + arguments("") + "nullptr);\n" +
           "  Buffer<int>::check(cudaDeviceSynchronize());\n" + verdict_text() +
           "}\n\n}  // namespace\n\nint main() {\n  try {\n    return compare();\n  } catch (const "
           "std::exception& error) {\n    std::fprintf(stderr, \"%s\\n\", error.what());\n    "
           "return 1;\n  }\n}\n";
  }

 private:
  [[nodiscard]] std::string numbers_text(const std::string& space, const std::string& name) const {
    std::string values;
    for (const DimSpec& dim : handover_.problem.dims) {
      values += (values.empty() ? "" : ", ") + std::to_string(workload_.dims.at(dim.name));
    }
    for (const ArgSpec& arg : handover_.problem.args) {
      if (arg.role == Role::kScalar) {
        values += (values.empty() ? "" : ", ") + ("static_cast<" + cpp_type(arg.type) + ">(") +
                  std::to_string(workload_.scalars.at(arg.name)) + ")";
      }
    }
    return "  const " + space + "::Numbers " + name + " = {" + values + "};\n";
  }

  /// Each argument's memory; what is written has a second one for the reference.
  [[nodiscard]] Result<std::string> buffers_text() const {
    const LaunchText text(handover_.problem, handover_.kernel, handover_.params);
    std::string all;
    for (const ArgSpec& arg : handover_.problem.args) {
      if (arg.role == Role::kScalar) {
        continue;
      }
      WS_TRY(const std::string span, span_text(arg, text.names()));
      const std::string type = "Buffer<" + element_type(arg.type) + "> ";
      all += "  " + type + "buffer_" + arg.name + "(" + span + ");\n";
      if (arg.role != Role::kOut) {
        all += "  fill(buffer_" + arg.name + ", " + fill_range(arg) + ", random);\n";
      }
      if (arg.role != Role::kIn && compares_) {
        all += "  " + type + "want_" + arg.name + "(" + span + ");\n  want_" + arg.name +
               ".host = buffer_" + arg.name + ".host;\n  want_" + arg.name + ".upload();\n";
      }
    }
    return all;
  }

  [[nodiscard]] std::string arguments(const std::string& written) const {
    std::string all;
    for (const ArgSpec& arg : handover_.problem.args) {
      if (arg.role != Role::kScalar) {
        const bool other = arg.role != Role::kIn && !written.empty();
        all += (other ? written : "buffer_") + arg.name + ".device, ";
      }
    }
    return all;
  }

  [[nodiscard]] std::string verdict_text() const {
    if (!compares_) {
      return "  std::puts(\"the kernel ran; its problem has no reference in CUDA, so nothing was "
             "compared\");\n  return 0;\n";
    }
    const std::string other = space_ + "_reference";
    std::string text = numbers_text(other, "theirs") + "  " + other + "::launch(theirs, " +
                       arguments("want_") + "nullptr);\n" +
                       "  Buffer<int>::check(cudaDeviceSynchronize());\n  int wrong = 0;\n";
    for (const ArgSpec& arg : handover_.problem.args) {
      if (arg.role != Role::kOut && arg.role != Role::kInout) {
        continue;
      }
      const std::string bound = std::to_string(relative_tolerance(handover_.problem, arg));
      text += "  {\n    const double apart = distance(buffer_" + arg.name + ", want_" + arg.name +
              ");\n    wrong += apart <= " + bound + " ? 0 : 1;\n    std::printf(\"" + arg.name +
              ": %g of the largest value apart, %s\\n\", apart, apart <= " + bound +
              " ? \"passed\" : \"FAILED\");\n  }\n";
    }
    return text + "  return wrong == 0 ? 0 : 1;\n";
  }

  const Handover& handover_;
  const Workload& workload_;
  const std::string space_;
  const bool compares_;
};

std::string program_readme(const Handover& handover) {
  std::string options;
  for (const std::string& option : nvcc_options(handover.kernel)) {
    options += " " + option;
  }
  const bool compares = handover.problem.reference != nullptr;
  const std::string arch =
      needs_hopper(handover.kernel) ? "-gencode arch=compute_90a,code=sm_90a" : "-arch=native";
  return "# " + handover_name(handover.kernel) + "\n\n" + provenance_comment(handover, "") +
         "\n`kernel.h` declares `launch`, which checks the sizes and starts the kernel on a "
         "stream. "
         "`main.cu` runs it once" +
         (compares ? " and compares the results with the problem's plain kernel" : "") +
         ":\n\n```sh\nnvcc " + arch + options + " -Iheaders main.cu kernel.cu" +
         (compares ? " reference.cu" : "") + " -o check\n./check\n```\n";
}

}  // namespace

Result<std::vector<HandedFile>> cuda_files(const Handover& handover) {
  WS_TRY(const std::vector<Workload> workloads, expand_workloads(handover.problem));
  WS_TRY(std::string main, MainText(handover, workloads.front()).write());
  WS_TRY(std::vector<HandedFile> files, common_files(handover));
  files.push_back({"main.cu", std::move(main)});
  files.insert(files.begin(), {"README.md", program_readme(handover)});
  return files;
}

}  // namespace ws
