// The driver's functions for streams, events and launches.
#include "test/gpu/driver/Call.h"

using namespace tenon::ptx;

CUresult cuStreamCreate(CUstream *stream, unsigned) {
  return inContext("cuStreamCreate", [&] {
    *stream = driver().createStream();
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  return inContext("cuStreamDestroy_v2", [&] {
    return driver().destroyStream(stream) ? CUDA_SUCCESS
                                          : CUDA_ERROR_INVALID_HANDLE;
  });
}

CUresult cuStreamSynchronize(CUstream stream) {
  return inContext("cuStreamSynchronize", [&] {
    return driver().isStream(stream) ? driver().finish(stream)
                                     : CUDA_ERROR_INVALID_HANDLE;
  });
}

CUresult cuStreamQuery(CUstream stream) {
  return inContext("cuStreamQuery", [&] {
    if (!driver().isStream(stream))
      return CUDA_ERROR_INVALID_HANDLE;
    if (!stream || stream->work.empty())
      return CUDA_SUCCESS;
    // Work goes on, so that a host that polls sees its end.
    driver().enqueue(stream, [] {});
    return CUDA_ERROR_NOT_READY;
  });
}

CUresult cuEventCreate(CUevent *event, unsigned) {
  return inContext("cuEventCreate", [&] {
    *event = new CUevent_st();
    driver().events.insert(*event);
    return CUDA_SUCCESS;
  });
}

CUresult cuEventDestroy_v2(CUevent event) {
  return inContext("cuEventDestroy_v2", [&] {
    if (!driver().events.erase(event))
      return CUDA_ERROR_INVALID_HANDLE;
    CUresult result = driver().finish(event->stream);
    delete event;
    return result;
  });
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  return inContext("cuEventRecord", [&] {
    if (!driver().events.count(event))
      return CUDA_ERROR_INVALID_HANDLE;
    event->stream = stream;
    event->time = -1;
    return driver().enqueue(stream, [=] { event->time = driver().now; });
  });
}

CUresult cuEventSynchronize(CUevent event) {
  return inContext("cuEventSynchronize", [&] {
    return driver().events.count(event) ? driver().finish(event->stream)
                                        : CUDA_ERROR_INVALID_HANDLE;
  });
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent first, CUevent last) {
  return inContext("cuEventElapsedTime", [&] {
    if (!driver().events.count(first) || !driver().events.count(last))
      return CUDA_ERROR_INVALID_HANDLE;
    if (first->time < 0 || last->time < 0)
      return CUDA_ERROR_NOT_READY;
    *milliseconds = float(last->time - first->time);
    return CUDA_SUCCESS;
  });
}

CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY,
                        unsigned gridZ, unsigned blockX, unsigned blockY,
                        unsigned blockZ, unsigned sharedBytes, CUstream stream,
                        void **parameters, void **extra) {
  return inContext("cuLaunchKernel", [&] {
    if (!driver().isFunction(function))
      return CUDA_ERROR_INVALID_HANDLE;
    if (extra)
      return CUDA_ERROR_INVALID_VALUE;
    LaunchShape shape{
        {gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes};
    return driver().launch(function, shape, stream, parameters);
  });
}
