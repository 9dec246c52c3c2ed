#include "tests/ir/numpy_cases.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "runtime/base/files.h"
#include "tests/ir/program_bench.h"
#include "tests/ir/variants.h"

namespace ws::ir {
namespace {

std::string example(const std::string& name) {
  return repository_file("examples/cuir/" + name + ".cuir");
}

Tensor input(const std::string& name, Shape shape) {
  return random_tensor(name, DType::kF16, std::move(shape));
}

void write_elements(const std::filesystem::path& path, const std::vector<double>& elements) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(elements.data()),
             static_cast<std::streamsize>(elements.size() * sizeof(double)));
}

std::string sizes_of(const Tensor& tensor) {
  std::string text = tensor.name;
  for (const std::int64_t size : tensor.shape) {
    text += " " + std::to_string(size);
  }
  return text + "\n";
}

void write_case(const NumpyCase& c, const std::filesystem::path& folder, std::ofstream& list) {
  RunOptions options;
  options.schedules.resize(1);
  const RunReport report = run_text(c.text, c.tensors, options, c.scalars);
  list << "case " << c.name << " " << c.formula << "\n";
  for (const Tensor& tensor : c.tensors) {
    if (tensor.role != TensorRole::kOut) {
      write_elements(folder / (c.name + "." + tensor.name), tensor.data);
      list << "tensor " << sizes_of(tensor);
    }
  }
  for (Tensor tensor : report.outputs) {
    tensor.name += ".out";
    write_elements(folder / (c.name + "." + tensor.name), tensor.data);
    list << "output " << sizes_of(tensor);
  }
}

}  // namespace

std::vector<NumpyCase> numpy_cases() {
  const Tensor q = input("Q", {kVariantLength, 64});
  const Tensor k = input("K", {kVariantLength, 64});
  const Tensor v = input("V", {kVariantLength, 64});
  const Tensor o = output("O", DType::kF32, {kVariantLength, 64});
  Tensor c = random_tensor("C", DType::kF32, {50, 40});
  c.role = TensorRole::kInOut;
  std::vector<NumpyCase> cases = {
      {"gemm_tiles",
       "A B",
       example("gemm_tiles"),
       {input("A", {100, 70}), input("B", {70, 130}), output("C", DType::kF32, {100, 130})}},
      {"gemm_cp_async",
       "A B",
       example("gemm_cp_async"),
       {input("A", {128, 192}), input("B", {192, 64}), output("C", DType::kF32, {128, 64})}},
      {"gemm_tma_store",
       "A B^T",
       example("gemm_tma_store"),
       {input("A", {128, 192}), input("B", {64, 192}), output("C", DType::kF32, {128, 64})}},
      {"gemm_tma",
       "A B^T",
       example("gemm_tma"),
       {input("A", {256, 512}), input("B", {64, 512}), output("C", DType::kF32, {256, 64})}},
      {"splitk",
       "C + A B",
       example("splitk"),
       {random_tensor("A", DType::kF32, {50, 100}), random_tensor("B", DType::kF32, {100, 40}), c}},
      {"softmax",
       "softmax",
       example("softmax"),
       {random_tensor("X", DType::kF32, {37, 50}), output("Y", DType::kF32, {37, 50})}},
      {"layernorm",
       "layernorm",
       example("layernorm"),
       {random_tensor("X", DType::kF32, {37, 50}), random_tensor("W", DType::kF32, {50}),
        random_tensor("B", DType::kF32, {50}), output("Y", DType::kF32, {37, 50})}}};
  for (const char* const name : {"attention_fa2", "attention_ws", "attention_pingpong"}) {
    cases.push_back({name, "attention", example(name), {q, k, v, o}});
    cases.push_back({std::string(name) + "_causal",
                     "causal",
                     example(name),
                     {q, k, v, o},
                     {{"causal", Value::truth(true)}}});
  }
  for (const Variant& variant : variants()) {
    cases.push_back({"variant" + std::to_string(cases.size()),
                     variant.name,
                     program_of(variant),
                     {q, k, v, o}});
  }
  return cases;
}

std::optional<std::string> numpy_python() {
  for (const char* const python : {"/usr/bin/python3", "python3"}) {
    const std::string command = std::string(python) + " -c 'import numpy' 2> /dev/null";
    if (std::system(command.c_str()) == 0) {
      return python;
    }
  }
  return std::nullopt;
}

NumpyVerdict check_with_numpy(const std::string& python) {
  std::string name = (std::filesystem::temp_directory_path() / "ws_numpy_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    return {false, "no temporary folder"};
  }
  const std::filesystem::path folder = name;
  {
    std::ofstream list(folder / "cases.txt");
    for (const NumpyCase& c : numpy_cases()) {
      write_case(c, folder, list);
    }
  }
  const std::string command = python + " " WS_SOURCE_DIR "/tests/ir/numpy_check.py " + name +
                              " > " + name + "/verdict 2>&1";
  const bool good = std::system(command.c_str()) == 0;
  const std::string lines = read_file(folder / "verdict").value_or("");
  std::filesystem::remove_all(folder);
  return {good, lines};
}

}  // namespace ws::ir
