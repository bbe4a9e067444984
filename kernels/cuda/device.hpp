// Device memory that frees itself, and CUDA's errors as our statuses.
#pragma once

#include <cuda_runtime.h>

#include "ontomem/cuda.hpp"

namespace ontomem::cuda {

inline Status statusOf(cudaError_t error) {
  switch (error) {
    case cudaSuccess: return Status::ok;
    // Without a driver the runtime reports it as too old.
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver: return Status::noDevice;
    case cudaErrorMemoryAllocation: return Status::outOfMemory;
    default: return Status::failed;
  }
}

template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  Status allocate(std::size_t count) { return statusOf(cudaMalloc(&data_, (count == 0 ? 1 : count) * sizeof(T))); }
  Status fill(const T* host, std::size_t count) {
    if (const Status status = allocate(count); status != Status::ok) return status;
    return statusOf(cudaMemcpy(data_, host, count * sizeof(T), cudaMemcpyHostToDevice));
  }
  Status read(T* host, std::size_t count) const {
    return statusOf(cudaMemcpy(host, data_, count * sizeof(T), cudaMemcpyDeviceToHost));
  }
  T* get() const { return data_; }

 private:
  T* data_ = nullptr;
};

}  // namespace ontomem::cuda
