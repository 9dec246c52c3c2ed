// A compile request of PTX texts: machine code out.
#pragma once

#include "runtime/compile/assembler/linker.h"
#include "runtime/compile/compile.h"

namespace ws::assembler {

/// Links the texts in `request.source.headers` for `request.target`. The outcome's entries are
/// those of `request.source.entries`, which are symbols: with registers, static shared memory and
/// the sizes of their parameters. Never a diagnostic: nobody wrote these texts by hand.
///
/// May crash or run for ever on hostile text: call it in a process of its own.
CompileOutcome assemble(const Linker& linker, const CompileRequest& request);

}  // namespace ws::assembler
