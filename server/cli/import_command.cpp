#include <algorithm>
#include <charconv>
#include <cstdio>
#include <sstream>
#include <string>
#include <system_error>

#include "runtime/base/files.h"
#include "runtime/base/text.h"
#include "runtime/exchange/imported.h"
#include "runtime/reference/module_import.h"
#include "runtime/reference/solution_reader.h"
#include "runtime/tune/t1_kernel.h"
#include "server/cli/commands.h"
#include "server/protocol/protocol.h"

namespace ws::server {
namespace {

constexpr std::size_t kMaxImportFile = std::size_t{16} << 20U;

/// [a-z0-9_], as problems are named.
std::string name_of_file(const std::filesystem::path& file) {
  std::string name;
  for (const char c : file.stem().string()) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    name += upper ? static_cast<char>(c - 'A' + 'a') : plain ? c : '_';
  }
  return name.substr(0, 64);
}

/// The problem of a module, without a kernel.
Result<ImportedForms> import_module(const ImportOptions& options, const std::string& source,
                                    const std::filesystem::path& file) {
  ModuleImporter importer(
      {.executable = executable_path().string(), .interpreters = options.interpreters});
  WS_TRY(const ImportedModule module, importer.import(source, {}));
  OrderedJson problem = {{"name", name_of_file(file)}};
  const OrderedJson form = OrderedJson::parse(module.form, nullptr, false);
  for (const char* field : {"dims", "args", "reference", "flops", "bytes"}) {
    if (form.contains(field)) {
      problem[field] = form[field];
    }
  }
  return ImportedForms{.problem = problem.dump(), .kernel = {}, .notes = module.notes};
}

/// The sizes of "NAME=SIZE,SIZE"; empty: it is something else.
std::vector<std::int64_t> sizes_in(std::string_view word) {
  std::vector<std::int64_t> values;
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    return values;
  }
  const char* at = word.data() + equals;
  const char* const end = word.data() + word.size();
  while (at != end) {
    std::int64_t value = 0;
    const auto [stop, code] = std::from_chars(at + 1, end, value);
    if (code != std::errc() || value < 1 || (stop != end && *stop != ',')) {
      return {};
    }
    values.push_back(value);
    at = stop;
  }
  return values;
}

Result<AxisSizes> sizes_of(const std::string& text) {
  AxisSizes sizes;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::vector<std::int64_t> values = sizes_in(word);
    if (values.empty()) {
      return fail(ErrorCode::kInvalidArgument,
                  "--size " + word + ": expected NAME=SIZE or NAME=SIZE,SIZE");
    }
    sizes[word.substr(0, word.find('='))] = values;
  }
  return sizes;
}

Result<std::vector<std::string>> texts_of(const ImportOptions& options) {
  std::vector<std::string> texts;
  for (const std::filesystem::path& file : options.files) {
    const bool module = options.source == "pytorch" || options.source == "kernelbench";
    WS_TRY(std::string text, read_file(file, module ? kMaxModuleBytes : kMaxImportFile));
    texts.push_back(std::move(text));
  }
  return texts;
}

/// A file with class ModelNew, and where the solution was not exported here one with class Model.
Result<ImportedForms> import_solution(const ImportOptions& options,
                                      const std::vector<std::string>& texts) {
  const auto solution = std::ranges::find_if(texts, [](const std::string& text) {
    return text.find("class ModelNew") != std::string::npos;
  });
  if (solution == texts.end()) {
    return fail(ErrorCode::kInvalidArgument, "no file has the class ModelNew of a solution");
  }
  WS_TRY(const std::string parts, read_solution({.executable = executable_path().string(),
                                                 .interpreters = options.interpreters},
                                                *solution, {}));
  ImportedForms module;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (&texts[i] != &*solution) {
      WS_TRY(module, import_module(options, texts[i], options.files[i]));
    }
  }
  return import_kernelbench(module.problem, parts);
}

/// The T1 file and the kernel's file that it names, which lies in its folder or below.
Result<ImportedForms> import_tuner(const std::filesystem::path& file, const std::string& t1) {
  WS_TRY(const std::string name, tune::kernel_file_of(t1));
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  std::error_code code;
  const std::filesystem::path root = std::filesystem::canonical(folder, code);
  const std::filesystem::path path = std::filesystem::weakly_canonical(folder / name, code);
  const auto [end, rest] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
  const auto refuse = [&name](const std::string& why) {
    return fail(ErrorCode::kInvalidArgument,
                "KernelSpecification.KernelFile: `" + quoted(name, 80) + "` " + why);
  };
  if (code || end != root.end()) {
    return refuse("leads out of the folder of the T1 file by a link");
  }
  if (path.extension() != std::filesystem::path(name).extension()) {
    return refuse("leads to a file with another ending by a link");
  }
  if (!std::filesystem::is_regular_file(path, code)) {  // Reading a pipe would wait.
    return refuse("is no file");
  }
  WS_TRY(const std::string source, read_file(path, kMaxImportFile));
  return tune::import_t1(t1, source);
}

Result<ImportedForms> imported(const ImportOptions& options) {
  WS_TRY(const std::vector<std::string> texts, texts_of(options));
  if (options.source == "pytorch") {
    return import_module(options, texts.front(), options.files.front());
  }
  if (options.source == "kernelbench") {
    return import_solution(options, texts);
  }
  if (options.source == "kernel-tuner") {
    return import_tuner(options.files.front(), texts.front());
  }
  WS_TRY(const AxisSizes sizes, sizes_of(options.sizes));
  return import_flashinfer(texts, sizes);
}

}  // namespace

int import_command(const ImportOptions& options) {
  const Result<ImportedForms> forms = imported(options);
  if (!forms) {
    std::fputs((to_text(forms.error()) + "\n").c_str(), stderr);
    return kExitFailed;
  }
  OrderedJson printed = OrderedJson::parse(forms->problem, nullptr, false);
  if (!forms->kernel.empty()) {
    printed = {{"problem", printed}, {"kernel", OrderedJson::parse(forms->kernel, nullptr, false)}};
  }
  std::fputs((printed.dump(2) + "\n").c_str(), stdout);
  for (const std::string& note : forms->notes) {
    std::fputs(("note: " + note + "\n").c_str(), stderr);
  }
  return kExitOk;
}

}  // namespace ws::server
