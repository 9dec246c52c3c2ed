// Options of `import`.
#include <string>

#include <CLI/CLI.hpp>

#include "server/cli/command_line.h"

namespace ws::server {
namespace {

/// A project whose files an import reads.
struct ImportSource {
  const char* name;
  const char* what;
  const char* files;
  int most;  ///< Files.
};

constexpr ImportSource kImportSources[] = {
    {"pytorch", "The problem of a PyTorch module: Model, get_inputs() and get_init_inputs()",
     "The module's Python file", 1},
    {"flashinfer", "A definition of FlashInfer-Bench as a problem, a solution as its kernel",
     "JSON of a definition; of a solution; lines of workloads", 64},
    {"kernelbench", "A solution of KernelBench as a kernel of its module's problem",
     "The file with ModelNew; the one with Model", 2},
    {"kernel-tuner", "A T1 file of Kernel Tuner, and the kernel's file that it names",
     "The T1 file", 1},
};

}  // namespace

void add_import(CLI::App& app, CommandLine& line) {
  CLI::App* import =
      app.add_subcommand("import", "Make problems and kernels of what others have written");
  import->require_subcommand(1);
  for (const ImportSource& row : kImportSources) {
    CLI::App* source = import->add_subcommand(row.name, row.what);
    source->add_option("FILE", line.imports.files, row.files)
        ->required()
        ->check(CLI::ExistingFile)
        ->expected(1, row.most);
    const std::string name = row.name;
    source->callback([&line, name] { line.imports.source = name; });
    if (name == "flashinfer") {
      source->add_option(
          "--size", line.imports.sizes,
          "NAME=SIZE,SIZE of an axis, where no workload says it; several: \"A=1 B=2\"");
    }
  }
}

}  // namespace ws::server
