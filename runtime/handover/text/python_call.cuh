// ---- The reference: a Python program that stands beside this one ----
#include <filesystem>
#include <fstream>

namespace handover {

/// One call of it. Inputs and outputs are files in a folder that is removed at the end.
class PythonReference {
 public:
  /// @param program  The path by which this program was called; `script` lies in the same folder.
  PythonReference(const char* program, const char* script)
      : script_(std::filesystem::path(program).parent_path() / script) {
    if (!std::filesystem::exists(script_)) {
      refuse("there is no `" + script_.string() + "`, which computes what the kernel should; it belongs beside this program");
    }
    std::random_device random;
    do {
      folder_ = std::filesystem::temp_directory_path() / ("handover_" + std::to_string(random()));
    } while (!std::filesystem::create_directory(folder_));
    arguments_.open(folder_ / "arguments");
    arguments_.precision(17);
  }
  PythonReference(const PythonReference&) = delete;
  PythonReference& operator=(const PythonReference&) = delete;
  ~PythonReference() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  void dim(const char* name, Int value) { arguments_ << "dim " << name << ' ' << value.value() << '\n'; }
  void number(const char* name, double value) { arguments_ << "number " << name << ' ' << value << '\n'; }
  void input(const Tensor& tensor) {
    tell("input", tensor);
    const std::vector<double> values = values_of(tensor, tensor.bytes);
    std::ofstream(folder_ / tensor.name, std::ios::binary)
        .write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(double)));
  }
  void output(const Tensor& tensor) { tell("output", tensor); }

  void run() {
    arguments_.close();
    const char* const chosen = std::getenv("PYTHON");
    const std::string python = chosen == nullptr ? "python3" : chosen;
    if (!arguments_ || std::system((quoted(python) + " " + quoted(script_.string()) + " " + quoted(folder_.string())).c_str()) != 0) {
      throw std::runtime_error("`" + python + " " + script_.string() + "` failed; PYTHON names another interpreter");
    }
  }
  /// The output, row by row.
  std::vector<double> wanted(const Tensor& tensor) const {
    std::vector<double> values(static_cast<std::size_t>(tensor.count()));
    std::ifstream file(folder_ / (std::string(tensor.name) + ".out"), std::ios::binary);
    if (!file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(double)))) {
      throw std::runtime_error(script_.string() + " wrote no whole `" + tensor.name + "`");
    }
    return values;
  }

 private:
  void tell(const char* what, const Tensor& tensor) {
    arguments_ << what << ' ' << tensor.name;
    for (const Int extent : tensor.shape) arguments_ << ' ' << extent.value();
    arguments_ << '\n';
  }
  static std::string quoted(const std::string& word) {
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
  }

  std::filesystem::path script_, folder_;
  std::ofstream arguments_;
};

}  // namespace handover
