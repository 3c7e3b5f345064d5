// What the snippets of docs/embedding.md take for granted: the header that its commands have made, and
// things of the program around them.

#include "scale.h"

#include <tilec/dlpack.h> // with Debian's libdlpack-dev
#include <tilec/profile.h>

#include <cstdio>
#include <thread>
#include <vector>

// As <cuda_runtime.h> declares them.
typedef struct CUstream_st *cudaStream_t;
typedef struct CUgraph_st *cudaGraph_t;
enum cudaStreamCaptureMode { cudaStreamCaptureModeThreadLocal };
int cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
int cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);

extern cudaStream_t stream;
extern float *y, *hostY, *yOf[8];
extern const float *x, *hostX, *xOf[8];
extern int n, pool;
extern tilec::Device device;
bool answerRequest(const tilec::Stream &stream);
void shareOut(void *self, uint64_t count, void (*body)(void *task, uint64_t begin, uint64_t end),
              void *task);
