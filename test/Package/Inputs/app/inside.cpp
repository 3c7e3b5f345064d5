#include <tilec/jit.h>

#include <cstdio>

int main() {
  tilec::jit::Options options;
  options.target = TILEC_JIT_CPU;
  options.importPaths = {SHARED};
  auto compiler = tilec::jit::Compiler::create(options);
  if (!compiler)
    return 1;
  auto module = compiler->compileFile(KERNELS);
  if (!module)
    return std::puts(module.error().message()), 1;
  auto scale = module->kernel<void(float *, const float *, float, int)>("scale", {{"BLOCK", 4}});
  if (!scale)
    return std::puts(scale.error().message()), 1;
  float x[] = {1, 2, 3, 4}, out[4];
  auto status = scale->launch(tilec::Grid(1), out, x, 10.0f, 4);
  if (!status)
    return std::puts(status.message()), 1;
  std::printf("inside: %g %g %g %g\n", out[0], out[1], out[2], out[3]);
}
