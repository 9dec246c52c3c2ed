// How the structure of sparse matrices and sorted indices are drawn; used by fill_input only.
#pragma once

#include <cstdint>

#include "runtime/base/result.h"
#include "runtime/judge/draws.h"
#include "runtime/judge/inputs.h"

namespace ws {

/// The row offsets of a sparse matrix in CSR form: from 0 up to the number of its values, which is
/// drawn between `fewest` and `nonzeros`. Some rows are empty, some many times as long as others,
/// none longer than the number of columns.
/// @errors kInvalidArgument: more values than places, or than the type can count.
Status draw_csr_offsets(const Canvas& canvas);

/// The column indices that belong to them: in each row different ones, ascending. Elements beyond
/// the matrix's values hold columns, too, so that no index leaves the matrix.
/// @param their_seed  The seed that the offsets were drawn from.
/// @errors as draw_csr_offsets.
Status draw_csr_columns(const Canvas& canvas, const OffsetsOf& offsets, std::uint64_t their_seed);

/// In each row of the last dimension different whole numbers from low up to high - 1, ascending.
/// @param high  NaN: low and twice the row's length.
/// @errors kInvalidArgument: fewer numbers than a row has elements, or than the type can hold.
Status draw_sorted_indices(const Canvas& canvas, double low, double high);

}  // namespace ws
