// Tools that do as little as a test needs.
#pragma once

#include "tools/registry.h"

namespace ws {

/// Adds these, all with closed input schemas:
///   echo      {text}                     -> {summary: text}
///   linked    {}                         -> {summary, links: two rows}
///   refuse    {code}                     -> a tool error with that code's word
///   steps     {count, gap_ms}            -> reports count progress steps, gap_ms apart
///   wait      {ms}                       -> returns after ms, or kCancelled once stopped
///   waiting   {}                         -> how many `wait` calls there are now, as the summary
///   break     {how: throw|schema|bytes}  -> throws, returns a bad result, or bytes off UTF-8
void add_test_tools(ToolRegistry& registry);

}  // namespace ws
