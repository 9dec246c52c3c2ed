#include "tools/kernels/guide.h"

#include <array>

#include "tools/guide_files.h"

namespace ws {
namespace {

constexpr const char* kCuirReference = "cuir://reference";

struct Page {
  const char* uri;
  const char* name;
  const char* description;
  const char* file;    ///< The problem's, if it is an example.
  const char* kernel;  ///< The kernel's file; null for what is no example.
};

/// The one list, in the order in which a newcomer reads.
constexpr std::array kPages = {
    Page{"example://vadd", "smallest example",
         "Arguments of compile_kernel, whole: a sum of two vectors, one thread per element",
         "examples/kernels/vadd/problem.json", "examples/kernels/vadd/naive.json"},
    Page{"example://reduction", "reduction example",
         "Arguments of compile_kernel: shared memory and barriers",
         "examples/kernels/reduction/problem.json", "examples/kernels/reduction/one_block.json"},
    Page{"example://matmul", "matmul example",
         "Arguments of compile_kernel: a product of matrices, which skill://tile-kernel/SKILL.md "
         "tiles",
         "examples/kernels/matmul/problem.json", "examples/kernels/matmul/naive.json"},
    Page{"doc://problem-and-kernel", "problem and kernel",
         "All fields of the forms that compile_kernel takes, edits, ids and expressions",
         "docs/problem-and-kernel.md", nullptr},
    Page{"doc://fills-and-options", "fills and options",
         "What inputs may hold, with parameters and defaults, and the compiler options",
         "docs/fills-and-options.md", nullptr},
    Page{"doc://cuir", "CuIR", "The language of verify_ir and lift_to_ir", "docs/cuir.md", nullptr},
    Page{kCuirReference, "CuIR reference",
         "Each operation of CuIR: arguments, effect, PTX, meaning, an example", "docs/cuir.md",
         nullptr},
    Page{"doc://tile-languages", "kernels of tiles",
         "Triton, cuTile Python and cuTile.jl: launches, what is found, what is not taken",
         "docs/tile-languages.md", nullptr},
    Page{"doc://tile-calls", "calls of kernels of tiles",
         "Each operation in Triton, cuTile Python, cuTile.jl and CuIR", "docs/tile-calls.md",
         nullptr},
    Page{"doc://hlsl", "kernels in HLSL and GLSL",
         "Shaders through Vulkan: arguments by name, what is found, and CUDA's words in HLSL",
         "docs/hlsl.md", nullptr},
    Page{"doc://pytorch", "problems from PyTorch modules",
         "How a module with get_inputs() becomes a problem, and what is refused", "docs/pytorch.md",
         nullptr},
    Page{"schema://problem", "schema of a problem", "JSON Schema", "schemas/problem.schema.json",
         nullptr},
    Page{"schema://kernel", "schema of a kernel", "JSON Schema", "schemas/kernel.schema.json",
         nullptr},
};

const char* type_of(const Page& page) {
  return std::string_view(page.file).ends_with(".md") ? "text/markdown" : "application/json";
}

/// The two files as they stand, so that numbers and order stay as people wrote them.
std::string example_text(const Page& page) {
  return "{\"problem\": " + std::string(guide_file(page.file)) +
         ", \"kernel\": " + std::string(guide_file(page.kernel)) + "}\n";
}

/// The part of a document under a heading, with it.
std::string_view section(std::string_view document, std::string_view heading) {
  const std::size_t begin = document.find(heading);
  return document.substr(begin, document.find("\n## ", begin) + 1 - begin);
}

std::string page_text(const Page& page) {
  if (page.kernel != nullptr) {
    return example_text(page);
  }
  const std::string_view whole = guide_file(page.file);
  return std::string(
      page.uri == std::string_view(kCuirReference) ? section(whole, "## Operations\n") : whole);
}

}  // namespace

Json guide_rows() {
  Json rows = Json::array();
  for (const Page& page : kPages) {
    rows.push_back({{"uri", page.uri},
                    {"name", page.name},
                    {"description", page.description},
                    {"mimeType", type_of(page)}});
  }
  return rows;
}

std::optional<ResourceText> guide_text(const std::string& uri) {
  for (const Page& page : kPages) {
    if (uri == page.uri) {
      return ResourceText{
          .uri = uri, .mime_type = type_of(page), .text = page_text(page), .immutable = false};
    }
  }
  return std::nullopt;
}

}  // namespace ws
