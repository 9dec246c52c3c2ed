// Parses kernels of tiles: Python in a worker, Julia here. Shared by the compilers of all devices.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "runtime/compile/compile_service.h"
#include "runtime/lift/tile/launch_check.h"

namespace ws {

struct TileParserOptions {
  std::string executable;  ///< This program, for worker processes.
  /// Tried in turn for one that is there.
  std::vector<std::string> interpreters = {"/usr/bin/python3", "/usr/local/bin/python3",
                                           "/opt/conda/bin/python3"};
  std::shared_ptr<CompileStore> store = nullptr;  ///< Trees on disk; null: in memory only.
};

struct ParsedTiles {
  std::optional<lift::tile::File> file;  ///< Nothing: `reply` says why.
  CompileReply reply;                    ///< The parser's, with a blob that is of no further use.
};

/// Any thread.
class TileParser {
 public:
  explicit TileParser(TileParserOptions options);

  /// @param source  In a language of tiles. Of its headers, files of Python are what a source of
  ///                Python imports.
  /// @errors as CompileService::compile; kUnsupported: there is no Python to parse with.
  Result<ParsedTiles> parse(const RenderedSource& source, const std::stop_token& stop, bool fresh);

 private:
  Result<ParsedTiles> parse_python(const std::string& text, const std::string& language,
                                   const std::stop_token& stop, bool fresh);

  std::unique_ptr<CompileService> syntax_;  ///< Null: no Python.
};

/// The outcome of a compile that ends with these mistakes.
CompileOutcome refused(const std::vector<lift::tile::Complaint>& complaints,
                       const RenderedSource& source);

}  // namespace ws
