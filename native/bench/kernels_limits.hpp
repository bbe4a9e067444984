// What the machine can do at best, measured beside the kernels: an FMA loop and a streaming read.
#pragma once

#include <cstddef>

namespace ontomem::bench {

/// Runs `iterations` of a loop of independent fused multiply-adds in registers, at the widest vectors
/// the CPU has; returns the floating-point operations done (two a lane and instruction).
double runFmaLoop(std::size_t iterations);

/// Reads `rowCount` rows of `rowBytes` (a multiple of 64) bytes, `strideBytes` apart, in address order,
/// with as many independent loads in flight as help; returns a sum, so that nothing is left out.
float readRows(const void* rows, std::size_t rowBytes, std::size_t strideBytes, std::size_t rowCount);

}  // namespace ontomem::bench
