#include "runtime/handover/torch_binding.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "runtime/handover/common_files.h"
#include "runtime/handover/launch_text.h"
#include "runtime/handover/launcher.h"

namespace ws {
namespace {

std::string scalar_type(DType type) {
  switch (type) {
    case DType::kF64:
      return "at::kDouble";
    case DType::kF16:
      return "at::kHalf";
    case DType::kBf16:
      return "at::kBFloat16";
    case DType::kF8e4m3:
      return "at::kFloat8_e4m3fn";
    case DType::kF8e5m2:
      return "at::kFloat8_e5m2";
    case DType::kI64:
      return "at::kLong";
    case DType::kI32:
      return "at::kInt";
    case DType::kI16:
      return "at::kShort";
    case DType::kI8:
      return "at::kChar";
    case DType::kU8:
      return "at::kByte";
    case DType::kBool:
      return "at::kBool";
    case DType::kU64:
      return "at::kUInt64";
    case DType::kU32:
      return "at::kUInt32";
    case DType::kU16:
      return "at::kUInt16";
    default:
      return "at::kFloat";
  }
}

bool is_given(const ArgSpec& arg) {
  return arg.role == Role::kIn || arg.role == Role::kInout;
}

constexpr const char* kChecks = R"cpp(
  void check_tensor(const at::Tensor& tensor, const char* name, at::ScalarType type,
                    std::vector<std::int64_t> shape, std::vector<std::int64_t> strides) {
    TORCH_CHECK(tensor.scalar_type() == type, name, " is ", tensor.scalar_type(), ", expected ",
                type);
    TORCH_CHECK(tensor.sizes() == at::IntArrayRef(shape), name, " has shape ", tensor.sizes(),
                ", expected ", at::IntArrayRef(shape));
    if (strides.empty()) {
      TORCH_CHECK(tensor.is_contiguous(), name, " is not contiguous: pass ", name, ".contiguous()");
    } else {
      TORCH_CHECK(tensor.strides() == at::IntArrayRef(strides), name, " has strides ",
                  tensor.strides(), ", expected ", at::IntArrayRef(strides));
    }
  }

  void check_device(const at::Tensor& tensor, const char* name, const at::Device& device) {
    TORCH_CHECK(tensor.is_cuda(), name, " is on ", tensor.device(), ", expected a CUDA device");
    TORCH_CHECK(tensor.device() == device, name, " is on ", tensor.device(), ", another input on ",
                device);
    TORCH_CHECK(reinterpret_cast<std::uintptr_t>(tensor.data_ptr()) % 16 == 0, name,
                " begins at an address that is no multiple of 16 bytes: pass ", name, ".clone()");
  }
)cpp";

/// binding.cpp: the operator `run`, and `reference` where the problem's reference is a kernel.
class Binding {
 public:
  explicit Binding(const Handover& handover)
      : problem_(handover.problem),
        handover_(handover),
        space_(handover_name(handover.kernel)) {
    for (const DimSpec& dim : problem_.dims) {
      names_[dim.name] = "numbers." + cpp_word(dim.name);
    }
  }

  Result<std::string> write() {
    const bool compares = problem_.reference != nullptr;
    WS_TRY(const std::string run, operator_text("run", space_));
    std::string reference;
    if (compares) {
      WS_TRY(reference, operator_text("reference", space_ + "_reference"));
    }
    std::string text = provenance_comment(handover_, "// ") +
                       "#include <ATen/ATen.h>\n#include <c10/cuda/CUDAGuard.h>\n#include "
                       "<c10/cuda/CUDAStream.h>\n#include <torch/extension.h>\n#include "
                       "<torch/library.h>\n\n#include <cstdint>\n#include <tuple>\n#include "
                       "<vector>\n\n#include \"kernel.h\"\n" +
                       std::string(compares ? "#include \"reference.h\"\n" : "") +
                       "\nnamespace {\n" + kChecks + run + reference + "\n}  // namespace\n\n";
    text += registration(compares);
    return text + "PYBIND11_MODULE(TORCH_EXTENSION_NAME, module) {}\n";
  }

 private:
  /// "const at::Tensor& x, double eps, std::int64_t m"
  [[nodiscard]] std::string parameters() const {
    std::string text;
    const auto add = [&text](const std::string& one) { text += (text.empty() ? "" : ", ") + one; };
    for (const ArgSpec& arg : problem_.args) {
      if (is_given(arg)) {
        add((arg.role == Role::kInout ? "at::Tensor arg_" : "const at::Tensor& arg_") + arg.name);
      }
    }
    for (const std::string& number : numbers()) {
      add(number);
    }
    return text;
  }

  /// Scalars, and dims that no shape tells.
  [[nodiscard]] std::vector<std::string> numbers() const {
    std::vector<std::string> all;
    for (const ArgSpec& arg : problem_.args) {
      if (arg.role == Role::kScalar) {
        all.push_back((is_float(arg.type) ? "double arg_" : "std::int64_t arg_") + arg.name);
      }
    }
    for (const DimSpec& dim : problem_.dims) {
      if (!size_of_dim(dim.name)) {
        all.push_back("std::int64_t arg_" + dim.name);
      }
    }
    return all;
  }

  [[nodiscard]] std::string names() const {
    std::string text;
    for (const ArgSpec& arg : problem_.args) {
      if (is_given(arg)) {
        text += (text.empty() ? "arg_" : ", arg_") + arg.name;
      }
    }
    for (const std::string& number : numbers()) {
      text += (text.empty() ? "" : ", ") + number.substr(number.find(' ') + 1);
    }
    return text;
  }

  /// "arg_x.size(0)". Nothing: no input has an axis of just this size.
  [[nodiscard]] std::optional<std::string> size_of_dim(const std::string& dim) const {
    for (const ArgSpec& arg : problem_.args) {
      for (std::size_t axis = 0; is_given(arg) && axis < arg.shape.size(); ++axis) {
        if (arg.shape[axis] == dim) {
          return "arg_" + arg.name + ".size(" + std::to_string(axis) + ")";
        }
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] std::string numbers_text(const std::string& space) const {
    std::string ranks;
    for (const ArgSpec& arg : problem_.args) {
      if (is_given(arg)) {
        ranks += "  TORCH_CHECK(arg_" + arg.name + ".dim() == " + std::to_string(arg.shape.size()) +
                 ", \"" + arg.name + " has \", arg_" + arg.name +
                 ".dim(), \" dimensions, expected " + std::to_string(arg.shape.size()) + "\");\n";
      }
    }
    std::string values;
    const auto add = [&values](const std::string& one) {
      values += (values.empty() ? "" : ", ") + one;
    };
    for (const DimSpec& dim : problem_.dims) {
      add(size_of_dim(dim.name).value_or("arg_" + dim.name));
    }
    for (const ArgSpec& arg : problem_.args) {
      if (arg.role == Role::kScalar) {
        add("static_cast<" + cpp_type(arg.type) + ">(arg_" + arg.name + ")");
      }
    }
    return ranks + "  const " + space + "::Numbers numbers{" + values + "};\n";
  }

  Result<std::string> sizes(const std::optional<std::vector<std::string>>& texts) const {
    if (!texts) {
      return std::string("{}");
    }
    WS_TRY(const std::vector<std::string> all, cpp_expressions(*texts, names_));
    return "{" + cpp_list(all) + "}";
  }

  /// The checks of the inputs and the outputs' memory, for tensors with and without elements.
  Result<std::string> tensors_text(bool on_device) const {
    std::string text;
    const std::string* first = nullptr;
    for (const ArgSpec& arg : problem_.args) {
      if (is_given(arg)) {
        WS_TRY(const std::string shape, sizes(arg.shape));
        WS_TRY(const std::string strides, sizes(arg.strides));
        first = first == nullptr ? &arg.name : first;
        text += "  check_tensor(arg_" + arg.name + ", \"" + arg.name + "\", " +
                scalar_type(arg.type) + ", " + shape + ", " + strides + ");\n";
        if (on_device) {
          text += "  check_device(arg_" + arg.name + ", \"" + arg.name + "\", arg_" + *first +
                  ".device());\n";
        }
      }
    }
    const std::string options =
        first == nullptr ? "at::TensorOptions().device(at::kCUDA)" : "arg_" + *first + ".options()";
    for (const ArgSpec& arg : problem_.args) {
      if (arg.role == Role::kOut) {
        WS_TRY(const std::string shape, sizes(arg.shape));
        WS_TRY(const std::string strides, sizes(arg.strides));
        const std::string type = options + ".dtype(" + scalar_type(arg.type) + ")";
        text += "  at::Tensor arg_" + arg.name + " = " +
                (arg.strides ? "at::empty_strided(" + shape + ", " + strides + ", " + type + ")"
                             : "at::empty(" + shape + ", " + type + ")") +
                ";\n";
      }
    }
    return text;
  }

  [[nodiscard]] std::vector<std::string> outputs() const {
    std::vector<std::string> all;
    for (const ArgSpec& arg : problem_.args) {
      if (arg.role == Role::kOut) {
        all.push_back("arg_" + arg.name);
      }
    }
    return all;
  }

  [[nodiscard]] std::string result_type() const {
    const std::vector<std::string> all = outputs();
    if (all.size() == 1) {
      return "at::Tensor";
    }
    return all.empty()
               ? "void"
               : "std::tuple<" + cpp_list(std::vector<std::string>(all.size(), "at::Tensor")) + ">";
  }

  [[nodiscard]] std::string result_text() const {
    const std::vector<std::string> all = outputs();
    if (all.empty()) {
      return "";
    }
    return all.size() == 1 ? "  return " + all.front() + ";\n"
                           : "  return {" + cpp_list(all) + "};\n";
  }

  /// NAME_cuda, NAME_meta and NAME_autograd.
  Result<std::string> operator_text(const std::string& name, const std::string& space) {
    const std::string head = result_type() + " " + name;
    WS_TRY(const std::string on_device, tensors_text(true));
    WS_TRY(const std::string without, tensors_text(false));
    std::string pointers;
    std::string guard;
    std::string gradients;
    for (const ArgSpec& arg : problem_.args) {
      if (arg.role != Role::kScalar) {
        pointers += "arg_" + arg.name + ".data_ptr(), ";
      }
      if (is_given(arg)) {
        guard = guard.empty()
                    ? "  const c10::cuda::CUDAGuard guard(arg_" + arg.name + ".device());\n"
                    : guard;
        gradients += (gradients.empty() ? "arg_" : " || arg_") + arg.name + ".requires_grad()";
      }
    }
    return "\n" + head + "_cuda(" + parameters() + ") {\n" + numbers_text(space) + on_device +
           guard + "  " + space + "::launch(numbers, " + pointers +
           "c10::cuda::getCurrentCUDAStream());\n" + result_text() + "}\n\n" + head + "_meta(" +
           parameters() + ") {\n" + numbers_text(space) + "  " + space + "::check(numbers);\n" +
           without + result_text() + "}\n\n" + head + "_autograd(" + parameters() + ") {\n" +
           "  TORCH_CHECK(!(at::GradMode::is_enabled() && (" +
           (gradients.empty() ? "false" : gradients) + ")), \"" + space_ +
           " has no backward: call it under torch.no_grad(), or inside a torch.autograd.Function "
           "of "
           "your own\");\n  at::AutoDispatchBelowADInplaceOrView below;\n  static auto op = "
           "c10::Dispatcher::singleton().findSchemaOrThrow(\"" +
           space_ + "::" + name + "\", \"\").typed<decltype(" + name +
           "_cuda)>();\n  return op.call(" + names() + ");\n}\n";
  }

  /// "(Tensor x, float eps) -> Tensor"
  [[nodiscard]] std::string schema() const {
    std::vector<std::string> given;
    char alias = 'a';
    for (const ArgSpec& arg : problem_.args) {
      if (is_given(arg)) {
        given.push_back((arg.role == Role::kInout ? std::string("Tensor(") + alias++ + "!) "
                                                  : std::string("Tensor ")) +
                        arg.name);
      }
    }
    for (const std::string& number : numbers()) {
      const std::string name = number.substr(number.find("arg_") + 4);
      given.push_back((number.starts_with("double") ? "float " : "int ") + name);
    }
    const std::size_t count = outputs().size();
    return "(" + cpp_list(given) + ") -> " +
           (count == 1 ? "Tensor"
                       : "(" + cpp_list(std::vector<std::string>(count, "Tensor")) + ")");
  }

  [[nodiscard]] std::string registration(bool compares) const {
    std::string definitions;
    std::string cuda;
    std::string meta;
    std::string autograd;
    for (const std::string name : {"run", "reference"}) {
      if (name == "run" || compares) {
        definitions += "  library.def(\"" + name + schema() + "\");\n";
        cuda += "  library.impl(\"" + name + "\", " + name + "_cuda);\n";
        meta += "  library.impl(\"" + name + "\", " + name + "_meta);\n";
        autograd += "  library.impl(\"" + name + "\", " + name + "_autograd);\n";
      }
    }
    const auto block = [this](const std::string& key, const std::string& lines) {
      return "TORCH_LIBRARY_IMPL(" + space_ + ", " + key + ", library) {\n" + lines + "}\n\n";
    };
    return "TORCH_LIBRARY(" + space_ + ", library) {\n" + definitions + "}\n\n" +
           block("CUDA", cuda) + block("Meta", meta) + block("Autograd", autograd);
  }

  const Problem& problem_;
  const Handover& handover_;
  const std::string space_;
  CppNames names_;
};

}  // namespace

Result<std::string> torch_binding(const Handover& handover) {
  return Binding(handover).write();
}

}  // namespace ws
