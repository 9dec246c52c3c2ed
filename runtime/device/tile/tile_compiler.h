// Compiles kernels of tiles to CuIR, for the CPU engine.
#pragma once

#include <memory>
#include <stop_token>

#include "runtime/compile/compile_service.h"
#include "runtime/device/tile/tile_parser.h"

namespace ws {

class TileCompiler {
 public:
  explicit TileCompiler(std::shared_ptr<TileParser> parser)
      : parser_(std::move(parser)) {}

  /// @param request  Of a language of tiles, with launches.
  /// @errors as TileParser::parse.
  Result<CompileReply> compile(const CompileRequest& request, const std::stop_token& stop,
                               bool fresh);

 private:
  std::shared_ptr<TileParser> parser_;
};

}  // namespace ws
