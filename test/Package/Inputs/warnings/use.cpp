// Instantiates what the public headers and a generated one offer, so that a compiler that is asked
// for warnings looks at all of it. Never run.

#include "headers.h" // every installed header

#include "kernels.h"

tilec::Status useKernels(float *x, tilec::half *h, const tilec::Device &gpu) {
  kernels::scale_options options{tilec::cpuStream(), {4, 2u, 3ll}};
  options.BLOCK = 256;
  options.HOW = kernels::scale_HOW::fast;
  tilec::Freeze freeze;
  tilec::Status status = kernels::prepare_all();
  if (status)
    status = kernels::prepare_all(gpu);
  if (status)
    status = kernels::scale(options, x, x, 2.5f, 4);
  if (status)
    status = kernels::scale({}, h, h, tilec::half(1.0f), 4);
  if (status)
    status = kernels::copy({{}, 1}, {x, {2, 4}}, {x, {2, 4}, {4, 1}}, 1);
  if (status)
    status = kernels::copy_occupancy({}, {x, {2, 4}}, {x, {2, 4}}, 1).error();
  kernels::unload_all();
  return status;
}

static tilec::Status useMemory(const tilec::Device &gpu, float *host) {
  auto buffer = tilec::Buffer::allocate(gpu, 16);
  auto stream = tilec::Stream::create(gpu);
  auto event = tilec::Event::create(gpu);
  if (!buffer || !stream || !event)
    return buffer.error();
  tilec::Expected<float> time = event->since(*event);
  time = event->since(*event);
  tilec::Status status = event->record(*stream);
  if (status)
    status = buffer->copyIn(host, 4);
  if (status)
    status = buffer->copyFrom(*stream, *buffer, 1);
  if (status)
    status = buffer->fill(*stream, 1);
  return status ? buffer->copyOut(host, 4) : status;
}

tilec::Status useRuntime(float *host) {
  auto gpu = tilec::Device::open(0);
  if (!gpu)
    return gpu.error();
  if (tilec::Status status = useMemory(*gpu, host); !status)
    return status;
  auto module = tilec::Module::load(*gpu, "ptx");
  if (!module)
    return module.error();
  const tilec::Param params[] = {{"x", TILEC_TYPE_POINTER + TILEC_TYPE_FP32, 0}};
  auto kernel = module->kernel(tilec::LaunchRecord("k", 128, 0, params).withCTAs(2));
  if (!kernel)
    return kernel.error();
  auto programs = kernel->residentPrograms();
  auto occupancy = kernel->occupancy();
  if (!programs || !occupancy || gpu->capability() < 80)
    return programs.error();
  const tilec::TensorDescriptor<float, 2> tensor(host, {2, 4});
  if (tilec::Status status = kernel->launch({}, {1}, tensor, 1); !status)
    return status;
  return kernel->launch({}, {size_t(1), 2, *programs}, host, nullptr, 1, 'a', short(2), 3ull, true,
                        1.0f, 2.0, tilec::Half(1.0f), tilec::BFloat16(2.0f));
}

tilec::Status useJit(float *x) {
  tilec::jit::Options options;
  options.cache = tilec::jit::userCache();
  auto compiler = tilec::jit::Compiler::create(options);
  if (!compiler)
    return compiler.error();
  auto module = compiler->compileText("text");
  if (!module)
    return module.error();
  tilec::jit::KernelOptions how{{"A", 4}, {"B", 2.5f}, {"C", true}, {"D", "x"}, {"E", 3ull}};
  how.grid = "cdiv(n, A)";
  auto kernel = module->kernel<void(float *, const float *, int, std::nullptr_t)>("k", how);
  if (!kernel)
    return kernel.error();
  std::future<tilec::Status> prepared = kernel->prepareAsync(x, x, 3, nullptr);
  tilec::jit::Freeze freeze;
  if (kernel->warnings().empty() && kernel->code(x, x, 3, nullptr) &&
      compiler->counts().compilations)
    return prepared.get();
  how.descriptors = "y=tensordesc<fp32[2, 4]>, x=tensordesc<fp32[2, 4]>";
  using Copy = void(tilec::TensorDescriptor<float, 2>, tilec::TensorDescriptor<const float, 2>);
  if (auto copy = module->kernel<Copy>("copy", how); copy && copy->code({x, {2, 4}}, {x, {2, 4}}))
    return copy->launch({}, {x, {2, 4}}, {x, {2, 4}, {4, 1}});
  return kernel->launch({nullptr, {1, 2, 3}}, x, x, 1, nullptr);
}
