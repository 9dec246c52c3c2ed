// JSON forms of Image, for the frames between processes. Include it in .cpp files only.
#pragma once

#include <nlohmann/json.hpp>

#include "runtime/compile/compile.h"

namespace ws {

// nlohmann finds these by argument-dependent look-up. The blob travels after the JSON, raw.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(EntryParam, name, type, size, pointer, integer,
                                                folded, element)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(PhaseStop, warp, mode, site)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(PhasedCode, turn_offset, rows_offset, thread_bytes,
                                                unit_bytes, warps, aligned, stops)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(CompiledEntry, name, params, shared_bytes,
                                                stack_bytes, private_bytes, barriers, thread_offset,
                                                block_offset, phases, lowered, registers,
                                                local_bytes, spill_bytes, max_threads, threads,
                                                dynamic_bytes, null_params, by_name, block)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Site, region, line, column)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ProfiledAccess, site, bytes, space, kind)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ProfiledInstructions, site, kind, count, flops)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ProfiledStretch, entry, first_access, accesses,
                                                branch_site, chain, depth, waits, rounds,
                                                instructions)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ProfileMap, stretches, accesses, live_words)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ImageSymbol, name, offset, bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Image, ro_offset, rw_offset, imports, rebases,
                                                symbols, entries, steps, lines, sites, objects,
                                                profile, looks_at_addresses)

}  // namespace ws
