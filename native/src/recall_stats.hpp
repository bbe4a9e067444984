// What a recall tells of itself besides its times.
#pragma once

#include "ontomem/recall.hpp"

namespace ontomem {

/// Fills the statistics of arms and candidates. O(candidates log candidates + steps).
void summarise(const Arms& arms, ReaderScratch& scratch, RecallStats& stats);

}  // namespace ontomem
