// Refuses recall requests that do not fit the shard or themselves.
#pragma once

#include "ontomem/recall.hpp"

namespace ontomem {

/// Names the first argument that is wrong. O(request).
Outcome checkRequest(const Snapshot& snapshot, const RecallRequest& request, const RecallOutput& output);

}  // namespace ontomem
