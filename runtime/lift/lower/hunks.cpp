#include "runtime/lift/lower/hunks.h"

#include <algorithm>

#include "runtime/ir/diff/align.h"
#include "runtime/ir/syntax/parser.h"
#include "runtime/ir/syntax/printer.h"
#include "runtime/kernel/form/lines.h"

namespace ws::lift {

std::size_t indent_of(const ProgramLine& line) {
  return std::min(line.text.find_first_not_of(' '), line.text.size());
}

Result<std::vector<ProgramLine>> lines_of(const ir::Program& program) {
  std::vector<ProgramLine> lines;
  for (const std::string& text : split_lines(ir::print(program))) {
    ProgramLine line{text, std::nullopt};
    if (const std::size_t at = text.find("  # @ "); at != std::string::npos) {
      WS_TRY(line.mark, ir::parse_mark(text.substr(at + 2), {}));
      line.text = text.substr(0, at);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

Result<std::vector<Hunk>> hunks_of(const std::vector<ProgramLine>& source,
                                   const std::vector<ProgramLine>& target) {
  const auto texts = [](const std::vector<ProgramLine>& lines) {
    std::vector<std::string> all;
    all.reserve(lines.size());
    for (const ProgramLine& line : lines) {
      all.push_back(line.text);
    }
    return all;
  };
  WS_TRY(ir::Pairs pairs, ir::align_texts(texts(source), texts(target)));
  pairs.emplace_back(source.size(), target.size());
  std::vector<Hunk> hunks;
  std::size_t a = 0;
  std::size_t b = 0;
  for (const auto& [i, j] : pairs) {
    if (i > a || j > b) {
      hunks.push_back({a, i, b, j});
    }
    a = i + 1;
    b = j + 1;
  }
  return hunks;
}

Result<ReadProgram> ReadProgram::read(const std::string& text) {
  ReadProgram made;
  WS_TRY(made.program, ir::parse_program(text));
  WS_TRY(made.lines, lines_of(made.program));
  for (ir::StmtId id = 0; id < made.program.stmts.size(); ++id) {
    std::string line = ir::print_stmt(made.program, id, 0);
    line.resize(std::min(line.find('\n'), line.size()));
    line.resize(std::min(line.find("  # @ "), line.size()));
    made.statements.emplace(std::move(line), id);
  }
  return made;
}

}  // namespace ws::lift
