// What each CUDA status means; in every build.
#include "ontomem/cuda.hpp"

namespace ontomem::cuda {

const char* describe(Status status) {
  switch (status) {
    case Status::ok: return "ok";
    case Status::notBuilt: return "this build has no CUDA kernels";
    case Status::noDevice: return "no CUDA device, or no driver for it";
    case Status::outOfMemory: return "out of device memory";
    case Status::failed: return "a CUDA call failed";
  }
  return "unknown status";
}

}  // namespace ontomem::cuda
